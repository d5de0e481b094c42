"""Show how the versions of a policy differ."""

from __future__ import annotations

import msgspec

from interlock.policies.difference import compare_versions, diff_policies
from interlock.policies.repository import PolicyVersion


class Comparison(msgspec.Struct, frozen=True):
    """Two versions of a policy, and the lines in which they differ, once they have been requested."""

    old: int
    new: int
    lines: list[str] | None = None


def compare(versions: list[PolicyVersion], chosen: tuple[int, int] | None) -> Comparison | None:
    """Return the comparison of the chosen versions, or the one to offer; None if there is only one version."""
    if chosen is not None:
        return Comparison(*chosen, compare_versions(versions, *chosen))
    return Comparison(versions[-1].version, versions[0].version) if len(versions) > 1 else None


def diff_versions(versions: list[PolicyVersion]) -> list[tuple[PolicyVersion, list[str]]]:
    """Return versions, newest first, each with the lines in which it differs from the one before."""
    older = [*versions[1:], None][: len(versions)]
    return [
        (new, diff_policies(old.policy if old else None, new.policy)) for new, old in zip(versions, older, strict=True)
    ]
