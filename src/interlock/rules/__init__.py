"""From effects to findings: the rules, one file per family."""

from __future__ import annotations

from interlock.rules import (
    agent,
    attacks,
    aws,
    azure,
    cloud,
    code,
    containers,
    databases,
    defence,
    disguise,
    disks,
    exfiltration,
    exposure,
    filesystem,
    forges,
    gcloud,
    git,
    infrastructure,
    kernel,
    kubernetes,
    messaging,
    migrations,
    network,
    packages,
    permissions,
    persistence,
    platforms,
    privacy,
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
    vaults,
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
    secrets,
    code,
    disguise,
    privacy,
    processes,
    services,
    packages,
    supply,
    publishing,
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
    users,
    kernel,
    defence,
    persistence,
    agent,
    tools,
)

#: Every rule: the strictest level first, and of one level the rule that asks for the most.
RULES: tuple[Rule, ...] = tuple(
    sorted(
        (rule for family in FAMILIES for rule in family.RULES), key=lambda rule: (-rule.level.rank, -rule.narrowness)
    )
)

__all__ = ["FAMILIES", "RULES", "Index", "Pattern", "Rule", "effect"]
