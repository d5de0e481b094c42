"""Code that is written to a file. It does not run yet, so its effects are kept apart."""

from __future__ import annotations

from interlock.analyse.code import read_code
from interlock.analyse.languages import language_of
from interlock.analyse.reading import Reading, Site
from interlock.sanitise import clean


def read_written_code(reading: Reading, path: str, text: str) -> None:
    """Analyse text that is written to a file, if it is code, and keep its effects apart."""
    language = language_of(path, text)
    if language is None:
        return
    effects, commands, opaque = len(reading.effects), len(reading.commands), len(reading.opaque)
    files, taints = dict(reading.files), dict(reading.taints)
    read_code(reading, clean(text), language)
    site = Site((0, len(path)), (f"written to {path.rpartition('/')[2]}",))
    reading.keep_written(effects, commands, site)
    del reading.opaque[opaque:]
    reading.files, reading.taints = files, taints
