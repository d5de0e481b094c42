"""EFFECTS → FINDINGS: the rules, one family a file. Adding a rule touches one of them."""

from __future__ import annotations

from interlock.rules import (
    agent,
    attacks,
    code,
    connections,
    databases,
    disks,
    exfiltration,
    filesystem,
    git,
    infrastructure,
    network,
    packages,
    permissions,
    persistence,
    privilege,
    processes,
    publishing,
    reconnaissance,
    secrets,
    supply,
    tools,
    tunnels,
)
from interlock.rules.rule import Pattern, Rule, by_kind, effect

FAMILIES = (
    filesystem,
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
    processes,
    packages,
    supply,
    publishing,
    databases,
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
