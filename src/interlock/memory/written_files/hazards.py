"""Hazards in what a run has written: what would happen if a program took code or settings from these files.

Analysis follows values through code that it can read. Where a format has no reader, or a value is lost on the way, the
texts still tell, all files of the run together: one names the host, one the private file, and one sends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

import msgspec

from interlock.knowledge.catalogue import read_table
from interlock.knowledge.tool_tables import Hazard, WrittenHazards
from interlock.levels import Level
from interlock.memory.additions import MAX_SUBJECT
from interlock.memory.calls.programs import programs_of_command, users_of
from interlock.memory.exposures.private_names import source_kind
from interlock.memory.exposures.record_names import holds_records
from interlock.memory.holdings.commands import paths_of
from interlock.memory.model import HAZARD_RULE, ConcernKind
from interlock.memory.state import RunState
from interlock.model import Action, Analysis, Finding, WrittenFile
from interlock.patterns import late
from interlock.sanitise import quotable

MAX_TEXT, MAX_FILES = 40_000, 40
_COMMAND = "the command"
_PATH = late(r"[\"'`(](?P<path>[^\"'`\s()]{3,160}\.\w{2,8})[\"'`)]")
#: Programs that run nothing of what was written, and checks that look at files without running them.
_INERT = frozenset(
    (
        "ls cat less more head tail grep egrep rg sed wc diff cmp cp mv rm ln chmod chown touch mkdir stat file sort "
        "uniq cut tee echo printf cd test true tree du df find sha256sum md5sum column bat jq yq curl wget tar zip "
        "unzip gzip export set pwd which whoami date sleep kill ps git gh glab black ruff isort prettier shellcheck "
        "yamllint markdownlint actionlint hadolint gofmt rustfmt mypy pyright tsc open code vim nano type rmdir xxd "
        "hexdump base64 tr id uname man hostname env basename dirname realpath readlink source"
    ).split()
)
#: Words of such programs by which hooks run.
_HOOKED = frozenset({("git", "commit"), ("git", "push"), ("git", "merge"), ("git", "checkout")})


class Signal(msgspec.Struct, frozen=True):
    """A pattern, and a text in lower case that each of its matches has in it: looking for that first is much faster."""

    pattern: str
    literal: str

    def occurs(self, text: str, lowered: str) -> bool:
        """Whether the signal occurs in a text, which is also given in lower case."""
        return self.literal in lowered and _compile(self.pattern).search(text) is not None


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.MULTILINE)


def required_literal(pattern: str) -> str:
    r"""Return a text in lower case that every match of a pattern has in it; empty if none is plain to see.

    >>> required_literal(r"\bterraform destroy\b"), required_literal(r"(?:a|b)c?"), required_literal(r"Bash\(\*\)")
    ('terraform destroy', '', 'bash')
    """
    plain = _CLASS.sub("\0", _ESCAPED.sub("\0", pattern))
    while (less := _GROUP.sub("\0", plain)) != plain:
        plain = less
    if "|" in plain:
        return ""
    return max(_SPECIAL.split(_OPTIONAL.sub("\0", plain)), key=len).lower()


_ESCAPED, _CLASS = late(r"\\(?:x[0-9a-f]{2}|.)"), late(r"\[[^\]]*\]")
_GROUP = late(r"\([^()]*\)")
_OPTIONAL = late(r".(?:[?*]|\{0?,?\d*,?\d*\})")
_SPECIAL = late(r"[\0^$.+?*{}\\]+")


class HazardReader(msgspec.Struct, frozen=True):
    """The table, with its patterns compiled."""

    signals: dict[str, tuple[Signal, ...]]
    hazards: tuple[Hazard, ...]
    prose: frozenset[str]
    read_files: frozenset[str]
    read_endings: frozenset[str]
    read_folders: tuple[str, ...]


@cache
def _reader() -> HazardReader:
    table = read_table("written-hazards", WrittenHazards)
    return HazardReader(
        {
            name: tuple(Signal(pattern, required_literal(pattern)) for pattern in patterns)
            for name, patterns in table.signals.items()
        },
        table.hazards,
        frozenset(table.prose),
        frozenset(table.read_files),
        frozenset(table.read_endings),
        tuple(table.read_folders),
    )


def find_hazard(action: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if an action may run what this run has written, and that would be worth a question."""
    if not _may_run(action, analysis):
        return None
    users = frozenset(users_of(action, analysis))
    agreed = {one.subject for one in state.concerns if one.kind is ConcernKind.HAZARD and users <= set(one.used_by)}
    for hazard, name in _hazards(action, analysis, state):
        subject = f"{hazard.name} {quotable(name)}"[:MAX_SUBJECT]
        if subject in agreed:
            continue
        span = analysis.effects[0].span if analysis.effects else (0, 0)
        reason = f"May run what this run has written: {hazard.what} (`{quotable(name)}`)"
        return Finding(HAZARD_RULE, Level.HIGH, reason, span, subject=subject)
    return None


def _may_run(action: Action, analysis: Analysis) -> bool:
    """Whether a command may take code or settings from files: every program may that is not known as inert."""
    if _runs_code(action, analysis):
        return True
    return bool(analysis.effects) and any(
        program not in _INERT or (program, word) in _HOOKED or "./" in word
        for program, word in programs_of_command(analysis)
    )


def _runs_code(action: Action, analysis: Analysis) -> bool:
    """Whether an action is code that imports something, which may be a module of this run."""
    written = not _PATHS.isdisjoint(action.input_payload)
    return not written and not _CODE.isdisjoint(analysis.languages) and _IMPORT.search(analysis.text) is not None


_CODE, _PATHS = frozenset({"python", "javascript", "ruby"}), frozenset({"file_path", "path", "notebook_path"})
_IMPORT = late(r"\b(?:import|require|from|load|require_relative)\b")


def signals_of(path: str, file: WrittenFile) -> frozenset[str]:
    """Return the signals in a file that this run has written, unless it is text for people."""
    if not file.text or file.state not in ("whole", "part") or _ending(path) in _reader().prose:
        return frozenset()
    return _signals_in(file.text[:MAX_TEXT], path.rpartition("/")[0])


def _hazards(action: Action, analysis: Analysis, state: RunState) -> Iterator[tuple[Hazard, str]]:
    """Yield what the files of a run would do, and the file that tells so: each file alone, then all together."""
    found: dict[str, frozenset[str]] = {}
    for path in list(state.written)[: -MAX_FILES - 1 : -1]:
        signals = signals_of(path, state.written[path])
        if signals:
            found[path] = signals
    if found and _runs_code(action, analysis):
        found[_COMMAND] = _signals_in(analysis.text[:MAX_TEXT], "")
    elif any(source_kind(path, action) == "private" for path in paths_of(action, analysis)):
        found[_COMMAND] = frozenset({"records"})
    together = frozenset().union(*found.values()) if found else frozenset()
    for hazard in _reader().hazards:
        for path, signals in found.items():
            occurs = signals.issuperset(hazard.all) and signals.isdisjoint(hazard.unless)
            if occurs and not (hazard.unread and _is_read(path)):
                yield hazard, path.rpartition("/")[2]
        if hazard.together and len(found) > 1 and together.issuperset(hazard.all):
            last = next(path for path, signals in found.items() if not signals.isdisjoint(hazard.all))
            yield hazard, last.rpartition("/")[2]


@lru_cache(maxsize=512)
def _signals_in(text: str, folder: str) -> frozenset[str]:
    """Return the signals that occur in a text."""
    lowered = text.lower()
    found = {name for name, signals in _reader().signals.items() if any(one.occurs(text, lowered) for one in signals)}
    if any(holds_records(f"{folder}/{one['path']}") for one in _PATH.finditer(text)):
        found.add("records")
    return frozenset(found)


def _ending(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[2].lower()


def _is_read(path: str) -> bool:
    """Whether the commands of a file are read by task."""
    reader, name = _reader(), path.rpartition("/")[2].lower()
    return (
        name in reader.read_files
        or _ending(path) in reader.read_endings
        or any(one in path for one in reader.read_folders)
    )
