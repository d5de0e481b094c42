"""The techniques of a decision as the `attacks` of an OCSF event."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from interlock.rules.standards.lists import Reference
from interlock.rules.standards.rule_ids import references_of

#: OCSF's object is for techniques of MITRE alone. OWASP's risks are labels.
_TECHNIQUES = frozenset({"ATLAS", "ATT&CK"})


def attacks_of(rules: Iterable[str]) -> list[dict[str, Any]]:
    """Return an `attack` object for each technique of some rules and each of its tactics."""
    found = [reference for reference in references_of(rules) if reference.label in _TECHNIQUES]
    return [attack for reference in found for attack in _attacks(reference)]


def _attacks(reference: Reference) -> list[dict[str, Any]]:
    technique = reference.parent or reference
    attack: dict[str, Any] = {"technique": _object(technique), "version": reference.version}
    if reference.parent is not None:
        attack["sub_technique"] = _object(reference)
    return [{**attack, "tactic": {"uid": one.id, "name": one.name}} for one in reference.tactics] or [attack]


def _object(reference: Reference) -> dict[str, str]:
    return {"uid": reference.id, "name": reference.name, "src_url": reference.url}


def owasp_labels(rules: Iterable[str]) -> list[str]:
    """Return OWASP's risks of some rules as `labels` of the event's metadata."""
    return [f"owasp:{found.id}" for found in references_of(rules) if found.label not in _TECHNIQUES]
