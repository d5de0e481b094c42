"""Whether a shape covers a past action, by its record. If the record is incomplete, it may."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from interlock.approval.request import Approval
from interlock.approval.shape.holes import Hole
from interlock.approval.shape.matching import fit_words, split_command
from interlock.approval.shape.shape import Shape, value_digest
from interlock.approval.shape.statement import split_statement
from interlock.levels import Level
from interlock.patterns import late

#: What an action says about where and for whom it runs; between two actions of a shape, none of it differs.
_PLACE = "environment cwd workspace home user tenant docstring description inputSchema hints annotations".split()
_MASKED = late(r"‹[0-9]+ masked›|…$")


class ActionRecord(NamedTuple):
    """A past action as its record has it. `action` is that of its request, or of the record if it keeps inputs."""

    tool_name: str
    agent_id: str | None
    text: str
    level: str
    score: int
    rules: frozenset[str]
    fields: Mapping[str, Any]
    action: Mapping[str, Any] | None


class ShapeFit(NamedTuple):
    """A shape, and the request that offered it."""

    shape: Shape
    approval: Approval

    def is_mentioned(self, body: str) -> bool:
        """Whether the text of a record has the first word of the shape in it; a quick check before it is decoded."""
        return not self.shape.words or str(self.shape.words[0]) in body

    def may_cover(self, past: ActionRecord) -> bool:
        """Whether the words and the place of an action are those of the shape, or may be."""
        return (
            (past.tool_name, past.agent_id) == (self.approval.action.get("toolName"), self.approval.agent_id)
            and self._is_same_place(past)
            and self._is_same_call(past)
        )

    def is_certain(self, past: ActionRecord) -> bool:
        """Whether the record contains all of the action's words, and its place."""
        return past.action is not None and _MASKED.search(past.text) is None

    def has_risk(self, past: ActionRecord) -> bool:
        """Whether an action is no more risky than the shape allows, and matched no other rule."""
        return (
            Level(past.level) <= self.shape.level
            and past.score <= self.shape.score
            and past.rules <= set(self.shape.rules)
        )

    def _is_same_place(self, past: ActionRecord) -> bool:
        own = self.approval.action
        given = past.fields if past.action is None else past.action
        names = ("environment", "user", "tenant") if past.action is None else _PLACE
        return all((given.get(name) or None) == (own.get(name) or None) for name in names)

    def _is_same_call(self, past: ActionRecord) -> bool:
        if self.shape.words:
            return self._fits_words(past.text)
        given = _arguments(past)
        return True if given is None else self._fits_arguments(given)

    def _fits_words(self, text: str) -> bool:
        if _MASKED.search(text):  # what is masked or cut off may be anything
            return text.split(" ")[0] == self.shape.words[0]
        folder = str(self.approval.action.get("cwd") or "")
        split = (split_command(text), split_statement(text))
        return any(words is not None and fit_words(self.shape.words, words, folder) for words in split)

    def _fits_arguments(self, given: Mapping[str, Any]) -> bool:
        shape, folder = self.shape, str(self.approval.action.get("cwd") or "")
        takes = all(name in given and _takes(hole, given[name], folder) for name, hole in shape.arguments.items())
        known = ((value, shape.fixed[name]) for name, value in given.items() if name in shape.fixed)
        return takes and all(_is_masked(value) or value_digest(value) == digest for value, digest in known)


def _takes(hole: Hole, value: Any, folder: str) -> bool:
    return _is_masked(value) or hole.takes(value, folder)


def _is_masked(value: Any) -> bool:
    return isinstance(value, str) and _MASKED.search(value) is not None


def _arguments(past: ActionRecord) -> Mapping[str, Any] | None:
    """Return the arguments of a call, or None if they are not on record."""
    if past.action is not None:
        payload = past.action.get("inputPayload")
        return payload if isinstance(payload, dict) and "…" not in payload else None
    try:
        return msgspec.json.decode(past.text, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError):
        return None
