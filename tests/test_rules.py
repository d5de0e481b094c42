"""Every rule holds to its own examples: alone, and through a whole decision."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import interlock.rules
from interlock import RULES, Engine, Level, Rule, Verdict, effect
from interlock.analyse.action import analyse
from interlock.effects import KINDS
from interlock.errors import ConfigError
from interlock.rules import FAMILIES, requirements_list, rules_about, rules_requiring
from interlock.rules.examples import action_of, example_problem, fires
from interlock.rules.families import rules_of
from interlock.rules.findings import safer
from interlock.rules.index import find_required_keys
from interlock.rules.reference import page
from interlock.rules.requirements import REQUIRED

ENGINE = Engine()
INSTEADS = [rule for rule in RULES if rule.instead]


def names(value: object) -> str | None:
    return value.name if isinstance(value, Rule) else None


@pytest.mark.parametrize("family", FAMILIES)
def test_matching_examples_match(family: str) -> None:
    assert [(rule.name, one) for rule in rules_of(family) for one in rule.match if not fires(rule, one)] == []


@pytest.mark.parametrize("family", FAMILIES)
def test_other_examples_do_not(family: str) -> None:
    assert [(rule.name, one) for rule in rules_of(family) for one in rule.no_match if fires(rule, one)] == []


def decision_problem(rule: Rule, example: str) -> str:
    """Return what a decision about an example of a rule makes of it wrongly, or an empty text."""
    decision = ENGINE.decide(action_of(example))
    findings = [finding for finding in decision.assessment.findings if finding.rule == rule.name]
    if not findings:
        return "it is not found"
    if decision.assessment.level < findings[0].level:
        return "the level of the action is below that of the finding"
    if findings[0].level != rule.level and findings[0].eased_by not in rule.eased:
        return "the finding has another level than the rule"
    return "it is not blocked" if rule.floor and decision.verdict is not Verdict.BLOCK else ""


@pytest.mark.parametrize("family", FAMILIES)
def test_matching_examples_reach_the_decision(family: str) -> None:
    found = [(rule.name, one, decision_problem(rule, one)) for rule in rules_of(family) for one in rule.match]
    assert [wrong for wrong in found if wrong[-1]] == []


@pytest.mark.parametrize("rule", INSTEADS, ids=names)
def test_what_to_do_instead_passes(rule: Rule) -> None:
    found = next(e for e in analyse(action_of(rule.match[0])).effects if rule.matches(e))
    decision = ENGINE.decide(action_of(f"$ {safer(rule, found)}"))
    assert decision.allowed, decision.because


def test_every_rule_says_what_it_means() -> None:
    assert [rule.name for rule in RULES if not rule.match] == []
    assert [rule.name for rule in RULES if not rule.no_match] == []
    assert [rule.name for rule in RULES if not rule.reason[0].isupper()] == []
    assert [rule.name for rule in RULES if rule.reason.endswith(".")] == []
    assert [rule.name for rule in RULES if not rule.family] == []


def test_every_file_of_rules_is_a_family() -> None:
    folder = Path(interlock.rules.__file__).parent
    declared = {file.stem for file in folder.glob("*.py") if "RULES = family(" in file.read_text()}
    assert declared == set(FAMILIES)


def test_each_rule_has_a_name_of_its_own_and_the_strictest_come_first() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES)
    assert [rule.level.rank for rule in RULES] == sorted((rule.level.rank for rule in RULES), reverse=True)
    assert all(rule.family == family for family in FAMILIES for rule in rules_of(family))
    assert sum(len(rules_of(family)) for family in FAMILIES) == len(RULES)


def test_the_list_of_what_rules_require_is_up_to_date() -> None:
    committed = Path(interlock.rules.__file__).parent / "requirements.py"
    assert committed.read_text("utf-8") == requirements_list.page(), "run `make docs`"


@pytest.mark.parametrize("listed", [{}, {"git": "force"}])
def test_a_rule_that_requires_what_is_not_listed_is_refused(
    monkeypatch: pytest.MonkeyPatch, listed: dict[str, str]
) -> None:
    monkeypatch.setitem(REQUIRED, "vcs.push", listed)
    with pytest.raises(ValueError, match=r"lacks what `git_\w+` requires of `vcs.push`; run `make docs`"):
        rules_of.__wrapped__("git")


@pytest.mark.parametrize("kind", KINDS)
def test_every_rule_is_found_by_what_it_requires(kind: str) -> None:
    for rule in RULES:
        for pattern in rule.patterns:
            for need in find_required_keys(pattern) if kind in pattern.kinds else ():
                assert rule in [found for _, found in rules_requiring(kind, need)]


def test_positions_are_in_the_order_of_all_rules() -> None:
    found = {rule.name: order for need in ("", "force", "delete") for order, rule in rules_requiring("vcs.push", need)}
    assert sorted(found, key=found.__getitem__) == [rule.name for rule in RULES if rule.name in found]


@pytest.mark.parametrize("kind", KINDS)
def test_the_rules_about_a_kind_are_all_of_them_in_the_same_order(kind: str) -> None:
    assert list(rules_about(kind)) == [rule for rule in RULES if any(kind in p.kinds for p in rule.patterns)]


def test_no_two_rules_ask_for_the_same() -> None:
    asked = [(p.kinds, p.flags, p.without, p.places, p.resource) for rule in RULES for p in rule.patterns]
    assert [found for found, count in Counter(asked).items() if count > 1] == []


def test_the_reference_is_up_to_date() -> None:
    committed = Path(__file__).parent.parent / "docs" / "rules.md"
    assert committed.read_text("utf-8") == page(), "run `make docs`"


def test_an_example_that_does_not_hold_is_found() -> None:
    rule = Rule(name="x", level=Level.HIGH, when=effect("fs.delete"), reason="X", match=["$ ls"], no_match=["$ echo x"])
    assert example_problem(rule) == "`$ ls` should match, but does not"


@pytest.mark.parametrize("example", ["rm -rf /", "", "tool x {", "> x"])
def test_an_example_without_a_form_is_refused(example: str) -> None:
    with pytest.raises(ConfigError, match="is not an example"):
        action_of(example)


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match=r"unknown effect kind `fs\.explode`"):
        effect("fs.explode")
