"""Changes of how something is called, described or shown, which anybody can turn back."""

from __future__ import annotations

from interlock.analyse.tools.arguments import Argument
from interlock.analyse.tools.judges.annotations import identifies
from interlock.analyse.tools.judges.call import GRAVE, JudgedCall
from interlock.analyse.tools.narrowing import SETTING, SWITCHING

#: Keys of what people read about a thing and nothing depends on.
_DISPLAY = frozenset(
    (
        "name display_name friendly_name short_description long_description meta_description alt_text subtitle "
        "nickname title job_title description notes note comment comments remark "
        "memo tags tag "
        "labels label color colour icon avatar emoji photo photo_url picture pronouns locale language lang timezone "
        "time_zone tz theme location office desk floor building extension phone_extension work_phone_extension "
        "birthday_display sort_order position_in_list category categories priority folder alias_note greeting "
        "preferred_name preferred_language "
        "timezone_name date_format currency_display bio_internal department_note t_shirt_size "
        "dietary dietary_preference wish seat_preference newsletter_language internal_name caption due_date"
    ).split()
)
#: Of these, what is harmless for people and things that others rely on as well.
_PERSONAL_WISHES = frozenset("language preferred_language locale timezone time_zone pronouns preferred_name".split())
#: Last words of keys of what people note beside a thing, whatever it is.
_NOTES = frozenset("note notes comment comments remark remarks memo".split())
_LAST_WORDS = _NOTES | frozenset("tag tags label labels color colour icon emoji nickname".split())
#: Effects that concern more than a display even where only a text changes: everyone can read it, or it is sent.
_READ_BY_OTHERS = frozenset(
    "content.publish message.send document.share data.export deploy.release infra.change".split()
)
#: Effects of which a verb other than these does more than its arguments say.
_WEIGHTY = frozenset(
    "payment.send order.place access.grant account.change device.operate contract.sign automation.install".split()
)
_DESCRIBING = (SETTING - SWITCHING) | frozenset(
    "annotate rename label relabel tag untag mark correct amend fix".split()
)
_NAMED_THINGS = frozenset("infrastructure data access secret security policy health official payee package".split())
_REFERRING = frozenset(
    {"id", "ids", "sid", "email", "arn", "gid", "uuid", "key", "ref", "number", "no", "code", "urn", "slug", "token"}
)


#: Keys of what a thing belongs to.
_AROUND = frozenset(
    (
        "account project site store shop team workspace org organisation organization tenant guild list board course "
        "column section class calendar folder space marketplace publication user student customer client member "
        "auction lot bot matter case vendor supplier company campaign resource filter where number entity"
    ).split()
)
#: Verbs of tools that are named after a thing or manage it, which only a note leaves as it is.
_MANAGING = frozenset({"order", "manage", "write", "put", "record", "log"})


def changes_display(kind: str, call: JudgedCall) -> bool:
    """Whether a call sets nothing but names, notes, colours and the like: `update_campaign {"id": 1, "name": "x"}`."""
    if kind in _READ_BY_OTHERS and not (call.thing and call.thing.name == "advert" and kind == "content.publish"):
        return False
    if kind in _WEIGHTY and call.meaning.said not in _DESCRIBING | _MANAGING:
        return False  # a note beside it does not make an upgrade a note
    if kind == "access.grant" and any("person" in one.roles or "recipient" in one.roles for one in call.arguments):
        return False
    if not call.flags.isdisjoint(GRAVE | {"lowered", "binding"}):
        return False
    given = [one for one in call.arguments if one.value not in (None, False)]
    if call.meaning.verb != "change":
        said = call.meaning.said
        return said in _MANAGING and call.meaning.words != (said,) and _only_notes(given, call)
    if call.thing is not None and call.thing.name in _NAMED_THINGS:
        shown = [one for one in given if one.key in _PERSONAL_WISHES or (call.thing.name == "official" and _notes(one))]
    elif kind == "payment.send":  # the name of a payee decides who is paid
        shown = [one for one in given if one.key.rpartition("_")[2] in _LAST_WORDS]
    else:
        shown = [one for one in given if one.key in _DISPLAY or one.key.rpartition("_")[2] in _LAST_WORDS]
    if kind == "automation.install" and any(len(one.keys) > 1 for one in given):
        return False  # what it does is among its arguments
    refers = identifies if kind == "payment.send" else _refers  # a bank account decides who is paid
    return bool(shown) and len(shown) < len(given) and all(one in shown or refers(one, call) for one in given)


def _only_notes(given: list[Argument], call: JudgedCall) -> bool:
    """Whether a note is written beside something that exists: `shop_order {"id": 7, "note": "parcel in depot"}`."""
    notes = [one for one in given if _notes(one)]
    return bool(notes) and len(notes) < len(given) and all(_notes(one) or _refers(one, call) for one in given)


def _notes(one: Argument) -> bool:
    return one.key.rpartition("_")[2] in _NOTES


def _refers(one: Argument, call: JudgedCall) -> bool:
    """Whether an argument says which thing is meant: an identifier, what it belongs to, or the thing by its name."""
    last = one.key.rpartition("_")[2]
    return last in _REFERRING or last in _AROUND or one.key in call.meaning.words
