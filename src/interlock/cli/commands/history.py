"""`interlock history`: the record as a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from interlock.cli.commands.options import USUAL, Count, Flag, Store

group = App(name="history", help="Export the record as Parquet, and query it with SQL.")


@group.command(name="export")
def history_export(
    dest: str, *, key: Annotated[tuple[str, ...], Parameter(negative="")] = (), json: Flag = False, store: Store = USUAL
) -> int:
    """Write the record as Parquet files, partitioned by day. A later export to the same place adds what is new.

    Each file has a signed proof beside it; `interlock audit verify DEST` checks all of them without the store.
    Records are masked as they were when they were written (`[audit]` in docs/audit.md).

    Examples: `interlock history export /backup/interlock`, `interlock history export s3://bucket/interlock`,
    `interlock history export /backup/interlock --store postgresql://db/interlock`.

    Parameters
    ----------
    dest
        A folder, or the URL of an object store such as `s3://bucket/path`, for which its fsspec driver is installed.
    key
        A public key of another machine that exports to the same place: `ed25519:…`, as `interlock audit key` prints it.
    json
        Write the result as JSON.
    """
    from interlock.cli import history as command

    return command.export(store, dest, key, as_json=json)


@group.command(name="query")
def history_query(
    sql: str,
    dest: str | None = None,
    *,
    limit: Count | None = None,
    memory: str = "1GB",
    json: Flag = False,
    csv: Flag = False,
    out: Path | None = None,
    store: Store = USUAL,
) -> int:
    """Run a SQL query over the store, or over an export. It can only read the views below.

    Views: actions, findings, approvals, runs, records. `interlock history views` lists their columns.

    Examples: `interlock history query "select verdict, count(*) from actions group by all"`,
    `interlock history query "select rule, count(*) from findings group by all order by 2 desc" s3://bucket/interlock`,
    `interlock history query "from actions where level = 'high'" --out high.parquet`.

    Parameters
    ----------
    sql
        One SELECT statement, as DuckDB takes it.
    dest
        An export (a folder or a URL) to read, instead of the store.
    limit
        At most this many rows: 100 in the terminal, otherwise all.
    memory
        How much memory the query may use. What is larger goes to temporary files.
    json
        Write one JSON object per line.
    csv
        Write CSV, with a header.
    out
        A Parquet file to write, which must not exist.
    """
    from interlock.cli import history as command

    return command.query(store, sql, command.Output(dest, limit, memory, json, csv, out))


@group.command(name="views")
def history_views(name: str | None = None, *, json: Flag = False) -> int:
    """List the views that queries read, with their columns.

    Parameters
    ----------
    name
        Only this view.
    json
        Write one JSON object per line.
    """
    from interlock.cli import history as command

    return command.show_views(name, as_json=json)
