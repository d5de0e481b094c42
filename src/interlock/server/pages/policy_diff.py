"""Show how the versions of a policy differ."""

from __future__ import annotations

from interlock.policies.difference import diff_policies
from interlock.policies.repository import PolicyVersion


def diff_versions(versions: list[PolicyVersion]) -> list[tuple[PolicyVersion, list[str]]]:
    """Return versions, newest first, each with the lines in which it differs from the one before."""
    older = [*versions[1:], None][: len(versions)]
    return [
        (new, diff_policies(old.policy if old else None, new.policy)) for new, old in zip(versions, older, strict=True)
    ]
