"""The arguments of a tool call and their roles: recipients, amounts, visibility, environment, permanence, ….

A role is found by the words of a key. The keys around a value count too: in `{"visibility": {"level": "public"}}` the
value has the role of `visibility`. Roles by which a call could be taken for harmless are not passed on in this way,
except to keys that say nothing by themselves, such as `enabled` in `{"sandbox_mode": {"enabled": true}}`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from interlock.analyse.record import FrozenRecord
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_calls import ArgumentRoles
from interlock.knowledge.table_types.tool_name_words import ArgumentWords
from interlock.knowledge.tool_names import split_words
from interlock.patterns import late
from interlock.payload import (
    CUT,
    MAPPINGS,
    MAX_DEPTH,
    MAX_KEY,
    MAX_LEAVES,
    MAX_TEXT,
    SCALARS,
    format_value,
    key_of,
    plain_key,
    text_of,
)
from interlock.sanitise import clean

_WORDS = read_table("tool-arguments", ArgumentWords)

_TABLE = read_table("argument-roles", ArgumentRoles)
_ROLES: dict[str, frozenset[str]] = {}
for _role, _words in _TABLE.keys.items():
    for _word in _words:
        _ROLES[_word] = _ROLES.get(_word, frozenset()) | {_role}
#: Significant values, by their meaning.
VALUES = {name: frozenset(words) for name, words in _TABLE.values.items()}
NO_ROLES: frozenset[str] = frozenset()
_LEADING = frozenset({"visibility", "private"})  # roles that the first word of a key gives too
#: Roles that can make a call look harmless.
LOWERING = frozenset({"rehearsal", "effective", "drafting", "releasing", "state", "environment", "sender"})
#: Keys around the arguments of an operation that say nothing about it; a value below others belongs to some part of it.
_WRAPPERS = frozenset(_TABLE.wrappers)
#: Roles of keys around a value that still applies to the whole call: `{"sandbox": {"enabled": true}}`.
_EASING_PARENTS = frozenset({"rehearsal"})
DESCRIBED = "described"  # the role of values to which the description of the tool gives one
#: Roles of an argument that is plain text according to the description, so that its name tells no effect.
PLAIN = frozenset({"data", DESCRIBED})
DECLARED = "declared"  # the role of values that the schema of the tool declares
LISTED = "listed"  # the role of values in a list of several things, of which none applies to the others
_LISTED = frozenset({LISTED})
MAX_JSON = 1_000_000
MANY = 5  # things in one list that are more than a few
_NESTED = 2  # keys of a value inside another one


class Argument(FrozenRecord, frozen=True):
    """One value of a call, its keys from the outside in, and the roles they give it; an empty list is a value too.

    `key` is the innermost key and `words` are its words; `text` is the value as text, and `low` that in lower case.
    """

    keys: tuple[str, ...]
    value: Any
    roles: frozenset[str]
    key: str
    words: frozenset[str]
    text: str
    low: str

    @property
    def is_own(self) -> bool:
        """Whether the value is an argument of the operation as a whole, not of a part or a note of it."""
        if DESCRIBED in self.roles or LISTED in self.roles:
            return LISTED not in self.roles
        return len(self.keys) < _NESTED or all(
            key in _WRAPPERS or _EASING_PARENTS & _ROLES.get(key, NO_ROLES) for key in self.keys[:-1]
        )

    def eases_as(self, role: str) -> bool:
        """Whether the value has a role by which a call can look harmless, and its whole key says so.

        `skip_dry_run` rehearses nothing, and `shipping_address` is no environment.
        """
        if role not in self.roles:
            return False
        return (
            DESCRIBED in self.roles
            or _is_whole(self.key, role)
            or (self.key in _WORDS.neutral_keys and len(self.keys) > 1 and _is_whole(self.keys[-2], role))
        )

    def with_roles(self, roles: frozenset[str]) -> Argument:
        """Return the same argument with other roles."""
        return Argument(self.keys, self.value, roles, self.key, self.words, self.text, self.low)


def make_argument(keys: tuple[str, ...], value: Any, roles: frozenset[str]) -> Argument:
    """Return an argument with what follows from its keys and its value."""
    key = keys[-1] if keys else ""
    if type(value) is str:
        text = clean(value[:MAX_TEXT])
    else:
        text = "" if value == () else text_of(value) or format_value(value, MAX_JSON)
    return Argument(keys, value, roles, key, words_of_key(key), text, text.strip().lower())


def _is_whole(key: str, role: str) -> bool:
    """Whether a whole key has a role, or has one after a word that refers to the call: `target_environment`."""
    first, _, rest = key.partition("_")
    return role in _ROLES.get(key, NO_ROLES) or (first in _WORDS.pointing_words and role in _ROLES.get(rest, NO_ROLES))


@lru_cache(maxsize=4096)
def words_of_key(key: str) -> frozenset[str]:
    """Return the words of a key in the spelling of the tables."""
    return frozenset(key.split("_"))


def names_in(arguments: Iterable[Argument]) -> frozenset[str]:
    """Return all keys of arguments, and the words of these keys, however they are split."""
    return NO_NAMES.union(*[_names_of_keys(one.keys) for one in arguments])


@lru_cache(maxsize=4096)
def _names_of_keys(keys: tuple[str, ...]) -> frozenset[str]:
    return frozenset(name for key in keys for name in (key, *words_of_key(key), *split_words(key)))


NO_NAMES: frozenset[str] = frozenset()


@lru_cache(maxsize=4096)
def roles_of(key: str) -> frozenset[str]:
    """Return the roles of a key, by its whole or by its last words.

    >>> sorted(roles_of("recipient")), sorted(roles_of("new_access_level"))
    (['recipient'], ['role'])
    """
    rest = key
    while rest:
        if rest in _ROLES:
            return _ROLES[rest]
        rest = rest.partition("_")[2]
    return _ROLES.get(key.partition("_")[0], NO_ROLES) & _LEADING


def arguments_of(payload: Mapping[str, Any], described: Mapping[str, str] = {}) -> list[Argument]:
    """Return the values of a payload at any depth, those in JSON texts included.

    `described` are roles by the names of arguments, from the description of the tool.
    """
    found: list[Argument] = []
    _walk((), payload, 0, NO_ROLES, [MAX_LEAVES], found)
    if not described:
        return found
    roles = {plain_key(name): frozenset({role, DESCRIBED}) for name, role in described.items()}
    return [one.with_roles(_find_described_roles(one, roles)) for one in found]


def _find_described_roles(one: Argument, roles: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """Return the role that a description gives an argument, by its innermost key that is described."""
    return next((roles[key] for key in reversed(one.keys) if key in roles), one.roles)


def _walk(
    keys: tuple[str, ...], value: Any, depth: int, roles: frozenset[str], left: list[int], found: list[Argument]
) -> None:
    """Add the arguments in a value to `found`; `left` holds the number of values that may still be read."""
    left[0] -= 1
    if left[0] < 0 or depth > MAX_DEPTH:
        if left[0] >= -1:
            found.append(make_argument(keys, CUT, NO_ROLES))
        return
    if isinstance(value, str) and value[:1] in _JSON_BEGINNINGS:
        value = parse_json(value)
    if isinstance(value, SCALARS):
        found.append(make_argument(keys, value, roles))
    elif isinstance(value, MAPPINGS) and (value or not keys):
        _walk_mapping(keys, value, depth, roles, left, found)
    elif isinstance(value, (list, tuple)) and value:
        if isinstance(value[0], (dict, list, tuple, Mapping)):
            roles |= _LISTED
        for part in value:
            _walk(keys, part, depth + 1, roles, left, found)
    else:
        empty = isinstance(value, (list, tuple, dict, Mapping))
        found.append(make_argument(keys, () if empty else value, roles))


def _walk_mapping(
    keys: tuple[str, ...],
    value: Mapping[str, Any],
    depth: int,
    roles: frozenset[str],
    left: list[int],
    found: list[Argument],
) -> None:
    """Add the arguments in a mapping to `found`."""
    for name, part in value.items():
        key = key_of(name)
        passed_on = roles - LOWERING if roles and key not in _WORDS.neutral_keys else roles
        if key == "value":
            named = _name_of(value)
            if named:  # `{"path": "roles", "value": "owner"}` sets `roles`
                _walk((*keys, named), part, depth + 1, (roles_of(named) | passed_on) - LOWERING, left, found)
                continue
            found += _find_named_switches(keys, value, part)
        own = roles_of(key) | passed_on if passed_on else roles_of(key)
        is_json = isinstance(part, str) and part[:1] in _JSON_BEGINNINGS
        if isinstance(part, SCALARS) and not is_json and left[0] > 0 and depth < MAX_DEPTH:  # most values
            left[0] -= 1
            found.append(make_argument((*keys, key), part, own))
        else:
            _walk((*keys, key), part, depth + 1, own, left, found)


_JSON_BEGINNINGS = ("{", "[")


def _find_named_switches(keys: tuple[str, ...], value: Mapping[str, Any], part: Any) -> Iterator[Argument]:
    """Yield the switch that a mapping names next to its value: `{"tag": "Guard.Bypass", "value": true}`."""
    switch = _name_of(value, _SWITCHED) if str(part).lower() in _WORDS.switch_states else ""
    if switch:
        yield make_argument((*keys, switch), part, roles_of(switch) - LOWERING)


def _name_of(value: Mapping[str, Any], keys: tuple[str, ...] = ()) -> str:
    """Return the key that a mapping names for its value: the last step of `path`, `field`, …."""
    for name in keys or _WORDS.naming_keys:
        named = value.get(name)
        if isinstance(named, str) and 0 < len(named) < MAX_KEY:
            return plain_key(_STEP.split(named.strip("/"))[-1])
    return ""


#: Keys of the name of a switch, beside which `value` says whether it is on.
_SWITCHED = ("tag", "parameter", "param")
_STEP = late(r"[/.:\[\]]")


def parse_json(text: str) -> Any:
    """Return the value of a JSON text, the text if it is not JSON, or `CUT` if it is too long or too deep."""
    if len(text) > MAX_JSON:
        return CUT
    try:
        return json.loads(text)
    except ValueError:
        return text
    except RecursionError:
        return CUT
