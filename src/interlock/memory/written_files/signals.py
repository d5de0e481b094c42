"""Signals of hazards in the texts of files, found by the patterns of `written-hazards.toml`."""

from __future__ import annotations

import re
from functools import cache, lru_cache

import msgspec

from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.texts import Hazard, WrittenHazards
from interlock.memory.exposures.record_names import is_records_file
from interlock.model import WrittenFile
from interlock.patterns import late

MAX_TEXT = 40_000
_PATH = late(r"[\"'`(](?P<path>[^\"'`\s()]{3,160}\.\w{2,8})[\"'`)]")
_ESCAPED = late(r"\\(?:x[0-9a-f]{2}|.)")
_CLASS = late(r"\[[^\]]*\]")
_GROUP = late(r"\([^()]*\)")
_OPTIONAL = late(r".(?:[?*]|\{0?,?\d*,?\d*\})")
_SPECIAL = late(r"[\0^$.+?*{}\\]+")


class Signal(msgspec.Struct, frozen=True):
    """A pattern, and a lower-case text that each of its matches contains: searching for that first is much faster."""

    pattern: str
    literal: str

    def occurs(self, text: str, lowered: str) -> bool:
        """Whether the signal occurs in a text, which is also given in lower case."""
        return self.literal in lowered and _compile(self.pattern).search(text) is not None


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.MULTILINE)


def find_required_literal(pattern: str) -> str:
    r"""Return a lower-case text that every match of a pattern contains; empty if there is no obvious one.

    >>> [find_required_literal(one) for one in (r"\bterraform destroy\b", r"(?:a|b)c?", r"Bash\(\*\)")]
    ['terraform destroy', '', 'bash']
    """
    plain = _CLASS.sub("\0", _ESCAPED.sub("\0", pattern))
    while (less := _GROUP.sub("\0", plain)) != plain:
        plain = less
    if "|" in plain:
        return ""
    return max(_SPECIAL.split(_OPTIONAL.sub("\0", plain)), key=len).lower()


class HazardReader(msgspec.Struct, frozen=True):
    """The table, with its patterns compiled."""

    signals: dict[str, tuple[Signal, ...]]
    hazards: tuple[Hazard, ...]
    prose: frozenset[str]
    read_files: frozenset[str]
    read_endings: frozenset[str]
    read_folders: tuple[str, ...]


@cache
def hazard_reader() -> HazardReader:
    table = read_table("written-hazards", WrittenHazards)
    return HazardReader(
        {
            name: tuple(Signal(pattern, find_required_literal(pattern)) for pattern in patterns)
            for name, patterns in table.signals.items()
        },
        table.hazards,
        frozenset(table.prose),
        frozenset(table.read_files),
        frozenset(table.read_endings),
        tuple(table.read_folders),
    )


def find_file_signals(path: str, file: WrittenFile) -> frozenset[str]:
    """Return the signals in a file that this run has written, unless it is text for people."""
    if not file.text or file.state not in ("whole", "part") or _ending(path) in hazard_reader().prose:
        return frozenset()
    return find_signals(file.text[:MAX_TEXT], path.rpartition("/")[0])


@lru_cache(maxsize=512)
def find_signals(text: str, folder: str) -> frozenset[str]:
    """Return the signals that occur in a text."""
    lowered = text.lower()
    found = {
        name for name, signals in hazard_reader().signals.items() if any(one.occurs(text, lowered) for one in signals)
    }
    if any(is_records_file(f"{folder}/{one['path']}") for one in _PATH.finditer(text)):
        found.add("records")
    return frozenset(found)


def _ending(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[2].lower()


def is_read_by_task(path: str) -> bool:
    """Whether the file has named tasks, of which a command runs some."""
    reader, name = hazard_reader(), path.rpartition("/")[2].lower()
    return (
        name in reader.read_files
        or _ending(path) in reader.read_endings
        or any(one in path for one in reader.read_folders)
    )
