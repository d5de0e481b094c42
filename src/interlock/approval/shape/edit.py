"""Shapes of file edits: other files of the same folder, with any content that has no effects of its own."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Any

from interlock.approval.shape.description import describe_edit
from interlock.approval.shape.holes import Hole, HoleKind
from interlock.approval.shape.pattern import effect_patterns
from interlock.approval.shape.shape import Candidate, Shape, other_arguments, value_digest
from interlock.model import Place
from interlock.payload import plain_key

#: What the arguments of tools that write files hold.
_CONTENT: dict[str, HoleKind] = {
    **dict.fromkeys("content contents text file_text new_string new_str new_text".split(), "content"),
    **dict.fromkeys("old_string old_str old_text".split(), "existing"),
    "edits": "edits",
}
#: Arguments that stay the same: which of its operations a tool carries out.
_OPERATIONS = {"command": ("create", "str_replace")}


def propose_edits(candidate: Candidate) -> Iterator[Shape]:
    """Yield the shapes of an edit: the folder of its file, then the outermost one below the workspace."""
    holes = _content_holes(candidate)
    if holes is None:
        return
    for folder in _folders(candidate):
        yield _make_shape(candidate, folder, holes)


def _make_shape(candidate: Candidate, folder: str, holes: dict[str, Hole]) -> Shape:
    assessed, key = candidate.decision.assessment, candidate.path_key
    path = Hole("path", folder)
    given = other_arguments(candidate)
    fixed = {name: value for name, value in given.items() if name not in holes and name != key}
    return Shape(
        text=describe_edit(candidate, folder, changes=_changes(holes)),
        frame=candidate.frame,
        words=(),
        arguments={key: path, **holes},
        fixed={name: value_digest(value) for name, value in fixed.items()},
        effects=effect_patterns(candidate, {str(given[key]): path}),
        rules=tuple(sorted({finding.rule for finding in assessed.findings})),
        policies=tuple(sorted({match.policy_id for match in candidate.decision.matched_policies})),
        level=assessed.level,
        score=assessed.score,
        reversible=assessed.reversible,
    )


def _changes(holes: dict[str, Hole]) -> bool:
    """Whether the edit replaces a text, so that its file must be there already."""
    return any(hole.kind in ("existing", "edits") for hole in holes.values())


def _content_holes(candidate: Candidate) -> dict[str, Hole] | None:
    """Return the arguments with the content of the file, or None if an argument means something else."""
    holes = {}
    for name, value in other_arguments(candidate).items():
        hole = _content_hole(plain_key(name), value)
        if hole is not None:
            holes[name] = hole
        elif name != candidate.path_key and value not in _OPERATIONS.get(name, ()):
            return None
    return holes or None


def _content_hole(name: str, value: Any) -> Hole | None:
    kind = _CONTENT.get(name)
    hole = None if kind is None else Hole(kind)
    return hole if hole is not None and hole.takes(value) else None


def _folders(candidate: Candidate) -> list[str]:
    """Return the folder of the file and the outermost folder below the workspace that has it in it."""
    workspace = (candidate.action.workspace or "").rstrip("/")
    resource = candidate.decision.assessment.effects[0].resource
    if not workspace or resource is None or resource.place is not Place.WORKSPACE:
        return []
    folder = posixpath.dirname(resource.name)
    inner = folder.removeprefix(f"{workspace}/").split("/")
    if not folder.startswith(f"{workspace}/") or any(part.startswith(".") for part in inner):
        return []
    return list(dict.fromkeys([folder, f"{workspace}/{inner[0]}"]))
