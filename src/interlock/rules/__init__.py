"""From effects to findings: the rules, one file per family. They are imported when an effect needs them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.lazy import load
from interlock.rules.families import FAMILIES, all_rules, rules_about, rules_requiring
from interlock.rules.index import RuleIndex

if TYPE_CHECKING:
    from interlock.rules.rule import Pattern, Rule, effect

    RULES: tuple[Rule, ...]


def __getattr__(name: str) -> object:
    if name == "RULES":
        return all_rules()
    if name in ("Pattern", "Rule", "effect"):
        return load(__name__, f"rule:{name}")
    raise AttributeError(f"module `{__name__}` has no `{name}`")


__all__ = ["FAMILIES", "RULES", "Pattern", "Rule", "RuleIndex", "all_rules", "effect", "rules_about", "rules_requiring"]
