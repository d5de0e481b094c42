"""Tables and views that a command creates from others. They are private if a source is."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.memory.calls.words import file_words
from interlock.memory.exposures.private_words import describes_person, is_about_people
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
    """Yield the tables and views that a command creates from others, as taints name them.

    >>> list(find_made_tables("psql -c 'create materialized view mv_week as select * from visits'"))
    ['table mv_week']
    """
    for found in list(_MADE.finditer(command))[:MAX_TABLES]:
        yield f"table {found['name'].lower()}"


def find_read_tables(command: str) -> Iterator[str]:
    """Yield the tables and views that a command reads, as taints name them."""
    for found in list(_READ.finditer(command))[:MAX_TABLES]:
        yield f"table {found['name'].lower()}"


def reads_personal_rows(command: str) -> bool:
    """Whether a query reads rows about people, by the names of its tables or of its columns.

    >>> reads_personal_rows("select * from medlemmer"), reads_personal_rows("select p.vorname, p.telefon from t_17 p")
    (True, True)
    >>> reads_personal_rows("select sku, price from articles")
    False
    """
    if any(is_about_people(table) for table in find_read_tables(command)):
        return True
    return any(describes_person(_columns(found["columns"])) for found in _SELECTED.finditer(command))


def _columns(text: str) -> list[str]:
    """Return the last name of each column of a list: `p.full_name`, `max(born)`."""
    parts = (_NAME.findall(part) for part in text.split(",")[:MAX_COLUMNS])
    return [words[-1] for words in parts if words]


def is_published(table: str) -> bool:
    """Whether a table or a view, as a taint names it, is in a schema that an API publishes."""
    schema, dot, _ = table.removeprefix("table ").partition(".")
    return bool(dot) and schema in file_words().published_schemas
