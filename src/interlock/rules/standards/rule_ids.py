"""The ids of rules: which risks and techniques a finding stands for. Looked up when shown, never for a decision."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import Any

from interlock.rules.standards.lists import Reference, find_reference, read_document

#: What the ids of each list begin with, in the order in which they are shown.
_PREFIXES = ("ASI", "AML.", "T")


@cache
def ids_by_rule() -> Mapping[str, tuple[str, ...]]:
    """Return the ids of every rule, and of every finding that does not come from a rule."""
    table: dict[str, dict[str, str]] = read_document("rules.toml")
    return {name: tuple(ids.split()) for rows in table.values() for name, ids in rows.items()}


def ids_of(*rules: str) -> tuple[str, ...]:
    """Return the ids of rules, each once: OWASP first, then ATLAS and ATT&CK. A rule of a configuration has none."""
    table = ids_by_rule()
    if len(rules) == 1:
        return table.get(rules[0], ())
    return tuple(sorted({id_ for rule in rules for id_ in table.get(rule, ())}, key=_order))


def _order(id_: str) -> tuple[int, str]:
    return next(number for number, prefix in enumerate(_PREFIXES) if id_.startswith(prefix)), id_


def references_of(rules: Iterable[str]) -> tuple[Reference, ...]:
    """Return what rules stand for, each once, in the order of the lists."""
    return tuple(map(find_reference, ids_of(*rules)))


def describe_ids(rules: Iterable[str]) -> str:
    """Return the ids of rules as one line: `OWASP ASI02 · ATLAS AML.T0101 · ATT&CK T1485`."""
    by_label: dict[str, list[str]] = {}
    for found in references_of(rules):
        by_label.setdefault(found.label, []).append(found.id)
    return " · ".join(f"{label} {' '.join(ids)}" for label, ids in by_label.items())


def with_ids(wire: dict[str, Any]) -> dict[str, Any]:
    """Return a decision as JSON writes it, with the ids of each finding."""
    findings = [{**found, "standards": list(ids_of(found["rule"]))} for found in wire["findings"]]
    return {**wire, "findings": findings}


def owasp_ids_of(rules: Iterable[str]) -> frozenset[str]:
    """Return the OWASP ids of rules."""
    return frozenset().union(*map(_owasp_ids, rules))


@lru_cache(maxsize=1_024)  # servers count them for each decision
def _owasp_ids(rule: str) -> frozenset[str]:
    return frozenset(id_ for id_ in ids_of(rule) if id_.startswith("ASI"))


#: Every risk of the OWASP list.
OWASP_IDS = tuple(f"ASI{number:02}" for number in range(1, 11))
