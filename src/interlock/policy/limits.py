"""Limits: how many actions, or how much of a field, a policy allows before its verdict applies."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from interlock.errors import ConfigError
from interlock.model import Action, BudgetUse, Match
from interlock.policy.conditions import ABSENT, check_field, look_up

#: How many seconds each period has. A run has no end.
PERIODS = {"minute": 60, "hour": 3_600, "day": 86_400, "week": 604_800, "run": None}


class Limit(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """A maximum number of actions, or a maximum total of a field, in a period: per agent, per run, or in total."""

    most: Annotated[float, msgspec.Meta(ge=0)]
    per: Literal["minute", "hour", "day", "week", "run"]
    of: str | None = None  # a field with a number, such as `inputPayload.amount`; without it, actions are counted
    by: Literal["agent", "run", "everyone"] = "agent"

    def __post_init__(self) -> None:
        if self.of is not None:
            check_field(self.of)
            if not self.of.startswith(("inputPayload.", "metadata.")):
                raise ConfigError(
                    f"`of` names a number of the action, such as `inputPayload.amount`; found `{self.of}`"
                )

    def scope(self, action: Action) -> str:
        """Return the scope in which actions are counted together."""
        if self.per == "run" or self.by == "run":
            return f"run {action.run_id or ''}"
        return f"agent {action.agent_id or ''}" if self.by == "agent" else "everyone"

    def amount(self, action: Action) -> float | None:
        """Return how much of the limit an action uses; None if unknown, which counts as exceeding it."""
        if self.of is None:
            return 1.0
        root, _, path = self.of.partition(".")
        found: Any = look_up(path, action.input_payload if root == "inputPayload" else action.metadata)
        if found is ABSENT or isinstance(found, bool):
            return None
        try:
            number = float(str(found).replace(",", ""))
        except ValueError:
            return None
        return number if 0 <= number < float("inf") else None

    def use(self, policy: Match, action: Action) -> BudgetUse:
        """Return how much of this limit an action uses."""
        return BudgetUse(policy, str(self), self.most, PERIODS[self.per], self.scope(action), self.amount(action))

    def __str__(self) -> str:
        what = "actions" if self.of is None else self.of.rpartition(".")[2]
        whose = {"agent": " for this agent", "run": "", "everyone": ""}[self.by] if self.per != "run" else ""
        return f"at most {self.most:g} {what} {'an' if self.per == 'hour' else 'a'} {self.per}{whose}"
