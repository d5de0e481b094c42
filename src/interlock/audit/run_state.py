"""What a run has done so far, read from the chain: its calls, its downloads, and the files that it wrote."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from interlock.audit.content_store import ContentStore
from interlock.model import MAX_FILES, RunState, Written, kept
from interlock.store.connection import Connection

_OF_KIND = "FROM interlock_records WHERE run_id = :run_id AND kind ="


def load_run_state(connection: Connection, run_id: str, content: ContentStore) -> RunState:
    """Return how often a run called each tool, and what it has downloaded and written, in whichever process."""
    counted = connection.tuples(f"SELECT name, count(*) {_OF_KIND} 'decision' GROUP BY name", run_id=run_id)
    calls = {str(name): int(times) for name, times in counted}
    downloaded = frozenset(connection.values(f"SELECT name {_OF_KIND} 'download'", run_id=run_id))
    return RunState(calls=calls, downloaded=downloaded, written=_load_written(connection, run_id, content))


def count_actions(connection: Connection, run_id: str) -> int:
    """Return how many actions of a run were decided."""
    return int(connection.value(f"SELECT count(*) {_OF_KIND} 'decision'", run_id=run_id))


def _load_written(connection: Connection, run_id: str, content: ContentStore) -> dict[str, Written]:
    """Return the files that a run has written, each as it was written last."""
    last: dict[str, Mapping[str, Any]] = {}
    for body in connection.values(f"SELECT body {_OF_KIND} 'written' ORDER BY seq", run_id=run_id):
        data = msgspec.json.decode(body)["data"]
        last.pop(data["path"], None)
        last[data["path"]] = data
    newest = list(last.items())[-MAX_FILES:]
    return kept({path: _load_file(data, content) for path, data in newest})


def _load_file(data: Mapping[str, Any], content: ContentStore) -> Written:
    if not data["digest"]:
        return Written(None, data["state"])
    text = content.get(data["digest"])
    return Written(text, data["state"] if text is not None else "changed")
