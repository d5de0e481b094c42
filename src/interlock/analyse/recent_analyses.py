"""Analyses of recent actions: agents repeat themselves, and the same action in the same place has the same analysis.

What an action changes in the memory of its run is kept with it, as long as no rule matches: then it depends on nothing
else.
"""

from __future__ import annotations

from collections.abc import Hashable
from operator import attrgetter

import msgspec

from interlock.analyse.action import Surroundings, analyse
from interlock.levels import Level
from interlock.memory.changes import find_changes
from interlock.memory.model import MemoryChanges
from interlock.memory.state import RunState
from interlock.model import TABLE_FIELDS, TEXT_FIELDS, Action, Analysis, Decision

#: How many analyses are kept, and how long the parts of an action may be. When there are too many, all are dropped.
MAX_KEPT, MAX_TEXT, MAX_ARGUMENTS = 512, 500, 4
#: What may differ between two actions with the same analysis: the run, and the agent.
_WHOSE = ("run_id", "agent_id")
_texts_of = attrgetter(*(name for name in TEXT_FIELDS if name not in _WHOSE))
_tables_of = attrgetter(*(name for name in TABLE_FIELDS if name != "input_payload"))
#: What an analysis may depend on in the memory of a run: everything but the number of calls.
_memory_of = attrgetter(*(name for name in RunState.__struct_fields__ if name != "calls"))


class _Kept(msgspec.Struct):
    """An analysis with what it was made from, which stays alive so that nothing else gets its identity."""

    analysis: Analysis
    around: Surroundings
    state: RunState | None
    changes: tuple[Hashable, MemoryChanges] | None = None  # of the action with these texts


class RecentAnalyses:
    """Analyses by everything that they depend on. A call with anything else than short texts is analysed each time."""

    def __init__(self) -> None:
        self._by_key: dict[Hashable, _Kept] = {}
        self._by_identity: dict[int, _Kept] = {}

    def analyse(self, action: Action, around: Surroundings, state: RunState | None) -> Analysis:
        """Return the analysis of an action, in the surroundings and with the memory that it is decided with."""
        key = _key_of(action, around, state)
        known = None if key is None else self._by_key.get(key)
        if known is not None:
            return known.analysis
        analysis = analyse(action, around, state)
        if key is not None:
            if len(self._by_key) >= MAX_KEPT:
                self._by_key, self._by_identity = {}, {}
            self._by_key[key] = self._by_identity[id(analysis)] = _Kept(analysis, around, state)
        return analysis

    def find_changes(self, action: Action, decision: Decision) -> MemoryChanges:
        """Return what an action changes in the memory of its run once it has run."""
        assessed = decision.assessment
        kept = self._by_identity.get(id(assessed.analysis))
        if kept is None or assessed.findings or assessed.level >= Level.HIGH:
            return find_changes(action, decision)
        texts = _texts_in(action)  # not those that were analysed, if another view of the action was stricter
        if texts is None or kept.changes is None or kept.changes[0] != texts:
            kept.changes = texts, find_changes(action, decision)
        return kept.changes[1]


def _key_of(action: Action, around: Surroundings, state: RunState | None) -> Hashable:
    """Return everything that an analysis depends on, or None if that is too much to compare.

    The memory of a run is compared by identity: it consists of values that are replaced when they change.
    """
    texts = _texts_in(action)
    if texts is None:
        return None
    memory = None if state is None else [id(part) if part else 0 for part in _memory_of(state)]
    return texts, id(around), None if memory is None else tuple(memory)


def _texts_in(action: Action) -> Hashable:
    """Return the content of an action, or None if it has anything else than a few short texts."""
    payload = tuple(action.input_payload.items())
    if type(action) is not Action or len(payload) > MAX_ARGUMENTS or any(_tables_of(action)):
        return None
    texts = _texts_of(action)
    for name, value in payload:
        if type(value) is not str or type(name) is not str or len(value) > MAX_TEXT:
            return None
    return None if max(map(len, filter(None, texts)), default=0) > MAX_TEXT else (texts, payload)
