"""The contents of files after tools write or edit them, so that running them later is analysed by content."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interlock.analyse.flow import Flow
from interlock.analyse.payloads.tools import WHOLE_CONTENT_KEYS
from interlock.analyse.reading import Reading

_PAIRS = (("old_string", "new_string"), ("old_str", "new_str"), ("old_text", "new_text"), ("oldText", "newText"))
_BETWEEN = ("insert_text", "new_source", "replacement")
_PART = frozenset({"part"})


def find_known_content(reading: Reading, path: str) -> Flow | None:
    """Return the content of a file if this run wrote it."""
    return reading.files.get(_full_path(reading, path)) if reading.files else None


def record_content(reading: Reading, path: str, flow: Flow | None) -> None:
    """Record the content of a file."""
    if flow is not None:
        reading.files[_full_path(reading, path)] = flow


def _full_path(reading: Reading, path: str) -> str:
    return reading.places.resolve(path.removeprefix("file://"), None) or path


def apply_edit(before: Flow | None, given: Mapping[str, Any], *, appends: bool = False) -> Flow | None:
    """Return the content of a file after a tool call with this payload, or None if it writes nothing."""
    pairs = [*_pairs(given), *(pair for one in _edit_list(given) for pair in _pairs(one))]
    between = [given[name] for name in _BETWEEN if isinstance(given.get(name), str)]
    if not pairs and not between:
        whole = [given[name] for name in WHOLE_CONTENT_KEYS if isinstance(given.get(name), str)]
        if appends and whole:
            return insert_text(before, "\n".join(whole))
        return Flow(whole[0]) if len(whole) == 1 else None
    text = before.text if before is not None and not between else None
    for old, new in pairs:
        if text is None or not old or old not in text:
            return insert_text(before, "\n".join([*(new for _, new in pairs), *between]))
        text = text.replace(old, new) if given.get("replace_all") else text.replace(old, new, 1)
    if text is None or before is None:
        return insert_text(before, "\n".join(between))
    return Flow(text, before.marks, before.url)


def find_dropped_lines(given: Mapping[str, Any]) -> frozenset[str]:
    """Return the lines that the edits of a tool call take out of a file."""
    pairs = [*_pairs(given), *(pair for one in _edit_list(given) for pair in _pairs(one))]
    return frozenset(line.strip() for old, new in pairs for line in set(old.splitlines()) - set(new.splitlines()))


def insert_text(before: Flow | None, text: str) -> Flow:
    """Return the known content of a file after a text is inserted at an unknown position, marked `part`."""
    known = before.text if before is not None and before.text is not None else ""
    marks = before.marks if before is not None else frozenset()
    return Flow(f"{known}\n{text}\n" if known else f"{text}\n", marks | _PART)


def _pairs(given: Mapping[str, Any]) -> list[tuple[str, str]]:
    found = [(given.get(old), given.get(new)) for old, new in _PAIRS]
    return [(old, new) for old, new in found if isinstance(old, str) and isinstance(new, str)]


def _edit_list(given: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    edits = given.get("edits")
    return [one for one in edits if isinstance(one, dict)] if isinstance(edits, list) else []
