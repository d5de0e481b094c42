"""Requests to applications: what AppleScript and JavaScript for automation tell other programs of a Mac to do."""

from __future__ import annotations

import re
from functools import cache

from interlock.analyse.reading import Reading, Site
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.texts import ApplicationRequest, Applications
from interlock.patterns import late

MAX_TEXT = 4_000
_NAMED = late(r"(?i)\b(?:application(?:\s+process)?|app|process)\s*(?:id\s*)?\(?\s*[\"']([^\"'\n]{1,60})[\"']")


def report_requests(reading: Reading, text: str, site: Site) -> None:
    """Report what a script tells other applications to do, by their names and the words beside them.

    Of the requests to the same applications, only the first that matches is reported for each kind of effect.
    """
    text = text[:MAX_TEXT]
    named = {name.lower().removesuffix(".app") for name in _NAMED.findall(text)}
    reported = set()
    for entry, matches, without in _requests():
        if entry.applications and named.isdisjoint(entry.applications):
            continue
        if entry.does in reported or not matches.search(text) or (without is not None and without.search(text)):
            continue
        reported.add(entry.does)
        reading.emit(entry.does, site, " ".join(sorted(named)) or None, frozenset(entry.flags))


@cache
def _requests() -> tuple[tuple[ApplicationRequest, re.Pattern[str], re.Pattern[str] | None], ...]:
    table = read_table("applications", Applications)
    flags = re.IGNORECASE | re.DOTALL
    return tuple(
        (entry, re.compile(entry.matches, flags), re.compile(entry.without, flags) if entry.without else None)
        for entry in table.requests
    )
