"""Which requests a reviewing model may lift, if the person has asked for the action in their own words."""

from __future__ import annotations

from interlock.levels import Level, Verdict
from interlock.model import Cause, Decision, Effect

#: Kinds of effects that no model may approve, whatever the person has asked for.
_NEVER = frozenset(
    (
        "payment.send order.place contract.sign data.export access.grant account.change security.lower trace.erase "
        "defence.disable boot.change kernel.change disk.wipe disk.fill machine.exhaust code.remote secret.read "
        "automation.install user.grant privilege.raise package.publish"
    ).split()
)
#: Flags of effects on the guard, on an agent's own limits, or on data that must not leave.
NEVER_FLAGS = frozenset(
    (
        "guard_config agent_config agent_rules other_guard instructions secret variable environment printed personal "
        "records mail browser screen recording keys clipboard disguised decoded hidden injection deceptive authorized "
        "privileges shell reverse_tunnel attack"
    ).split()
)
NEVER_RULES = frozenset(
    {"private_data_may_leave", "copy_of_earlier_call", "together_with_earlier_calls", "second_opinion"}
)
SENDING = frozenset({"net.send", "message.send", "content.publish", "document.share"})


def is_liftable(decision: Decision, up_to: Level) -> bool:
    """Whether a model may lift the request for an approval of this action, up to a level.

    Nothing can be lifted that a policy asks about unless the policy says so, that was not read in full, that has orders
    for a model in it, or whose effects are among those that only a person may approve.
    """
    needs, assessed = decision.needs, decision.assessment
    if decision.verdict is not Verdict.REQUIRE_APPROVAL or needs is None or decision.cause is Cause.FLOOR:
        return False
    if assessed.level > up_to or assessed.level is Level.CRITICAL or not assessed.coverage.full:
        return False
    if needs.approvers > 1 or needs.who or needs.reason:
        return False
    asking = [match for match in decision.matched_policies if match.action is not Verdict.ALLOW]
    if any(match.error or match.ask is None or not match.ask.liftable for match in asking):
        return False
    if any(finding.floor or finding.rule in NEVER_RULES for finding in assessed.findings):
        return False
    return not any(_needs_person(effect) for effect in assessed.effects)


def _needs_person(effect: Effect) -> bool:
    kept = effect.kind in _NEVER or not effect.flags.isdisjoint(NEVER_FLAGS)
    return kept or (effect.kind in SENDING and "carried" in effect.flags)
