"""Narrower shapes: exactly one command, or fewer folders. Each covers less than the shape that it is made from."""

from __future__ import annotations

import posixpath

import msgspec

from interlock.approval.request import Approval
from interlock.approval.shape.holes import Hole, is_inside
from interlock.approval.shape.matching import fit_words, split_command
from interlock.approval.shape.shape import Shape
from interlock.approval.shape.statement import split_statement
from interlock.errors import InterlockError
from interlock.sanitise import plain


def make_exact_shape(shape: Shape, approval: Approval) -> Shape | None:
    """Return the shape that covers only the words of a request; None if it has none, or they are truncated."""
    text, folder = str(approval.decision.get("text") or ""), str(approval.action.get("cwd") or "")
    for words in (split_command(text), split_statement(text)):
        if words is not None and shape.words and fit_words(shape.words, words, folder):
            shown = f"exactly `{' '.join(words)}` ({_circumstances(shape)}"
            return msgspec.structs.replace(shape, words=tuple(words), text=shown)
    return None


def limit_to_folder(shape: Shape, folder: str) -> Shape:
    """Return a shape for the files of one folder inside its own, or raise if it has none, or it is not inside."""
    folder = posixpath.normpath(folder)
    old = _folders(shape)
    if len(old) != 1:
        raise InterlockError("this suggestion is not about files in a folder; accept it without a folder")
    (within,) = old
    if not is_inside(folder, within):
        raise InterlockError(f"`{plain(folder)[:200]}` is not a folder inside `{within}`; name one that is")
    what, _, circumstances = shape.text.rpartition(" (")
    text = what.replace(f" in {within}", f" in {folder}")

    def narrow(part: str | Hole) -> str | Hole:
        return msgspec.structs.replace(part, within=folder) if isinstance(part, Hole) and part.within else part

    return msgspec.structs.replace(
        shape,
        text=f"{text} ({circumstances}",
        words=tuple(map(narrow, shape.words)),
        arguments={
            name: msgspec.structs.replace(hole, within=folder) if hole.within else hole
            for name, hole in shape.arguments.items()
        },
        effects=tuple(
            msgspec.structs.replace(effect, name=tuple(map(narrow, effect.name))) for effect in shape.effects
        ),
    )


def has_folder(shape: Shape) -> bool:
    """Whether a shape can be narrowed to a folder."""
    return len(_folders(shape)) == 1


def _folders(shape: Shape) -> set[str]:
    parts = (*shape.words, *shape.arguments.values())
    return {part.within for part in parts if isinstance(part, Hole) and part.within}


def _circumstances(shape: Shape) -> str:
    return shape.text.rpartition(" (")[2]
