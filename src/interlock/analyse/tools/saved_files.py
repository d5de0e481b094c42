"""Files that a tool saves on this machine: attachments, downloads, exports. Their content came from elsewhere."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import Flow
from interlock.analyse.reading import Reading
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_name_words import ArgumentWords
from interlock.knowledge.tool_names import split_words

_WORDS = read_table("tool-arguments", ArgumentWords)

_SAVING = frozenset("save download saveas".split())
_DOWNLOADED = Flow(None, frozenset({"download"}))
MAX_SAVED = 10


def record_saved(reading: Reading, words: Collection[str], walked: Sequence[tuple[str, Any]]) -> None:
    """Record the files that a tool saves as downloads. A call that contains their content is not a download."""
    if _SAVING.isdisjoint(words) or any(key.lower() in _WORDS.saved_content for key, _ in walked):
        return
    for path in list(_find_saved_paths(walked))[:MAX_SAVED]:
        full = reading.places.resolve(path, None)
        if full is not None and HOLE not in full:
            reading.files[full] = _DOWNLOADED


def _find_saved_paths(walked: Sequence[tuple[str, Any]]) -> Iterator[str]:
    """Yield the files that arguments name, those in a folder by the name that another argument gives them."""
    texts = [(key, value) for key, value in walked if isinstance(value, str) and 0 < len(value) <= 300]
    names = [value for key, value in texts if key.lower() in _WORDS.saved_names and "/" not in value and "." in value]
    for key, value in texts:
        parts = frozenset(split_words(key))
        if (
            parts.isdisjoint(_WORDS.saving_places)
            or not parts.isdisjoint(_WORDS.saved_from)
            or "://" in value
            or "\n" in value
        ):
            continue
        if "." in value.rpartition("/")[2]:
            yield value
        elif "/" in value:
            yield from (f"{value.rstrip('/')}/{name}" for name in names)
