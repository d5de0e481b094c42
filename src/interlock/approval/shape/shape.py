"""The shape of an action: its fixed parts, the parts that may differ, and an upper limit on its effects."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import msgspec

from interlock.analyse.payloads.tools import reader_of
from interlock.approval.shape.holes import Hole
from interlock.audit.digest import canonical_form
from interlock.audit.record import digest_of
from interlock.ids import new_id
from interlock.levels import Level
from interlock.memory.findings import find_by_memory
from interlock.memory.live_systems.system_changes import find_live_use, find_system_change
from interlock.memory.model import ANY_TAG, ClientContext
from interlock.memory.state import RunState
from interlock.model import Action, Decision

#: The fields of an action that stay the same: where and for whom it runs, and what its tool is said to be.
_FRAME_FIELDS = tuple(
    "tool_name environment cwd workspace home user tenant docstring description input_schema hints annotations".split()
)


class CoveredEffect(msgspec.Struct, frozen=True, rename="camel"):
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
    for each argument that stays the same. `text` states everything that the shape covers.
    """

    text: str
    frame: str
    words: tuple[str | Hole, ...]
    arguments: dict[str, Hole]
    fixed: dict[str, str]
    effects: tuple[CoveredEffect, ...]
    rules: tuple[str, ...]
    policies: tuple[str, ...]
    level: Level
    score: int
    reversible: bool

    @property
    def shape_id(self) -> str:
        """The id of the shape, which follows from its content."""
        return digest_of(msgspec.to_builtins(self))[:16]


class Candidate(msgspec.Struct, frozen=True, dict=True):
    """An action with its decision, to be compared with a shape. `state` is what its run has done before.

    `has_tag` tells whether a tag of a name is known in a folder.
    """

    action: Action
    decision: Decision
    agent_id: str | None
    state: RunState | None = None
    has_tag: Callable[[str, str], bool] = lambda _folder, _name: False

    @cached_property
    def live_since(self) -> int:
        """The call by which its run has switched to a live system that this action may change, or 0."""
        found = None if self.state is None else find_live_use(self.decision.assessment.analysis, self.state)
        return 0 if found is None else max(found.calls, default=0)

    @cached_property
    def contexts(self) -> tuple[ClientContext, ...]:
        """The contexts that the clients of its run were switched to, if this action may change a system."""
        if self.state is None or not self.state.contexts:
            return ()
        return self.state.contexts if find_system_change(self.decision.assessment.analysis) is not None else ()

    @cached_property
    def last_switch(self) -> int:
        """The last call by which its run has switched to another context that matters for this action, or 0."""
        return max((one.call for one in self.contexts), default=0)

    @cached_property
    def context(self) -> str:
        """The context that a grant of this action holds for: empty if there is none, and unique if it is not known."""
        if not all(one.name for one in self.contexts):
            return new_id()
        return digest_of([[one.client, one.name] for one in self.contexts]) if self.contexts else ""

    def is_tag(self, word: str) -> bool:
        """Whether a word may be the name of a tag: the run has made one, or there is one where the command runs."""
        made = () if self.state is None else self.state.tags
        return word in made or ANY_TAG in made or self.has_tag(self.action.cwd or "", word)

    @cached_property
    def memory_rule(self) -> str:
        """The rule by which the memory of its run counts against it, whatever its level, or an empty text."""
        if self.state is None:
            return ""
        found = find_by_memory(self.action, self.decision.assessment.analysis, self.state)
        return "" if found is None else found.rule

    @cached_property
    def frame(self) -> str:
        """The digest of the fields that all actions of a shape have in common."""
        fields = {name: getattr(self.action, name) for name in _FRAME_FIELDS}
        fields |= {"agent": self.agent_id, "function": self.action.metadata.get("function"), "program": self.program}
        fields |= {"context": self.context} if self.contexts else {}
        return digest_of(["shape", canonical_form(fields)])

    @cached_property
    def program(self) -> str:
        """The first word of a command, or an empty text."""
        return self.decision.assessment.analysis.text.partition(" ")[0] if self.command_key else ""

    @cached_property
    def command_key(self) -> str:
        """The argument that holds the command, if the action is a shell command and nothing else."""
        return self._code_key("shell")

    @cached_property
    def statement_key(self) -> str:
        """The argument that holds the statement, if the action is SQL and nothing else."""
        return self._code_key("sql")

    def _code_key(self, language: str) -> str:
        analysis = self.decision.assessment.analysis
        return self._key_of(analysis.text) if analysis.languages == (language,) else ""

    @cached_property
    def path_key(self) -> str:
        """The argument that holds the path, if the action writes one file with a tool for that and nothing else."""
        analysis = self.decision.assessment.analysis
        if analysis.languages or [effect.kind for effect in analysis.effects] != ["fs.write"]:
            return ""
        return self._key_of(analysis.text) if reader_of(self.action.tool_name, {}) == "write" else ""

    def _key_of(self, text: str) -> str:
        """Return the one argument that is exactly a text, or an empty text."""
        given = self.action.input_payload.items()
        keys = [key for key, value in given if text and isinstance(value, str) and value == text]
        return str(keys[0]) if len(keys) == 1 else ""


def bind_digest(digest: str, context: str) -> str:
    """Return the digest of an action in a context; without one, that of the action."""
    return digest_of(["in context", digest, context]) if context else digest


#: Arguments of a command that change nothing about what it does.
_REMARKS = {"Bash": ("description", "timeout")}
#: Arguments of an edit that only say how often it is made in its file.
_HOW_OFTEN = frozenset({"replace_all", "replaceAll"})


def other_arguments(candidate: Candidate) -> dict[str, Any]:
    """Return the arguments of an action without its command or statement, and without remarks about it."""
    given = candidate.action.input_payload
    code = candidate.command_key or candidate.statement_key
    left_out = {code, *_REMARKS.get(candidate.action.tool_name, ())} if candidate.command_key else {code}
    if candidate.path_key:
        left_out = {name for name in _HOW_OFTEN if isinstance(given.get(name), bool)}
    return {name: value for name, value in given.items() if name not in left_out}


def value_digest(value: Any) -> str:
    """Return the digest of an argument: values of different types differ."""
    return digest_of([type(value).__name__, canonical_form(value)])
