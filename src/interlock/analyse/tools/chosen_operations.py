"""The operation of a tool that is named after a thing: `registrar {"intent": "check"}`.

Such a name does not say what happens. One argument selects it, by its value (`transition: terminate`) or by its
key (`report: battery`). A choice that changes something always counts. One that only reads counts if the other
arguments only identify and filter what is read: a word next to an amount or a recipient makes no payment a read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from interlock.analyse.tools.arguments import VALUES, Argument
from interlock.analyse.tools.key_objects import object_of_key
from interlock.analyse.tools.name_meaning import Meaning, meaning_of
from interlock.analyse.tools.operation_names import operation_meaning
from interlock.analyse.tools.switches import gives_high_role
from interlock.analyse.tools.vocabulary import NOMINALS, NOUNS, REVEALING, group_of, is_verb_only
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_name_words import ToolNameWords
from interlock.patterns import late

_WORDS = read_table("tool-names", ToolNameWords)
_CHOOSING = VALUES["choosing"]
_SORTING = VALUES["sorting"]
_NARROWING = VALUES["narrowing"]
_NOUNS = NOUNS | NOMINALS.keys() | {"manage", "payrun", "setup", "rollout"}
_IDENTIFIER = late(r"[A-Za-z][\w.:/ -]{1,60}")
_DATE = late(r"\d{4}-\d\d(?:-\d\d)?(?:[T ].*)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}|today|now|yesterday|-?\d+[hdwm]")
_BARRED = frozenset({"amount", "recipient", "attachment", "final", "rehearsal", "effective", "releasing"})
#: Roles of arguments for a recipient or a new state.
_GIVING = _BARRED | {"role", "state"}
#: Groups of verbs whose nouns name actions, and the keys by which such a tool can be told to read.
GRAVE = frozenset("pay transfer trade remove grant share sign send publish install operate".split())
BINDING = frozenset("payment.send order.place contract.sign access.grant security.lower account.change".split())
LEADING = _WORDS.leading_keys
LONGEST = 80  # letters of a value that names something
_MOST_WORDS = 4


def is_named_after_thing(tool_name: str) -> bool:
    """Whether a name has no verb, or one that is a noun here: `domain_transfer`, `payrun`, `recall_console`."""
    meaning = meaning_of(tool_name, "")
    if not meaning.verb:
        return True
    if meaning.words[-1:] and meaning.words[-1] in _WORDS.instruments:
        return meaning.words[-1] in _WORDS.wielded_instruments or not is_verb_only(meaning.said)  # `restart_server`
    if meaning.said not in _NOUNS or meaning.said not in meaning.words:
        return False
    at = len(meaning.words) - 1 - meaning.words[::-1].index(meaning.said)
    if at and at < len(meaning.words) - 1:
        return False  # `azure_stop_vms`: a verb after the name of a service, and what it is done to
    return at > 0 or len(meaning.words) == 1


def may_be_thing(tool_name: str) -> bool:
    """Whether the verb of a name may be a noun, so that an argument can say what is done: `order_card`."""
    meaning = meaning_of(tool_name, "")
    return not meaning.verb or meaning.said in _NOUNS or is_named_after_thing(tool_name)


def chosen_meanings(tool_name: str, arguments: Sequence[Argument]) -> Iterator[Meaning]:
    """Yield the operations that arguments choose, for a tool that is named after a thing."""
    looks: dict[str, Meaning] = {}
    named = is_named_after_thing(tool_name)
    grave = is_grave_noun(tool_name)
    for one in arguments:
        if not one.is_own and not (named and len(one.keys) > 1):
            continue
        meaning = _find_operation(one) or (_read_key(one) if named else None)
        if meaning and meaning.verb != "read":
            yield meaning
        else:
            meaning = meaning or _find_lookup(one)
            leads = not grave or one.key in LEADING
            if meaning and leads and not (meaning.said in _WORDS.right_keys and _is_about_rights(tool_name)):
                looks[one.keys[0]] = meaning
    if looks and named and only_asks(arguments, looks.keys(), strictly=grave):
        yield next(iter(looks.values()))


def is_grave_noun(tool_name: str) -> bool:
    """Whether the noun in a name is an action that arguments cannot turn into a read: `refund`, `door_lock`."""
    meaning = meaning_of(tool_name, "")
    if meaning.verb in GRAVE:
        return True
    return bool(meaning.verb) and any((getattr(one, meaning.verb) or one.any) in BINDING for one in meaning.things)


def _is_about_rights(tool_name: str) -> bool:
    return any(thing.name in _WORDS.about_rights for thing in meaning_of(tool_name, "").things)


def _find_operation(one: Argument) -> Meaning | None:
    """Return the operation that the value of an argument names."""
    sorts = one.key in _SORTING
    if (not sorts and one.key not in _CHOOSING) or not isinstance(one.value, str):
        return None
    if not _IDENTIFIER.fullmatch(one.value.strip()) or (" " in one.value.strip() and one.key in _LINES):
        return None
    meaning = operation_meaning("_".join(one.value.split()))
    if not meaning.verb or len(meaning.words) > _MOST_WORDS or meaning.said == "control":
        return None
    if sorts and meaning.verb != "read" and (meaning.said in NOUNS or len(meaning.words) == 1):
        return None  # `type: order`
    return meaning


_LINES = frozenset({"cmd", "command", "call", "supervisor_cmd"})


def _read_key(one: Argument) -> Meaning | None:
    """Return the operation that a key names: `purge: {…}`, `transfer_to: …`, `launch: true`."""
    key = one.keys[0]
    first, _, rest = key.partition("_")
    group = group_of(first)
    if group not in _GRAVE or first in REVEALING or (rest and rest not in _TOWARDS):
        return None
    if one.value in (None, False, "", ()) or one.low in _WORDS.unset_values:
        return None
    if first in NOUNS and not (len(one.keys) > 1 or one.value is True or rest):
        return None
    return meaning_of(key, "")._replace(verb=group, said=first)


_GRAVE = frozenset("remove grant share pay transfer trade publish send export install sign".split())
_TOWARDS = frozenset({"to", "as", "all", "now"})


def _find_lookup(one: Argument) -> Meaning | None:
    """Return a lookup if a key says so: `report: battery`, `history_hours: 12`."""
    first, _, rest = one.keys[0].partition("_")
    if first not in _ASKING or one.value in (None, False, True, "", ()):
        return None
    words = frozenset(rest.split("_")) if rest else frozenset()
    if not words <= _NARROWING or not words.isdisjoint(_WORDS.marking_words):
        return None
    if not isinstance(one.value, str) and words.isdisjoint(_WORDS.spans):
        return None
    return Meaning("read", (), (first,), first)


#: Keys of queries. A trace can accompany any call.
_ASKING = VALUES["asking"] - {"trace"}


def only_asks(arguments: Sequence[Argument], besides: Collection[str], *, strictly: bool = False) -> bool:
    """Whether arguments only identify and filter what is read, not counting those under the keys `besides`.

    With `strictly`, values that could be a role, a state, a recipient, an amount or a text are no filters.
    """
    return all(one.keys[:1] and (one.keys[0] in besides or _only_names(one, strictly=strictly)) for one in arguments)


def _only_names(one: Argument, *, strictly: bool) -> bool:
    if one.value in (None, False, "", ()):
        return True
    if "role" in one.roles and (one.key in _WORDS.right_keys or gives_high_role(one)):
        return False
    if one.low in _WORDS.deeds or (is_verb_only(one.low) and group_of(one.low) not in ("read", "draft")):
        return False  # `valve: open`
    if strictly and not (one.roles.isdisjoint(_GIVING) and one.key not in _WORDS.setting_keys):
        return isinstance(one.value, str) and bool(_DATE.fullmatch(one.low))
    narrows = not one.words.isdisjoint(_NARROWING)
    if not isinstance(one.value, str):
        return narrows
    if _DATE.fullmatch(one.low):
        return True
    if len(one.value) > LONGEST or one.key in _WORDS.setting_keys or not one.roles.isdisjoint(_BARRED):
        return narrows and len(one.value) <= LONGEST and "@" not in one.value and "://" not in one.value
    return "@" not in one.value and "://" not in one.value and not _changes(one.keys[0]) and not object_of_key(one.key)


def _changes(key: str) -> bool:
    first = key.partition("_")[0]
    return group_of(first) not in ("", "read", "draft") and first not in NOUNS
