"""The score of a command: base points for what it does, plus points for the place and the environment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from interlock.analyse.action import analyse
from interlock.effects import BASES, CATEGORY_TITLES, KINDS, READS
from interlock.errors import InterlockError, nearest
from interlock.levels import Level
from interlock.model import Action, Analysis, Assessment, Effect, Factor, Place, Resource

#: The points of each environment; `None` is for an action that names none.
ENVIRONMENTS: dict[str | None, int] = {
    None: 0,
    "development": -10,
    "staging": 0,
    "production": 15,
    "critical": 25,
}

_ALIASES = {"dev": "development", "prod": "production", "stage": "staging"}


def normalise_environment(environment: str | None) -> str | None:
    """Return the canonical name of an environment: `Prod` becomes `production`."""
    if environment is None:
        return None
    name = environment.strip().lower()
    return _ALIASES.get(name, name)


def environment_name(environment: str | None) -> str | None:
    """Return the canonical name of a known environment, or raise and suggest the closest one."""
    name = normalise_environment(environment)
    if name not in ENVIRONMENTS:
        known = [known for known in ENVIRONMENTS if known]
        raise InterlockError(f"unknown environment `{environment}`{nearest(name, known)}")
    return name


def environment_points(environment: str | None) -> int:
    """Return the points of an environment; an unknown one has as many as the strictest."""
    return 0 if environment is None else ENVIRONMENTS.get(normalise_environment(environment), _STRICTEST)


_STRICTEST = max(ENVIRONMENTS.values())


def add_up(
    effects: Sequence[Effect], environment: str | None, *, apart: bool = False
) -> tuple[int, tuple[Factor, ...]]:
    """Return the score of the riskiest command among the effects, and its factors.

    With `apart`, reads and writes of a command are scored separately: a copy from `/usr` into the project writes only
    to the project. Signals count as administration then: rules tell one's own processes from those of others.
    """
    if not effects:
        return 0, ()
    most, category, placed = -1000, "output", None
    for found, resource in _commands(effects, apart):
        points = BASES[found] + (resource.modifier if resource is not None else 0)
        if points > most:
            most, category, placed = points, found, resource
    total = BASES[category]
    factors = [Factor("base", total, CATEGORY_TITLES[category])]
    if placed is not None and placed.place is not None:
        total += placed.modifier
        factors.append(Factor("place", placed.modifier, f"{placed.place._value_}: {placed.name}"))
    if environment is not None:
        tag = environment_points(environment)
        total += tag
        factors.append(Factor("environment", tag, environment))
    score = min(max(total, 0), 100)
    if score != total:
        factors.append(Factor("clamped", score - total, "to 0–100"))
    return score, tuple(factors)


_PROTECTED = frozenset({Place.ROOT, Place.HOME, Place.SYSTEM})
_FORCED = frozenset({"recursive", "force"})


def category_of(effect: Effect) -> str:
    """Return the category of an effect: its kind's, but `rm -rf` on root, home or system is destructive."""
    kind = effect.kind
    if kind == "fs.delete" and effect.flags >= _FORCED:
        resource = effect.resource
        if resource is not None and resource.place in _PROTECTED:
            return "destructive"
    return _CATEGORIES[kind]


def _commands(effects: Iterable[Effect], apart: bool) -> Iterable[tuple[str, Resource | None]]:
    """Return the highest category of each command, and its resource at the place with the most points."""
    grouped: dict[tuple[int, bool], tuple[str, Resource | None]] = {}
    for effect in effects:
        kind = effect.kind
        key = (effect.call, apart and kind in READS)
        category, placed = grouped.get(key, _NOTHING)
        if kind == "fs.delete":
            found = category_of(effect)
        else:
            found = "administration" if apart and kind == "process.signal" else _CATEGORIES[kind]
        if found is not category and BASES[found] > BASES[category]:
            category = found
        resource = effect.resource
        if resource is not None and resource.place is not None and (not placed or resource.modifier > placed.modifier):
            placed = resource
        grouped[key] = (category, placed)
    return grouped.values()


_NOTHING: tuple[str, Resource | None] = ("output", None)
_CATEGORIES = {name: kind.category for name, kind in KINDS.items()}


def score_command(
    text: str,
    environment: str | None = None,
    home: str | None = None,
    workspace: str | None = None,
    cwd: str | None = None,
) -> Assessment:
    """Return the score of a shell command by the tables alone, without rules.

    >>> found = score_command("rm -r /etc/nginx/conf.d/", environment="production")
    >>> found.score, found.level.value, [factor.points for factor in found.factors]
    (90, 'critical', [55, 20, 15])
    """
    name = environment_name(environment)
    analysis = analyse(Action.shell(text, home=home, workspace=workspace, cwd=cwd))
    score, factors = add_up(analysis.effects, name)
    return Assessment(
        score=score,
        level=Level.of(score),
        factors=factors,
        reasons=tuple(f"{factor.name} {factor.points:+d}: {factor.detail}" for factor in factors),
        affected_resources=list_affected_resources(analysis),
        estimated_impact=Level.of(score).impact,
        analysis=analysis,
    )


MAX_RESOURCES = 10


def list_affected_resources(analysis: Analysis) -> tuple[str, ...]:
    """Return the resources that an action touches: each once, in order, at most ten."""
    found: dict[str, None] = {}
    for effect in analysis.effects:
        resource = effect.resource
        if resource is not None and effect.kind != "out.print":
            found[f"{resource.type}:{resource.name}"] = None
            if len(found) == MAX_RESOURCES:
                break
    return tuple(found)
