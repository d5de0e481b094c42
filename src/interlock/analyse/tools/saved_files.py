"""Files that a tool saves on this machine: attachments, downloads, exports. What is in them came from elsewhere."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import Flow
from interlock.analyse.reading import Reading
from interlock.knowledge.tool_names import split_words

_SAVING = frozenset("save download saveas".split())
#: Words in names of arguments by which a file is put somewhere, those that name it, and those that say what is in it.
_PLACES = frozenset("path to dest destination target output out folder dir directory file as local into".split())
_NAMES = frozenset({"filename", "file_name", "name", "attachment", "save_as"})
_ELSEWHERE = frozenset({"remote", "source", "src", "from", "url", "uri", "drive", "cloud", "bucket"})
_CONTENT = frozenset("content contents text body data html markdown code source".split())
_DOWNLOADED = Flow(None, frozenset({"download"}))
MAX_SAVED = 10


def record_saved(reading: Reading, words: Collection[str], walked: Sequence[tuple[str, Any]]) -> None:
    """Record the files that a tool saves as downloads. A call that has their content in it is no download."""
    if _SAVING.isdisjoint(words) or any(key.lower() in _CONTENT for key, _ in walked):
        return
    for path in list(_saved_paths(walked))[:MAX_SAVED]:
        full = reading.places.resolve(path, None)
        if full is not None and HOLE not in full:
            reading.files[full] = _DOWNLOADED


def _saved_paths(walked: Sequence[tuple[str, Any]]) -> Iterator[str]:
    """Yield the files that arguments name, those in a folder by the name that another argument gives them."""
    texts = [(key, value) for key, value in walked if isinstance(value, str) and 0 < len(value) <= 300]
    names = [value for key, value in texts if key.lower() in _NAMES and "/" not in value and "." in value]
    for key, value in texts:
        parts = frozenset(split_words(key))
        if parts.isdisjoint(_PLACES) or not parts.isdisjoint(_ELSEWHERE) or "://" in value or "\n" in value:
            continue
        if "." in value.rpartition("/")[2]:
            yield value
        elif "/" in value:
            yield from (f"{value.rstrip('/')}/{name}" for name in names)
