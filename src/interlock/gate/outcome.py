"""The outcome of a check: an action that may run, and why."""

from __future__ import annotations

from interlock.approval.request import Approval
from interlock.model import Decision, Struct


class Outcome(Struct, frozen=True, kw_only=True):
    """An action that may run. `by` is the reason: `decision`, `approval`, `remembered`, `bypass` or `unreviewed`.

    `kept` is false for a temporary gate, whose records are deleted when it is closed. `decision_id` is the id of the
    recorded decision.
    """

    decision: Decision
    run_id: str
    agent_id: str | None = None
    decision_id: str = ""
    digest: str
    by: str = "decision"
    approval: Approval | None = None
    kept: bool = True
