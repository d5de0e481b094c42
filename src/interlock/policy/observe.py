"""Observe mode: the verdict on an action is recorded and not enforced, to try out policies before they take effect."""

from __future__ import annotations

import msgspec

from interlock.levels import Level, Verdict
from interlock.model import Cause, Decision, Struct, UnenforcedVerdict

#: The rules that protect Interlock itself, and the hooks and settings through which it sees an agent's actions.
SELF_PROTECTION = frozenset(
    {"guard_change", "guard_linked", "guard_stopped", "guard_replaced", "agent_settings_change", "agent_unguarded"}
)
#: Causes that are enforced even for an agent that is only observed.
_ALWAYS_ENFORCED = frozenset({Cause.FLOOR, Cause.STOPPED, Cause.PAUSED, Cause.PAUSED_RUN})
WOULD = {Verdict.REQUIRE_APPROVAL: "require approval", Verdict.BLOCK: "block"}


class Observation(Struct, frozen=True, kw_only=True):
    """Who observes the actions of a key, since when, and until when; None is without an end."""

    since: int
    by: str
    until: int | None = None

    def covers(self, at: int) -> bool:
        """Whether actions are only observed at a time, in microseconds."""
        return self.until is None or at < self.until


def observe(decision: Decision) -> Decision:
    """Return the decision on an observed action, which may run unless a floor or a self-protection rule applies."""
    unenforced = UnenforcedVerdict(decision.verdict, decision.cause, decision.because, decision.needs)
    if decision.allowed or is_always_enforced(decision):
        return msgspec.structs.replace(decision, would_have=unenforced)
    return msgspec.structs.replace(
        decision,
        verdict=Verdict.ALLOW,
        cause=Cause.OBSERVED,
        because=f"observe mode; enforced, it would {WOULD[decision.verdict]}: {decision.because}",
        needs=None,
        would_have=unenforced,
    )


def is_always_enforced(decision: Decision) -> bool:
    """Whether a decision is enforced even if actions are only observed."""
    if decision.cause in _ALWAYS_ENFORCED:
        return True
    return any(
        finding.rule in SELF_PROTECTION and finding.level >= Level.HIGH for finding in decision.assessment.findings
    )


def enforce(decision: Decision) -> Decision:
    """Return the decision as it would be if the action were not only observed."""
    found = decision.would_have
    if found is None:
        return decision
    return msgspec.structs.replace(
        decision,
        verdict=found.verdict,
        cause=found.cause,
        because=found.because,
        needs=found.needs,
        would_have=None,
    )


def describe_source(decision: Decision) -> str:
    """Return the source of a verdict, as a name to group by: a floor, a policy, a rule, or the mode.

    >>> from interlock.engine import Engine
    >>> from interlock.model import Action
    >>> describe_source(Engine().decide(Action.shell("git push --force origin main")))
    'rule git_force_push'
    """
    enforced = enforce(decision)
    findings = enforced.assessment.findings
    if enforced.cause is Cause.FLOOR:
        return f"floor {next(finding.rule for finding in findings if finding.floor)}"
    if enforced.cause is Cause.POLICY:
        policies = [match.policy_id for match in enforced.matched_policies if match.action is enforced.verdict]
        return f"policy {policies[-1]}" if policies else "policy"
    if findings:
        return f"rule {max(findings, key=lambda finding: finding.level).rule}"
    return f"mode {enforced.mode}"
