"""Shapes of shell commands: the words that name what the command acts on may differ, and no others."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence

from interlock.approval.shape.description import describe_shape
from interlock.approval.shape.holes import Hole, origin_of
from interlock.approval.shape.matching import split_command
from interlock.approval.shape.pattern import effect_patterns
from interlock.approval.shape.shape import Candidate, Shape, other_arguments, value_digest
from interlock.model import Effect, Place

#: Folders in which a shape may cover files, and how many parts the path of one must have.
_PLACES = frozenset({Place.WORKSPACE, Place.SCRATCH, Place.OUTSIDE})
_LEAST_PARTS = 2
#: The kinds of effects and types of resources whose name may differ, and what it may differ to.
_NAMES = {
    ("package.install", "package"): "package",
    ("package.remove", "package"): "package",
    ("process.spawn", "program"): "relative",
    ("cluster.change", "object"): "name",
    ("cluster.delete", "object"): "name",
    ("container.change", "container"): "name",
    ("container.delete", "container"): "name",
}


def propose_commands(candidate: Candidate) -> Iterator[Shape]:
    """Yield the shapes of a command, the narrow one first."""
    words = split_command(candidate.decision.assessment.analysis.text)
    if words is None:
        return
    for is_wide in (False, True):
        holes = _find_holes(candidate, words, is_wide=is_wide)
        if holes:
            yield _make_shape(candidate, words, holes)


def _make_shape(candidate: Candidate, words: Sequence[str], holes: Mapping[str, Hole]) -> Shape:
    parts = _collapse([holes.get(word, word) for word in words])
    assessed = candidate.decision.assessment
    return Shape(
        text=describe_shape(candidate, parts, {}),
        frame=candidate.frame,
        words=parts,
        arguments={},
        fixed={name: value_digest(value) for name, value in other_arguments(candidate).items()},
        effects=effect_patterns(candidate, holes),
        rules=tuple(sorted({finding.rule for finding in assessed.findings})),
        policies=tuple(sorted({match.policy_id for match in candidate.decision.matched_policies})),
        level=assessed.level,
        score=assessed.score,
        reversible=assessed.reversible,
    )


def _collapse(parts: Sequence[str | Hole]) -> tuple[str | Hole, ...]:
    """Return the parts with several equal repeating holes merged into one."""
    return tuple(
        part
        for at, part in enumerate(parts)
        if not (at and isinstance(part, Hole) and part.repeats and parts[at - 1] == part)
    )


def _find_holes(candidate: Candidate, words: Sequence[str], *, is_wide: bool) -> dict[str, Hole]:
    """Return the words that may differ, with their holes: each names a resource of an effect, and occurs once."""
    folder = _folder(candidate, words, is_wide=is_wide)
    found = {}
    for word in words[1:]:
        hole = None if word[0] == "-" or words.count(word) > 1 else _hole_for(candidate, words, word, folder, is_wide)
        if hole is not None and hole.takes(word, candidate.action.cwd or ""):
            found[word] = hole
    return found


def _hole_for(candidate: Candidate, words: Sequence[str], word: str, folder: str, is_wide: bool) -> Hole | None:
    for effect in candidate.decision.assessment.effects:
        resource = effect.resource
        if resource is None:
            continue
        if resource.type == "file" and folder and _resolve(candidate, word) == resource.name.rstrip("/"):
            is_named = resource.place in _PLACES and not _is_obeyed(candidate, effect)
            return Hole("path", folder) if is_named else None
        if resource.type == "url" and word == resource.name and origin_of(word):
            return Hole("address", origin_of(word) if is_wide else _parent_of(word))
        if _is_pushed_branch(effect, words, word):
            return None if candidate.is_tag(word) else Hole("branch")
        kind = _NAMES.get((effect.kind, resource.type))
        if kind is not None and resource.name.split(" ")[-1] == word and word != words[1]:
            return Hole("package") if kind == "package" else Hole("relative") if kind == "relative" else Hole("name")
    return None


def _is_obeyed(candidate: Candidate, effect: Effect) -> bool:
    """Whether a file may configure other programs, as requirements or settings do, so that no other can replace it."""
    kinds = {other.kind for other in candidate.decision.assessment.effects}
    return effect.kind == "fs.read" and not all(kind.startswith(("fs.", "out.")) for kind in kinds)


def _parent_of(address: str) -> str:
    """Return the address without its last part, but never less than scheme, host and port."""
    return max(origin_of(address), address[: address.rstrip("/").rfind("/") + 1], key=len)


def _is_pushed_branch(effect: Effect, words: Sequence[str], word: str) -> bool:
    """Whether a word is the one branch that `git push` pushes to a remote."""
    if effect.kind != "vcs.push" or effect.resource is None or list(words[:2]) != ["git", "push"]:
        return False
    return [words[-2], word] == effect.resource.name.split(" ") and words[-1] == word


def _resolve(candidate: Candidate, word: str) -> str:
    return posixpath.normpath(posixpath.join(candidate.action.cwd or "/", word))


def _folder(candidate: Candidate, words: Sequence[str], *, is_wide: bool) -> str:
    """Return the folder that holds all files that the command names: the narrowest one, or the workspace."""
    if not candidate.action.cwd:
        return ""
    resources = [effect.resource for effect in candidate.decision.assessment.effects if effect.resource]
    names = {resource.name.rstrip("/"): resource.place for resource in resources if resource.type == "file"}
    named = [path for path in (_resolve(candidate, word) for word in words[1:]) if path in names]
    if not named:
        return ""
    common = posixpath.commonpath([posixpath.dirname(path) for path in named])
    workspace = (candidate.action.workspace or "").rstrip("/")
    if is_wide and workspace and all(names[path] is Place.WORKSPACE for path in named):
        common = workspace
    return common if len(common.strip("/").split("/")) >= _LEAST_PARTS else ""
