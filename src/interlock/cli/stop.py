"""`interlock stop`: refuse every action of an agent, an API key, or all agents, at once."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from interlock.audit.identity import user_name
from interlock.audit.stops import Stops, StopTarget
from interlock.cli.local_time import full_time
from interlock.cli.open_store import OpenStore, open_store
from interlock.cli.person import require_person
from interlock.errors import InterlockError
from interlock.sanitise import plain
from interlock.show import columns, console, print_json_lines

if TYPE_CHECKING:
    from interlock.cli.commands.options import Store


def change(store: Store, agent: str | None, key: str | None, *, everything: bool, reason: str, lift: bool) -> int:
    """Stop an agent, a key, or all agents, or lift the stop."""
    check_one("stop", agent, key, everything=everything)
    if lift:
        require_person("stop --lift")
    with open_store(store.store, store.config, make=not lift) as found:
        kept, target = Stops(found.journal), find_target(found, agent, key)
        done = kept.lift(target, user_name()) if lift else kept.stop(target, user_name(), reason)
    if lift:
        print(f"{target} can act again")
        return 0
    again = "--all" if everything else f"--key {plain(key)}" if key else shlex.quote(plain(agent or ""))
    whose = "sent with it" if key else f"of {target}"
    print(f"{done}; every action {whose} is refused until `interlock stop {again} --lift`")
    return 0


def check_one(command: str, agent: str | None, key: str | None, *, everything: bool) -> None:
    """Raise unless a command names exactly one agent, one key, or everything."""
    if [agent is not None, key is not None, everything].count(True) != 1:
        raise InterlockError(
            f"name one agent, or use `--key NAME` or `--all`: `interlock {command} --all` concerns every agent"
        )


def find_target(found: OpenStore, agent: str | None, key: str | None) -> StopTarget:
    """Return the target that a command names: an agent, a key, or everything."""
    if key is None:
        return StopTarget(agent)
    from interlock.access.keys import AccessKeys

    one = AccessKeys(found.journal).find(key)
    return StopTarget(key_id=one.key_id, key_name=one.name)


def show(store: Store, *, as_json: bool) -> int:
    """Print the stops and pauses that are in force."""
    with open_store(store.store, store.config) as found:
        active = Stops(found.journal).list()
    if as_json:
        print_json_lines(active)
        return 0
    if not active:
        print("nothing is stopped or paused")
        return 0
    table = columns("target", "state", "by", "since", "until", "reason")
    for stop in active:
        state, until = ("paused", stop.until) if stop.pauses else ("stopped", "a person lifts the stop")
        since = full_time(stop.stopped_at)
        table.add_row(str(stop.target), state, plain(stop.stopped_by), since, until, plain(stop.reason))
    console().print(table)
    return 0
