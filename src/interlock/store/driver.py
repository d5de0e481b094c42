"""The driver protocol: what differs between SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol


class Driver(Protocol):
    """The driver of one database. A `raw` connection is the one of the underlying library."""

    is_sqlite: bool
    #: The placeholder for a value in a statement with many rows.
    placeholder: str
    #: The statements that begin a read-only transaction and one that writes.
    begin_read: tuple[str, ...]
    begin_write: tuple[str, ...]
    #: What the library raises, and which of those errors are caused by the values in a statement.
    error: type[Exception]
    value_errors: tuple[type[Exception], ...]
    #: The errors of a statement that has waited for a lock for too long.
    lock_timeout: type[Exception]

    def connect(self) -> Any:
        """Return a new connection."""

    def begin(self, raw: Any, statements: Sequence[str], *, wait: bool) -> bool:
        """Begin a transaction now, or return False to have these statements sent together with the first one.

        With `wait=False`, raises at once if another process is writing to a SQLite file.
        """

    def translate(self, statement: str) -> str:
        """Return a statement with the placeholders that the library expects."""

    def commit_early(self, raw: Any) -> None:
        """Commit inside a pipeline, whose end waits until that is durable; locks may be released before."""

    def pipeline(self, raw: Any) -> AbstractContextManager[object]:
        """Return a block whose statements are sent together, and are done at its end."""

    def stream(self, raw: Any, statement: str, given: Mapping[str, Any], size: int) -> Generator[tuple[Any, ...]]:
        """Yield rows, fetching `size` of them at a time."""

    def is_closed(self, raw: Any) -> bool:
        """Whether a connection can no longer be used."""

    def is_transient(self, error: Exception) -> bool:
        """Whether the same transaction may succeed when it is retried."""

    def advise(self, error: Exception) -> str:
        """Return what a user can do about an error, or an empty text."""
