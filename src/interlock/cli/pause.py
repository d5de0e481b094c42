"""`interlock pause` and `interlock resume`: hold the actions of an agent, an API key, or all agents."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from interlock.audit.identity import user_name
from interlock.audit.stops import Stops
from interlock.cli.durations import parse_duration
from interlock.cli.open_store import open_store
from interlock.cli.person import require_person
from interlock.cli.stop import check_one, find_target
from interlock.sanitise import plain

if TYPE_CHECKING:
    from interlock.cli.commands.options import Store


def pause(store: Store, agent: str | None, key: str | None, *, everything: bool, length: str, reason: str) -> int:
    """Pause an agent, a key, or all agents."""
    check_one("pause", agent, key, everything=everything)
    seconds = parse_duration(length) if length else None
    with open_store(store.store, store.config, make=True) as found:
        made = Stops(found.journal).pause(find_target(found, agent, key), user_name(), reason, seconds)
    again = "--all" if everything else f"--key {plain(key)}" if key else shlex.quote(plain(agent or ""))
    print(f"{made}; callers that wait are held, and other actions are refused; `interlock resume {again}` ends it")
    return 0


def resume(store: Store, agent: str | None, key: str | None, *, everything: bool) -> int:
    """End the pause of an agent, a key, or all agents."""
    check_one("resume", agent, key, everything=everything)
    require_person("resume")
    with open_store(store.store, store.config) as found:
        target = find_target(found, agent, key)
        Stops(found.journal).resume(target, user_name())
    print(f"{target} can act again")
    return 0
