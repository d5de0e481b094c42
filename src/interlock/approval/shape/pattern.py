"""The effects of an action as patterns, with holes where its words or arguments have them."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping

from interlock.approval.shape.holes import Hole
from interlock.approval.shape.shape import Candidate, CoveredEffect
from interlock.model import Effect, Resource


def effect_patterns(candidate: Candidate, holes: Mapping[str, Hole]) -> tuple[CoveredEffect, ...]:
    """Return a pattern for each effect of an action, each once; `holes` are by the word that they replace."""
    folder = candidate.action.cwd or "/"
    paths = {posixpath.normpath(posixpath.join(folder, word)): hole for word, hole in holes.items()}
    effects = candidate.decision.assessment.effects
    return tuple(dict.fromkeys(_pattern(effect, holes, paths) for effect in effects))


def _pattern(effect: Effect, holes: Mapping[str, Hole], paths: Mapping[str, Hole]) -> CoveredEffect:
    resource = effect.resource
    return CoveredEffect(
        kind=effect.kind,
        type=resource.type if resource else "",
        place=resource.place.value if resource and resource.place else "",
        flags=tuple(sorted(effect.flags)),
        via=effect.via,
        name=_name(resource, holes, paths) if resource else (),
    )


def _name(resource: Resource, holes: Mapping[str, Hole], paths: Mapping[str, Hole]) -> tuple[str | Hole, ...]:
    """Return the name of a resource, with a hole for its last word or for the whole path."""
    if resource.type == "file":
        hole = paths.get(resource.name.rstrip("/"))
        return (hole,) if hole is not None and hole.kind == "path" else (resource.name,)
    *before, last = resource.name.split(" ")
    hole = holes.get(last)
    if hole is None or hole.kind == "path":
        return (resource.name,)
    return (*before, hole)
