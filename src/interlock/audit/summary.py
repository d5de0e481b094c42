"""Summaries of actions and decisions for records and requests: masked, and limited in size."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import msgspec

from interlock.audit.digest import canonical_form
from interlock.audit.masking import MAX_DEPTH as MAX_NESTED
from interlock.audit.masking import MAX_ITEMS as MAX_GIVEN
from interlock.audit.masking import MAX_TEXT, mask, mask_text
from interlock.effects import TOOL_KINDS
from interlock.levels import Level
from interlock.model import Action, Decision, UnenforcedVerdict
from interlock.sanitise import storable_name

MAX_SHOWN = 300
MAX_ITEMS = 40
MAX_REASONS = 5
MAX_MARKS = 10
MAX_PART = 400
MAX_PAYLOAD = 64_000
MAX_FIELD = 60


def describe_action(action: Action, decision: Decision) -> str:
    """Return an action as one masked line: its text if it has one, else its input."""
    text = decision.assessment.analysis.text
    if not text:
        text = msgspec.json.encode(mask(canonical_form(action.input_payload))).decode() if action.input_payload else ""
    text = mask_text(text[: MAX_SHOWN * 40])
    return text[:MAX_SHOWN] + ("…" if len(text) > MAX_SHOWN else "")


def summarise_decision(action: Action, decision: Decision, *, payloads: bool) -> dict[str, Any]:
    """Return the data of a decision for its record; with `payloads`, including the masked action."""
    text = describe_action(action, decision)
    kept = {"text": text, **_summarise_assessment(decision, text)}
    if decision.assessment.effects and decision.assessment.effects[0].kind in TOOL_KINDS:
        kept["fields"] = [mask_text(str(name))[:MAX_FIELD] for name in list(action.input_payload)[:MAX_ITEMS]]
    if decision.would_have is not None:
        kept["wouldHave"] = _summarise_unenforced(decision, decision.would_have)
    if decision.overruled:
        kept["overruled"] = [mask_text(claim) for claim in decision.overruled]
    if decision.call:
        kept["call"] = decision.call
    if action.environment:
        kept["environment"] = mask_text(action.environment)
    for name in ("user", "tenant"):
        if getattr(action, name):
            kept[name] = storable_name(getattr(action, name))
    return kept | record_action(action) if payloads else kept


def _summarise_assessment(decision: Decision, text: str) -> dict[str, Any]:
    """Return the verdict's cause and the assessment, with the dangerous positions in the action's text."""
    assessed = decision.assessment
    kept: dict[str, Any] = {
        "level": assessed.level.value,
        "score": assessed.score,
        "mode": decision.mode,
        "because": decision.because,
        "cause": decision.cause.value,
        "rules": [finding.rule for finding in assessed.findings[:MAX_ITEMS]],
        "resources": [mask_text(resource) for resource in assessed.affected_resources[:10]],
        "coverage": str(assessed.coverage),
        "effects": list(dict.fromkeys(effect.kind for effect in assessed.effects))[:MAX_ITEMS],
    }
    if assessed.findings:
        kept["reasons"] = [mask_text(reason) for reason in assessed.reasons[:MAX_REASONS]]
        if marks := _marks(decision, text):
            kept["marks"] = marks
    if cited := sorted({call for finding in assessed.findings for call in finding.calls}):
        kept["calls"] = cited
    return kept


def _summarise_unenforced(decision: Decision, verdict: UnenforcedVerdict) -> dict[str, str]:
    """Return the verdict that an observed action would have had."""
    from interlock.policy.observe import describe_source  # few actions are observed

    return {"verdict": verdict.verdict.value, "because": verdict.because, "source": describe_source(decision)}


def _marks(decision: Decision, text: str) -> list[list[int]]:
    """Return the positions of high findings in a description; masking shifts them, so each part is searched for."""
    whole, marks = decision.assessment.analysis.text, []
    for finding in decision.assessment.findings:
        start, end = finding.span
        if finding.level >= Level.HIGH and end > start:
            part = whole[start:end]
            at = start if text[start:end] == part else text.find(mask_text(part))
            if at >= 0 and part:
                marks.append([at, min(at + (end - start if at == start else len(mask_text(part))), len(text))])
    return sorted(mark for mark in marks if mark[0] < mark[1])[:MAX_MARKS]


def mask_action(action: Action) -> dict[str, Any]:
    """Return an action as JSON with its secrets masked; a very large input is truncated."""
    found: dict[str, Any] = mask(canonical_form({name: getattr(action, name) for name in Action.__struct_fields__}))
    named = {name: storable_name(text) for name in ("user", "tenant") if (text := getattr(action, name))}
    found = {_camel(name): value for name, value in {**found, **named}.items()}
    if len(msgspec.json.encode(found)) > MAX_PAYLOAD:
        found["inputPayload"] = {
            "…": msgspec.json.encode(found["inputPayload"]).decode("utf-8", "ignore")[:MAX_PAYLOAD]
        }
    return found


def mask_fields(action: Action, names: Iterable[str]) -> dict[str, Any]:
    """Return some fields of an action as its record holds them: masked, without what is empty."""
    found: dict[str, Any] = mask(canonical_form({name: value for name in names if (value := getattr(action, name))}))
    return {_camel(name): value for name, value in found.items()}


def record_action(action: Action) -> dict[str, Any]:
    """Return an action as the record of its decision holds it: masked, and without the run and what is empty.

    `masked` says that this is not the whole action, because something was masked, cut, or is not JSON.
    """
    given = {name: value for name in RECORDED if (value := getattr(action, name))}
    found: dict[str, Any] = mask(canonical_form(given))
    masked = found != given
    if len(msgspec.json.encode(found)) > MAX_PAYLOAD:
        masked, payload = True, msgspec.json.encode(found.pop("input_payload", {})).decode("utf-8", "ignore")
        if len(msgspec.json.encode(found)) > MAX_PAYLOAD:  # by what the tool's server says about it
            found = {name: value for name, value in found.items() if name not in _DESCRIBING}
        found["input_payload"] = {"…": payload[:MAX_PAYLOAD]}
    recorded = {_camel(name): value for name, value in found.items()}
    return {"action": recorded, "masked": True} if masked else {"action": recorded}


#: The fields in which the server of a tool, or its program, describes it.
_DESCRIBING = ("docstring", "description", "input_schema", "hints", "annotations", "metadata")
RECORDED = tuple(name for name in Action.__struct_fields__ if name != "run_id")


@cache
def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.title() for part in rest)


def mask_decision(decision: Decision) -> dict[str, Any]:
    """Return a decision as JSON, masked, with at most `MAX_ITEMS` of everything, the most serious effects first.

    `dangerous` are the parts of the action's text that caused findings of level high or above.
    """
    wire = decision.to_wire()
    wire["effects"] = [wire["effects"][at] for at in _order_by_severity(decision)]
    wire["dangerous"] = _find_dangerous_parts(decision)
    for name, value in wire.items():
        if isinstance(value, list):
            wire[name] = value[:MAX_ITEMS]
    found: dict[str, Any] = mask(wire)
    return found


def _order_by_severity(decision: Decision) -> list[int]:
    """Return the indexes of the effects, the most serious first: an agent could hide one behind many harmless ones."""
    effects, levels = decision.assessment.effects, dict[tuple[int, int], Level]()
    for finding in decision.assessment.findings:
        levels[finding.span] = max(finding.level, levels.get(finding.span, finding.level))

    def weight(at: int) -> tuple[bool, int, int]:
        effect = effects[at]
        level = levels.get(effect.span)
        known = -1 if level is None else list(Level).index(level)
        return effect.kind == "out.print", -known, -(effect.resource.modifier if effect.resource else 0)

    return sorted(range(len(effects)), key=weight)


def _find_dangerous_parts(decision: Decision) -> list[str]:
    text, found = decision.assessment.analysis.text, decision.assessment.findings
    parts = (text[slice(*finding.span)] for finding in found if finding.level >= Level.HIGH)
    return list(dict.fromkeys(part[:MAX_PART] for part in parts if part.strip()))


def list_omissions(value: Any, depth: int = 0) -> list[str]:
    """Return descriptions of the parts of an input that a prompt leaves out, so that its reader knows of them.

    >>> list_omissions({"command": "x" * 20_001})
    ['1 characters of a text']
    """
    if isinstance(value, str):
        return [f"{len(value) - MAX_TEXT:,} characters of a text"] if len(value) > MAX_TEXT else []
    if not isinstance(value, (dict, list, tuple)):
        return []
    if depth >= MAX_NESTED:
        return ["deeply nested values"]
    items = list(value.values()) if isinstance(value, dict) else list(value)
    more = [f"{len(items) - MAX_GIVEN:,} arguments"] if len(items) > MAX_GIVEN else []
    return list(
        dict.fromkeys([*more, *(part for item in items[:MAX_GIVEN] for part in list_omissions(item, depth + 1))])
    )[:10]
