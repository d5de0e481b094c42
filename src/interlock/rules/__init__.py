"""EFFECTS → FINDINGS: the rules, one family a file. Adding a rule touches one of them."""

from __future__ import annotations

from interlock.rules import (
    agent,
    attacks,
    code,
    connections,
    databases,
    defence,
    disks,
    environment,
    exfiltration,
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
    publishing,
    reconnaissance,
    secrets,
    services,
    supply,
    system,
    tools,
    tunnels,
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
    exfiltration,
    tunnels,
    reconnaissance,
    attacks,
    connections,
    secrets,
    code,
    environment,
    processes,
    services,
    packages,
    supply,
    publishing,
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
