"""Code that is written to a file: nothing runs yet, but what it would do is worth knowing before it is saved."""

from __future__ import annotations

from interlock.analyse.code import read_code
from interlock.analyse.languages import language_of
from interlock.analyse.reading import Reading, Site
from interlock.sanitise import clean


def read_written_code(reading: Reading, path: str, text: str) -> None:
    """Read what is written to a file as the code that it is; its effects are kept apart, since none happens now."""
    language = language_of(path, text)
    if language is None:
        return
    effects, opaque = len(reading.effects), len(reading.opaque)
    files, taints = dict(reading.files), dict(reading.taints)
    read_code(reading, clean(text), language)
    site = Site((0, len(path)), (f"written to {path.rpartition('/')[2]}",))
    reading.keep_written(effects, site)
    del reading.opaque[opaque:]
    reading.files, reading.taints = files, taints
