"""The policies that Interlock ships with: active by default, and meant to be edited."""

from __future__ import annotations

from interlock.levels import Verdict
from interlock.policy.conditions import Condition
from interlock.policy.policies import Policy

DEFAULT_POLICIES: tuple[Policy, ...] = (
    Policy(
        policy_id="sensitive-files",
        name="Sensitive files",
        description="Reading keys, passwords or tokens needs approval.",
        conditions=(Condition("effects.kind", "equals", "secret.read"),),
        action=Verdict.REQUIRE_APPROVAL,
    ),
    Policy(
        policy_id="deployments",
        name="Deployments",
        description="Releases are marked in the record, whatever the environment.",
        conditions=(Condition("effects.kind", "equals", "deploy.release"),),
        action=Verdict.WARN,
    ),
    Policy(
        policy_id="production-changes",
        name="Production changes",
        description="Changes in production need approval; reading does not.",
        conditions=(
            Condition("environment", "in", ["production", "critical"]),
            Condition("effects.changes", "equals", True),
            Condition("risk.level", "gte", "medium"),
        ),
        action=Verdict.REQUIRE_APPROVAL,
    ),
    Policy(
        policy_id="untrusted-agents",
        name="Untrusted agents",
        description="Agents named `untrusted`, or with a name that begins with `untrusted-`, are blocked.",
        conditions=(Condition("agentId", "matches", "^untrusted(-|$)"),),
        action=Verdict.BLOCK,
    ),
)
