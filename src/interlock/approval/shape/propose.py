"""Propose shapes when an action is approved, from narrow to wide, each with a description in words."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.approval.request import ProposedShape
from interlock.approval.shape.command import propose_commands
from interlock.approval.shape.edit import propose_edits
from interlock.approval.shape.grantable import is_grantable
from interlock.approval.shape.holes import Hole
from interlock.approval.shape.matching import matches
from interlock.approval.shape.shape import Candidate, Shape
from interlock.approval.shape.statement import propose_statements
from interlock.approval.shape.tool import propose_calls
from interlock.audit.masking import mask_text
from interlock.audit.record import canonical
from interlock.patterns import late

MAX_SHAPES = 3
MAX_TEXT = 600
#: Names of places, agents and the like that a text can show as they are.
_SHOWN = late(r"[A-Za-z0-9_@%+=:,./ -]{1,300}")


def propose_shapes(candidate: Candidate) -> tuple[Shape, ...]:
    """Return up to three shapes that an action has; none if only this exact action can be approved.

    Each has a hole, can be described completely, and covers the action itself.
    """
    if not is_grantable(candidate) or not _is_showable(candidate):
        return ()
    found: dict[str, Shape] = {}
    for shape in _all_shapes(candidate):
        if len(shape.text) <= MAX_TEXT and not _has_secret(shape) and matches(shape, candidate):
            found.setdefault(shape.text, shape)
    return tuple(found.values())[:MAX_SHAPES]


def propose(candidate: Candidate) -> tuple[ProposedShape, ...]:
    """Return the shapes of an action as its request offers them."""
    return tuple(
        ProposedShape(shape_id=shape.shape_id, text=shape.text, shape=canonical(shape).decode())
        for shape in propose_shapes(candidate)
    )


def _all_shapes(candidate: Candidate) -> Iterator[Shape]:
    if candidate.command_key:
        return propose_commands(candidate)
    if candidate.statement_key:
        return propose_statements(candidate)
    return propose_edits(candidate) if candidate.path_key else propose_calls(candidate)


def _is_showable(candidate: Candidate) -> bool:
    action = candidate.action
    names = (action.tool_name, candidate.agent_id, action.environment, action.cwd, action.workspace, action.tenant)
    return all(_SHOWN.fullmatch(name) for name in (*names, action.user) if name is not None)


def _has_secret(shape: Shape) -> bool:
    """Whether a text that is stored with the shape would be masked."""
    names = (part for effect in shape.effects for part in effect.name)
    texts = "\n".join([shape.text, *(part for part in (*shape.words, *names) if not isinstance(part, Hole))])
    return mask_text(texts) != texts
