"""EFFECTS → FINDINGS: the rules, one family a file. Adding a rule touches one of them."""

from __future__ import annotations

from interlock.rules import (
    agent,
    code,
    databases,
    disks,
    filesystem,
    git,
    infrastructure,
    network,
    obfuscation,
    packages,
    permissions,
    persistence,
    privilege,
    processes,
    secrets,
    tools,
    windows,
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
    obfuscation,
    processes,
    packages,
    databases,
    infrastructure,
    privilege,
    persistence,
    agent,
    windows,
    tools,
)

#: Every rule, the strictest level first.
RULES: tuple[Rule, ...] = tuple(
    sorted((rule for family in FAMILIES for rule in family.RULES), key=lambda rule: -rule.level.rank)
)

__all__ = ["FAMILIES", "RULES", "Pattern", "Rule", "by_kind", "effect"]
