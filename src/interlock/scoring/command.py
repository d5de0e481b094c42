"""The score of a command: base points for what it does, plus points for the place and the environment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

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
    most, base, placed = -1000, _OUTPUT, None
    for found, resource in _commands(effects, _APART if apart else _TOGETHER):
        points = found.points if resource is None else found.points + resource.modifier
        if points > most:
            most, base, placed = points, found, resource
    total = base.points
    factors: tuple[Factor, ...] = (base,)
    if placed is not None and placed.place is not None:
        total += placed.modifier
        factors = (base, Factor("place", placed.modifier, f"{placed.place._value_}: {placed.name}"))
    if environment is not None:
        tag = environment_points(environment)
        total += tag
        factors = (*factors, Factor("environment", tag, environment))
    if 0 <= total <= 100:
        return total, factors
    score = 0 if total < 0 else 100
    return score, (*factors, Factor("clamped", score - total, "to 0–100"))


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


def _commands(effects: Iterable[Effect], table: Mapping[str, _Score]) -> Iterable[tuple[Factor, Resource | None]]:
    """Return the highest base of each command, and its resource at the place with the most points."""
    grouped: dict[int, tuple[Factor, Resource | None]] = {}
    for effect in effects:
        kind, resource = effect.kind, effect.resource
        base, group = table[kind]
        if kind == "fs.delete":
            base = _BASES[category_of(effect)]
        if resource is not None and resource.place is None:
            resource = None
        key = effect.call * 2 + group
        if key in grouped:
            highest, placed = grouped[key]
            if highest.points >= base.points:
                base = highest
            if placed is not None and (resource is None or resource.modifier <= placed.modifier):
                resource = placed
        grouped[key] = base, resource
    return grouped.values()


#: The factor of each category's base points.
_BASES = {category: Factor("base", points, CATEGORY_TITLES[category]) for category, points in BASES.items()}
_OUTPUT = _BASES["output"]
_CATEGORIES = {name: kind.category for name, kind in KINDS.items()}
#: What effects of a kind score, and the group of their command that they belong to: its reads may be one of their own.
_Score = tuple[Factor, int]
_TOGETHER: dict[str, _Score] = {kind: (_BASES[category], 0) for kind, category in _CATEGORIES.items()}
_APART: dict[str, _Score] = {kind: (base, int(kind in READS)) for kind, (base, _) in _TOGETHER.items()}
_APART["process.signal"] = _BASES["administration"], 0


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
