"""Shapes of tool calls: amounts may be smaller, and identifiers may differ."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from interlock.approval.shape.description import describe_shape
from interlock.approval.shape.holes import Hole
from interlock.approval.shape.pattern import effect_patterns
from interlock.approval.shape.shape import Candidate, Shape, value_digest
from interlock.effects import TOOL_KINDS
from interlock.patterns import late

MAX_ARGUMENTS = 8
#: Effects whose size is a number. Unless that number is limited, nothing else about them may differ.
_SIZED = frozenset({"payment.send", "order.place"})
_SHOWN_NAME = late(r"[A-Za-z][A-Za-z0-9_.-]{0,40}")
_SHOWN_VALUE = late(r"[A-Za-z0-9_@%+=:,./ -]{1,80}")
#: Numbers where a smaller one has a smaller effect. That is not so for days to keep or copies to run.
_AMOUNT = late(
    r"(?:.*[_.-])?(?:amount|total|sum|quantity|qty|count|limit|max|units|cents|credits|budget)", re.IGNORECASE
)
_AMOUNT_WORD = late(r".*[a-z](?:Amount|Total|Sum|Quantity|Qty|Count|Limit|Max|Units|Cents|Credits|Budget)")
_KEPT = late(r"keep|kept|retain|retention|min|least|older|age|days|threshold|replica|backup|skip|exclu", re.IGNORECASE)
_NUMBERED = late(r"(?:.*[_.-])?(?:id|ids|number|no|nr|key|ref|reference)|.*[a-z](?:Id|Number|Ref|Key)")


def propose_calls(candidate: Candidate) -> Iterator[Shape]:
    """Yield the shapes of a tool call: with smaller numbers, then also with other identifiers."""
    given = candidate.action.input_payload
    effects = candidate.decision.assessment.effects
    if (
        candidate.decision.assessment.analysis.text
        or effects[0].kind not in TOOL_KINDS
        or not given
        or not can_be_shown(given)
    ):
        return
    numbers = {name: Hole("number", most=value) for name, value in given.items() if _is_amount(name, value)}
    named = {effect.resource.name for effect in effects if effect.resource}
    identifiers = {name: hole for name, value in given.items() if (hole := _identifier(name, value, named))}
    if numbers:
        yield _make_shape(candidate, numbers)
    if identifiers and (numbers or not any(effect.kind in _SIZED for effect in effects)):
        yield _make_shape(candidate, {**numbers, **identifiers})


def can_be_shown(given: Mapping[Any, Any]) -> bool:
    """Whether all arguments can be shown in a sentence."""
    return len(given) <= MAX_ARGUMENTS and all(
        isinstance(name, str) and _SHOWN_NAME.fullmatch(name) and _is_shown(value) for name, value in given.items()
    )


def _is_shown(value: Any) -> bool:
    if isinstance(value, str):
        return _SHOWN_VALUE.fullmatch(value) is not None
    return value is None or isinstance(value, bool) or (type(value) in (int, float) and math.isfinite(value))


def _is_amount(name: str, value: Any) -> bool:
    is_named = (_AMOUNT.fullmatch(name) or _AMOUNT_WORD.fullmatch(name)) and not _KEPT.search(name)
    return type(value) in (int, float) and 0 < value < 2**53 and bool(is_named)


def _identifier(name: str, value: Any, named: set[str]) -> Hole | None:
    """Return the hole for an argument that identifies a record, and is not what an effect acts on."""
    if str(value) in named or isinstance(value, bool):
        return None
    if isinstance(value, str) and Hole("identifier").takes(value):
        return Hole("identifier")
    return Hole("whole") if type(value) is int and value >= 0 and _NUMBERED.fullmatch(name) is not None else None


def _make_shape(candidate: Candidate, holes: dict[str, Hole]) -> Shape:
    assessed, given = candidate.decision.assessment, candidate.action.input_payload
    return Shape(
        text=describe_shape(candidate, (), {name: holes.get(name, value) for name, value in given.items()}),
        frame=candidate.frame,
        words=(),
        arguments=holes,
        fixed={name: value_digest(value) for name, value in given.items() if name not in holes},
        effects=effect_patterns(candidate, {}),
        rules=tuple(sorted({finding.rule for finding in assessed.findings})),
        policies=tuple(sorted({match.policy_id for match in candidate.decision.matched_policies})),
        level=assessed.level,
        score=assessed.score,
        reversible=assessed.reversible,
    )
