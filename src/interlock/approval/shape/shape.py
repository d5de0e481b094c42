"""The shape of an action: what stays the same, what may differ, and the most that it may do."""

from __future__ import annotations

from typing import Any

import msgspec

from interlock.approval.shape.holes import Hole
from interlock.audit.digest import canonical_form
from interlock.audit.record import digest_of
from interlock.levels import Level
from interlock.memory.findings import find_by_memory
from interlock.memory.live import find_live_use
from interlock.memory.state import RunState
from interlock.model import Action, Decision

#: The fields of an action that stay the same: where and for whom it runs, and what its tool is said to be.
_FRAME_FIELDS = tuple(
    "tool_name environment cwd workspace home user tenant docstring description input_schema hints annotations".split()
)


class EffectPattern(msgspec.Struct, frozen=True, rename="camel"):
    """An effect that a shape covers: all of it is fixed, except for holes in the name of its resource."""

    kind: str
    type: str
    place: str
    flags: tuple[str, ...]
    via: tuple[str, ...]
    name: tuple[str | Hole, ...]


class Shape(msgspec.Struct, frozen=True, rename="camel"):
    """A set of actions around one that was approved.

    `frame` is a digest of where, for whom and by which agent it runs. `words` is the command, and `fixed` has a digest
    for each argument that stays the same. `text` tells a person everything that the shape covers.
    """

    text: str
    frame: str
    words: tuple[str | Hole, ...]
    arguments: dict[str, Hole]
    fixed: dict[str, str]
    effects: tuple[EffectPattern, ...]
    rules: tuple[str, ...]
    policies: tuple[str, ...]
    level: Level
    score: int
    reversible: bool

    @property
    def shape_id(self) -> str:
        """The id of the shape, which follows from its content."""
        return digest_of(msgspec.to_builtins(self))[:16]


class Candidate(msgspec.Struct, frozen=True):
    """An action with its decision, to be compared with a shape. `state` is what its run has done before."""

    action: Action
    decision: Decision
    agent_id: str | None
    state: RunState | None = None

    @property
    def live_since(self) -> int:
        """The call by which its run has switched to a live system that this action may change, or 0."""
        found = None if self.state is None else find_live_use(self.decision.assessment.analysis, self.state)
        return 0 if found is None else max(found.calls, default=0)

    @property
    def remembered(self) -> str:
        """The rule by which the memory of its run counts against it, whatever its level, or an empty text."""
        if self.state is None:
            return ""
        found = find_by_memory(self.action, self.decision.assessment.analysis, self.state)
        return "" if found is None else found.rule

    @property
    def frame(self) -> str:
        """The digest of what never differs between two actions of a shape."""
        fields = {name: getattr(self.action, name) for name in _FRAME_FIELDS}
        fields |= {"agent": self.agent_id, "function": self.action.metadata.get("function"), "program": self.program}
        return digest_of(["shape", canonical_form(fields)])

    @property
    def program(self) -> str:
        """The first word of a command, or an empty text."""
        return self.decision.assessment.analysis.text.partition(" ")[0] if self.command_key else ""

    @property
    def command_key(self) -> str:
        """The argument that holds the command, if the action is a shell command and nothing else."""
        analysis = self.decision.assessment.analysis
        if analysis.languages != ("shell",) or not analysis.text:
            return ""
        given = self.action.input_payload.items()
        keys = [key for key, value in given if isinstance(value, str) and value == analysis.text]
        return str(keys[0]) if len(keys) == 1 else ""


#: Arguments of a command that change nothing about what it does.
_REMARKS = {"Bash": ("description", "timeout")}


def other_arguments(candidate: Candidate) -> dict[str, Any]:
    """Return the arguments of an action without its command, and without remarks about it."""
    command, given = candidate.command_key, candidate.action.input_payload
    left_out = {command, *_REMARKS.get(candidate.action.tool_name, ())} if command else ()
    return {name: value for name, value in given.items() if name not in left_out}


def value_digest(value: Any) -> str:
    """Return the digest of an argument: values of different types differ."""
    return digest_of([type(value).__name__, canonical_form(value)])
