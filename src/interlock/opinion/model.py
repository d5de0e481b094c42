"""The model: the weights of the features of an action, and the finding that it adds."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from itertools import repeat

from interlock.effects import READS
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.shards import known_values
from interlock.knowledge.table_types import SecondOpinion
from interlock.levels import Level
from interlock.model import Analysis, Effect, Finding
from interlock.opinion.features import describe_command_feature, features

RULE = "second_opinion"
#: The languages of the rows that the model was trained on and measured with.
LANGUAGES = frozenset({"shell", "sql"})
#: Flags of effects that a configuration or the place of the action has eased.
_EASED_FLAGS = frozenset({"disposable", "trusted", "private", "local", "dry_run", "mount"})
_NEUTRAL = READS | {"container.run", "net.connect"}
#: How many of the heaviest features a finding names.
NAMED = 3
#: The digits that sums of weights are rounded to, so that they do not depend on the order of a set.
DIGITS = 6


@cache
def load_model() -> SecondOpinion:
    """Return the model that Interlock ships with."""
    return read_table("second-opinion", SecondOpinion)


def weigh(model: SecondOpinion, found: Collection[str]) -> float:
    """Return how much an action resembles those that people want to be asked about."""
    known = known_values(model.weights, found)
    return round(model.bias + sum(map(known.get, found, repeat(0.0))), DIGITS)


def is_weighed(analysis: Analysis) -> bool:
    """Whether the model judges an action: in its languages, if something happens besides reading and what was eased."""
    if not analysis.languages or not LANGUAGES.issuperset(analysis.languages):
        return False
    acting = [effect for effect in analysis.effects if effect.kind not in _NEUTRAL]
    if not acting:
        return False
    settled = [effect for effect in analysis.effects if effect.flags and not _EASED_FLAGS.isdisjoint(effect.flags)]
    return not settled or any(not _is_eased(effect, settled) for effect in acting)


def _is_eased(effect: Effect, settled: list[Effect]) -> bool:
    """Whether an effect was eased, or happens inside a command that was: on a machine of one's own network."""
    return effect in settled or any(
        len(other.via) < len(effect.via)
        and effect.via[: len(other.via)] == other.via
        and other.span[0] <= effect.span[0]
        and effect.span[1] <= other.span[1]
        for other in settled
    )


def second_opinion(analysis: Analysis, findings: tuple[Finding, ...], level: Level) -> Finding | None:
    """Return a finding on an action that the rules would allow, or None if its weight is low."""
    if not is_weighed(analysis):
        return None
    model, found = load_model(), features(analysis, findings, level)
    if weigh(model, found) < model.threshold:
        return None
    named = ", ".join(_heaviest(model, found))
    return Finding(RULE, Level.HIGH, f"Resembles actions that people want to be asked about: {named}")


def _heaviest(model: SecondOpinion, found: set[str]) -> list[str]:
    """Return the features that weigh most, in words."""
    weights = model.weights
    known = sorted((one for one in found if weights.get(one, 0.0) > 0.0), key=lambda one: (-weights[one], one))
    return [text for one in known if (text := describe_command_feature(one))][:NAMED]
