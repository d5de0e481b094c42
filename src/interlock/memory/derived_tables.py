"""Tables and views that a command makes of others: what is private in those is private in these."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.patterns import late

MAX_TABLES = 6
_MADE = late(
    r"(?i)\bcreate\s+(?:or\s+replace\s+)?(?:temp(?:orary)?\s+|materialized\s+)?(?:table|view)\s+(?:if\s+not\s+exists\s+)?"
    r"[\"`]?(?P<name>[\w.]{2,80})[\"`]?\s+as\b"
)
_READ = late(r"(?i)\b(?:from|join)\s+[\"`]?(?P<name>[\w.]{2,80})")


def made_tables(command: str) -> Iterator[str]:
    """Yield the tables and views that a command makes of others, as names of holdings.

    >>> list(made_tables("psql -c 'create materialized view mv_week as select * from visits'"))
    ['table mv_week']
    """
    for found in list(_MADE.finditer(command))[:MAX_TABLES]:
        yield f"table {found['name'].lower()}"


def tables_read(command: str) -> Iterator[str]:
    """Yield the tables and views that a command reads, as names of holdings."""
    for found in list(_READ.finditer(command))[:MAX_TABLES]:
        yield f"table {found['name'].lower()}"
