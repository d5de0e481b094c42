"""The audit record as tables: exports, queries, and replays of past actions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.lazy import load

if TYPE_CHECKING:
    from interlock.history.replay.result_table import decide_table
    from interlock.history.replay.setup import ReplaySetup, load_setup
    from interlock.history.session import History, open_history, query

#: Imported on use, since a hook needs none of them.
_PLACES = {
    "History": "session:History",
    "ReplaySetup": "replay.setup:ReplaySetup",
    "decide_table": "replay.result_table:decide_table",
    "load_setup": "replay.setup:load_setup",
    "open_history": "session:open_history",
    "query": "session:query",
}
#: These do not need the libraries of `interlock[history]`.
_PLAIN = frozenset({"ReplaySetup", "load_setup"})


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module `{__name__}` has no `{name}`")
    if name not in _PLAIN:
        from interlock.history.extra import require_extra

        require_extra()
    return load(__name__, _PLACES[name])


__all__ = ["History", "ReplaySetup", "decide_table", "load_setup", "open_history", "query"]
