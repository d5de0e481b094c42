"""`interlock history`: export the record as Parquet, and query it with SQL."""

from __future__ import annotations

import contextlib
import itertools
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from rich.text import Text

from interlock.audit.export import csv_line
from interlock.cli.open_store import open_store
from interlock.errors import InterlockError, MissingError, nearest
from interlock.history.extra import require_extra
from interlock.history.views import VIEWS, SqlView
from interlock.sanitise import plain
from interlock.show import columns, console, pairs, print_json_lines
from interlock.store.files import write_draft

if TYPE_CHECKING:
    import pyarrow as pa

    from interlock.cli.commands.options import Store
    from interlock.history.session import History

#: How many rows a terminal shows, and how much of a cell.
SHOWN_ROWS = 100
SHOWN_CELL = 300
#: Rows with more columns are printed one by one.
TABLE_COLUMNS = 9


class Output(NamedTuple):
    """The source of a query, and the format of its result."""

    dest: str | None
    limit: int | None
    memory: str
    as_json: bool
    as_csv: bool
    out: Path | None


def export(store: Store, dest: str, keys: tuple[str, ...], *, as_json: bool) -> int:
    """Write the new records of a store to a place."""
    require_extra()
    from interlock.history.export import Exporter
    from interlock.history.export_place import ExportPlace

    place, screen = ExportPlace(dest), console()
    with open_store(store.store, store.config) as found, screen.status("reading") as status:
        exporter = Exporter(found.journal, found.key, found.key_ring(keys), place, found.folder)
        result = exporter.run(lambda done, all_: status.update(f"{done:,} of {all_:,} records"))
    if as_json:
        print(msgspec.json.encode(result).decode())
    elif result.records:
        files = "1 new file" if result.files == 1 else f"{result.files:,} new files"
        print(f"{result.records:,} records in {files}, up to record {result.last}")
        print(f"`interlock audit verify {place.shown}` checks them")
    else:
        print(f"nothing new: {place.shown} has every record up to {result.last}")
    return 0


def query(store: Store, sql: str, output: Output) -> int:
    """Run a query, and print its rows or write them to a file."""
    if sum((output.as_json, output.as_csv, output.out is not None)) > 1:
        raise InterlockError("choose one of `--json`, `--csv` and `--out`")
    if output.out is not None and output.out.exists():
        raise InterlockError(f"`{output.out}` already exists; a query does not overwrite files")
    with _open(store, output) as history:
        with console().status("running the query"):
            rows = _start_result(history.stream(sql))
        _write(rows, output)
    return 0


@contextlib.contextmanager
def _open(store: Store, output: Output) -> Iterator[History]:
    """Give the history that a query reads."""
    require_extra()
    from interlock.history.session import open_history

    if output.dest is not None:
        with open_history(output.dest, memory=output.memory) as history:
            yield history
        return
    with open_store(store.store, store.config) as found, open_history(found.database, memory=output.memory) as history:
        yield history


def _start_result(result: pa.RecordBatchReader) -> pa.RecordBatchReader:
    """Return a result once its first rows are there."""
    import pyarrow as pa

    first = next(result, None)
    batches = [] if first is None else [first]
    return pa.RecordBatchReader.from_batches(result.schema, itertools.chain(batches, result))


def _write(rows: pa.RecordBatchReader, output: Output) -> None:
    result = _take_rows(rows, output.limit)
    if output.out is not None:
        count = _write_parquet(result, output.out)
        print(f"{count:,} rows in {output.out}")
    elif output.as_json:
        for batch in result:
            print_json_lines(batch.to_pylist())
    elif output.as_csv:
        sys.stdout.write(csv_line(result.schema.names))
        for batch in result:
            sys.stdout.writelines(csv_line(map(_cell, row.values())) for row in batch.to_pylist())
    else:
        _show(rows, output.limit or SHOWN_ROWS)


def _take_rows(result: pa.RecordBatchReader, limit: int | None) -> pa.RecordBatchReader:
    """Return the first rows of a result."""
    if limit is None:
        return result
    import pyarrow as pa

    def first_rows() -> Iterator[pa.RecordBatch]:
        left = limit
        for batch in result:
            yield batch.slice(0, left)
            left -= batch.num_rows
            if left <= 0:
                return

    return pa.RecordBatchReader.from_batches(result.schema, first_rows())


def _show(result: pa.RecordBatchReader, most: int) -> None:
    """Print rows as a table, or one by one if they are wide, and a note if there are more."""
    rows, more = list[dict[str, Any]](), False
    for batch in result:
        left = most - len(rows)
        rows += batch.slice(0, left).to_pylist()
        more = batch.num_rows > left
        if more:
            break
    screen = console()
    if not rows:
        screen.print("no rows")
    elif len(result.schema.names) > TABLE_COLUMNS:
        for row in rows:
            screen.print(pairs([(plain(name), _render_cell(value)) for name, value in row.items()]))
            screen.print()
    else:
        table = columns(*map(plain, result.schema.names))
        for row in rows:
            table.add_row(*map(_render_cell, row.values()))
        screen.print(table)
    if more:
        screen.print(Text(f"only the first {most:,} rows; `--limit`, `--csv` or `--out FILE` give more", "dim"))


def _render_cell(value: Any) -> Text:
    text = plain(value.strftime("%Y-%m-%d %H:%M:%S") if isinstance(value, datetime) else _cell(value))
    return Text(text[:SHOWN_CELL] + ("…" if len(text) > SHOWN_CELL else ""))


def _cell(value: Any) -> str:
    """Return a value as one text."""
    if value is None:
        return ""
    if isinstance(value, list | dict):
        return msgspec.json.encode(value).decode()
    return str(value)


def _write_parquet(result: pa.RecordBatchReader, out: Path) -> int:
    """Write rows to a new file, which appears once it is whole; return how many there are."""
    import pyarrow.parquet as pq

    count = 0
    try:
        draft = write_draft(out, b"", durable=False)
        try:
            with pq.ParquetWriter(draft, result.schema, compression="zstd") as writer:
                for batch in result:
                    writer.write_batch(batch)
                    count += batch.num_rows
            out.hardlink_to(draft)  # raises if the file exists by now
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise InterlockError(f"`{out}` cannot be written: {error.strerror or error}") from None
    return count


def show_views(name: str | None, *, as_json: bool) -> int:
    """Print the views and their columns."""
    names = [view.name for view in VIEWS]
    if name is not None and name not in names:
        raise MissingError(f"there is no view `{name}`{nearest(name, names)}")
    views = [view for view in VIEWS if name in (None, view.name)]
    if as_json:
        print_json_lines(map(_view_json, views))
        return 0
    for view in views:
        table = columns("column", "type", "")
        for column in view.columns:
            kind = column.type if not column.type.startswith("STRUCT") else "STRUCT(…)[]"
            table.add_row(column.name, Text(kind.lower(), "dim"), column.what)
        console().print(Text(f"{view.name}: each row is {view.row}", "bold"))
        console().print(table)
    return 0


def _view_json(view: SqlView) -> dict[str, Any]:
    shown = [{"name": column.name, "type": column.type, "what": column.what} for column in view.columns]
    return {"name": view.name, "row": view.row, "columns": shown}
