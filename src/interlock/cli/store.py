"""`interlock store`: create, migrate, inspect, prune and back up the store."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from interlock.audit.chain import read_head
from interlock.audit.identity import user_name
from interlock.audit.prune import count_prunable, prune
from interlock.audit.stored_settings import retention_in_force
from interlock.cli.local_time import full_time
from interlock.cli.open_store import OpenStore, find_database, open_store
from interlock.errors import InterlockError
from interlock.learning.usage import recount_usage
from interlock.metrics.action_index import rebuild
from interlock.metrics.counters import recount
from interlock.patterns import late
from interlock.show import console, pairs
from interlock.store.backup import back_up
from interlock.store.clock import MICROSECONDS, now
from interlock.store.migrate import NEWEST, migrate, schema_version
from interlock.store.url import sqlite_url

if TYPE_CHECKING:
    from interlock.cli.commands.options import Store

_AGE = late(r"(\d{1,5})\s*(h|d|w|m|y)(?:ours?|ays?|eeks?|onths?|ears?)?")
_HOURS = {"h": 1, "d": 24, "w": 24 * 7, "m": 24 * 30, "y": 24 * 365}


def init(store: Store) -> int:
    """Create an empty store, unless it already exists."""
    database = find_database(store.store, store.config)
    with database.read() as connection:
        found = schema_version(connection)
    if found is None:
        migrate(database)
        print(f"created {database.shown}")
    else:
        print(f"{database.shown} already exists, at schema step {found}")
    database.close()
    return 0


def migrate_store(store: Store) -> int:
    """Migrate the schema of a store to the newest version."""
    database = find_database(store.store, store.config)
    before, after = migrate(database)
    print(
        f"{database.shown} is up to date" if before == after else f"{database.shown}: step {before or 'none'} → {after}"
    )
    database.close()
    return 0


def status(store: Store) -> int:
    """Print where a store is and what it holds."""
    with open_store(store.store, store.config) as found:
        rows = _status(found)
    console().print(pairs(rows))
    return 0


def _status(found: OpenStore) -> list[tuple[str, str]]:
    with found.database.read() as connection:
        end = read_head(connection)
        base = end.base_seq
        oldest = connection.value("SELECT min(at) FROM interlock_records")
        waiting = connection.value("SELECT count(*) FROM interlock_approvals WHERE state = 'pending'")
        sessions = connection.value("SELECT count(*) FROM interlock_runs")
    file = Path(found.database.url.path)
    size = [("size", f"{file.stat().st_size / 1_000_000:,.1f} MB")] if found.database.is_sqlite else []
    return [
        ("store", found.database.shown),
        ("schema", f"step {NEWEST}"),
        ("records", f"{end.seq - base:,}" + (f" ({base:,} pruned)" if base else "")),
        ("since", full_time(oldest) if isinstance(oldest, int) else "–"),
        ("runs", f"{sessions:,}"),
        ("waiting", f"{waiting:,} requests"),
        ("signed by", end.key_id or "nobody yet"),
        *size,
    ]


def remove_old(store: Store, age: str, *, yes: bool) -> int:
    """Remove old records, after asking for confirmation."""
    before = now().wall - hours(age) * 3_600 * MICROSECONDS
    with open_store(store.store, store.config) as found:
        floor = retention_in_force(found.journal, found.config).at_least_days
        if hours(age) < floor * 24:
            raise InterlockError(f"`retention.at_least_days` keeps the records of {floor} days; {age} is less")
        count = count_prunable(found.journal, before)
        if not count:
            print(f"nothing is older than {age}")
            return 0
        if not yes:
            if not sys.stdin.isatty():
                raise InterlockError(f"{count:,} records would be removed permanently; confirm with `--yes`")
            print(
                f"{count:,} records older than {age} will be removed permanently. Type the number to continue: ",
                end="",
            )
            if input().strip().replace(",", "") != str(count):
                print("nothing was removed")
                return 1
        removed = prune(found.journal, before, user_name())
        if found.database.is_sqlite:
            found.database.shrink(None)
    print(f"{removed:,} records removed; the rest can still be verified")
    return 0


def hours(age: str) -> int:
    """Return the hours of an age such as `90d`, `12w` or `1y`."""
    found = _AGE.fullmatch(age.strip().lower())
    if not found:
        raise InterlockError(f"`{age}` is not an age; write `90d`, `12w` or `1y`")
    return int(found[1]) * _HOURS[found[2]]


def copy(store: Store, target: Path) -> int:
    """Back a store up into a SQLite file."""
    out = console()
    with open_store(store.store, store.config) as found, out.status("copying") as running:
        rows = back_up(found.database, target.absolute(), lambda done: running.update(f"{done:,} rows"))
    out.print(Text(f"{rows:,} rows in {target}"))
    print(f"`interlock audit verify --store {shlex.quote(sqlite_url(str(target)))}` verifies it")
    return 0


def recount_figures(store: Store) -> int:
    """Compute the figures again from all records."""
    out = console()
    with open_store(store.store, store.config) as found, out.status("counting"):
        counted = recount(found.journal)
        rebuild(found.journal)
        recount_usage(found.journal)
    print(f"{counted:,} records counted")
    return 0
