"""From effects to findings: the rules, one file per family."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.rules.families import FAMILIES, all_rules, rules_about
from interlock.rules.index import Index
from interlock.rules.rule import Pattern, Rule, effect

if TYPE_CHECKING:
    RULES: tuple[Rule, ...]


def __getattr__(name: str) -> object:
    if name == "RULES":  # every rule, which takes time to import
        return all_rules()
    raise AttributeError(f"module `{__name__}` has no `{name}`")


__all__ = ["FAMILIES", "RULES", "Index", "Pattern", "Rule", "all_rules", "effect", "rules_about"]
