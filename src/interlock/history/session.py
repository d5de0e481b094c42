"""SQL over the history of a store or an export, in an embedded DuckDB without access to files and network."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.fs

from interlock.errors import InterlockError, MissingError, TamperedError
from interlock.history.export_files import MARKER, files_of, read_marker
from interlock.history.export_place import ExportPlace
from interlock.history.record_table import SCHEMA
from interlock.history.store_scan import COLUMNS_SQL, StoreScan, last_record
from interlock.history.views import SOURCES, VIEWS
from interlock.patterns import late
from interlock.store.connection import sql_list
from interlock.store.database import Database
from interlock.store.migrate import prepare
from interlock.store.url import parse_url

MEMORY = "1GB"
LEAST_MEGABYTES = 100
MEGABYTES_OF_A_THREAD = 150
_AMOUNT = late(r"(\d{1,7}) ?([MG])I?B?")
#: Settings that isolate DuckDB. The last one locks them all.
_SHUT_IN = (
    "TimeZone = 'UTC'",
    "errors_as_json = true",
    "python_enable_replacements = false",
    "autoinstall_known_extensions = false",
    "autoload_known_extensions = false",
    "allow_community_extensions = false",
    "allow_persistent_secrets = false",
    "enable_external_access = false",
    "lock_configuration = true",
)
_STORES = ("sqlite:", "postgresql:", "postgres:")
_BATCH = 2_000
_EXPLAIN = "EXPLAIN "
#: What follows the message in some errors: settings that are locked here, and a traceback of Python.
_ADVICE = late(r"\n\nPossible solutions|\.? Detail: Python exception")
_MORE_MEMORY = "; the query may use more memory with `--memory 4GB` or `memory=`"


class _DuckError(msgspec.Struct, frozen=True):
    """An error of DuckDB, as it writes it in JSON."""

    exception_message: str
    position: int | None = None


class History:
    """A history that is open for queries."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def query(self, sql: str) -> pa.Table:
        """Return the result of a query as an Arrow table."""
        return self.stream(sql).read_all()

    def stream(self, sql: str) -> pa.RecordBatchReader:
        """Return the result of a query in batches, so that it may be larger than memory."""
        _check_statement(self._connection, sql)
        with _explain_errors(_EXPLAIN + sql, len(_EXPLAIN)):
            self._connection.execute(_EXPLAIN + sql)  # unlike `sql`, it reports the position of an error
        with _explain_errors(sql):
            reader = self._connection.sql(sql).to_arrow_reader(_BATCH)
        return pa.RecordBatchReader.from_batches(reader.schema, _read(reader, sql))


@contextlib.contextmanager
def open_history(source: str | Database, *, memory: str = MEMORY) -> Iterator[History]:
    """Give the history of a store (`sqlite:///…`, `postgresql://…`) or of an export (a folder or a URL).

    `memory` limits what a query holds in memory; larger intermediate results go to a temporary folder.
    """
    with contextlib.ExitStack() as stack:
        spill = stack.enter_context(tempfile.TemporaryDirectory(prefix="interlock-query-"))
        connection = duckdb.connect(":memory:", config={"temp_directory": spill, **_limits(memory)})
        stack.callback(connection.close)
        connection.execute("CREATE SCHEMA source")
        if isinstance(source, Database):
            _add_store(connection, source)
        elif source.startswith(_STORES):
            _add_store(connection, stack.enter_context(_open_store(source)))
        else:
            _add_export(connection, ExportPlace(source))
        for view in VIEWS:
            connection.execute(view.sql)
        for setting in _SHUT_IN:
            connection.execute(f"SET {setting}")
        yield History(connection)


def query(sql: str, source: str | Database, *, memory: str = MEMORY) -> pa.Table:
    """Return the result of a query over a store or an export as an Arrow table."""
    with open_history(source, memory=memory) as history:
        return history.query(sql)


def _limits(memory: str) -> dict[str, Any]:
    """Return the settings for an amount of memory. Each thread needs a part of it that cannot go to the disk."""
    found = _AMOUNT.fullmatch(memory.strip().upper())
    megabytes = int(found[1]) * (1_000 if found[2] == "G" else 1) if found else 0
    if megabytes < LEAST_MEGABYTES:
        raise InterlockError(f"`{memory}` is not an amount of memory of {LEAST_MEGABYTES}MB or more; write `2GB`")
    threads = max(1, min(os.cpu_count() or 1, megabytes // MEGABYTES_OF_A_THREAD))
    return {"memory_limit": f"{megabytes}MB", "threads": threads}


@contextlib.contextmanager
def _open_store(url: str) -> Iterator[Database]:
    """Give the database of a store that exists."""
    place = parse_url(url)
    if place.is_sqlite and not Path(place.path).exists():
        raise MissingError(f"there is no store at `{place.path}`")
    database = Database(url)
    try:
        prepare(database)
        yield database
    finally:
        database.close()


def _add_store(connection: Any, database: Database) -> None:
    """Let DuckDB read the records of a store, of each group of kinds apart."""
    last = last_record(database)
    for name, kinds in SOURCES.items():
        connection.register(f"store_{name}", StoreScan(database, last, kinds))
        connection.execute(f"CREATE VIEW source.{name} AS SELECT {COLUMNS_SQL} FROM store_{name}")


def _add_export(connection: Any, place: ExportPlace) -> None:
    """Let DuckDB read the files of an export. Arrow opens them, so DuckDB itself needs no access to files."""
    connection.register("export_records", _dataset(place))
    for name, kinds in SOURCES.items():
        where = f" WHERE kind IN {sql_list(kinds)}" if kinds else ""
        connection.execute(f"CREATE VIEW source.{name} AS SELECT * FROM export_records{where}")


def _dataset(place: ExportPlace) -> ds.Dataset:
    marker = read_marker(place)
    if marker is None:
        raise MissingError(f"there is no export at `{place.shown}`: `{MARKER}` is missing")
    files = [file for file in files_of(place.names(), marker) if file.last <= marker.seq]
    last = files[-1].last if files else marker.base_seq
    if last < marker.seq:
        gap = f"the files with record {last + 1:,} and later are missing"
        raise TamperedError(f"`{place.shown}` is not whole: {gap}; run `interlock audit verify {place.shown}`")
    handler = pyarrow.fs.PyFileSystem(pyarrow.fs.FSSpecHandler(place.fs))
    return ds.dataset(
        [place.path(file.name) for file in files],
        schema=SCHEMA.append(pa.field("day", pa.date32())),
        format="parquet",
        filesystem=handler,
        partitioning=ds.HivePartitioning(pa.schema([("day", pa.date32())])),
    )


def _check_statement(connection: Any, sql: str) -> None:
    """Raise unless a text is one statement that reads."""
    with _explain_errors(sql):
        statements = connection.extract_statements(sql)
    kinds = [statement.type for statement in statements]
    if kinds != [duckdb.StatementType.SELECT]:
        found = ", ".join(kind.name for kind in kinds) or "nothing"
        raise InterlockError(f"a query is one SELECT statement; found {found}")


def _read(reader: pa.RecordBatchReader, sql: str) -> Iterator[pa.RecordBatch]:
    """Yield the batches of a result."""
    with _explain_errors(sql):
        yield from reader


@contextlib.contextmanager
def _explain_errors(sql: str, start: int = 0) -> Iterator[None]:
    """Turn an error of DuckDB into one line, with the position in the query, which begins at `start`."""
    try:
        yield
    except (duckdb.Error, pa.ArrowException, OSError) as error:  # Arrow passes some errors on as `OSError`
        raise InterlockError(_describe(str(error), sql, start)) from None


def _describe(text: str, sql: str, start: int) -> str:
    """Return an error of DuckDB as one line."""
    kind, begins, rest = text.partition("{")
    try:
        found = msgspec.json.decode(begins + rest, type=_DuckError, strict=False)
    except msgspec.MsgspecError:
        found = _DuckError(kind + begins + rest.partition("\n\nLINE ")[0])
    place = "" if found.position is None else _place_in(sql.encode(), found.position, start)
    message = " ".join(_ADVICE.split(found.exception_message)[0].split())[:500]
    return f"{place}{message}{_MORE_MEMORY if kind.startswith('Out of Memory') else ''}"


def _place_in(sql: bytes, position: int, start: int) -> str:
    """Return a position in a query as its line and column."""
    before = sql[start:position].decode("utf-8", "ignore")
    return f"line {before.count(chr(10)) + 1}, column {len(before) - before.rfind(chr(10))}: "
