"""Rows about people in the arguments of a tool that does not need them.

A tool may take a note, a context or a summary besides its input. After a run has read private data, rows with
addresses or numbers of people in such an argument are that data, sent to the server of the tool.
"""

from __future__ import annotations

from interlock.effects import TOOL_KINDS
from interlock.knowledge.tool_names import split_words
from interlock.levels import Level
from interlock.memory.calls.words import memory_words
from interlock.memory.exposures.destinations import INTERNAL_FLAGS
from interlock.memory.model import LEAK_RULE, ExposureKind
from interlock.memory.state import RunState
from interlock.model import Action, Analysis, Finding
from interlock.patterns import late
from interlock.payload import leaves
from interlock.sanitise import quotable

MIN_ROWS, MAX_VALUE = 2, 20_000
_PRIVATE = frozenset({ExposureKind.SECRET, ExposureKind.PRIVATE, ExposureKind.CONFIDENTIAL})
_PERSON = late(
    r"(?m)^(?=[^\n]{0,400}[;,|\t])[^\n]{0,400}(?:[\w.+-]{1,64}@[\w-]+\.[\w.-]{2,40}|\+\d{1,3}[\d ()/-]{7,18}\d)[^\n]*$"
)


def find_rows_in_arguments(action: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if a tool that no team is known to use gets rows about people after the run has read some."""
    if not analysis.effects or analysis.effects[0].kind not in TOOL_KINDS:
        return None
    private = next((one for one in state.exposures if one.kind in _PRIVATE), None)
    if private is None or not memory_words().team.isdisjoint(split_words(action.tool_name)):
        return None
    if any(not one.flags.isdisjoint(INTERNAL_FLAGS) for one in analysis.effects):
        return None
    for key, value in leaves(action.input_payload):
        if isinstance(value, str) and len(_PERSON.findall(value[:MAX_VALUE])) >= MIN_ROWS:
            reason = f"Hands rows about people to a tool (`{quotable(key)}`); call {private.call} has read private data"
            return Finding(
                LEAK_RULE, Level.HIGH, reason, analysis.effects[0].span, reversible=False, calls=(private.call,)
            )
    return None
