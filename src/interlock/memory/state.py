"""`RunState`: what a run has done so far, bounded in size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from interlock.effects import TOOL_KINDS
from interlock.memory.exposure import Exposure, add_exposures, find_exposures
from interlock.model import Action, Analysis, Decision, ShellState, Written

#: How much written text a `RunState` holds: characters of one file, and of all. Stores keep texts apart, by digest.
MAX_FILE, MAX_WRITTEN = 200_000, 4_000_000
#: How many characters the paths of written files may have, each with its digest, and those of downloads.
MAX_PATHS, MAX_DOWNLOADS = 24_000, 8_000
PER_FILE = 120  # characters of a file's entry besides its path
#: Tools that are counted by name, the forgotten files, and the length of a forgotten file's hash.
MAX_TOOLS, MAX_FORGOTTEN, HASH_LENGTH = 100, 1_000, 8


#: How many requests of the person are kept, and how long each may be.
MAX_REQUESTS, MAX_REQUEST = 8, 500


class RunState(msgspec.Struct, frozen=True, rename="camel"):
    """What a run has done so far.

    `calls` counts the calls of each tool. `forgotten` are hashes of paths whose entries were dropped from `written` for
    lack of room: that such a file was written is known, and its content is not. `exposures` are the secrets and private
    data that were read and the untrusted content that came in; `shell` is what the shell was left with; `workspace` is
    the project's folder as the run began; `requests` are the person's own words, the newest last;
    `outside` are places, such as channels and documents, that people outside can see.
    """

    calls: Mapping[str, int] = {}
    downloaded: frozenset[str] = frozenset()
    written: Mapping[str, Written] = {}
    forgotten: tuple[str, ...] = ()
    exposures: tuple[Exposure, ...] = ()
    shell: ShellState = ShellState()
    workspace: str | None = None
    requests: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """How many actions of the run were decided."""
        return sum(self.calls.values())

    def after(self, action: Action, decision: Decision) -> RunState:
        """Return the state once `action` has run."""
        analysis = decision.assessment.analysis
        downloaded = [e.resource.name for e in analysis.effects if e.resource and "download" in e.flags]
        written, forgotten = trim_written({**self.written, **analysis.files}) if analysis.files else (self.written, ())
        number = self.count + 1
        return RunState(
            calls=count_call(self.calls, action.tool_name),
            downloaded=add_downloads(self.downloaded, downloaded) if downloaded else self.downloaded,
            written=written,
            forgotten=add_forgotten(self.forgotten, forgotten) if forgotten else self.forgotten,
            exposures=self._after_exposures(action, analysis, number),
            shell=self.shell if analysis.shell is None else analysis.shell,
            workspace=self.workspace or action.workspace,
            requests=self.requests,
            outside=self._after_outside(action, analysis),
        )

    def after_request(self, text: str) -> RunState:
        """Return the state once the person has asked for something."""
        return msgspec.structs.replace(self, requests=(*self.requests, text[:MAX_REQUEST])[-MAX_REQUESTS:])

    def _after_outside(self, action: Action, analysis: Analysis) -> tuple[str, ...]:
        if not analysis.effects or analysis.effects[0].kind not in TOOL_KINDS:
            return self.outside
        from interlock.memory.places import add_outside, find_outside  # needed for calls of tools alone

        found = find_outside(action)
        return add_outside(self.outside, found) if found else self.outside

    def _after_exposures(self, action: Action, analysis: Analysis, number: int) -> tuple[Exposure, ...]:
        from interlock.memory.live import find_switch, record_switch  # which imports this module

        found = find_exposures(analysis.effects, number)
        known = add_exposures(self.exposures, found) if found else self.exposures
        return record_switch(known, find_switch(action, analysis), number)

    def matters(self, analysis: Analysis) -> bool:
        """Whether anything of the memory can count for an action: most runs only read and change their project."""
        return self.holds_private or (bool(analysis.effects) and analysis.effects[0].kind in TOOL_KINDS)

    @property
    def holds_private(self) -> bool:
        """Whether the run has read or copied anything that is not for everyone."""
        return bool(self.exposures) or any(one.marks for one in self.written.values())

    def has_forgotten(self, path: str) -> bool:
        """Whether the run wrote a file whose entry was dropped for lack of room."""
        return len(self.forgotten) >= MAX_FORGOTTEN or hash_path(path) in self.forgotten

    def after_refusal(self, action: Action) -> RunState:
        """Return the state once `action` was decided and did not run: only the call counts."""
        return msgspec.structs.replace(self, calls=count_call(self.calls, action.tool_name))


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


def trim_written(written: Mapping[str, Written]) -> tuple[dict[str, Written], list[str]]:
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
            found[path] = Written(state="changed", marks=one.marks | _TOO_LONG)
    excess = sum(len(path) + PER_FILE for path in found) - MAX_PATHS
    dropped = []
    for path in sorted(found, key=lambda path: _worth(found[path])) if excess > 0 else ():
        if excess <= 0:
            break
        excess -= len(path) + PER_FILE
        if found.pop(path).state not in _HARMLESS:
            dropped.append(path)
    return found, dropped


_TOO_LONG = frozenset({"cap"})


def _worth(file: Written) -> int:
    """Return how long an entry is kept: what leads elsewhere or holds something private goes last."""
    if file.state in _HARMLESS:
        return 0
    return 2 if file.marks or file.state in ("link", "moved") else 1


#: What was only made can be forgotten without a trace: it then counts as made by somebody else.
_HARMLESS = frozenset({"made"})


def hash_path(path: str) -> str:
    """Return the short hash by which a forgotten file is known."""
    import hashlib  # few runs forget anything, and loading it is slow

    return hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:HASH_LENGTH]


def add_forgotten(known: tuple[str, ...], paths: Iterable[str]) -> tuple[str, ...]:
    """Return the hashes of forgotten files with some more, the newest last."""
    return tuple(dict.fromkeys((*known, *map(hash_path, paths))))[-MAX_FORGOTTEN:]
