"""The policies that Interlock ships with: active by default, and meant to be edited."""

from __future__ import annotations

from interlock.levels import Verdict
from interlock.policy.conditions import Condition
from interlock.policy.policies import Policy

DEFAULT_POLICIES: tuple[Policy, ...] = (
    Policy(
        policy_id="sensitive-files",
        name="Sensitive files",
        description="Somebody looks before an agent reads keys, passwords or tokens.",
        conditions=(Condition("effects.kind", "equals", "secret.read"),),
        action=Verdict.REQUIRE_APPROVAL,
    ),
    Policy(
        policy_id="deployments",
        name="Deployments",
        description="A release is announced in the record wherever it goes.",
        conditions=(Condition("effects.kind", "equals", "deploy.release"),),
        action=Verdict.WARN,
    ),
    Policy(
        policy_id="production-changes",
        name="Production changes",
        description="Nothing but reading happens in production without a person.",
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
        description="An agent that calls itself untrusted runs nothing.",
        conditions=(Condition("agentId", "matches", "^untrusted(-|$)"),),
        action=Verdict.BLOCK,
    ),
)
