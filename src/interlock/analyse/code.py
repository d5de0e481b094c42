"""Analysing a whole text in one language, or in every language that accepts it."""

from __future__ import annotations

from interlock.analyse.flow import NOTHING
from interlock.analyse.languages import LANGUAGES
from interlock.analyse.reading import Reading, Site, TooMuch
from interlock.analyse.secrets.disclosure import report_printed

_CAP = frozenset({"cap"})
STEP = 256  # characters of a text that are read in one step
_INVISIBLE_FLAG = frozenset({"invisible"})
#: The coverage note after an analyser raised an error. The test suite checks that no input produces it.
FAULT = "the analyser failed"


def read_code(reading: Reading, text: str, language: str, at: int = 0) -> None:
    """Analyse a whole text in one language; `at` is its offset in the text of the action."""
    if "\ufffd" in text:
        reading.opaque.append("characters that are not text")
    site = Site((at, at + len(text)), base=at)
    if not text.isascii() or "\r" in text or "\b" in text:
        from interlock.analyse.hidden_text import is_invisible, overwrites  # most texts are plain

        if is_invisible(text) or overwrites(text):
            reading.unread("characters that change how the text looks", site, flags=_INVISIBLE_FLAG)
    try:
        if len(text) >= STEP:
            reading.spend(len(text) // STEP)
        printed = LANGUAGES[language](reading, text, site, NOTHING)
        if language == "shell" and (printed.marks or printed.text):
            report_printed(reading, printed, site)
    except TooMuch:
        reading.unread("more steps than may be spent on one action", site, flags=_CAP)
    except Exception as error:  # a defect here must lead to a prompt, never to approval
        report_fault(reading, error, site)


def report_fault(reading: Reading, error: Exception, site: Site) -> None:
    """Report that an analyser failed, so that the action needs approval."""
    reading.unread(f"{FAULT}: {type(error).__name__}", site, flags=_CAP)


def read_ambiguous(reading: Reading, text: str, at: int = 0) -> tuple[str, ...]:
    """Analyse a text in every language that accepts it, or as shell if none does; return the languages."""
    from interlock.analyse.python.parse import parse
    from interlock.analyse.shell.parsing.grammar import accepts
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
