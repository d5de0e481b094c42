"""Why an action may not run, and what its caller can do about it."""

from __future__ import annotations

from interlock.errors import ActionRefused, StoreError
from interlock.levels import Level, Verdict
from interlock.model import Cause, Decision
from interlock.sanitise import plain

#: What the caller of an action can do whose agent was stopped or paused by a person.
STOP_ADVICE = {
    Cause.STOPPED: "do nothing more until a person lifts the stop",
    Cause.PAUSED: "try again when the pause ends, or ask the person who paused it or an admin to resume it",
}


def refuse_blocked(decision: Decision, run_id: str) -> ActionRefused:
    """Return the error for a decision that blocks."""
    if decision.cause is Cause.PAUSED_RUN:
        import shlex

        how = f"look at the run, then resume it with `interlock runs resume {shlex.quote(run_id)}`"
        return ActionRefused(f"run `{run_id}` is paused", decision, how)
    why, how = explain_block(decision)
    return ActionRefused(why, decision, how)


def describe_reason(decision: Decision) -> str:
    """Return why an action is stopped: the name and description of the policy, or the first risk."""
    if decision.cause is not Cause.POLICY:
        return _find_risk(decision) or decision.because
    policy = next((match for match in decision.matched_policies if match.action is decision.verdict), None)
    if policy is None or policy.error or any(use.policy == policy for use in decision.budgets):
        return decision.because  # the policy failed, or its limit is exceeded
    named = f" ({plain(policy.name)})" if policy.name and policy.name != policy.policy_id else ""
    told = f": {plain(policy.description).rstrip('. ')}" if policy.description else ""
    return f"policy `{plain(policy.policy_id)}`{named}{told}"


def _find_risk(decision: Decision) -> str:
    """Return the first reason of level high or above, or else any reason; an empty text if there is none."""
    risks = (finding.reason for finding in decision.assessment.findings if finding.level >= Level.HIGH)
    return next(risks, None) or next(iter(decision.assessment.reasons), "")


def explain_block(decision: Decision) -> tuple[str, str]:
    """Return why a blocked action may not run, and what its caller can do."""
    if decision.cause in STOP_ADVICE:
        return decision.because, STOP_ADVICE[decision.cause]
    why = describe_reason(decision)
    if decision.cause is not Cause.POLICY and _find_risk(decision):
        why = f"{decision.because}: {why}"
    floor = next((finding.rule for finding in decision.assessment.findings if finding.floor), None)
    policies = [match.policy_id for match in decision.matched_policies if match.action is Verdict.BLOCK]
    if floor:
        return why, f'this cannot be approved; only `rules_off = ["{floor}"]` in your own configuration lifts it'
    if policies:
        return why, f"do it in a way that the policy allows, or ask the owner of `{policies[0]}` for an exception"
    return (
        why,
        f"mode `{decision.mode}` refuses this level; a policy that allows exactly this is an exception",
    )


def refuse_unrecorded(error: StoreError, decision: Decision | None) -> ActionRefused:
    """Return the error for a decision that could not be written to the store."""
    how = 'repair the store, or set `audit.unwritable = "spool"` to continue without it'
    return ActionRefused(f"the decision could not be recorded: {error}", decision, how)


def explain_unused(*, changed: bool) -> str:
    """Return why an approval does not let its action run: the action changed, or the approval is gone."""
    if changed:
        return "the action changed while its approval was pending"
    return "the approval has been used or has expired"
