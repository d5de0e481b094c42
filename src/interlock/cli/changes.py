"""`interlock changes`: list the changes of people, keys, webhooks, channels, grants and settings, and undo one."""

from __future__ import annotations

from getpass import getpass
from typing import TYPE_CHECKING

from interlock.access.keys import AccessKeys
from interlock.access.people import People
from interlock.audit.identity import user_name
from interlock.cli.local_time import local_time, zone_name
from interlock.cli.open_store import OpenStore, open_store
from interlock.cli.person import require_person
from interlock.errors import InterlockError, nearest
from interlock.sanitise import plain
from interlock.server.administration.changes import KINDS, Change, list_changes
from interlock.server.administration.inverses import name_secret
from interlock.server.administration.recent_changes import find_obstacle
from interlock.server.administration.targets import AdministeredStore
from interlock.server.administration.undo import plan_undo, undo
from interlock.server.notify.stored_channels import StoredChannels
from interlock.server.webhooks.address_policy import AddressPolicy
from interlock.server.webhooks.webhook import Webhooks
from interlock.show import columns, console, print_json_lines
from interlock.store.clock import now

if TYPE_CHECKING:
    from interlock.cli.commands.options import Store


def list_all(store: Store, of: str | None, *, limit: int, as_json: bool) -> int:
    """Print the newest changes, and whether each can be undone."""
    if of is not None and of not in KINDS:
        raise InterlockError(f"there are no changes of `{plain(of)[:40]}`{nearest(of, KINDS)}")
    with open_store(store.store, store.config) as found:
        things, changes = _collect_administered(found), list_changes(found.database, of, limit=limit)
        obstacles = [find_obstacle(things, one, user_name()) for one in changes]
    if as_json:
        print_json_lines([{**one.to_dict(), "cannotUndo": why} for one, why in zip(changes, obstacles, strict=True)])
        return 0
    if not changes:
        print("no changes on record")
        return 0
    at = now().wall
    table = columns("record", f"when ({zone_name()})", "by", "change", "undo")
    for one, why in zip(changes, obstacles, strict=True):
        table.add_row(str(one.seq), local_time(one.at, at), plain(one.actor), _words(one), plain(why) or "possible")
    console().print(table)
    return 0


def _words(change: Change) -> str:
    return "\n".join(map(plain, (change.what, *change.details)))


def undo_change(store: Store, record_id: str, *, yes: bool) -> int:
    """Print the effect of undoing a change, ask for confirmation, and undo it."""
    require_person("changes undo")
    with open_store(store.store, store.config) as found:
        things = _collect_administered(found)
        inverse = plan_undo(things, record_id, user_name())
        print(plain(inverse.does))
        if not yes and not _confirm():
            print("nothing was changed")
            return 1
        secrets = {name: getpass(f"Previous {name_secret(name)}: ").strip() for name in inverse.asks}
        undo(things, record_id, user_name(), confirmed=True, secrets=secrets)
    print("undone, and recorded as a new change")
    return 0


def _confirm() -> bool:
    """Ask for confirmation; no answer means no."""
    try:
        return input("Undo this change? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False


def _collect_administered(found: OpenStore) -> AdministeredStore:
    journal, policy = found.journal, AddressPolicy(found.config.server.webhooks_inside)
    channels = StoredChannels(journal, lambda: found.config.channels)
    people, keys, webhooks = People(journal), AccessKeys(journal), Webhooks(journal, policy)
    return AdministeredStore(journal, people, keys, webhooks, channels, found.grants)
