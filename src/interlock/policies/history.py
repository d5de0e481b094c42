"""What has been, as policies see it: an action and its assessment, read back from a record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from interlock.audit.record import Record
from interlock.levels import Level
from interlock.model import Action, Analysis, Assessment, Coverage, Effect, Finding, Resource
from interlock.patterns import late
from interlock.rules import RULES

_RULES = {rule.name: rule for rule in RULES}
_INPUT = ("inputPayload", "metadata")
#: Of effects only the kinds are kept; an expression that takes them apart asks for more.
_EFFECTS = late(r"\beffects\b(?!\s*\.\s*(?:kind|changes)\b)")


class Past(NamedTuple):
    """An action that was decided. `whole` says that its input was kept, so that policies can look into it."""

    record: Record
    action: Action
    assessment: Assessment
    environment: str | None
    mode: str
    whole: bool


def past_of(record: Record) -> Past:
    """Return what a record of a decision tells."""
    data = record.data
    environment = data.get("environment")
    action = Action(
        tool_name=record.name or "",
        agent_id=record.agent_id,
        run_id=record.run_id,
        environment=environment,
    )
    kept = data.get("action")
    if isinstance(kept, dict):
        payload, metadata = kept.get("inputPayload"), kept.get("metadata")
        action = msgspec.structs.replace(action, input_payload=dict(payload or {}), metadata=dict(metadata or {}))
    return Past(record, action, _assessment(data), environment, str(data.get("mode", "full")), isinstance(kept, dict))


def _assessment(data: Mapping[str, Any]) -> Assessment:
    resources = [_resource(str(text)) for text in data.get("resources") or ()]
    kinds = [str(kind) for kind in data.get("effects") or ()]
    effects = [Effect(kind) for kind in kinds] + [Effect(kinds[0], resource) for resource in resources if kinds]
    opaque = () if data.get("coverage") == "full" else ("not kept",)
    return Assessment(
        score=int(data.get("score") or 0),
        level=Level(data.get("level", "safe")),
        findings=tuple(_finding(str(name)) for name in data.get("rules") or ()),
        analysis=Analysis(effects=tuple(effects), coverage=Coverage(opaque)),
    )


def _finding(name: str) -> Finding:
    rule = _RULES.get(name)
    return Finding(name, rule.level if rule else Level.MEDIUM, "", floor=bool(rule and rule.floor))


def _resource(text: str) -> Resource:
    type_, _, name = text.partition(":")
    return Resource(type_, name)


def looks_inside(policy: Mapping[str, Any]) -> bool:
    """Whether a policy asks for what is in the input, so that only an action whose input was kept can tell."""
    fields = [str(condition.get("field")) for condition in policy.get("conditions") or ()]
    when = str(policy.get("when") or "")
    return any(field.startswith(_INPUT) for field in fields) or any(name in when for name in _INPUT)


def takes_apart(policy: Mapping[str, Any]) -> bool:
    """Whether a policy asks for more of the effects than their kinds, so that no record can tell."""
    return _EFFECTS.search(str(policy.get("when") or "")) is not None
