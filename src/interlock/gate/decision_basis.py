"""The inputs of a decision besides its action, recorded so that a replay can repeat the decision."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

import msgspec

from interlock.audit.summary import RECORDED, mask_fields
from interlock.memory.state import RunState
from interlock.model import Action, BudgetUse
from interlock.policy.pins import ActionView

if TYPE_CHECKING:
    from interlock.policy.drift import Baseline


class LimitUse(msgspec.Struct, frozen=True):
    """How much of a policy's limit was used when an action was decided."""

    policy: str
    scope: str
    seconds: int | None
    spent: float

    @classmethod
    def of(cls, use: BudgetUse, spent: float) -> LimitUse:
        """Return the use of a limit so far."""
        return cls(use.policy.policy_id, use.scope, use.seconds, spent)


class DecisionBasis(msgspec.Struct, frozen=True):
    """The set-up, the time if a policy reads it, the other views of the action, its other forms, and limits so far.

    `drift` is the part of the agent's baseline that policies compared the action with.
    """

    setup: str = ""
    time: int | None = None
    views: tuple[ActionView, ...] = ()
    forms: int = 0
    limits: tuple[LimitUse, ...] = ()
    drift: Baseline | None = None

    def data(self, action: Action, state: RunState | None) -> dict[str, Any]:
        """Return the fields for the record, without default values."""
        found: dict[str, Any] = {"setup": self.setup} if self.setup else {}
        if self.time is not None:
            found["time"] = self.time
        if self.views:
            found["views"] = [_view_data(view, action, state) for view in self.views]
        if self.forms:
            found["forms"] = self.forms
        if self.limits:
            found["limits"] = msgspec.to_builtins(self.limits)
        if self.drift is not None:
            compared = msgspec.to_builtins(self.drift, order="sorted")
            found["drift"] = {name: value for name, value in compared.items() if value}
        if state is not None and state.workspace and (self.views or state.workspace != action.workspace):
            found["runWorkspace"] = state.workspace
        return found


_recorded_of = attrgetter(*RECORDED)
NO_BASIS = DecisionBasis()


def _view_data(view: ActionView, action: Action, state: RunState | None) -> dict[str, Any]:
    """Return the fields in which a view differs from the action, and whether the run's own claims count in it."""
    values = zip(RECORDED, _recorded_of(view.action), _recorded_of(action), strict=True)
    names = [name for name, its, own in values if its != own]
    found, own = mask_fields(view.action, names), mask_fields(action, names)
    different = {name: value for name in {*found, *own} if (value := found.get(name)) != own.get(name)}
    return {"action": different, **({"unclaimed": True} if view.state is not state else {})}
