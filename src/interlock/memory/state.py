"""`RunState`: what a run has done so far, bounded in size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any

import msgspec
from msgspec.structs import replace

from interlock.memory.changes import calls_tool, find_changes
from interlock.memory.model import ClientContext, Concern, Definition, Exposure, MemoryChanges, Taint
from interlock.model import Action, Analysis, Decision, Effect, ShellState, WrittenFile

#: How much written text a `RunState` holds: characters of one file, and of all. Stores keep texts apart, by digest.
MAX_FILE, MAX_WRITTEN = 200_000, 4_000_000
#: How many characters the paths of written files may have, each with its digest, and those of downloads.
MAX_PATHS, MAX_DOWNLOADS = 24_000, 8_000
PER_FILE = 120  # characters of a file's entry besides its path
#: How many tools are counted by name.
MAX_TOOLS = 100
#: How many requests of the person are kept, how long each may be, and how many places outside are kept.
MAX_REQUESTS, MAX_REQUEST, MAX_OUTSIDE = 8, 500, 24
_TOO_LONG = frozenset({"cap"})
#: States whose entries can be dropped without a trace: such a file then counts as somebody else's.
_HARMLESS = frozenset({"made"})
#: Effects of commands that bring something from another machine: what they write comes from there.
_FETCHING = frozenset({"net.fetch", "net.connect", "infra.read"})


class RunState(msgspec.Struct, frozen=True, rename="camel"):
    """What a run has done so far.

    `calls` counts the calls of each tool. `forgotten` is a filter of the paths whose entries were dropped from
    `written` for lack of room: the run has written such a file, and its content is unknown. `exposures` are the secrets
    and private data that were read and the untrusted content that came in. `shell` is the state that the shell was left
    in, `workspace` the project's folder when the run began, and `requests` are the person's own words, the newest last.
    `outside` are places, such as channels and documents, that outsiders can see. `contexts` are what clients were
    switched to, and `tags` the tags that the run may have created. `concerns` are what calls that needed approval left
    behind, `definitions` what other calls have set at services, and `taints` the files with sensitive data in them.
    `steps` counts small steps that may add up. `user`, `tenant` and `metadata` are those that the run began with.
    """

    calls: Mapping[str, int] = {}
    downloaded: frozenset[str] = frozenset()
    written: Mapping[str, WrittenFile] = {}
    forgotten: bytes = b""
    exposures: tuple[Exposure, ...] = ()
    shell: ShellState = ShellState()
    workspace: str | None = None
    requests: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    contexts: tuple[ClientContext, ...] = ()
    tags: tuple[str, ...] = ()
    concerns: tuple[Concern, ...] = ()
    taints: tuple[Taint, ...] = msgspec.field(default=(), name="holdings")
    steps: Mapping[str, int] = msgspec.field(default_factory=dict, name="portions")
    definitions: tuple[Definition, ...] = ()
    user: str | None = None
    tenant: str | None = None
    metadata: Mapping[str, Any] = {}

    @property
    def count(self) -> int:
        """How many actions of the run were decided."""
        return sum(self.calls.values())

    @property
    def is_exposed(self) -> bool:
        """Whether the run was exposed to anything, or has copied sensitive data."""
        return bool(self.exposures) or any(one.marks for one in self.written.values())

    def may_change_verdict(self, analysis: Analysis) -> bool:
        """Whether this memory can change the verdict on an action: most runs only read and change their project."""
        return (
            self.is_exposed or bool(self.concerns or self.written or self.taints or self.steps) or calls_tool(analysis)
        )

    def has_forgotten(self, path: str) -> bool:
        """Whether the run wrote a file whose entry was dropped for lack of room."""
        return bool(self.forgotten) and _load_filter().has_path(self.forgotten, path)

    def after(self, action: Action, decision: Decision, changes: MemoryChanges | None = None) -> RunState:
        """Return the state once `action` has run. `changes` are those of `find_changes`, if they are known."""
        return self.after_refusal(action).after_run(action, decision, changes)

    def after_run(self, action: Action, decision: Decision, changes: MemoryChanges | None = None) -> RunState:
        """Return the state once an action has run that was counted when it was decided."""
        analysis, state = decision.assessment.analysis, self
        downloaded = find_downloads(analysis.effects)
        if downloaded:
            state = replace(state, downloaded=add_downloads(state.downloaded, downloaded))
        if analysis.files:
            written, dropped = trim_written({**state.written, **analysis.files})
            state = replace(state, written=written, forgotten=add_forgotten(state.forgotten, dropped))
        return state.after_changes(find_changes(action, decision) if changes is None else changes)

    def after_refusal(self, action: Action) -> RunState:
        """Return the state once `action` was decided and did not run: only the call counts."""
        calls = count_call(self.calls, action.tool_name)
        return replace(self, calls=calls, workspace=self.workspace or action.workspace)

    def after_changes(self, changes: MemoryChanges) -> RunState:
        """Return the state with the changes of the last call that was counted."""
        if not changes:
            return self
        from interlock.memory.additions import (  # most actions change nothing
            add_concerns,
            add_contexts,
            add_definition,
            add_exposures,
            add_steps,
            add_tags,
            mark_used,
        )
        from interlock.memory.taint.propagation import add_taints

        return replace(
            self,
            exposures=add_exposures(self.exposures, changes.exposures, self.count),
            shell=self.shell if changes.shell is None else changes.shell,
            outside=tuple(dict.fromkeys((*self.outside, *changes.outside)))[-MAX_OUTSIDE:],
            contexts=add_contexts(self.contexts, changes.contexts, self.count),
            tags=add_tags(self.tags, changes.tags),
            taints=add_taints(self.taints, changes.flows, self.count),
            steps=add_steps(self.steps, changes.steps) if changes.steps else self.steps,
            concerns=add_concerns(mark_used(self.concerns, changes.used, changes.users), changes, self.count),
            definitions=add_definition(self.definitions, changes, self.count),
        )

    def after_request(self, text: str) -> RunState:
        """Return the state once the person has asked for something."""
        return replace(self, requests=(*self.requests, text[:MAX_REQUEST])[-MAX_REQUESTS:])


def find_downloads(effects: Iterable[Effect]) -> list[str]:
    """Return the files that an action downloads: those that it says so of, and code that it writes while it fetches."""
    effects = tuple(effects)
    fetches = any(one.kind in _FETCHING for one in effects)
    return [
        one.resource.name
        for one in effects
        if one.resource and ("download" in one.flags or (fetches and one.kind == "fs.write" and _is_carrier(one)))
    ]


def _is_carrier(effect: Effect) -> bool:
    """Whether a file that is written may carry code, by its ending."""
    from interlock.memory.calls.words import file_words  # few actions fetch and write something

    return effect.resource is not None and effect.resource.name.lower().endswith(file_words().carrying_endings)


def add_forgotten(known: bytes, paths: list[str]) -> bytes:
    """Return the filter of forgotten paths with some more."""
    return _load_filter().add_paths(known, paths) if paths else known


def _load_filter() -> ModuleType:
    """Return the filter of forgotten paths, imported on first use: few runs forget anything."""
    from interlock.memory.written_files import forgotten_paths

    return forgotten_paths


def count_call(calls: Mapping[str, int], tool: str, times: int = 1) -> dict[str, int]:
    """Return counts with more calls of a tool. Tools beyond the limit are counted together, under an empty name."""
    name = tool if tool in calls or len(calls) < MAX_TOOLS else ""
    return {**calls, name: calls.get(name, 0) + times}


def add_downloads(known: frozenset[str], names: Iterable[str]) -> frozenset[str]:
    """Return downloads with some more, within the limit: beyond it, those with the longest names go first."""
    found = known.union(names)
    while sum(map(len, found)) > MAX_DOWNLOADS:
        found -= {max(found, key=lambda name: (len(name), name))}
    return found


def trim_written(written: Mapping[str, WrittenFile]) -> tuple[dict[str, WrittenFile], list[str]]:
    """Return written files within the limits, and the paths of those that were dropped: the oldest first.

    The newest keep their text, older ones only that they changed.
    """
    found = {path: one for path, one in written.items() if one.state != "gone"}
    left = MAX_WRITTEN
    for path in reversed(list(found)):
        one = found[path]
        length = len(one.text or "")
        left -= length
        if length > MAX_FILE or left < 0:
            found[path] = WrittenFile(state="changed", marks=one.marks | _TOO_LONG)
    excess = sum(len(path) + PER_FILE for path in found) - MAX_PATHS
    dropped = []
    for path in sorted(found, key=lambda path: _worth(found[path])) if excess > 0 else ():
        if excess <= 0:
            break
        excess -= len(path) + PER_FILE
        if found.pop(path).state not in _HARMLESS:
            dropped.append(path)
    return found, dropped


def _worth(file: WrittenFile) -> int:
    """Return the rank of an entry: links and files with private content are dropped last."""
    if file.state in _HARMLESS:
        return 0
    return 2 if file.marks or file.state in ("link", "moved") else 1
