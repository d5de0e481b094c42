"""Conditions as rows of a form: field, path, operator and value, each as a person types it."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from interlock.errors import ConfigError
from interlock.model import Struct
from interlock.policy.conditions import OPEN_FIELDS, Condition, split_field
from interlock.policy.field_types import OPERATOR_LABELS, type_of
from interlock.sanitise import plain

MAX_VALUE = 4_000
_LISTS = ("in", "not_in")


class ConditionRow(Struct, frozen=True):
    """One row. `path` names a value inside an open field, such as `inputPayload`."""

    field: str = ""
    path: str = ""
    operator: str = "equals"
    value: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was entered."""
        return not (self.field or self.value.strip())


def parse_row(row: ConditionRow) -> Condition:
    """Return the condition of a row, or raise and say what to enter.

    >>> parse_row(ConditionRow("environment", "", "in", "production, critical")).value
    ['production', 'critical']
    """
    if not row.field:
        raise ConfigError("choose a field")
    if len(row.value) > MAX_VALUE:
        raise ConfigError(f"a value has at most {MAX_VALUE:,} characters here")
    field = row.field
    if field in OPEN_FIELDS:
        if not row.path.strip():
            raise ConfigError(f"enter the path of a value inside `{field}`, such as `amount`")
        field = f"{field}.{row.path.strip()}"
    return Condition(field, row.operator, _parse_value(field, row.operator, row.value))


def make_row(condition: Condition) -> ConditionRow:
    """Return a condition as a row, or raise if no row means exactly the same."""
    root, path = split_field(condition.field)
    for text in _spellings(condition.value):
        row = ConditionRow(root or condition.field, path, condition.operator, text)
        if plain(text) == text and len(text) <= MAX_VALUE and _means(row, condition):
            return row
    raise ConfigError(f"the condition on `{plain(condition.field)[:80]}` can only be shown as text")


def describe_condition(condition: Condition) -> str:
    """Return a condition in words.

    >>> describe_condition(Condition("environment", "in", ["production", "critical"]))
    'environment is one of production, critical'
    """
    if condition.operator == "exists":
        return f"{condition.field} is {'absent' if condition.value is False else 'present'}"
    return f"{condition.field} {OPERATOR_LABELS[condition.operator]} {_spellings(condition.value)[0]}"


def _means(row: ConditionRow, condition: Condition) -> bool:
    """Whether a row means exactly this condition, with the same types of values."""
    try:
        return msgspec.json.encode(parse_row(row)) == msgspec.json.encode(condition)
    except (ConfigError, ValueError):  # the value is no JSON
        return False


def _spellings(value: Any) -> list[str]:
    """Return the ways to enter a value, the simplest first."""
    if value is None:
        return [""]
    found = [value] if isinstance(value, str) else []
    if isinstance(value, (list, tuple)) and value:
        found.append(", ".join(one if isinstance(one, str) else json.dumps(one) for one in value))
    return [*found, json.dumps(value, ensure_ascii=False), json.dumps(value)]


def _parse_value(field: str, operator: str, text: str) -> Any:
    if operator not in OPERATOR_LABELS:
        raise ConfigError("choose an operator")
    if operator == "matches":
        return text  # patterns begin with any character
    text = text.strip()
    if operator == "exists":
        return _parse_presence(text)
    if operator in _LISTS:
        if text.startswith("["):
            return _parse_json(text)
        return [_parse_item(field, one) for part in text.split(",") if (one := part.strip())]
    if not text:
        raise ConfigError("enter a value")
    return _parse_item(field, text)


def _parse_presence(text: str) -> bool | None:
    if text not in ("", "true", "false"):
        raise ConfigError("enter `true` if the field must be present, or `false` if it must not")
    return None if not text else text == "true"


def _parse_item(field: str, text: str) -> Any:
    kind = type_of(field)
    if kind in ("text", "list", "level"):
        return _parse_json(text) if text.startswith('"') else text
    try:
        return _parse_json(text)
    except ConfigError:
        if kind == "number":
            raise ConfigError(f"`{field}` is a number, found `{plain(text)[:60]}`") from None
        if kind == "boolean":
            raise ConfigError(f"`{field}` is `true` or `false`, found `{plain(text)[:60]}`") from None
        if text.startswith(('"', "[", "{")):
            raise
        return text


def _parse_json(text: str) -> Any:
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ConfigError("a value contains an unpaired surrogate") from None
    except (ValueError, RecursionError):
        raise ConfigError(f"`{plain(text)[:60]}` is not valid JSON; check the quotes") from None
    return value


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number that JSON has")
