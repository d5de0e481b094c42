"""EFFECTS → FINDINGS: the rules, one family a file. Adding a rule touches one of them."""

from __future__ import annotations

from interlock.rules import (
    agent,
    code,
    databases,
    defence,
    disks,
    environment,
    filesystem,
    git,
    infrastructure,
    kernel,
    network,
    packages,
    permissions,
    persistence,
    privilege,
    processes,
    secrets,
    services,
    system,
    tools,
    users,
)
from interlock.rules.index import Index
from interlock.rules.rule import Pattern, Rule, effect

FAMILIES = (
    filesystem,
    system,
    disks,
    permissions,
    git,
    network,
    secrets,
    code,
    environment,
    processes,
    services,
    packages,
    databases,
    infrastructure,
    privilege,
    users,
    kernel,
    defence,
    persistence,
    agent,
    tools,
)

#: Every rule, the strictest level first.
RULES: tuple[Rule, ...] = tuple(
    sorted((rule for family in FAMILIES for rule in family.RULES), key=lambda rule: -rule.level.rank)
)

__all__ = ["FAMILIES", "RULES", "Index", "Pattern", "Rule", "effect"]
