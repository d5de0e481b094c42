"""The opinion on tool calls: how much the words of a call and the effects that were found in it weigh.

It stops calls that the rules would let run, and lets calls run that rules stop for what the tool does. An argument can
only add to the weight of a call, and so can each sentence of it and each effect: nothing that an agent adds to a call
takes anything from it. Harmless words take only so much from the sentence that they stand in.
"""

from __future__ import annotations

from functools import cache

import msgspec

from interlock.analyse.tools.judge import JUDGED, told_about
from interlock.analyse.tools.judges.call import GRAVE
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
#: Verbs that do nothing: what such a tool does is in its arguments or its description.
_NO_DEED = frozenset({"", "read", "draft", "watch"})
#: Flags of calls that do nothing for real, or that stay inside the organisation.
_SETTLED = frozenset({"practice", "practice_name", "rehearsed", "drafted", "inside"})
#: Facts about what a call is given, which are no matter of opinion.
_FACTS = GRAVE | {"hazard"}
#: Effects that the model may call routine: no money, accounts, infrastructure, exports, secrets, protections, messages.
_EASED_KINDS = frozenset(
    (
        "record.change record.delete contract.sign content.publish document.share access.grant automation.install "
        "device.operate"
    ).split()
)


@cache
def load() -> SecondOpinion:
    """Return the model that Interlock ships with."""
    return read_table("second-opinion-calls", SecondOpinion)


def weigh_call(model: SecondOpinion, call: CallFeatures) -> float:
    """Return how much a call resembles those that people want to be asked about."""
    weight = model.weights.get
    total = model.bias + sum([weight(one, 0.0) for one in call.name])
    for parts in call.arguments.values():
        heaviest = max([weigh_words([weight(one, 0.0) for one in part]) for part in parts], default=0.0)
        if heaviest > 0.0:
            total += heaviest
    return total + max([sum([weight(one, 0.0) for one in effect]) for effect in call.effects], default=0.0)


def weigh_words(weights: list[float]) -> float:
    """Return the weight of the words of one sentence."""
    calming = sum([one for one in weights if one < 0.0])
    return sum(weights) - min(calming + MAX_CALMING, 0.0)


def judge_call(action: Action, analysis: Analysis) -> Finding | None:
    """Return a finding on a call that the rules would let run, or None if the model has nothing against it."""
    if not is_weighed_call(action, analysis):
        return None
    model, call = load(), call_features(action, analysis.effects)
    if weigh_call(model, call) < model.threshold:
        return None
    weights = model.weights
    known = sorted((one for one in call.all() if weights.get(one, 0.0) > 0.0), key=lambda one: (-weights[one], one))
    named = ", ".join(list(dict.fromkeys(map(describe_feature, known)))[:NAMED])
    return Finding(RULE, Level.HIGH, f"Resembles calls that people want to be asked about: {named}")


def ease_call(action: Action, analysis: Analysis) -> Analysis | None:
    """Return what a call does as routine if the model has nothing against it, or None if the rules have the last word.

    The model has to know every word of the tool's name.
    """
    if not may_ease(action, analysis):
        return None
    model, call = load(), call_features(action, analysis.effects)
    if weigh_call(model, call) >= model.calm or not is_known_name(model, call):
        return None
    eased = tuple([_as_routine(one) if "by_tool" in one.flags else one for one in analysis.effects])
    return msgspec.structs.replace(analysis, effects=eased)


def is_known_name(model: SecondOpinion, call: CallFeatures) -> bool:
    """Whether the model has learned each word of a tool's name."""
    words = [one for one in call.name if one.startswith("name ")]
    return bool(words) and all(one in model.weights for one in words)


def may_ease(action: Action, analysis: Analysis) -> bool:
    """Whether the model may call routine what a call does at its service.

    The tool's name has to say what is done, and the description of the tool may not add to that.
    """
    meaning = meaning_of(action.tool_name, "")
    if meaning.verb in _NO_DEED or meaning != meaning_of(action.tool_name, told_about(action)):
        return False
    done = [effect for effect in analysis.effects if "by_tool" in effect.flags and "routine" not in effect.flags]
    return bool(done) and analysis.coverage.full and not any(map(_is_left_to_rules, done))


def _is_left_to_rules(effect: Effect) -> bool:
    return effect.kind not in _EASED_KINDS or not _FACTS.isdisjoint(effect.flags)


def _as_routine(effect: Effect) -> Effect:
    kind = effect.kind if effect.kind in JUDGED else "record.change"
    return msgspec.structs.replace(effect, kind=kind, flags=effect.flags | {"routine"}, summary="")


def is_weighed_call(action: Action, analysis: Analysis) -> bool:
    """Whether the model judges a call: it may change something for real, and the organisation has not approved it."""
    if not analysis.effects:
        return False
    own = analysis.effects[0]  # what a tool does by its name comes first, and has no place in any text
    if own.kind not in _ACTING or own.span != (0, 0):
        return False
    verb = meaning_of(action.tool_name, "").verb
    if verb == "draft" or (verb == "read" and own.kind != "tool.unknown"):
        return False
    done = [effect for effect in analysis.effects if effect.kind not in TOOL_KINDS]
    return not done or not all(_is_settled(effect) for effect in done)


def _is_settled(effect: Effect) -> bool:
    return not _SETTLED.isdisjoint(effect.flags) or (effect.kind == "payment.send" and "routine" in effect.flags)
