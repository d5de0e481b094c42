"""Watching event loops: nothing that can block may be called in a thread whose loop is running.

A loop is blocked by what its thread waits for. `watch_loops` notes each such call, so that no test measures time; how
late a loop really is, `bench/loops.py` measures.
"""

from __future__ import annotations

import asyncio
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from interlock.audit.journal import Journal
from interlock.audit.spool import Spool
from interlock.store.database import Database

#: What waits for a disk, a database, another thread or the clock.
BLOCKING: tuple[tuple[Any, str], ...] = (
    (Database, "read"),
    (Database, "write"),
    (Journal, "commit"),
    (Journal, "flush"),
    (Spool, "append"),
    (Spool, "merge"),
    (time, "sleep"),
)


@contextmanager
def watch_loops(*, except_for: tuple[str, ...] = ()) -> Iterator[list[str]]:
    """Give the list of blocking calls in threads of running loops. It must be empty at the end."""
    found: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        for owner, name in BLOCKING:
            if name not in except_for:
                patch.setattr(owner, name, _watched(getattr(owner, name), name, found))
        yield found
    assert not found, "\n".join(found)


def _watched(function: Callable[..., Any], name: str, found: list[str]) -> Callable[..., Any]:
    def call(*given: Any, **named: Any) -> Any:
        if asyncio._get_running_loop() is not None:
            found.append(f"`{name}` in the thread of a loop:\n" + "".join(traceback.format_stack(limit=8)[:-1]))
        return function(*given, **named)

    return call


async def tick(times: int = 50) -> None:
    """Let the loop go round."""
    for _ in range(times):
        await asyncio.sleep(0)
