"""Refusals of actions that were checked at a server: the reason, and what the caller can do."""

from __future__ import annotations

from interlock.approval.request import ApprovalState
from interlock.errors import ActionRefused
from interlock.gate.refusals import explain_block, explain_unused
from interlock.gate.remote.messages import RemoteSubmission
from interlock.levels import Verdict
from interlock.model import Cause

RETRY_ADVICE = "nothing was run; try again once the server can be reached"


def refuse(step: RemoteSubmission) -> ActionRefused:
    """Return the error for an action that the server does not allow."""
    decision, approval = step.decision, step.approval
    if decision.verdict is Verdict.BLOCK:
        if decision.cause is Cause.PAUSED_RUN:
            how = "a person has to review the run at the server, and resume it"
            return ActionRefused(f"run `{step.record.run.run_id}` is paused", decision, how)
        why, how = explain_block(decision)
        return ActionRefused(why, decision, how)
    if approval is None:
        return ActionRefused("it waits for an approval", decision, "ask a person to approve it, then try again")
    if approval.state is ApprovalState.PENDING:
        how = f"approve it at {step.url}, then try again"
        return ActionRefused("it waits for an approval", decision, how, approval.approval_id)
    if approval.state is ApprovalState.APPROVED:
        return ActionRefused(
            explain_unused(changed=False), decision, "try again to request a new approval", approval.approval_id
        )
    suggestions = [answer.instead for answer in approval.answers if answer.instead]
    how = f"try instead: {suggestions[-1]}" if suggestions else ""
    return ActionRefused(approval.why or f"it was {approval.state.value}", decision, how, approval.approval_id)
