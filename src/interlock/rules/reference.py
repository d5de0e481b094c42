"""The rule reference: the page of all rules, made from the same lines that the engine runs."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from interlock.rules import FAMILIES, RULES, Rule
from interlock.rules.standards.lists import FILES, read_document
from interlock.rules.standards.rule_ids import ids_of, references_of

HEAD = """# Rules

Every rule that Interlock ships with, by family. This page is made by `make docs` from `src/interlock/rules/`,
and the test suite runs each example: alone against its rule, and through a whole decision.

A rule looks at *effects*, never at text. Its level is what a finding counts where nothing is known about the
place; *eased* says what proof lowers it to. A *floor* blocks in every mode, and only naming the rule in
`rules_off` of your own configuration lifts it. Examples are read in a project at `/home/u/project`.

Each rule names what its action is called in {lists}.
`interlock rules --standard T1485` lists the rules of one id; [Compliance](compliance.md) says where the ids appear.
"""


def as_dict(rule: Rule) -> dict[str, Any]:
    """Return a rule as JSON writes it."""
    return {
        "name": rule.name,
        "family": rule.family,
        "level": rule.level.value,
        "reason": rule.reason,
        "reversible": rule.reversible,
        "floor": rule.floor,
        "instead": rule.instead,
        "eased": {key: level.value for key, level in rule.eased.items()},
        "match": list(rule.match),
        "noMatch": list(rule.no_match),
        "standards": list(ids_of(rule.name)),
    }


def page() -> str:
    """Return the reference as Markdown."""
    documents = map(read_document, FILES.values())
    lists = ", ".join(f"{document['name']} {document['version']}" for document in documents)
    parts = [HEAD.format(lists=lists), f"There are {len(RULES)} rules in {len(FAMILIES)} families.\n"]
    for family in FAMILIES:
        module = import_module(f"interlock.rules.{family}")
        parts.append(f"## {family}\n\n{(module.__doc__ or '').strip()}\n")
        parts += [_section(rule) for rule in module.RULES]
    return "\n".join(parts)


def _section(rule: Rule) -> str:
    facts = [rule.level.value, "can be undone" if rule.reversible else "cannot be undone"]
    if rule.floor:
        facts.append("floor")
    lines = [f"### {rule.name}", "", f"{rule.reason}.", "", f"*{' · '.join(facts)}*", ""]
    lines += [_standards(rule.name), ""]
    if rule.eased:
        lines += [
            "Eased to " + ", ".join(f"{level.value} where {key}" for key, level in rule.eased.items()) + ".",
            "",
        ]
    if rule.instead:
        lines += [f"Instead: `{rule.instead.replace('{}', 'PATH')}`", ""]
    lines += ["```text", *(f"matches   {example}" for example in map(_short, rule.match))]
    lines += [*(f"does not  {example}" for example in map(_short, rule.no_match)), "```", ""]
    return "\n".join(lines)


def _standards(name: str) -> str:
    """Return the ids of a rule as one line with links."""
    by_label: dict[str, list[str]] = {}
    for found in references_of([name]):
        by_label.setdefault(found.label, []).append(f'[{found.id}]({found.url} "{found.full_name}")')
    return " · ".join(f"{label} {' '.join(links)}" for label, links in by_label.items())


def _short(example: str) -> str:
    return example if len(example) <= 100 else f"{example[:60]}… ({len(example)} characters)"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), "utf-8")
