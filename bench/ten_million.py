"""Every page of a PostgreSQL store with ten million actions, and what it records a second beside one with ten thousand.

`make tenmillion`, or `python -m bench.ten_million 500000`. `STORE=folder` keeps the database there, and uses it again.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

SMALL = 10_000
ROUNDS, TRIES, GOAL = 5, 3, 300.0
#: How many actions, with their runs, requests and settings, are recorded one by one besides those that are copied.
RECORDED = 100_000
_LARGE, _SMALL = "interlock_large", "interlock_small"


@contextmanager
def _stores(folder: Path, count: int) -> Iterator[tuple[str, str]]:
    """Give the URLs of a large and a small store, filled if they are new."""
    import psycopg
    from tests.world.postgres import Server

    postgres = Server(folder / "postgres", own=True)
    try:
        urls = [urlsplit(postgres.url)._replace(path=f"/{name}").geturl() for name in (_LARGE, _SMALL)]
        with psycopg.connect(postgres.url, autocommit=True) as connection:
            found = connection.execute("SELECT datname FROM pg_database").fetchall()
            new = [name for name in (_LARGE, _SMALL) if (name,) not in found]
            for name in new:
                connection.execute(f"CREATE DATABASE {name}")
        if new:
            _fill(urls[0], count, recorded=True)
            _fill(urls[1], SMALL, recorded=False)
        yield urls[0], urls[1]
    finally:
        postgres.stop()


def _fill(store: str, count: int, *, recorded: bool) -> None:
    from bench.copied_actions import MONTHS, copy_actions
    from bench.million_store import Builder
    from interlock.gate import Gate

    began = time.perf_counter()
    with Gate(store=store) as gate:
        copy_actions(gate.journal, count, parts=MONTHS if recorded else 1)
        print(f"  {count:,} actions copied in {time.perf_counter() - began:.0f} s", flush=True)
        if recorded:
            Builder(gate).build()
            print(f"  the last month recorded after {time.perf_counter() - began:.0f} s", flush=True)
    _vacuum(store)


def _vacuum(store: str) -> None:
    """Do what autovacuum would have done by now."""
    import psycopg

    with psycopg.connect(store, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")


def _time_pages(store: str, folder: Path) -> None:
    """Print how long the slowest pages took, and how many were slower than the goal."""
    from bench.million import _got, pages
    from bench.serving import serving

    found: list[tuple[float, float, str]] = []
    with serving(store, folder) as (port, key, process):
        for path in pages():
            tries = [_got(port, key, path, process) for _ in range(TRIES)]
            taken, worked = (min(one[at] for one in tries) * 1_000 for at in (0, 1))
            found.append((taken, worked, path))
    found.sort(reverse=True)
    slow = sum(taken > GOAL for taken, _, _ in found)
    median = statistics.median(taken for taken, _, _ in found)
    print(
        f"  {len(found)} pages: median {median:.0f} ms, {slow} above {GOAL:.0f} ms; the slowest, best of {TRIES} tries:"
    )
    for taken, worked, path in found[: max(15, slow)]:
        print(f"    {taken:7.0f} ms  {worked:5.0f} ms in the server  {path}", flush=True)


def _compare_writing(large: str, small: str, folder: Path) -> None:
    """Print how many decisions a gate records a second in each store, in turns."""
    from bench.growth import decide_together

    rounds = [[decide_together(store, folder, 1) for store in (large, small)] for _ in range(ROUNDS)]
    many, few = (statistics.median(found[at] for found in rounds) for at in (0, 1))
    ratio = statistics.median(found[0] / found[1] for found in rounds)
    each = ", ".join(f"{found[0] / found[1]:.2f}" for found in rounds)
    print(f"  recorded a second: {many:.0f} in the large store, {few:.0f} in the small one: {ratio:.2f} × ({each})")


def ten_million(count: int) -> None:
    """Fill both stores, and print what their pages and writes take."""
    os.environ.setdefault("ACTIONS", str(RECORDED))
    with ExitStack() as stack:
        temporary = stack.enter_context(tempfile.TemporaryDirectory(prefix="interlock-ten-million-"))
        folder = Path(os.environ.get("STORE", temporary)).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "interlock.toml").write_text("[approvals]\none_person = true\n")  # requests are assigned to anyone
        os.environ["INTERLOCK_HOME"] = str(folder)
        print(f"\n  PostgreSQL, {count:,} copied actions over 11 months and {os.environ['ACTIONS']} recorded ones")
        large, small = stack.enter_context(_stores(folder, count))
        _compare_writing(large, small, folder)
        _time_pages(large, folder)


if __name__ == "__main__":
    ten_million(int(sys.argv[1]) if sys.argv[1:] else 10_000_000)
