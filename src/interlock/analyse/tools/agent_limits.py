"""Agents that read something later: orders to them in a text, and limits of theirs that are lifted."""

from __future__ import annotations

from interlock.analyse.other_agents.instructions import is_poisoned
from interlock.analyse.tools.arguments import Argument
from interlock.analyse.tools.judges.call import JudgedCall
from interlock.analyse.tools.sensitive import orders_a_model
from interlock.analyse.tools.switches import lowers_protection
from interlock.knowledge.tool_names import split_words

_PROSE_KEYS = frozenset(
    "text body content note notes message comment description value summary html markdown title".split()
)


def orders_reader(one: Argument) -> bool:
    """Whether a text orders a model that reads it later to do something; a prompt is an order by itself."""
    return one.words.isdisjoint(_PROMPTS) and orders_a_model(one.text)


_PROMPTS = frozenset("prompt prompts instruction instructions system task goal query q objective".split())


def loosens_agent(call: JudgedCall) -> bool:
    """Whether an agent is told that it may do more, or without a question: by its settings, its rules or its memory."""
    if any(map(_opens_list, call.arguments)) or (call.words(_OWN) and any(map(_lets_alone, call.arguments))):
        return True
    named = call.words(_AGENT_WORDS) or any(
        one.key in _DOCUMENT_KEYS and not _AGENT_WORDS.isdisjoint(split_words(one.text)) for one in call.arguments
    )
    return named and any(
        one.key in _PROSE_KEYS and len(one.text) > 20 and is_poisoned(one.text) for one in call.arguments
    )


def _lets_alone(one: Argument) -> bool:
    """Whether a setting of an agent ends a question, a limit or a record: `ask_before_payments: never`."""
    if not one.words.isdisjoint(_ASKING) and (one.low in _NEVER or one.value is False):
        return one.words.isdisjoint(_NOT)
    return lowers_protection(one)


#: Words of tools that set how an agent works, of settings by which it asks, and values by which it does not.
_OWN = frozenset("agent agents assistant assistants copilot claude bot autopilot".split())
_ASKING = frozenset(
    "ask asks confirm confirmation confirmations prompt approval approvals permission permissions".split()
)
_NEVER = frozenset("never no off none false skip disabled auto automatic always_allow allow_all auto_approve".split())
_NOT = frozenset({"skip", "no", "never", "disable", "without", "bypass"})


def _opens_list(one: Argument) -> bool:
    """Whether a list of what an agent may not do is emptied, or one of what it may do holds everything."""
    if one.words.isdisjoint(_LISTED_THINGS):
        return False
    if not one.words.isdisjoint(_FORBIDDING):
        return one.value == () or one.low in ("none", "null")
    return not one.words.isdisjoint(_ALLOWING) and (one.value == () or one.low in ("*", "/", "all", "any"))


#: Words of tools and documents that steer agents, and of the lists in their settings.
_AGENT_WORDS = frozenset(
    "agent agents assistant assistants memory memories claude copilot cursor codex gemini rules instructions".split()
)
_DOCUMENT_KEYS = frozenset("path file file_path filename title name page document doc heading vault note_id".split())
_LISTED_THINGS = frozenset(
    "commands command directories paths tools operations domains hosts urls actions confirmation approval".split()
)
_FORBIDDING = frozenset(
    "blocked denied deny forbidden disallowed blacklist blocklist denylist needs require requires".split()
)
_ALLOWING = frozenset({"allowed", "allow", "allowlist", "whitelist", "permitted"})
