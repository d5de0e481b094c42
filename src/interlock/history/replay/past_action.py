"""Past actions: an action and its assessment, rebuilt from the record of its decision."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from interlock.audit.record import Record
from interlock.levels import Level
from interlock.model import Action, Analysis, Assessment, Coverage, Effect, Finding, Resource
from interlock.rules import RULES

_RULES = {rule.name: rule for rule in RULES}


class PastAction(NamedTuple):
    """An action that was decided. `has_input` says that its input was recorded, so that policies can read it."""

    record: Record
    action: Action
    assessment: Assessment
    environment: str | None
    mode: str
    has_input: bool


def read_past_action(record: Record) -> PastAction:
    """Return the action in the record of a decision."""
    data = record.data
    environment = data.get("environment")
    action = Action(
        tool_name=record.name or "",
        agent_id=record.agent_id,
        run_id=record.run_id,
        user=data.get("user"),
        tenant=data.get("tenant"),
        environment=environment,
    )
    recorded = data.get("action")
    has_input = isinstance(recorded, dict)
    if isinstance(recorded, dict):
        payload, metadata = recorded.get("inputPayload"), recorded.get("metadata")
        action = msgspec.structs.replace(action, input_payload=dict(payload or {}), metadata=dict(metadata or {}))
    return PastAction(record, action, _assessment(data), environment, str(data.get("mode", "full")), has_input)


def _assessment(data: Mapping[str, Any]) -> Assessment:
    resources = [_resource(str(text)) for text in data.get("resources") or ()]
    kinds = [str(kind) for kind in data.get("effects") or ()]
    effects = [Effect(kind) for kind in kinds] + [Effect(kinds[0], resource) for resource in resources if kinds]
    opaque = () if data.get("coverage") == "full" else ("not recorded",)
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
