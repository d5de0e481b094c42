"""`interlock stop`: refuse every action of an agent, or of all agents, at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.audit.identity import user_name
from interlock.audit.stops import Stops
from interlock.cli.open_store import open_store
from interlock.cli.person import require_person
from interlock.errors import InterlockError
from interlock.sanitise import plain
from interlock.show import columns, console, print_json_lines
from interlock.store.clock import format_time

if TYPE_CHECKING:
    from interlock.cli.commands.options import Store


def change(store: Store, agent: str | None, *, everything: bool, reason: str, lift: bool) -> int:
    """Stop an agent or all, or lift that."""
    if (agent is None) is not everything:
        raise InterlockError("name one agent, or write `--all`: `interlock stop --all --reason 'strange mails'`")
    if lift:
        require_person("stop --lift")
    with open_store(store.store, store.config, make=not lift) as found:
        kept = Stops(found.journal)
        done = kept.lift(agent, user_name()) if lift else kept.stop(agent, user_name(), reason)
    what = "all agents" if agent is None else f"agent `{plain(agent)}`"
    if lift:
        print(f"{what} may act again")
    else:
        again = "--all" if agent is None else plain(agent)
        print(f"{done}; every action of {what} is refused until `interlock stop {again} --lift`")
    return 0


def show(store: Store, *, as_json: bool) -> int:
    """Print the stops that are in force."""
    with open_store(store.store, store.config) as found:
        active = Stops(found.journal).list()
    if as_json:
        print_json_lines(active)
        return 0
    if not active:
        print("nothing is stopped")
        return 0
    table = columns("agent", "stopped by", "since", "reason")
    for stop in active:
        who = "all" if stop.agent_id is None else plain(stop.agent_id)
        table.add_row(who, plain(stop.stopped_by), format_time(stop.stopped_at), plain(stop.reason))
    console().print(table)
    return 0
