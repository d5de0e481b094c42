"""The differences between two policies, line by line."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from interlock.errors import MissingError
from interlock.model import Ask
from interlock.policy.policies import Policy

if TYPE_CHECKING:
    from interlock.policies.repository import PolicyVersion

#: Fields that change with every version, or never.
_IGNORED = ("version", "createdAt", "updatedAt", "policyId")
_EMPTY = "–"
#: Values that are not shown.
_USUAL = {"missing": "differs"}
_USUAL_PARTS: Mapping[str, Mapping[str, Any]] = {"approval": msgspec.to_builtins(Ask())}


def is_same(one: Policy, other: Policy) -> bool:
    """Whether two policies are the same apart from their versions."""
    return _content(one) == _content(other)


def _content(policy: Policy) -> Policy:
    return msgspec.structs.replace(policy, version=1, created_at=None, updated_at=None)


def diff_policies(old: Policy | None, new: Policy | None) -> list[str]:
    """Return the lines in which two policies differ, each beginning with `+` or `-`."""
    before, after = (_lines(msgspec.to_builtins(policy)) if policy else [] for policy in (old, new))
    return [line for line in difflib.ndiff(before, after) if line[:1] in "+-" and line.strip("+- ")]


def compare_versions(versions: Sequence[PolicyVersion], old: int, new: int) -> list[str]:
    """Return the lines in which two versions of a policy differ; raise if there is no such version."""
    found = {version.version: version for version in versions}
    for number in (old, new):
        if number not in found:
            raise MissingError(f"there is no version {number} of this policy")
    before, after = (None if found[number].removed else found[number].policy for number in (old, new))
    return diff_policies(before, after)


def _lines(policy: Mapping[str, Any]) -> list[str]:
    shown = {key: value for key, value in policy.items() if key not in _IGNORED and _USUAL.get(key) != value}
    conditions = [f"condition: {_format_condition(one)}" for one in shown.pop("conditions")]
    lines = [line for key, value in shown.items() for line in _field_lines(key, value)]
    return [*conditions, *(line for line in lines if not line.endswith(f": {_EMPTY}"))]


def _field_lines(key: str, value: Any) -> list[str]:
    """Return a field as lines: one for each part that is not usual, or one for the field.

    >>> _field_lines("approval", {"approvers": 2, "who": ["@sre"], "reason": False}), _field_lines("name", "Mail")
    (['approval.approvers: 2', 'approval.who: ["@sre"]'], ['name: Mail'])
    """
    if not isinstance(value, Mapping):
        return [f"{key}: {_format(value)}"]
    usual = _USUAL_PARTS.get(key, {}).items()
    parts = [f"{key}.{name}: {_format(part)}" for name, part in value.items() if (name, part) not in usual]
    return parts or [f"{key}: {_format(value)}"]


def _format_condition(condition: Mapping[str, Any]) -> str:
    return f"{condition['field']} {condition['operator']} {msgspec.json.encode(condition['value']).decode()}"


def _format(value: Any) -> str:
    if value in (None, "", [], ()):
        return _EMPTY
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
