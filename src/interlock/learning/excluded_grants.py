"""Grants that are never suggested, although a person may give them: for actions that send, destroy or spend something.

A person who grants a shape sees the action. A suggestion generalises from answers that an agent may
have provoked, so nothing may differ between its actions in which the danger lies.
"""

from __future__ import annotations

from collections.abc import Iterator

from interlock.approval.request import Approval
from interlock.approval.search_fields import environment_of
from interlock.approval.shape.holes import Hole
from interlock.approval.shape.shape import CoveredEffect, Shape
from interlock.effects import KINDS
from interlock.levels import Level
from interlock.policy.liftable import NEVER_FLAGS, SENDING

#: Kinds of effects that are never suggested: they spend, send, release, destroy what others use, or
#: run a program that the agent can write.
_NEVER_KINDS = SENDING | frozenset(
    (
        "payment.send order.place deploy.release infra.destroy tool.destroy record.delete cluster.delete "
        "container.delete appointment.make process.spawn"
    ).split()
)
#: Kinds of holes that decide how dangerous an action is: which package, program or address, and how much.
_NEVER_HOLES = frozenset({"package", "relative", "address", "number"})
#: Effects that destroy files. No grant for them covers a whole workspace.
_TAKING = frozenset({"fs.delete", "fs.move"})
_LIVE = frozenset({"production", "critical"})
_CHALLENGES = frozenset({"auto_approve", "confirm", "quiz"})
_GUARD = "interlock"


def find_exclusion(shape: Shape, approval: Approval) -> str:
    """Return why a shape is never suggested, or an empty text if it may be."""
    return next(_reasons(shape, approval), "")


def _reasons(shape: Shape, approval: Approval) -> Iterator[str]:
    kinds = {effect.kind for effect in shape.effects}
    if kinds & _NEVER_KINDS or any(set(effect.flags) & NEVER_FLAGS for effect in shape.effects):
        yield "it sends, spends, releases, destroys or runs a program"
    if shape.level is Level.CRITICAL:
        yield "its risk is critical"
    if shape.level >= Level.HIGH and not shape.reversible:
        yield "its risk is high, and it cannot be undone"
    if any(hole.kind in _NEVER_HOLES for hole in holes_of(shape)):
        yield "what may differ is the dangerous part"
    if environment_of(approval) in _LIVE and (not shape.reversible or any(map(_is_loss, kinds))):
        yield "something could be lost in production"
    if kinds & _TAKING and _takes_workspace(shape, approval):
        yield "it could delete anything in the workspace"
    if any(_GUARD in part.casefold() for part in _literals(shape)):
        yield "it touches Interlock itself"
    if approval.needs.approvers > 1 or approval.needs.challenge not in _CHALLENGES:
        yield "it needs several people, or an explanation each time"


def _is_loss(kind: str) -> bool:
    return kind == "db.write" or KINDS[kind].category in ("delete", "destructive")


def holes_of(shape: Shape) -> list[Hole]:
    """Return the holes of a shape."""
    parts = (*shape.words, *shape.arguments.values())
    return [part for part in parts if isinstance(part, Hole)]


def _takes_workspace(shape: Shape, approval: Approval) -> bool:
    workspace = str(approval.action.get("workspace") or "").rstrip("/")
    folders = [hole.within.rstrip("/") for hole in holes_of(shape) if hole.kind == "path"]
    return any(not workspace or not folder.startswith(f"{workspace}/") for folder in folders)


def _literals(shape: Shape) -> Iterator[str]:
    """Yield the words and the names of resources that stay the same."""
    yield from (part for part in shape.words if isinstance(part, str))
    yield from (part for effect in shape.effects for part in _names(effect))


def _names(effect: CoveredEffect) -> Iterator[str]:
    for part in effect.name:
        yield part.within if isinstance(part, Hole) else part
