"""What is kept of an action and a decision: masked, bounded, and bound to the exact action by a digest."""

from __future__ import annotations

import enum
import hashlib
import math
import os
from operator import attrgetter
from typing import Any

import msgspec

from interlock.audit.masking import MAX_DEPTH as MAX_NESTED
from interlock.audit.masking import MAX_ITEMS as MAX_GIVEN
from interlock.audit.masking import MAX_TEXT, mask, mask_text
from interlock.audit.record import canonical
from interlock.errors import InvalidActionError
from interlock.levels import Level
from interlock.model import Action, Decision

MAX_SHOWN = 300
MAX_ITEMS = 40
MAX_REASONS = 5
MAX_MARKS = 10
MAX_PART = 400
MAX_PAYLOAD = 64_000
MAX_DEPTH = 64
#: What makes two actions the same: what would run, and where. Not who asks, nor when.
_EXACT = ("tool_name", "input_payload", "environment", "cwd", "workspace", "home")
_texts_of = attrgetter("tool_name", "environment", "cwd", "workspace", "home")


def action_digest(store_id: str, action: Action) -> str:
    """Return the digest of the exact action.

    The store's id goes into it, so that no table of digests that was made elsewhere fits.
    """
    exact = {name: getattr(action, name) for name in _EXACT}
    exact["function"] = action.metadata.get("function")
    simple = action.metadata == {} and all(map(_is_simple, action.input_payload.items()))
    text = canonical(exact if simple and all(map(_is_ascii, _texts_of(action))) else plainly(exact))
    return hashlib.sha256(store_id.encode() + text).hexdigest()


def _is_simple(item: tuple[Any, Any]) -> bool:
    """Whether an argument is one that JSON holds as it is: the way most of them are."""
    name, value = item
    return type(name) is str and type(value) is str and name.isascii() and value.isascii()


def _is_ascii(text: str | None) -> bool:
    return text is None or text.isascii()


def plainly(value: Any, above: tuple[int, ...] = ()) -> Any:
    """Return a value as JSON can hold it, so that two that differ stay different.

    What only Python can show is shown with its type, what it holds, and its identity where nothing else tells.
    """
    if len(above) > MAX_DEPTH:
        raise InvalidActionError("the action is nested too deep to be told from another")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if value.bit_length() < 63 else {"‹int›": hex(value)}
    if isinstance(value, str):
        return value if value.isascii() or _is_text(value) else {"‹text›": ascii(value)}
    if isinstance(value, float):
        return value if math.isfinite(value) else {"‹float›": repr(value)}
    if isinstance(value, dict):
        return {_name_of(name): plainly(item, (*above, 0)) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plainly(item, (*above, 0)) for item in value]
    return {f"‹{type(value).__qualname__}›": _held(value, above)}


def _is_text(value: str) -> bool:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _name_of(name: Any) -> str:
    if isinstance(name, str):
        return name if _is_text(name) else f"‹text› {name!a}"
    return f"‹{type(name).__qualname__}› {_repr(name)}"


def _held(value: Any, above: tuple[int, ...]) -> Any:
    """Return what an object holds; one that holds itself is shown once."""
    if isinstance(value, (bytes, bytearray)):
        return f"{hashlib.sha256(value).hexdigest()} {bytes(value[:40])!r}"
    if isinstance(value, (set, frozenset)):
        return sorted((plainly(item, (*above, 0)) for item in value), key=repr)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if id(value) in above:
        return "…"
    held = getattr(value, "__dict__", None)
    if isinstance(held, dict) and not isinstance(value, (type, enum.Enum)):
        return [f"{id(value):x}", plainly(dict(held), (*above, id(value)))]
    try:
        return msgspec.to_builtins(value)  # dates, decimals, enums
    except (TypeError, ValueError, RecursionError):
        return f"{id(value):x} {_repr(value)}"


def _repr(value: Any) -> str:
    """Return how Python shows a value, with a digest of the whole; some cannot even be shown."""
    try:
        whole = repr(value)
    except Exception as error:  # of whoever wrote that object
        return f"not shown: {type(error).__name__}"
    digest = hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{mask_text(whole[:MAX_SHOWN])} {digest}"


def shown(action: Action, decision: Decision) -> str:
    """Return an action in one masked line: its text where it has one, else its input."""
    text = decision.assessment.analysis.text
    if not text:
        text = msgspec.json.encode(mask(plainly(action.input_payload))).decode() if action.input_payload else ""
    text = mask_text(text[: MAX_SHOWN * 40])
    return text[:MAX_SHOWN] + ("…" if len(text) > MAX_SHOWN else "")


def of_decision(action: Action, decision: Decision, *, payloads: bool) -> dict[str, Any]:
    """Return what a record keeps of a decision."""
    assessed = decision.assessment
    kept: dict[str, Any] = {
        "text": shown(action, decision),
        "level": assessed.level.value,
        "score": assessed.score,
        "mode": decision.mode,
        "because": decision.because,
        "rules": [finding.rule for finding in assessed.findings[:MAX_ITEMS]],
        "resources": [mask_text(resource) for resource in assessed.affected_resources[:10]],
        "coverage": str(assessed.coverage),
    }
    kinds = list(dict.fromkeys(effect.kind for effect in assessed.effects))
    kept["effects"] = kinds[:MAX_ITEMS]
    if assessed.findings:
        kept["reasons"] = [mask_text(reason) for reason in assessed.reasons[:MAX_REASONS]]
        marks = _marks(decision, kept["text"])
        if marks:
            kept["marks"] = marks
    if action.environment:
        kept["environment"] = mask_text(action.environment)
    if payloads:
        kept["action"] = masked_action(action)
    return kept


def _marks(decision: Decision, text: str) -> list[list[int]]:
    """Return where in the shown text the gravest findings stand; masking moves things, so each is looked for."""
    whole, marks = decision.assessment.analysis.text, []
    for finding in decision.assessment.findings:
        start, end = finding.span
        if finding.level >= Level.HIGH and end > start:
            part = whole[start:end]
            at = start if text[start:end] == part else text.find(mask_text(part))
            if at >= 0 and part:
                marks.append([at, min(at + (end - start if at == start else len(mask_text(part))), len(text))])
    return sorted(mark for mark in marks if mark[0] < mark[1])[:MAX_MARKS]


def masked_action(action: Action) -> dict[str, Any]:
    """Return an action in its JSON form with its secrets masked; a huge one is cut to its beginning."""
    found: dict[str, Any] = mask(plainly({name: getattr(action, name) for name in action.__struct_fields__}))
    found = {_camel(name): value for name, value in found.items()}
    if len(msgspec.json.encode(found)) > MAX_PAYLOAD:
        found["inputPayload"] = {
            "…": msgspec.json.encode(found["inputPayload"]).decode("utf-8", "ignore")[:MAX_PAYLOAD]
        }
    return found


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.title() for part in rest)


def masked_decision(decision: Decision) -> dict[str, Any]:
    """Return a decision in its JSON form, masked, with at most so many of everything: of effects, the gravest.

    `dangerous` are the parts of the action's text that the gravest findings are about.
    """
    wire = decision.to_wire()
    wire["effects"] = [wire["effects"][at] for at in _by_gravity(decision)]
    wire["dangerous"] = _dangerous(decision)
    for name, value in wire.items():
        if isinstance(value, list):
            wire[name] = value[:MAX_ITEMS]
    found: dict[str, Any] = mask(wire)
    return found


def _by_gravity(decision: Decision) -> list[int]:
    """Return the order of a decision's effects, the gravest first: an agent chooses what it does before and after."""
    effects, grave = decision.assessment.effects, dict[tuple[int, int], Level]()
    for finding in decision.assessment.findings:
        grave[finding.span] = max(finding.level, grave.get(finding.span, finding.level))

    def weight(at: int) -> tuple[bool, int, int]:
        effect = effects[at]
        level = grave.get(effect.span)
        known = -1 if level is None else list(Level).index(level)
        return effect.kind == "out.print", -known, -(effect.resource.modifier if effect.resource else 0)

    return sorted(range(len(effects)), key=weight)


def _dangerous(decision: Decision) -> list[str]:
    text, found = decision.assessment.analysis.text, decision.assessment.findings
    parts = (text[slice(*finding.span)] for finding in found if finding.level >= Level.HIGH)
    return list(dict.fromkeys(part[:MAX_PART] for part in parts if part.strip()))


def unshown(value: Any, depth: int = 0) -> list[str]:
    """Return what of an action's input is left out where it is shown to somebody: they must know that there is more.

    >>> unshown({"command": "x" * 20_001})
    ['1 characters of a text']
    """
    if isinstance(value, str):
        return [f"{len(value) - MAX_TEXT:,} characters of a text"] if len(value) > MAX_TEXT else []
    if not isinstance(value, (dict, list, tuple)):
        return []
    if depth >= MAX_NESTED:
        return ["what is nested deeper"]
    items = list(value.values()) if isinstance(value, dict) else list(value)
    more = [f"{len(items) - MAX_GIVEN:,} arguments"] if len(items) > MAX_GIVEN else []
    return list(dict.fromkeys([*more, *(told for item in items[:MAX_GIVEN] for told in unshown(item, depth + 1))]))[:10]
