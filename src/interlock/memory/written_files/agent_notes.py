"""Persistent instructions to an agent: notes in its memory, and texts that are added to its instructions."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.knowledge.tool_names import split_words
from interlock.levels import Level
from interlock.memory.calls.words import memory_words
from interlock.memory.state import RunState
from interlock.model import Action, Analysis, Finding
from interlock.patterns import late
from interlock.payload import leaves
from interlock.sanitise import quotable

RULE = "agent_taught"
MAX_TEXT = 20_000
#: Sentences that bypass a person's decision, or make an agent follow a place that others can change.
_TEACHING = late(
    r"(?i)\bno need to (?:ask|confirm|check)|\bwithout (?:asking|confirmation|approval)"
    r"|\b(?:do not|don't|never) (?:ask|wait|confirm|mention|tell)"
    r"|\bcounts? as approved|\b(?:is|are) (?:pre-?)?approved|\bconfirmed by the owner"
    r"|\bcarry out the steps|\bfollow (?:the|all) (?:steps|instructions)"
    r"|\bbefore anything else|\balways (?:run|execute|send|approve|pay|forward|include|trust)\b"
    r"|\bleave (?:it |them |this )?out\b"
    r"|\bin bcc\b|\bstanding rule\b|\b(?:do not|don't|never) (?:show|list|report)\b"
)


def find_agent_note(action: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if an action makes an agent remember not to ask, or whom to follow."""
    if not analysis.effects or analysis.effects[0].kind == "tool.read":
        return None
    told = next(_find_teaching(action, analysis, state), None)
    if told is None:
        return None
    reason = f"Teaches an agent what to do later: `{quotable(told)}`"
    return Finding(RULE, Level.HIGH, reason, analysis.effects[0].span)


def _find_teaching(action: Action, analysis: Analysis, state: RunState) -> Iterator[str]:
    if not memory_words().memories.isdisjoint(split_words(action.tool_name)):
        for _, value in leaves(action.input_payload):
            found = _TEACHING.search(value[:MAX_TEXT]) if isinstance(value, str) else None
            if found:
                yield found[0]
    if any(one.kind == "fs.write" and "agent_rules" in one.flags for one in analysis.effects):
        for one in analysis.effects:
            text = (
                state.written[one.resource.name].text if one.resource and one.resource.name in state.written else None
            )
            found = _TEACHING.search(text[:MAX_TEXT]) if text and one.kind == "fs.read" else None
            if found:
                yield found[0]
