"""`interlock keys` and `interlock people`: who may come in, and as what."""

from __future__ import annotations

import getpass
import sys
from typing import TYPE_CHECKING

import msgspec
from rich.table import Table
from rich.text import Text

from interlock.access.keys import AccessKey, AccessKeys
from interlock.access.people import ACTIVE, SHUT_OUT, People
from interlock.access.roles import role_named
from interlock.access.sessions import Sessions
from interlock.audit.identity import user_name
from interlock.cli.open_store import OpenStore, open_store
from interlock.errors import InterlockError
from interlock.policy.tiers import plain
from interlock.server.serving import Listen
from interlock.show import console
from interlock.store.clock import format_time, now

if TYPE_CHECKING:
    from interlock.cli.typed.options import Store


def list_keys(store: Store, *, everything: bool, as_json: bool) -> int:
    """Print the keys."""
    at = now().wall
    with open_store(store.store, store.config) as found:
        keys = [key for key in AccessKeys(found.journal).list() if everything or not _over(key, at)]
    if as_json:
        for key in keys:
            print(msgspec.json.encode(key).decode())
        return 0
    if not keys:
        print("there are no keys; `interlock keys create NAME` makes one")
        return 0
    table = Table(box=None, padding=(0, 2), header_style="dim")
    for name in ("id", "name", "role", "acts for", "made", "counts"):
        table.add_column(name)
    for key in keys:
        table.add_row(
            key.key_id, plain(key.name), key.role.value, plain(key.owner), format_time(key.created_at), _until(key, at)
        )
    console().print(table)
    return 0


def _over(key: AccessKey, at: int) -> bool:
    return key.revoked_at is not None or (key.expires_at is not None and key.expires_at <= at)


def _until(key: AccessKey, at: int) -> Text:
    if key.revoked_at is not None:
        return Text("taken back", "dim")
    if key.expires_at is None:
        return Text("until it is taken back")
    return Text("has run out", "dim") if _over(key, at) else Text(f"until {format_time(key.expires_at)}")


def create_key(store: Store, name: str, role: str, owner: str | None, days: int | None) -> int:
    """Make a key, and print it this once."""
    with open_store(store.store, store.config, make=True) as found:
        key, secret = AccessKeys(found.journal).make(
            name, role_named(role), owner=owner or user_name(), actor=user_name(), days=days
        )
    print(secret)
    print(
        f"key `{plain(key.name)}`, {key.role.value}, acts for {plain(key.owner)}. This is the only time it is shown; "
        "send it as `Authorization: Bearer …`",
        file=sys.stderr,
    )
    return 0


def revoke_key(store: Store, text: str) -> int:
    """Take a key back."""
    with open_store(store.store, store.config) as found:
        key = AccessKeys(found.journal).revoke(text, user_name())
    print(f"key `{plain(key.name)}` ({key.key_id}) no longer counts")
    return 0


def list_people(store: Store, *, as_json: bool) -> int:
    """Print who may sign in."""
    with open_store(store.store, store.config) as found:
        people = People(found.journal).list()
    if as_json:
        for person in people:
            print(msgspec.json.encode(person).decode())
        return 0
    if not people:
        print("nobody may sign in yet; `interlock serve` lets you in, `interlock people add NAME` others")
        return 0
    table = Table(box=None, padding=(0, 2), header_style="dim")
    for name in ("name", "role", "state", "password", "added"):
        table.add_column(name)
    for person in people:
        password = "yes" if person.has_password else "none; by link"
        table.add_row(plain(person.name), person.role.value, person.state, password, format_time(person.created_at))
    console().print(table)
    return 0


def add_person(store: Store, name: str, role: str, url: str | None) -> int:
    """Let somebody sign in."""
    with open_store(store.store, store.config, make=True) as found:
        person = People(found.journal).add(name, role_named(role), user_name())
        print(_link(found, person.name, url))
    print(f"{plain(person.name)} can sign in with this link once, within 15 minutes", file=sys.stderr)
    return 0


def link(store: Store, name: str, url: str | None) -> int:
    """Print a link for somebody."""
    with open_store(store.store, store.config) as found:
        person = People(found.journal).get(name)
        if person.state != ACTIVE:
            raise InterlockError(f"`{plain(name)}` is shut out; `interlock people shut-out {name} --undo` lets them in")
        print(_link(found, person.name, url))
    return 0


def _link(found: OpenStore, name: str, url: str | None) -> str:
    where = (url or Listen(settings=found.config.server).url).rstrip("/")
    return f"{where}/sign-in/{Sessions(found.journal, People(found.journal)).link(name)}"


def set_password(store: Store, name: str) -> int:
    """Ask for a password, and give it to somebody."""
    with open_store(store.store, store.config) as found:
        people = People(found.journal)
        people.get(name)
        if sys.stdin.isatty():
            password = getpass.getpass("password: ")
            if getpass.getpass("once more: ") != password:
                raise InterlockError("those were two different passwords; nothing was changed")
        else:
            password = sys.stdin.readline().rstrip("\n")
        people.set_password(name, password, user_name())
    print(f"{plain(name)} can sign in with that password")
    return 0


def change_role(store: Store, name: str, role: str) -> int:
    """Change what somebody may do."""
    found_role = role_named(role)
    if found_role.value == "agent":
        raise InterlockError("a person is a reviewer or an admin")
    with open_store(store.store, store.config) as found:
        person = People(found.journal).change(name, user_name(), role=found_role.value)
    print(f"{plain(person.name)} is {person.role.value} now")
    return 0


def shut_out(store: Store, name: str, *, undo: bool) -> int:
    """Shut somebody out, or let them in again."""
    with open_store(store.store, store.config) as found:
        person = People(found.journal).change(name, user_name(), state=ACTIVE if undo else SHUT_OUT)
    print(f"{plain(person.name)} {'may sign in again' if undo else 'is shut out'}")
    return 0
