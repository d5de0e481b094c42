"""EFFECTS → FINDINGS: the rules, one family a file. Adding a rule touches one of them."""

from __future__ import annotations

from interlock.rules import (
    agent,
    aws,
    azure,
    cloud,
    code,
    containers,
    databases,
    disks,
    exposure,
    filesystem,
    forges,
    gcloud,
    git,
    infrastructure,
    kubernetes,
    messaging,
    migrations,
    network,
    packages,
    permissions,
    persistence,
    platforms,
    privilege,
    processes,
    secrets,
    tools,
    vaults,
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
    processes,
    packages,
    databases,
    migrations,
    containers,
    kubernetes,
    cloud,
    exposure,
    aws,
    gcloud,
    azure,
    infrastructure,
    vaults,
    platforms,
    forges,
    messaging,
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
