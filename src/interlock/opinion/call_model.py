"""The opinion on tool calls that nobody has described: how much their words weigh.

An argument can only add to the weight of a call, and so can each sentence of it: nothing that an agent adds to a call
takes anything from it. Harmless words take only so much from the sentence that they stand in.
"""

from __future__ import annotations

from functools import cache

from interlock.analyse.tools.name import meaning_of
from interlock.effects import TOOL_KINDS
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.tables import SecondOpinion
from interlock.levels import Level
from interlock.model import Action, Analysis, Effect, Finding
from interlock.opinion.call_features import CallFeatures, call_features, describe_feature
from interlock.opinion.model import NAMED, RULE

#: How much harmless words can take from the weight of a sentence.
MAX_CALMING = 2.0
_ACTING = frozenset({"tool.change", "tool.destroy", "tool.unknown"})
_QUIET = frozenset({"read", "draft"})
#: Flags of calls that do nothing for real, or that stay inside the organisation.
_SETTLED = frozenset({"practice", "practice_name", "rehearsed", "drafted", "inside"})


@cache
def load() -> SecondOpinion:
    """Return the model that Interlock ships with."""
    return read_table("second-opinion-calls", SecondOpinion)


def weigh_call(model: SecondOpinion, call: CallFeatures) -> float:
    """Return how much a call resembles those that people want to be asked about."""
    weight = model.weights.get
    total = model.bias + sum([weight(one, 0.0) for one in call.name])
    for parts in call.arguments.values():
        heaviest = max([_weigh_words([weight(one, 0.0) for one in part]) for part in parts], default=0.0)
        if heaviest > 0.0:
            total += heaviest
    return total


def _weigh_words(weights: list[float]) -> float:
    """Return the weight of the words of one sentence."""
    calming = sum([one for one in weights if one < 0.0])
    return sum(weights) - min(calming + MAX_CALMING, 0.0)


def judge_call(action: Action, analysis: Analysis) -> Finding | None:
    """Return a finding on a call that the rules would let run, or None if the model has nothing against it."""
    if not is_weighed_call(action, analysis):
        return None
    model, call = load(), call_features(action)
    if weigh_call(model, call) < model.threshold:
        return None
    weights = model.weights
    known = sorted((one for one in call.all() if weights.get(one, 0.0) > 0.0), key=lambda one: (-weights[one], one))
    named = ", ".join(list(dict.fromkeys(map(describe_feature, known)))[:NAMED])
    return Finding(RULE, Level.HIGH, f"Resembles calls that people want to be asked about: {named}")


def is_weighed_call(action: Action, analysis: Analysis) -> bool:
    """Whether the model judges a call: it may change something for real, and the organisation has not approved it."""
    if not analysis.effects:
        return False
    own = analysis.effects[0]  # what a tool does by its name comes first, and has no place in any text
    if own.kind not in _ACTING or own.span != (0, 0):
        return False
    if meaning_of(action.tool_name, "").verb in _QUIET:
        return False
    done = [effect for effect in analysis.effects if effect.kind not in TOOL_KINDS]
    return not done or not all(_is_settled(effect) for effect in done)


def _is_settled(effect: Effect) -> bool:
    return not _SETTLED.isdisjoint(effect.flags) or (effect.kind == "payment.send" and "routine" in effect.flags)
