"""Meanings that arguments add to a tool's name: objects by their keys, and verbs that are switched on.

`update_employee {"payRate": …}` changes pay, `set_entry {"approve_and_pay": true}` pays, and
`update_resource {"resourceType": "AllergyIntolerance"}` changes an allergy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from interlock.analyse.tools.arguments import VALUES, Argument
from interlock.analyse.tools.device_arguments import MAX_VALUE, device_meanings, sets_device
from interlock.analyse.tools.key_objects import object_of_key, protection, split_key
from interlock.analyse.tools.name_meaning import Meaning, meaning_of
from interlock.analyse.tools.vocabulary import EFFACING, NOUNS, find_verb_of_state, group_of, object_of
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_name_words import ArgumentWords
from interlock.knowledge.tool_names import split_words

_WORDS = read_table("tool-arguments", ArgumentWords)
_QUIET = frozenset({"", "read", "draft"})
#: Verbs that change the objects named by keys. A message or an export only mentions them.
_CHANGING = frozenset({"make", "change", "approve", "submit", "run", "install", "publish", "book", "watch", "operate"})
_ORDERED = frozenset({"pay", "trade", "sign", "publish"})
_TYPE_KEYS = _WORDS.record_type_keys | _WORDS.type_keys
_DECIDING = frozenset({"change", "remove", "approve", "submit"})
_STATES = frozenset({"status", "state"})


def find_added_meanings(meaning: Meaning, arguments: Sequence[Argument]) -> Iterator[Meaning]:
    """Yield what a call does beyond its name; headers of a request are ignored."""
    arguments = [one for one in arguments if HEADERS.isdisjoint(one.keys[:-1])]
    if meaning.verb != "read" and any(thing.name in _WORDS.device_objects for thing in meaning.things):
        yield from device_meanings(meaning, arguments)
    if not EFFACING.isdisjoint(meaning.words) and any(map(_identifies_record, arguments)):
        yield meaning._replace(verb="remove", said=EFFACED)  # `conversation_redact {"part_id": 17}`
    if not meaning.verb:
        yield from _by_verbs(meaning, arguments)
    if meaning.verb in _QUIET:
        yield from _find_performed_meanings(meaning, arguments)
        return
    for one in arguments:
        on = _is_true(one)
        if _is_set(one):
            if meaning.verb in _CHANGING:
                yield from _by_argument(meaning, one)
            if on:
                yield from _switch_meanings(meaning, one.key)
        if (on or _is_false(one)) and _lowers(one, on=on):
            yield Meaning("remove", protection(one.key), meaning.words, "remove")
        elif (
            one.value is False
            and one.key in _WORDS.present_keys
            and meaning.things[:1]
            and meaning.things[0].name == "security"
        ):
            yield meaning._replace(verb="remove", said="remove")  # `azure_lock {"present": false}`


#: Keys around the headers of a request.
HEADERS = frozenset({"headers", "http_headers", "request_headers", "extra_headers"})


def is_binding(arguments: Sequence[Argument]) -> bool:
    """Whether an argument says that this is for good: `submit: true`, `confirm: true`."""
    named = [one for one in arguments if not _WORDS.binding_words.isdisjoint(one.words)]
    return any(_is_true(one) and _orders(one.key) for one in named)


def _by_argument(meaning: Meaning, one: Argument) -> Iterator[Meaning]:
    if (
        one.key in _STATES
        and one.text.lower() in _WORDS.launched_states
        and any(own.name == "broadcast" for own in meaning.things)
    ):
        yield meaning._replace(verb="send", said="send")
    if one.key in _WORDS.outcome_keys and isinstance(one.value, str) and len(one.value) <= MAX_VALUE:
        settled = _verb_of_state(one.value)
        if settled:
            yield meaning._replace(verb=settled, said=settled)  # `invoice_update {"status": "paid"}`
        elif (
            meaning.things[:1]
            and meaning.things[0].name in _OWED
            and not _WORDS.taken_back_states.isdisjoint(split_words(one.low))
        ):
            yield meaning._replace(verb="remove", said="void")  # `update_invoices {"status": "VOIDED"}`
    thing = object_of_key(one.key)
    if not thing and meaning.verb in _DECIDING and meaning.words == (meaning.said,):
        thing = object_of(one.key)  # `discharge {"patient": "p1"}`
        thing = thing if thing and thing.name in _WORDS.grave_objects else None
    if thing and (getattr(thing, meaning.verb) or (thing.any and meaning.verb != "watch")):
        yield meaning._replace(things=(thing,))
    if one.key in _TYPE_KEYS or one.key in _WORDS.field_keys:
        if not isinstance(one.value, str) or len(one.text) > MAX_VALUE:
            return
        named = meaning_of(one.text, "").things
        if one.key not in _WORDS.record_type_keys:
            named = tuple(thing for thing in named[:1] if thing.name in _WORDS.relied_on_objects)
        if named and not any(named[0] is other for other in meaning.things):
            yield meaning._replace(things=named)


#: The verb of calls that make a record unreadable for good.
EFFACED = "efface"


def _identifies_record(one: Argument) -> bool:
    """Whether an argument is the identifier of a stored record."""
    return one.key.rpartition("_")[2] in ("id", "ids", "uuid") and one.value not in (None, "", ()) and one.is_own


def _find_performed_meanings(meaning: Meaning, arguments: Sequence[Argument]) -> Iterator[Meaning]:
    """Yield the actions of a tool that otherwise only reads or prepares: `plan_dose {"write_to_chart": true}`."""
    if meaning.verb == "read" and meaning.said in _WORDS.looking_verbs:
        return
    if meaning.verb == "draft" and meaning.said in _KEEPING and any(_is_live(one) for one in arguments):
        yield meaning._replace(verb="make")  # `save_post {"status": "live"}`
    for one in arguments:
        first = one.key.partition("_")[0]
        if first in _WORDS.carrying_out and _is_true(one) and _orders(one.key):
            group = group_of(first)
            yield meaning._replace(verb=group if group in ("send", "pay", "publish", "submit") else "make", said=first)
            yield from (meaning_of(text, "") for text in _tasks(arguments))


def _is_live(one: Argument) -> bool:
    """Whether a saved change takes effect at once: `status: live`, `enabled: true`."""
    if one.key in _STATES:
        return not _WORDS.launched_states.isdisjoint(split_words(one.text[:MAX_VALUE]))
    return one.value is True and one.key in ("enabled", "active", "live", "published")


_KEEPING = frozenset({"save"})


def _tasks(arguments: Sequence[Argument]) -> Iterator[str]:
    """Yield the orders in words among arguments: `task: "create admin accounts"`."""
    for one in arguments:
        if one.key in _WORDS.task_keys and isinstance(one.value, str) and len(one.value) <= MAX_VALUE:
            yield "_".join(split_words(one.value))


@lru_cache(maxsize=1024)
def _verb_of_state(value: str) -> str:
    """Return `pay` or `sign` for a state that stands for a payment or a signature: `paid`, `refund_full`, `signed`."""
    words = split_words(value)
    group = "pay" if words[:1] == ("paid",) else group_of(find_verb_of_state(words[0])) if words else ""
    return group if group in ("pay", "sign") else ""


#: Objects that somebody owes or was promised, and states in which they are no longer valid.
_OWED = frozenset({"invoice", "contract", "official"})


def _switch_meanings(meaning: Meaning, key: str) -> Iterator[Meaning]:
    """Yield the action that a switch orders: `approve_and_pay`, `publish`."""
    if _orders(key):
        groups = {group_of(word) for word in split_key(key)} & _ORDERED
        if key in _WORDS.removing_keys:
            yield meaning._replace(verb="remove", said="delete")
        for group in sorted(groups):
            own = meaning_of(key, "").things
            yield Meaning(group, own, meaning.words, group)


def _by_verbs(meaning: Meaning, arguments: Sequence[Argument]) -> Iterator[Meaning]:
    """Yield the actions that keys name, if the name of the tool names none: `identity {"reveal": […]}`."""
    first_thing = meaning.things[0] if meaning.things else None
    if (
        first_thing
        and first_thing.name in _WORDS.device_objects
        and any(sets_device(one, first_thing) for one in arguments)
    ):
        yield meaning._replace(verb="operate", said="operate")  # `circuit_breaker {"state": "off"}`
    if first_thing and first_thing.name in _MONEY and any(one.key in _WORDS.payee_keys for one in arguments):
        yield meaning._replace(verb="pay", said="pay")  # `payout {"to": …}`
    if any("amount" in one.roles for one in arguments):
        keyed = [thing for thing in (object_of_key(one.key) for one in arguments) if thing]
        yield from (meaning._replace(verb="change", things=(thing,)) for thing in keyed)
    for outer in dict.fromkeys(key for one in arguments if _is_set(one) for key in one.keys[:-1]):
        if outer in _WORDS.done_keys:
            yield meaning._replace(verb=group_of(outer), said=outer)  # `log_workspace {"purge": {"table": …}}`
    for one in arguments:
        first = split_key(one.key)[0]
        if group_of(first) not in _QUIET and first not in NOUNS and _is_set(one):
            yield meaning._replace(verb=group_of(first), said=first)


_MONEY = frozenset({"money", "payee"})


def _lowers(one: Argument, *, on: bool) -> bool:
    """Whether a switch that is on or off turns a protection off: `require_3ds: false`, `skip_id_check: true`."""
    if one.key in _WORDS.watched_otherwise or (on and not VALUES["everyone_words"].isdisjoint(one.words)):
        return False  # `ignore_public_acls: true` keeps the public out
    return bool(protection(one.key)) and _WORDS.off_words.isdisjoint(one.words) != on


def _orders(key: str) -> bool:
    return _WORDS.about_words.isdisjoint(split_key(key))


def _is_true(one: Argument) -> bool:
    return one.value is True or (one.low in ("true", "yes") and isinstance(one.value, str))


def _is_false(one: Argument) -> bool:
    return one.value is False or (one.low in _OFF and isinstance(one.value, str) and one.value.lower() in _OFF)


_OFF = ("off", "disabled", "false")


def _is_set(one: Argument) -> bool:
    return one.value not in (None, False, "", 0)
