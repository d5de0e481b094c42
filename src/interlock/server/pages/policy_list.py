"""The list of policies: its columns, and how it is sorted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from interlock.metrics.risk import PolicyMatchRate
from interlock.server.policy_editor import PolicyWire


class PolicyListing(NamedTuple):
    """A policy, and how often it matched."""

    wire: PolicyWire
    rate: PolicyMatchRate | None

    @property
    def name(self) -> str:
        """The name that people see."""
        return self.wire.policy.name or self.wire.policy.policy_id

    @property
    def matches(self) -> int:
        """How many actions it matched."""
        return self.rate.matches if self.rate else 0


#: The columns that can be sorted: heading, and the key of a policy.
_KEYS: dict[str, tuple[str, Callable[[PolicyListing], Any]]] = {
    "name": ("Policy", lambda one: one.name.casefold()),
    "verdict": ("Verdict", lambda one: one.wire.policy.action.rank),
    "matches": ("Matches", lambda one: one.matches),
    "source": ("Source", lambda one: one.wire.source),
    "changed": ("Changed", lambda one: one.wire.changed_at or 0),
    "state": ("State", lambda one: one.wire.policy.enabled),
}
COLUMNS = {name: heading for name, (heading, _) in _KEYS.items()}


def sort_policies(policies: list[PolicyListing], column: str, *, descending: bool) -> list[PolicyListing]:
    """Return policies sorted by a column, and by name where that is equal. An unknown column sorts by name."""
    _, key = _KEYS.get(column, _KEYS["name"])
    by_name = sorted(policies, key=_KEYS["name"][1])
    return sorted(by_name, key=key, reverse=descending)
