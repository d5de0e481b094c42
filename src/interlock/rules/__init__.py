"""EFFECTS → FINDINGS: the rules, one family a file. Adding a rule touches one of them."""

from __future__ import annotations

from interlock.rules import (
    agent,
    code,
    databases,
    dbservers,
    disguise,
    disks,
    filesystem,
    git,
    infrastructure,
    installing,
    network,
    packages,
    permissions,
    persistence,
    privacy,
    privilege,
    processes,
    secrets,
    tools,
)
from interlock.rules.rule import Pattern, Rule, by_kind, effect

FAMILIES = (
    filesystem,
    disks,
    permissions,
    git,
    network,
    secrets,
    code,
    disguise,
    installing,
    privacy,
    processes,
    packages,
    databases,
    dbservers,
    infrastructure,
    privilege,
    persistence,
    agent,
    tools,
)

#: Every rule, the strictest level first.
RULES: tuple[Rule, ...] = tuple(
    sorted((rule for family in FAMILIES for rule in family.RULES), key=lambda rule: -rule.level.rank)
)

__all__ = ["FAMILIES", "RULES", "Pattern", "Rule", "by_kind", "effect"]
