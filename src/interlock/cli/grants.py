"""`interlock grants`: list and revoke grants."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from interlock.approval.grants import Grant
from interlock.approval.request import GrantScope
from interlock.audit.identity import user_name
from interlock.cli.local_time import local_time, zone_name
from interlock.cli.open_store import open_store
from interlock.sanitise import plain
from interlock.show import columns, console, print_json_lines
from interlock.store.clock import now

if TYPE_CHECKING:
    from interlock.cli.commands.options import Store

_SCOPES = {GrantScope.MINUTES: "15 minutes", GrantScope.DAY: "a day", GrantScope.ALWAYS: "always"}


def list_all(store: Store, *, everything: bool, limit: int, as_json: bool) -> int:
    """Print the grants in force, or all."""
    with open_store(store.store, store.config) as found:
        grants = found.grants.list(everything=everything, limit=limit)
    if as_json:
        print_json_lines(grants)
        return 0
    if not grants:
        print("no grants" if everything else "no active grants")
        return 0
    at = now().wall
    table = columns("id", "for", "by", f"until ({zone_name()})", "uses", "last used", "covers")
    for grant in grants:
        table.add_row(*_cells(grant, at))
    console().print(table)
    return 0


def _cells(grant: Grant, at: int) -> tuple[str | Text, ...]:
    state = grant.state(at)
    until = local_time(grant.expires_at or 0, at) if state == "active" else Text(state, "dim")
    last = "never" if grant.last_used_at is None else local_time(grant.last_used_at, at)
    covers = plain(grant.shown) if grant.shape else f"exactly: {plain(grant.shown)[:120]}"
    scope = _SCOPES.get(grant.scope, f"run {grant.run_id[:8]}")
    return grant.grant_id[:8], scope, plain(grant.granted_by), until, str(grant.uses), last, covers


def revoke(store: Store, grant_id: str) -> int:
    """Revoke a grant."""
    with open_store(store.store, store.config) as found:
        grant = found.grants.revoke(grant_id, user_name())
    print(f"{grant.grant_id[:8]} is revoked; the actions that it covered need approval again")
    return 0
