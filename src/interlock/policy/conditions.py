"""Conditions: `{field, operator, value}`, compiled once into a function of an action's facts."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from typing import Any

import msgspec

from interlock.effects import KINDS
from interlock.errors import ConfigError, nearest
from interlock.levels import Level
from interlock.patterns import late, searcher

#: Facts about how an action compares with what its agent did before.
DRIFT_FIELDS = ("drift.new_tool", "drift.new_host", "drift.new_folder", "drift.rate")
OPERATORS = tuple("equals not_equals contains matches in not_in exists gt gte lt lte".split())
FIELDS = (
    *(
        "toolName agentId runId user tenant environment risk.level risk.score risk.rules effects.kind effects.changes "
        "resources data.classes run.calls run.tool_calls run.secrets_read run.private_read run.untrusted run.requests"
    ).split(),
    *DRIFT_FIELDS,
)
#: The classes of data that an action can carry or read, and what each means.
DATA_CLASSES = {
    "secret": "a key, a token or a password",
    "personal": "data about people; also with `identity`, `card`, `customer` and `health`",
    "identity": "a national identity number, such as a social security number",
    "card": "the number of a payment card",
    "bank_account": "the number of a bank account",
    "customer": "records of customers, users or other people, or a dump of a database",
    "health": "health data about people",
    "confidential": "confidential content, such as salaries or board papers",
}
#: Fields that are numbers.
NUMBERS = frozenset(
    "risk.score run.calls run.tool_calls run.secrets_read run.private_read run.untrusted drift.rate".split()
)
#: Fields that are true or false.
BOOLEANS = frozenset({"effects.changes", *DRIFT_FIELDS[:-1]})
#: Fields whose nested values can be addressed by a path.
OPEN_FIELDS = ("inputPayload", "metadata", "run.metadata")
#: Fields that hold several values: a condition holds if it holds for any of them.
MANY = frozenset({"risk.rules", "effects.kind", "resources", "data.classes", "run.requests"})

ValueTest = Callable[[Any], bool]


class _Absent:
    """Stands for the value of a field that an action does not have."""


ABSENT = _Absent()


class Condition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A test of one field."""

    field: str
    operator: str
    value: Any = None

    def __str__(self) -> str:
        if self.operator == "exists":
            return f"{self.field} {'does not exist' if self.value is False else 'exists'}"
        return f"{self.field} {self.operator} {self.value!r}"


def check_field(field: str) -> None:
    """Raise for a field that no action has."""
    if field == "now":
        raise ConfigError('for times of the day, write `outside = "Mon-Fri 09:00-17:00 Europe/Berlin"` or `during`')
    root, path = split_field(field)
    if field not in FIELDS and not (root and all(path.split("."))):
        raise ConfigError(f"unknown field `{field}`{nearest(field, [*FIELDS, *(f'{one}.…' for one in OPEN_FIELDS)])}")


def split_field(field: str) -> tuple[str, str]:
    """Return the open field that a field belongs to, and the path inside it; empty texts if there is none.

    >>> split_field("run.metadata.team.name"), split_field("toolName")
    (('run.metadata', 'team.name'), ('', ''))
    """
    root = next((one for one in OPEN_FIELDS if field.startswith(f"{one}.")), "")
    return root, field[len(root) + 1 :] if root else ""


def look_up(path: str, value: Any) -> Any:
    """Return the value at a dotted path in a payload, or `ABSENT`."""
    for part in path.split("."):
        if isinstance(value, Mapping) and part in value:
            value = value[part]
        elif isinstance(value, (list, tuple)) and part.isascii() and part.isdigit() and int(part[:9]) < len(value):
            value = value[int(part[:9])]
        else:
            return ABSENT
    return ABSENT if value is None else value


def compile_condition(condition: Condition) -> ValueTest:
    """Return a function that says whether a condition holds for a field's value, or raise `ConfigError`."""
    field, operator, value = condition.field, condition.operator, condition.value
    check_field(field)
    if operator not in OPERATORS:
        raise ConfigError(f"unknown operator `{operator}`{nearest(operator, OPERATORS)}")
    _check_value(field, operator, value)
    if field.startswith("drift."):
        from interlock.policy.drift_use import check_drift_condition  # few policies use them

        check_drift_condition(condition)
    if operator == "exists":
        wanted = value is None or value is True
        return lambda found: (found is not ABSENT) is wanted
    if operator in ("not_equals", "not_in"):
        positive = _compare(field, operator.removeprefix("not_"), value)
        return lambda found: found is ABSENT or not positive(found)
    positive = _compare(field, operator, value)
    return lambda found: found is not ABSENT and positive(found)


def _check_value(field: str, operator: str, value: Any) -> None:
    """Raise for a value that the operator cannot use, or that the field can never have."""
    if operator == "exists":
        if not isinstance(value, (bool, type(None))):
            raise ConfigError(f"`exists` takes true or false, found `{value!r}`")
        return
    if value is None:
        raise ConfigError(f"`{operator}` needs a value; to test whether `{field}` is present, write `exists`")
    if operator in ("in", "not_in") and not isinstance(value, (list, tuple)):
        raise ConfigError(f"`{operator}` takes a list, found `{value!r}`; write `[{value!r}]`")
    if operator == "matches" and not isinstance(value, str):
        raise ConfigError(f"`matches` takes a regular expression, found `{value!r}`")
    if operator in _ORDERED_BY and field != "risk.level" and not (_is_number(value) or isinstance(value, str)):
        raise ConfigError(f"`{operator}` compares numbers or texts, found `{value!r}`")
    _check_against_field(field, operator, value)


def _check_against_field(field: str, operator: str, value: Any) -> None:
    items = value if isinstance(value, (list, tuple)) else [value]
    if field == "risk.level":
        for item in items:
            if item not in _RANKS:
                raise ConfigError(f"unknown level `{item}`{nearest(item, _RANKS)}")
    if field == "risk.score":
        if operator in ("matches", "contains"):
            raise ConfigError(f"`{operator}` does not apply to `{field}`, which is a number; write `gte`")
        for item in items:
            if not _is_number(item):
                raise ConfigError(f"`risk.score` is a number from 0 to 100, found `{item!r}`")
    if field in _VOCABULARIES and operator in ("equals", "not_equals", "in", "not_in"):
        what, words = _VOCABULARIES[field]
        for item in items:
            if item not in words:
                raise ConfigError(f"unknown {what} `{item}`{nearest(item, words)}")


#: Fields that hold words of a vocabulary: what such a word is called, and the vocabulary.
_VOCABULARIES: dict[str, tuple[str, Collection[str]]] = {
    "effects.kind": ("effect kind", KINDS),
    "data.classes": ("data class", DATA_CLASSES),
}


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _compare(field: str, operator: str, value: Any) -> ValueTest:
    one = _ORDERED_BY[operator](value, field) if operator in _ORDERED_BY else _SIMPLE[operator](value, field)
    if field in MANY:
        return lambda found: any(one(item) for item in found)
    return one


def _equals(value: Any, _field: str) -> ValueTest:
    if isinstance(value, bool):
        return lambda found: found is value
    return lambda found: bool(found == value) and not isinstance(found, bool)


def _in(value: Any, _field: str) -> ValueTest:
    options = list(value)
    return lambda found: any(found == item and isinstance(found, bool) == isinstance(item, bool) for item in options)


def _contains(value: Any, _field: str) -> ValueTest:
    def check(found: Any) -> bool:
        if isinstance(found, str):
            return str(value) in found
        if isinstance(found, (list, tuple, Mapping)):
            return value in found
        raise TypeError(f"`contains` needs a string, a list or a map, found {type(found).__name__}")

    return check


_NAMES = frozenset({"toolName", "agentId", "user", "tenant", "environment"})


def _matches(value: Any, field: str) -> ValueTest:
    search = searcher(value, f"condition on `{field}`", ignore_case=False)
    if field in _NAMES:
        search = lru_cache(maxsize=256)(search)  # most actions use the same few names

    def check(found: Any) -> bool:
        if not isinstance(found, str):
            raise TypeError(f"`matches` needs a string, found {type(found).__name__}")
        return search(found)

    return check


_RANKS = {level.value: level.rank for level in Level}
_SIMPLE: dict[str, Callable[[Any, str], ValueTest]] = {
    "equals": _equals,
    "in": _in,
    "contains": _contains,
    "matches": _matches,
}


def _make_comparison(compare: Callable[[Any, Any], bool]) -> Callable[[Any, str], ValueTest]:
    def make(value: Any, field: str) -> ValueTest:
        if field == "risk.level":
            rank = _RANKS[value]
            return lambda found: compare(_RANKS[found], rank)

        def check(found: Any) -> bool:
            if (_is_number(found) and _is_number(value)) or (isinstance(found, str) and isinstance(value, str)):
                return compare(found, value)
            raise TypeError(f"cannot compare {type(found).__name__} with {type(value).__name__}")

        return check

    return make


_ORDERED_BY: dict[str, Callable[[Any, str], ValueTest]] = {
    "gt": _make_comparison(lambda found, value: found > value),
    "gte": _make_comparison(lambda found, value: found >= value),
    "lt": _make_comparison(lambda found, value: found < value),
    "lte": _make_comparison(lambda found, value: found <= value),
}


_SHORT = late(r"^\s*([\w.\-]+)\s*(!=|>=|<=|==|=|>|<)\s*(.*?)\s*$", re.DOTALL)
_SIGNS = {"!=": "not_equals", ">=": "gte", "<=": "lte", "==": "equals", "=": "equals", ">": "gt", "<": "lt"}


def parse_short(text: str) -> Condition:
    """Return the condition of the short form: `toolName=deploy`, `risk.score>=50`, `environment!=staging`.

    In a payload, `amount=5` and `urgent=true` mean the number and the truth value as well as the text.

    >>> parse_short("inputPayload.env=production")
    Condition(field='inputPayload.env', operator='equals', value='production')
    """
    found = _SHORT.match(text)
    if not found:
        raise ConfigError(f"`{text}` is not a condition; write `field=value`, such as `toolName=deploy`")
    field, operator, value = found[1], _SIGNS[found[2]], _literal(found[3])
    if value == found[3] or operator not in ("equals", "not_equals"):
        return Condition(field, operator, value)
    if split_field(field)[0]:
        return Condition(field, "in" if operator == "equals" else "not_in", [value, found[3]])
    return Condition(field, operator, value if field in NUMBERS or field in BOOLEANS else found[3])


def _literal(text: str) -> Any:
    """Return the value of a word: a number, true, false, or the word itself."""
    if text in ("true", "false"):
        return text == "true"
    try:
        return int(text) if text.lstrip("-").isdigit() and len(text) < 18 else float(text)
    except ValueError:
        return text
