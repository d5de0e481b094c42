"""Show how the versions of a policy differ."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

import msgspec

from interlock.policies.repository import PolicyVersion
from interlock.policy.policies import Policy

#: Fields that change with every version, or never.
_IGNORED = ("version", "createdAt", "updatedAt", "policyId")
_EMPTY = "–"


def diff_versions(versions: list[PolicyVersion]) -> list[tuple[PolicyVersion, list[str]]]:
    """Return versions, newest first, each with the lines in which it differs from the one before."""
    older = [*versions[1:], None][: len(versions)]
    return [(new, _diff(old.policy if old else None, new.policy)) for new, old in zip(versions, older, strict=True)]


def _diff(old: Policy | None, new: Policy) -> list[str]:
    before, after = (_lines(msgspec.to_builtins(policy)) if policy else [] for policy in (old, new))
    return [line for line in difflib.ndiff(before, after) if line[:1] in "+-" and line.strip("+- ")]


def _lines(policy: Mapping[str, Any]) -> list[str]:
    lines = [f"{key}: {_format(value)}" for key, value in policy.items() if key not in _IGNORED]
    return [line for line in lines if not line.endswith(f": {_EMPTY}")]


def _format(value: Any) -> str:
    if value in (None, "", [], ()):
        return _EMPTY
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
