"""Reading a whole text: in the language that it is in, or in every language that accepts it."""

from __future__ import annotations

from interlock.analyse.languages import LANGUAGES
from interlock.analyse.reading import NOTHING, Reading, Site, TooMuch
from interlock.patterns import late

_CAP = frozenset({"cap"})
_INVISIBLE_FLAG = frozenset({"invisible"})
# Characters that turn the direction of a text around or cannot be seen; those that join an emoji are left alone.
_INVISIBLE = late("[\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\U000e0000-\U000e007f]")
#: What coverage says when an analyser breaks. The test suite looks for it after every input it tries.
FAULT = "the analyser failed"


def read_code(reading: Reading, text: str, language: str, at: int = 0) -> None:
    """Read a whole text in one language; `at` is where it stands in what the action shows."""
    if "\ufffd" in text:
        reading.opaque.append("characters that are not text")
    site = Site((at, at + len(text)), base=at)
    if not text.isascii() and _INVISIBLE.search(text):
        reading.unread("characters that change how the text looks", site, flags=_INVISIBLE_FLAG)
    try:
        reading.spend(len(text) // 256)
        printed = LANGUAGES[language](reading, text, site, NOTHING)
        if language == "shell" and "variable" in printed.marks:
            reading.emit("env.read", site, "a secret", frozenset({"secret"}))
    except TooMuch:
        reading.unread("more steps than may be spent on one action", site, flags=_CAP)
    except Exception as error:  # a fault of ours must not open the gate: it is said, and somebody is asked
        reading.unread(f"{FAULT}: {type(error).__name__}", site, flags=_CAP)


def read_ambiguous(reading: Reading, text: str, at: int = 0) -> tuple[str, ...]:
    """Read a text in every language that accepts it; if none does, as a shell would."""
    from interlock.analyse.python.parse import parse
    from interlock.analyse.shell.grammar import accepts
    from interlock.analyse.sql import looks_like_sql

    languages = []
    if parse(text) is not None:
        languages.append("python")
    if looks_like_sql(text):
        languages.append("sql")
    if accepts(text) or not languages:
        languages.append("shell")
    for language in languages:
        read_code(reading, text, language, at)
    return tuple(languages)
