"""How one policy differs from another, line by line."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

import msgspec

from interlock.policy.policies import Policy

#: Fields that change with every version, or never.
_IGNORED = ("version", "createdAt", "updatedAt", "policyId")
_EMPTY = "–"
#: Values that are not shown.
_USUAL = {"missing": "differs"}


def is_same(one: Policy, other: Policy) -> bool:
    """Whether two policies are the same apart from their versions."""
    return _content(one) == _content(other)


def _content(policy: Policy) -> Policy:
    return msgspec.structs.replace(policy, version=1, created_at=None, updated_at=None)


def diff_policies(old: Policy | None, new: Policy | None) -> list[str]:
    """Return the lines in which two policies differ, each beginning with `+` or `-`."""
    before, after = (_lines(msgspec.to_builtins(policy)) if policy else [] for policy in (old, new))
    return [line for line in difflib.ndiff(before, after) if line[:1] in "+-" and line.strip("+- ")]


def _lines(policy: Mapping[str, Any]) -> list[str]:
    shown = {key: value for key, value in policy.items() if key not in _IGNORED and _USUAL.get(key) != value}
    conditions = [f"condition: {_format_condition(one)}" for one in shown.pop("conditions")]
    lines = [f"{key}: {_format(value)}" for key, value in shown.items()]
    return [*conditions, *(line for line in lines if not line.endswith(f": {_EMPTY}"))]


def _format_condition(condition: Mapping[str, Any]) -> str:
    return f"{condition['field']} {condition['operator']} {msgspec.json.encode(condition['value']).decode()}"


def _format(value: Any) -> str:
    if value in (None, "", [], ()):
        return _EMPTY
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
