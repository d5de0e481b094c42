"""A driver: what SQLite and PostgreSQL do each in their own way."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any, Protocol


class Driver(Protocol):
    """How a database is spoken to. A `raw` connection is the one of the library below."""

    is_sqlite: bool
    #: What stands for a value in a statement with many rows.
    mark: str
    #: How a transaction is begun that only reads, and one that writes.
    reading: str
    writing: str
    #: What the library raises, and what of that is the fault of whoever gave the values.
    error: type[Exception]
    of_values: tuple[type[Exception], ...]

    def connect(self) -> Any:
        """Return a new connection."""

    def begin(self, raw: Any, statement: str, *, patient: bool) -> None:
        """Begin a transaction; whoever is not patient fails at once where another process writes to a file."""

    def written(self, statement: str) -> str:
        """Return a statement as the library wants it."""

    def stream(self, raw: Any, statement: str, given: Mapping[str, Any], size: int) -> Generator[tuple[Any, ...]]:
        """Yield many rows, so many at a time."""

    def is_lost(self, raw: Any) -> bool:
        """Whether a connection can be used no more."""

    def may_pass(self, error: Exception) -> bool:
        """Whether a transaction failed for a reason that may pass."""
