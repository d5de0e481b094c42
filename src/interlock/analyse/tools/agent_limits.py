"""Instructions to agents that will read a text later, and the lifting of agents' limits."""

from __future__ import annotations

from interlock.analyse.other_agents.instructions import is_poisoned
from interlock.analyse.tools.arguments import Argument
from interlock.analyse.tools.judged_call import JudgedCall
from interlock.analyse.tools.sensitive_content import orders_a_model
from interlock.analyse.tools.switches import lowers_protection
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_effect_words import RightWords
from interlock.knowledge.tool_names import split_words

_WORDS = read_table("tool-rights", RightWords)


def orders_reader(one: Argument) -> bool:
    """Whether a text instructs a model that will read it. A prompt is always an instruction."""
    return one.words.isdisjoint(_WORDS.prompt_words) and orders_a_model(one.text)


def loosens_agent(call: JudgedCall) -> bool:
    """Whether a call allows an agent more, or removes a question: by its settings, its rules or its memory."""
    if (call.keyed(_WORDS.listed_things) and any(map(_opens_list, call.arguments))) or (
        call.words(_WORDS.agent_tools) and any(map(_removes_limit, call.arguments))
    ):
        return True
    if not call.keyed(_WORDS.prose_keys):
        return False
    named = call.words(_WORDS.steering_words) or any(
        one.key in _WORDS.document_keys and not _WORDS.steering_words.isdisjoint(split_words(one.text))
        for one in call.arguments
    )
    return named and any(
        one.key in _WORDS.prose_keys and len(one.text) > 20 and is_poisoned(one.text) for one in call.arguments
    )


def _removes_limit(one: Argument) -> bool:
    """Whether a setting of an agent removes a question, a limit or a record: `ask_before_payments: never`."""
    if not one.words.isdisjoint(_WORDS.asking_settings) and (one.low in _WORDS.never_values or one.value is False):
        return one.words.isdisjoint(_WORDS.never_words)
    return lowers_protection(one) or one.low.replace("-", "_") in _WORDS.unasked_values


def _opens_list(one: Argument) -> bool:
    """Whether a deny list of an agent is emptied, or an allow list contains everything."""
    if one.words.isdisjoint(_WORDS.listed_things):
        return False
    if not one.words.isdisjoint(_WORDS.forbidding_words):
        return one.value == () or one.low in ("none", "null")
    return not one.words.isdisjoint(_WORDS.allowing_words) and (one.value == () or one.low in ("*", "/", "all", "any"))
