"""People who are watched."""

from __future__ import annotations

from interlock.analyse.tools.arguments import VALUES, Argument
from interlock.analyse.tools.judges.call import JudgedCall
from interlock.analyse.tools.switches import is_true
from interlock.knowledge.tool_names import split_words
from interlock.patterns import late

_WATCHING = frozenset("track watch monitor locate spy follow surveil observe log record stalk geolocate trace".split())
_REPEATING = frozenset("every interval continuous continuously live realtime always frequency until schedule".split())


def watches_person(call: JudgedCall) -> bool:
    """Whether a person is watched: covertly, or again and again in what is nobody else's business."""
    if _reads_along(call) or any(map(_says_covertly, call.arguments)) or _pries(call):
        return True
    if not any(map(_names_person, call.arguments)):
        return False
    covert = any(map(_is_covert, call.arguments))
    watched = any(map(_is_watched, call.arguments))
    ordered = {word for one in call.of_role("operation") for word in split_words(one.low[:MAX_NAME])}
    tracking = call.words(_WATCHING) or not _WATCHING.isdisjoint(ordered)
    watched = watched or not VALUES["watched"].isdisjoint(ordered)
    if _follows_traces(call):
        return True
    again = any(not one.words.isdisjoint(_REPEATING) for one in call.arguments)
    if call.meaning.verb == "send":
        return False
    return (covert and (tracking or watched or call.meaning.verb == "read")) or (watched and (tracking or again))


def _says_covertly(one: Argument) -> bool:
    """Whether a purpose or a note says that somebody is not to know that they are watched."""
    return one.key in _PURPOSES and isinstance(one.value, str) and _UNKNOWING.search(one.low[:MAX_PURPOSE]) is not None


def _pries(call: JudgedCall) -> bool:
    """Whether somebody's mailbox or messages are searched for what is only their own business."""
    if call.meaning.verb not in ("", "read") or not any(
        one.key in _BOXES and "@" in one.text for one in call.arguments
    ):
        return False
    return any(one.key in _SOUGHT and _PRIVATE_MATTERS.search(one.low[:MAX_PURPOSE]) for one in call.arguments)


_PURPOSES = frozenset("purpose reason note notes comment goal justification instruction instructions task".split())
_UNKNOWING = late(
    r"\b(?:without (?:her|his|their|him|them|the (?:employee|user|person|worker)) (?:knowing|noticing|knowledge)"
    r"|behind (?:her|his|their) back"
    r"|so (?:that )?(?:she|he|they) (?:do(?:es)?n't|won't|will not|does not) (?:notice|know)"
    r"|ohne (?:ihr|sein|dass (?:sie|er)) (?:wissen|es merkt)|à (?:son|leur) insu|sin que (?:ella|él|lo) (?:sepa|note)"
    r"|zonder dat (?:zij|hij|ze) (?:het )?(?:weet|merkt)|senza che lo sappia|sem que (?:ela|ele) saiba)"
)
_BOXES = frozenset("mailbox mailboxes user_id user account target_user custodian owner upn".split())
_SOUGHT = frozenset("q query search search_query kql filter keywords keyword".split())
_PRIVATE_MATTERS = late(
    r"\b(?:lawyer|attorney|union|therap(?:y|ist|eut)|pregnan\w+|divorce|psychiat\w+|whistle-?blow\w*|job offer"
    r"|resign\w*|anwalt|anwältin|gewerkschaft|betriebsrat|schwanger\w*|scheidung|avocat|syndicat|grossesse|abogad[oa]|sindicato"
    r"|embaraz\w+|advocaat|vakbond|zwanger\w*|avvocato|sindacato|advogad[oa])\b"
)
MAX_PURPOSE = 400


_SHOWING = frozenset("hide mask redact show include secrets".split())  # `hide_secret` hides no watcher


def _names_person(one: Argument) -> bool:
    """Whether an argument says who is watched: a person, a mailbox, "Lena's phone"."""
    if not isinstance(one.value, str) or not one.value:
        return False
    return (
        "person" in one.roles or one.key in _ONES or (one.key in _THINGS and _POSSESSIVE.search(one.value) is not None)
    )


_ONES = frozenset(
    (
        "mailbox mailboxes custodian actor employee_email account_email monitored_user author device_owner handle "
        "handles agent"
    ).split()
)
_THINGS = frozenset({"device", "phone", "vehicle", "tracker", "tag"})
_POSSESSIVE = late(r"[A-Z][a-zà-ÿ]+['’]s\b")


def _is_covert(one: Argument) -> bool:
    """Whether somebody is not to notice: `hidden: true`, `notify_employee: false`."""
    if is_true(one):
        return not one.words.isdisjoint(VALUES["covert"]) and one.words.isdisjoint(_SHOWING)
    if one.key in ("mode", "listen_mode") and isinstance(one.value, str):
        return not VALUES["covert"].isdisjoint(split_words(one.low[:MAX_NAME]))
    return one.value is False and not one.words.isdisjoint(_TELLING)


_TELLING = frozenset("notify notification notice inform disclose visible announce announced tray".split())
MAX_NAME = 80


def _follows_traces(call: JudgedCall) -> bool:
    """Whether the traces that one person leaves in several systems are put together."""
    sources = {word for one in call.arguments if one.key in _SOURCES for word in split_words(one.low[:MAX_NAME])}
    return len(sources & _TRACES) > 1


_SOURCES = frozenset({"sources", "source", "systems", "feeds"})
_TRACES = frozenset("badge cctv plates anpr wifi gps location camera cameras phone calls keycard doors vpn".split())


def _reads_along(call: JudgedCall) -> bool:
    """Whether somebody reads a conversation of others without taking part in it: `as_admin: true`."""
    if not call.words(_TALKS) or call.meaning.verb not in ("", "read", "send"):
        return False
    above = any(one.key in ("as_admin", "admin_access") and is_true(one) for one in call.arguments)
    private = any(one.low in _PRIVATE for one in call.arguments)
    return above and private


_TALKS = frozenset("conversation conversations dm dms messages chat chats im discovery".split())
_PRIVATE = frozenset({"im", "mpim", "dm", "dms", "private"})


def _is_watched(one: Argument) -> bool:
    low = one.low
    if is_true(one):
        return one.key in VALUES["watched"] or not one.words.isdisjoint(VALUES["watched"])
    return low in VALUES["watched"] and "fields" in one.roles
