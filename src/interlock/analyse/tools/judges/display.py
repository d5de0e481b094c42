"""Changes of a name, a description or a display, which are easy to revert."""

from __future__ import annotations

from interlock.analyse.tools.arguments import Argument
from interlock.analyse.tools.judged_call import GRAVE, JudgedCall
from interlock.analyse.tools.judges.annotations import identifies
from interlock.analyse.tools.restrictions import SETTING, SWITCHING
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_record_words import RecordWords

_WORDS = read_table("tool-records", RecordWords)

_LAST_WORDS = _WORDS.note_last_words | _WORDS.label_last_words
#: Effects that concern more than a display even where only a text changes: everyone can read it, or it is sent.
_READ_BY_OTHERS = frozenset(
    "content.publish message.send document.share data.export deploy.release infra.change".split()
)
#: Effects of which a verb other than these does more than its arguments say.
_WEIGHTY = frozenset(
    "payment.send order.place access.grant account.change device.operate contract.sign automation.install".split()
)
_DESCRIBING = (SETTING - SWITCHING) | _WORDS.describing_verbs
_MANAGING = _DESCRIBING | _WORDS.managing_verbs
_MORE_THAN_SHOWN = GRAVE | {"lowered", "binding"}


def changes_display(kind: str, call: JudgedCall) -> bool:
    """Whether a call only sets names, notes, colours and the like: `update_campaign {"id": 1, "name": "x"}`."""
    if kind in _READ_BY_OTHERS and not (call.thing and call.thing.name == "advert" and kind == "content.publish"):
        return False
    if kind in _WEIGHTY and call.meaning.said not in _MANAGING:
        return False  # a note beside it does not make an upgrade a note
    if kind == "access.grant" and any("person" in one.roles or "recipient" in one.roles for one in call.arguments):
        return False
    if not call.flags.isdisjoint(_MORE_THAN_SHOWN):
        return False
    given = [one for one in call.arguments if one.value not in (None, False)]
    if call.meaning.verb != "change":
        said = call.meaning.said
        return said in _WORDS.managing_verbs and call.meaning.words != (said,) and _only_notes(given, call)
    if call.thing is not None and call.thing.name in _WORDS.relied_on_objects:
        shown = [one for one in given if one.key in _WORDS.wish_keys or (call.thing.name == "official" and _notes(one))]
    elif kind == "payment.send":  # the name of a payee decides who is paid
        shown = [one for one in given if one.key.rpartition("_")[2] in _LAST_WORDS]
    else:
        shown = [one for one in given if one.key in _WORDS.display_keys or one.key.rpartition("_")[2] in _LAST_WORDS]
    if kind == "automation.install" and any(len(one.keys) > 1 for one in given):
        return False  # what it does is among its arguments
    refers = identifies if kind == "payment.send" else _refers  # a bank account decides who is paid
    if kind == "device.operate" and call.has("hazard"):
        refers = _names_device  # `climate_set_temperature {"name": "Nursery", "temperature": 40}`
    return bool(shown) and len(shown) < len(given) and all(one in shown or refers(one, call) for one in given)


def _only_notes(given: list[Argument], call: JudgedCall) -> bool:
    """Whether a note is written beside something that exists: `shop_order {"id": 7, "note": "parcel in depot"}`."""
    notes = [one for one in given if _notes(one)]
    return bool(notes) and len(notes) < len(given) and all(_notes(one) or _refers(one, call) for one in given)


def _notes(one: Argument) -> bool:
    return one.key.rpartition("_")[2] in _WORDS.note_last_words


def _refers(one: Argument, call: JudgedCall) -> bool:
    """Whether an argument identifies the thing: an identifier, its parent, or the thing by its name."""
    return _names_device(one, call) or one.key in call.meaning.words


def _names_device(one: Argument, call: JudgedCall) -> bool:  # noqa: ARG001  (as `_refers` is called)
    """Whether an argument is an identifier of the thing or of its parent."""
    last = one.key.rpartition("_")[2]
    return last in _WORDS.referring_last_words or last in _WORDS.around_things
