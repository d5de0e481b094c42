"""Tables and views that a command makes of others: what is private in those is private in these."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.memory.calls.words import file_words
from interlock.memory.exposures.private_words import names_subjects, tells_of_people
from interlock.patterns import late

MAX_TABLES, MAX_COLUMNS = 6, 60
_MADE = late(
    r"(?i)\bcreate\s+(?:or\s+replace\s+)?(?:temp(?:orary)?\s+|materialized\s+)?(?:table|view)\s+(?:if\s+not\s+exists\s+)?"
    r"[\"`]?(?P<name>[\w.]{2,80})[\"`]?\s+as\b"
)
_SELECTED = late(r"(?is)\bselect\s+(?:distinct\s+)?(?P<columns>[^;]{1,1500}?)\s+from\b")
_NAME = late(r"[\w]+")
_READ = late(r"(?i)\b(?:from|join)\s+[\"`]?(?P<name>[\w.]{2,80})")


def find_made_tables(command: str) -> Iterator[str]:
    """Yield the tables and views that a command makes of others, as names of holdings.

    >>> list(find_made_tables("psql -c 'create materialized view mv_week as select * from visits'"))
    ['table mv_week']
    """
    for found in list(_MADE.finditer(command))[:MAX_TABLES]:
        yield f"table {found['name'].lower()}"


def find_read_tables(command: str) -> Iterator[str]:
    """Yield the tables and views that a command reads, as names of holdings."""
    for found in list(_READ.finditer(command))[:MAX_TABLES]:
        yield f"table {found['name'].lower()}"


def reads_people(command: str) -> bool:
    """Whether a query reads rows about people, by the names of its tables or of its columns.

    >>> reads_people("select * from medlemmer"), reads_people("select p.vorname, p.telefon from t_17 p")
    (True, True)
    >>> reads_people("select sku, price from articles")
    False
    """
    if any(names_subjects(table) for table in find_read_tables(command)):
        return True
    return any(tells_of_people(_columns(found["columns"])) for found in _SELECTED.finditer(command))


def _columns(text: str) -> list[str]:
    """Return the last name of each column of a list: `p.full_name`, `max(born)`."""
    parts = (_NAME.findall(part) for part in text.split(",")[:MAX_COLUMNS])
    return [words[-1] for words in parts if words]


def publishes(table: str) -> bool:
    """Whether a table or a view, as the name of a holding, is in a schema that an API publishes."""
    schema, dot, _ = table.removeprefix("table ").partition(".")
    return bool(dot) and schema in file_words().published_schemas
