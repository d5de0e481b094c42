"""The opinion on tool calls: the weight of the words of a call and of its effects.

It stops calls that the rules would let run, and lets calls run that rules stop for what the tool does. What an agent
adds to a call can only make it heavier: each argument, each sentence of one and each effect. Harmless words take only
so much from the sentence that they stand in. Harmless arguments take only so much from a call (`MAX_RELIEF`), and only
if the schema of the tool requires them, since then they say what the tool does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from functools import cache, lru_cache
from typing import NamedTuple

import msgspec

from interlock.analyse.tools.arguments import Argument, arguments_of
from interlock.analyse.tools.judged_call import GRAVE
from interlock.analyse.tools.name_meaning import meaning_of
from interlock.analyse.tools.reported_effects import JUDGED
from interlock.analyse.tools.tool_calls import tool_description
from interlock.effects import TOOL_KINDS
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.services import find_tool
from interlock.knowledge.shards import values_of
from interlock.knowledge.table_types import SecondOpinion
from interlock.knowledge.tool_names import MAX_NAME
from interlock.levels import Level
from interlock.model import Action, Analysis, Effect, Finding
from interlock.opinion.call_features import (
    CallFeatures,
    call_features,
    describe_feature,
    features_of_effect,
    find_relieving_keys,
    name_features,
    own_effects,
    state_of,
    switch_features,
    text_features,
)
from interlock.opinion.model import DIGITS, NAMED, RULE

#: How much harmless words can take from the weight of a sentence.
MAX_SENTENCE_RELIEF = 2.0
#: How much all harmless arguments together can take from the weight of a call.
MAX_RELIEF = 2.0
_MODEL_KINDS = frozenset({"tool.change", "tool.destroy", "tool.unknown"})
#: Flags of calls that do nothing for real, or that stay inside the organisation.
_HARMLESS_FLAGS = frozenset({"practice", "practice_name", "rehearsed", "drafted", "inside"})
#: Flags that state facts about the arguments of a call, on which the model has no opinion.
_FACTS = (GRAVE | {"lowered", "by_argument"}) - {"many"}
#: Verbs of tools whose names do not say what they change: only the arguments do.
_OPEN_VERBS = frozenset({"", "change"})
#: Kinds of effects that only the rules judge, whatever the words of a call are.
_RULE_ONLY_KINDS = frozenset({"data.export", "infra.destroy", "secret.read", "security.lower"})
#: Kinds of effects that are routine only if the weight of a call is very low.
_GRAVE_KINDS = frozenset(
    (
        "access.grant account.change content.publish contract.sign document.share infra.change net.send order.place "
        "record.delete"
    ).split()
)
#: Flags of requests to any host that carry only what the call itself says.
_PLAIN_REQUEST = frozenset({"elsewhere"})
#: Kinds of effects of described tools that the model judges too, and flags by which it does not.
_WEIGHED_OF_DESCRIBED = frozenset(
    (
        "account.change infra.change record.change message.send document.share appointment.make automation.install "
        "device.operate cluster.change"
    ).split()
)
_DESCRIBED_FLAGS = frozenset({"hazard", "health"})


@cache
def load_call_model() -> SecondOpinion:
    """Return the model that Interlock ships with."""
    return read_table("second-opinion-calls", SecondOpinion)


def weigh_call(model: SecondOpinion, call: CallFeatures) -> float:
    """Return how much a call resembles those that people want to be asked about."""
    heaviest = {key: _weigh_sentences(model, parts) for key, parts in call.arguments.items()}
    named = model.bias + _add_weights(model, call.name)
    return _add_up(named, heaviest, call.relieving, [_add_weights(model, effect) for effect in call.effects])


def _weigh_action(action: Action, effects: Iterable[Effect]) -> float:
    """Return the weight of a call in the model that Interlock ships with: `weigh_call`, by weights that are kept."""
    given = arguments_of(action.input_payload)
    heaviest: dict[str, float] = {}
    for one in given:
        weight = _weigh_value(one)
        heaviest[one.key] = max(weight, heaviest.get(one.key, weight))
    named = load_call_model().bias + _weigh_name(action.tool_name[:MAX_NAME])
    return _add_up(
        named, heaviest, find_relieving_keys(action, given), [_weigh_effect(*one) for one in own_effects(effects)]
    )


def _add_up(named: float, heaviest: Mapping[str, float], relieving: frozenset[str], effects: Sequence[float]) -> float:
    """Return the weight of a call by those of its name, of the heaviest sentence under each key, and of its effects."""
    total, relief = named, 0.0
    for key, weight in heaviest.items():
        if weight > 0.0:
            total += weight
        elif key in relieving:
            relief -= weight
    total += max(effects, default=0.0)
    return round(total - min(relief, MAX_RELIEF), DIGITS)


def _weigh_value(one: Argument) -> float:
    """Return the weight of the heaviest sentence of a value."""
    if not isinstance(one.value, str):
        return _weigh_switch(one.key, state_of(one))
    return (_weigh_text if len(one.value) > _SHORT else _weigh_short_text)(one.key, one.value)


def _weigh_text(key: str, text: str) -> float:
    return _weigh_sentences(load_call_model(), text_features(key, text))


#: Names and states come again with every call.
_SHORT = 40
_weigh_short_text = lru_cache(maxsize=4096)(_weigh_text)


@lru_cache(maxsize=4096)
def _weigh_switch(key: str, state: bool | None) -> float:
    return _weigh_sentences(load_call_model(), switch_features(key, state))


@lru_cache(maxsize=1024)
def _weigh_name(tool_name: str) -> float:
    return _add_weights(load_call_model(), name_features(tool_name))


@lru_cache(maxsize=1024)
def _weigh_effect(kind: str, flags: frozenset[str]) -> float:
    return _add_weights(load_call_model(), features_of_effect(kind, flags))


def _add_weights(model: SecondOpinion, features: Sequence[str]) -> float:
    return sum(values_of(model.weights, features))


def _weigh_sentences(model: SecondOpinion, parts: Iterable[Set[str]]) -> float:
    """Return the weight of the heaviest of some sentences, each with the key that it stands under."""
    return max([weigh_words(values_of(model.weights, part)) for part in parts], default=0.0)


def weigh_words(weights: list[float]) -> float:
    """Return the weight of the words of one sentence."""
    calming = sum([one for one in weights if one < 0.0])
    return sum(weights) - min(calming + MAX_SENTENCE_RELIEF, 0.0)


def judge_call(action: Action, analysis: Analysis) -> Finding | None:
    """Return a finding on a call that the rules would allow, or None if its weight is low."""
    if not is_weighed_call(action, analysis):
        return None
    model = load_call_model()
    if _weigh_action(action, analysis.effects) < model.threshold:
        return None
    call, weights = call_features(action, analysis.effects), model.weights
    known = sorted((one for one in call.all() if weights.get(one, 0.0) > 0.0), key=lambda one: (-weights[one], one))
    named = ", ".join(list(dict.fromkeys(map(describe_feature, known)))[:NAMED])
    return Finding(RULE, Level.HIGH, f"Resembles calls that people want to be asked about: {named}")


def ease_call(action: Action, analysis: Analysis) -> Analysis | None:
    """Return the effects of a call as routine if its weight is low; else None."""
    if not may_ease(action, analysis, grave=True):
        return None
    model = load_call_model()
    if not _knows_words(model, name_features(action.tool_name)):
        return None
    weight = _weigh_action(action, analysis.effects)
    grave = weight < model.very_calm
    if weight >= model.calm or not may_ease(action, analysis, grave=grave):
        return None
    return make_routine(action, analysis, grave=grave)


def make_routine(action: Action, analysis: Analysis, *, grave: bool) -> Analysis:
    """Return the effects of a call, with those that the model judges as routine; grave ones too if that is asked."""
    say = _find_say(action, analysis, grave=grave)
    effects = [one if _is_left_to_rules(one, say) else _mark_routine(one) for one in analysis.effects]
    return msgspec.structs.replace(analysis, effects=tuple(effects))


def is_known_name(model: SecondOpinion, call: CallFeatures) -> bool:
    """Whether the model has learned each word of a tool's name."""
    return _knows_words(model, call.name)


def _knows_words(model: SecondOpinion, features: Sequence[str]) -> bool:
    words = [one for one in features if one.startswith("name ")]
    return bool(words) and all(one in model.weights for one in words)


def may_ease(action: Action, analysis: Analysis, *, grave: bool) -> bool:
    """Whether the model may mark an effect of a call at its service as routine; a grave one only if that is asked.

    If the description of a tool says more than its name, its schema has to be known too: the model reads no
    descriptions.
    """
    meaning = meaning_of(action.tool_name, tool_description(action))
    if not analysis.coverage.full or (meaning != meaning_of(action.tool_name, "") and not action.input_schema):
        return False
    say = _find_say(action, analysis, grave=grave)
    return not all(_is_left_to_rules(one, say) for one in analysis.effects)


class _Say(NamedTuple):
    """What the model may judge of a call."""

    verb: str
    described: bool  # the rules know more of such a tool than the words tell
    told: bool  # a request is known by what it changes at its service
    grave: bool  # grave effects too, unless code in the arguments has them


def _find_say(action: Action, analysis: Analysis, *, grave: bool) -> _Say:
    verb = meaning_of(action.tool_name, tool_description(action)).verb
    told = any("by_tool" in one.flags for one in analysis.effects)
    return _Say(verb, find_tool(action.tool_name) is not None, told, grave and not analysis.languages)


def _is_left_to_rules(effect: Effect, say: _Say) -> bool:
    """Whether the model does not judge an effect of a call."""
    if effect.kind == "net.send":
        return not (say.grave and say.told and effect.flags == _PLAIN_REQUEST)
    if "by_tool" not in effect.flags or "routine" in effect.flags or not _FACTS.isdisjoint(effect.flags):
        return True
    if say.described and "practice_name" not in effect.flags:
        if effect.kind not in _WEIGHED_OF_DESCRIBED or not _DESCRIBED_FLAGS.isdisjoint(effect.flags):
            return True
        if effect.kind == "cluster.change" and "live" in effect.flags:
            return True
    if effect.kind in _GRAVE_KINDS or "hazard" in effect.flags:
        return not say.grave
    return effect.kind in _RULE_ONLY_KINDS or (effect.kind == "payment.send" and say.verb not in _OPEN_VERBS)


def _mark_routine(effect: Effect) -> Effect:
    kind = effect.kind if effect.kind in JUDGED or effect.kind == "net.send" else "record.change"
    return msgspec.structs.replace(effect, kind=kind, flags=effect.flags | {"routine"}, summary="")


def is_weighed_call(action: Action, analysis: Analysis) -> bool:
    """Whether the model judges a call: it may change something for real, and the organisation has not approved it."""
    if not analysis.effects:
        return False
    own = analysis.effects[0]  # the effect of the tool's name comes first, and has no span in the text
    if own.kind not in _MODEL_KINDS or own.span != (0, 0):
        return False
    verb = meaning_of(action.tool_name, "").verb
    if verb == "draft" or (verb == "read" and own.kind != "tool.unknown"):
        return False
    done = [effect for effect in analysis.effects if effect.kind not in TOOL_KINDS]
    return not done or not all(_is_routine(effect) for effect in done)


def _is_routine(effect: Effect) -> bool:
    return not _HARMLESS_FLAGS.isdisjoint(effect.flags) or (effect.kind == "payment.send" and "routine" in effect.flags)
