"""Surveillance of people."""

from __future__ import annotations

from interlock.analyse.tools.arguments import VALUES, Argument
from interlock.analyse.tools.judged_call import JudgedCall
from interlock.analyse.tools.switches import is_true
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_effect_words import AudienceWords
from interlock.knowledge.tool_names import split_words
from interlock.patterns import late

_WORDS = read_table("tool-audiences", AudienceWords)


def watches_person(call: JudgedCall) -> bool:
    """Whether a person is watched: covertly, or repeatedly in private matters."""
    if _reads_along(call) or _says_covertly(call) or _searches_private_messages(call):
        return True
    if not any(map(_names_person, [one for one in call.arguments if "person" in one.roles or one.key in _PERSONAL])):
        return False
    covert = any(map(_is_covert, call.arguments))
    watched = any(map(_is_watched, call.arguments))
    ordered = {word for one in call.of_role("operation") for word in split_words(one.low[:MAX_NAME])}
    tracking = call.words(_WORDS.watching_verbs) or not _WORDS.watching_verbs.isdisjoint(ordered)
    watched = watched or not VALUES["watched"].isdisjoint(ordered)
    if _joins_personal_traces(call):
        return True
    again = any(not one.words.isdisjoint(_WORDS.repeating_words) for one in call.arguments)
    if call.meaning.verb == "send":
        return False
    return (covert and (tracking or watched or call.meaning.verb == "read")) or (watched and (tracking or again))


def _says_covertly(call: JudgedCall) -> bool:
    """Whether a purpose or a note says that a person must not know that they are watched."""
    return call.keyed(_WORDS.purpose_keys) and any(
        one.key in _WORDS.purpose_keys
        and isinstance(one.value, str)
        and _UNKNOWING.search(one.low[:MAX_PURPOSE]) is not None
        for one in call.arguments
    )


def _searches_private_messages(call: JudgedCall) -> bool:
    """Whether a person's mailbox or messages are searched for private matters."""
    if not call.keyed(_WORDS.mailbox_keys):
        return False
    if call.meaning.verb not in ("", "read") or not any(
        one.key in _WORDS.mailbox_keys and "@" in one.text for one in call.arguments
    ):
        return False
    return any(
        one.key in _WORDS.search_keys and _PRIVATE_MATTERS.search(one.low[:MAX_PURPOSE]) for one in call.arguments
    )


_UNKNOWING = late(rf"\b(?:{'|'.join(_WORDS.unknowing_phrases)})")
_PRIVATE_MATTERS = late(rf"\b(?:{'|'.join(_WORDS.private_matters)})\b")
MAX_PURPOSE = 400


def _names_person(one: Argument) -> bool:
    """Whether an argument for a person or a personal thing says who is watched: a mailbox, "Lena's phone"."""
    if not isinstance(one.value, str) or not one.value:
        return False
    return "person" in one.roles or one.key in _WORDS.person_keys or _POSSESSIVE.search(one.value) is not None


_PERSONAL = _WORDS.person_keys | _WORDS.personal_things
_POSSESSIVE = late(r"[A-Z][a-zà-ÿ]+['’]s\b")


def _is_covert(one: Argument) -> bool:
    """Whether a person must not notice: `hidden: true`, `notify_employee: false`."""
    if is_true(one):
        return not one.words.isdisjoint(VALUES["covert"]) and one.words.isdisjoint(_WORDS.showing_words)
    if one.key in ("mode", "listen_mode") and isinstance(one.value, str):
        return not VALUES["covert"].isdisjoint(split_words(one.low[:MAX_NAME]))
    return one.value is False and not one.words.isdisjoint(_WORDS.disclosing_words)


MAX_NAME = 80


def _joins_personal_traces(call: JudgedCall) -> bool:
    """Whether data about one person from several systems is combined."""
    sources = {word for one in call.arguments if one.key in _SOURCES for word in split_words(one.low[:MAX_NAME])}
    return len(sources & _WORDS.traces) > 1


_SOURCES = frozenset({"sources", "source", "systems", "feeds"})


def _reads_along(call: JudgedCall) -> bool:
    """Whether a conversation of others is read by a non-member: `as_admin: true`."""
    if not call.words(_WORDS.conversations) or call.meaning.verb not in ("", "read", "send"):
        return False
    above = any(one.key in ("as_admin", "admin_access") and is_true(one) for one in call.arguments)
    private = any(one.low in _WORDS.private_conversations for one in call.arguments)
    return above and private


def _is_watched(one: Argument) -> bool:
    low = one.low
    if is_true(one):
        return one.key in VALUES["watched"] or not one.words.isdisjoint(VALUES["watched"])
    return low in VALUES["watched"] and "fields" in one.roles
