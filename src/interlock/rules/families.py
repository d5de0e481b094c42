"""The families of rules. A family is imported when an effect meets the requirement of one of its rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING

from interlock.lazy import load
from interlock.rules.requirements import REQUIRED

if TYPE_CHECKING:
    from interlock.rules.rule import Rule

#: Every family, which is the name of its module. The order is that of the rules.
FAMILIES = tuple(
    (
        "filesystem system disks permissions git network exfiltration tunnels reconnaissance attacks secrets "
        "code disguise privacy processes services packages supply publishing databases migrations containers "
        "kubernetes cloud exposure aws gcloud azure infrastructure vaults platforms forges tool_calls clients "
        "messaging privilege users kernel defence persistence agent tools"
    ).split()
)
#: Stands in `REQUIRED` for rules that require neither a flag nor a place.
ANY = "any"
#: The position of a rule among all rules.
Order = tuple[int, ...]


def load_rules(family: str) -> tuple[Rule, ...]:
    """Import the rules of a family."""
    rules: tuple[Rule, ...] = load(__package__, f"{family}:RULES")
    return rules


@cache
def rules_of(family: str) -> tuple[Rule, ...]:
    """Return the rules of a family; raise `ValueError` if one requires what is not listed for it."""
    from interlock.rules.index import find_required_keys

    rules = load_rules(family)
    for rule in rules:
        for pattern in rule.patterns:
            for kind in pattern.kinds:
                listed = REQUIRED.get(kind, {}).get(family, "").split()
                if not {need or ANY for need in find_required_keys(pattern)}.issubset(listed):
                    raise ValueError(
                        f"`rules/requirements.py` lacks what `{rule.name}` requires of `{kind}`; run `make docs`"
                    )
    return rules


def rules_requiring(kind: str, need: str) -> Iterator[tuple[Order, Rule]]:
    """Yield the rules of families about a kind of effect that require a flag or a place, or neither if it is empty.

    Each comes with its position in `all_rules`.
    """
    for family, listed in REQUIRED.get(kind, {}).items():
        if (need or ANY) in listed.split():
            yield from _order_rules(family)


@cache
def rules_about(kind: str) -> tuple[Rule, ...]:
    """Return the rules about a kind of effect, in the order of `all_rules`."""
    found = _sort(REQUIRED.get(kind, ()))
    return tuple(rule for rule in found if any(kind in pattern.kinds for pattern in rule.patterns))


@cache
def all_rules() -> tuple[Rule, ...]:
    """Return every rule: the strictest level first, and of one level the rule that asks for the most."""
    return tuple(_sort(FAMILIES))


def _sort(families: Iterable[str]) -> list[Rule]:
    return [
        rule
        for _, rule in sorted((pair for family in families for pair in _order_rules(family)), key=lambda pair: pair[0])
    ]


@cache
def _order_rules(family: str) -> tuple[tuple[Order, Rule], ...]:
    """Return the rules of a family, each with its position among all rules."""
    first = FAMILIES.index(family)
    return tuple(
        ((-rule.level.rank, -rule.narrowness, first, number), rule) for number, rule in enumerate(rules_of(family))
    )
