"""`interlock keys` and `interlock people`: API keys, people and their roles."""

from __future__ import annotations

import getpass
import sys
from typing import TYPE_CHECKING

from rich.text import Text

from interlock.access.keys import AccessKey, AccessKeys
from interlock.access.people import ACTIVE, SHUT_OUT, People
from interlock.access.roles import parse_role
from interlock.access.second_person import describe_second_person
from interlock.access.sessions import LoginSessions
from interlock.audit.identity import user_name
from interlock.cli.local_time import full_time, local_time, zone_name
from interlock.cli.open_store import OpenStore, open_store
from interlock.cli.person import require_person
from interlock.cli.server_address import find_server_address
from interlock.config.observe import parse_until
from interlock.errors import InterlockError
from interlock.policy.pins import Pins
from interlock.sanitise import plain
from interlock.scoring.command import environment_name
from interlock.show import columns, console, print_json_lines
from interlock.store.clock import MICROSECONDS, now

if TYPE_CHECKING:
    from interlock.cli.commands.options import PinOptions, Store


def list_keys(store: Store, *, everything: bool, as_json: bool) -> int:
    """Print the keys."""
    at = now().wall
    with open_store(store.store, store.config) as found:
        keys = [key for key in AccessKeys(found.journal).list() if everything or not _is_invalid(key, at)]
    if as_json:
        print_json_lines(keys)
        return 0
    if not keys:
        print("no keys; `interlock keys create NAME` creates one")
        return 0
    rows = [_cells(key, at) for key in keys]
    names = [name for name in rows[0] if name != "observed" or any(row[name] != "–" for row in rows)]
    table = columns(*names)
    for column, name in zip(table.columns, names, strict=True):
        column.no_wrap, column.overflow = name != "pinned to", "fold"
    for row in rows:
        table.add_row(*(row[name] for name in names))
    console().print(table)
    return 0


def _cells(key: AccessKey, at: int) -> dict[str, str | Text]:
    return {
        "id": key.key_id,
        "name": plain(key.name),
        "role": key.role.value,
        "owner": plain(key.owner),
        "pinned to": _format_pins(key) or "–",
        "observed": _format_observation(key, at),
        f"created ({zone_name()})": local_time(key.created_at, at),
        "valid": _validity(key, at),
    }


def _is_invalid(key: AccessKey, at: int) -> bool:
    return key.revoked_at is not None or (key.expires_at is not None and key.expires_at <= at)


def _validity(key: AccessKey, at: int) -> Text:
    if key.revoked_at is not None:
        return Text("revoked", "dim")
    if key.expires_at is None:
        return Text("until revoked")
    return Text("expired", "dim") if _is_invalid(key, at) else Text(f"until {full_time(key.expires_at)}")


def make_pins(options: PinOptions) -> Pins:
    """Return the pins that the options of a command describe."""
    return Pins(
        environment=environment_name(options.environment),
        workspaces=options.workspace,
        home=options.home,
        user=options.user,
        tenant=options.tenant,
        trusted=options.trusted,
        asks_user=options.asks_user,
    )


def pin_key(store: Store, text: str, pins: Pins) -> int:
    """Replace the pins of a key."""
    require_person("keys pin")
    with open_store(store.store, store.config) as found:
        key = AccessKeys(found.journal).pin(text, pins, user_name())
    shown = _format_pins(key)
    print(f"key `{plain(key.name)}` is pinned to {shown}" if shown else f"key `{plain(key.name)}` has no pins now")
    return 0


def observe_key(store: Store, text: str, days: int | None, until: str | None) -> int:
    """Only observe the actions of a key."""
    if days is not None and until is not None:
        raise InterlockError("give `--days` or `--until`, not both")
    require_person("keys observe")
    end = None if until is None else parse_until(until)
    if days is not None:
        end = now().wall + days * 86_400 * MICROSECONDS
    with open_store(store.store, store.config) as found:
        key = AccessKeys(found.journal).observe(text, user_name(), end)
    when = "" if end is None else f" until {full_time(end)}"
    print(
        f"the actions of key `{plain(key.name)}` are only observed{when}; `interlock observe report` shows what would "
        f"have been stopped, `interlock keys enforce {plain(key.name)}` enforces it"
    )
    return 0


def enforce_key(store: Store, text: str) -> int:
    """Enforce the verdicts on the actions of a key again."""
    with open_store(store.store, store.config) as found:
        key = AccessKeys(found.journal).enforce(text, user_name())
    print(f"the verdicts on the actions of key `{plain(key.name)}` are enforced")
    return 0


def _format_observation(key: AccessKey, at: int) -> str:
    """Return until when the actions of a key are only observed, for people."""
    if key.observe is None or not key.observe.covers(at):
        return "–"
    return "yes" if key.observe.until is None else f"until {full_time(key.observe.until)}"


def _format_pins(key: AccessKey) -> str:
    """Return the pins of a key, for people."""
    pins = key.pins
    named = [f"{name} {value}" for name in ("user", "tenant") if (value := getattr(pins, name))]
    named += ["trusted"] if pins.trusted else []
    named += ["asks its user"] if pins.asks_user else []
    return ", ".join(map(plain, filter(None, (*pins.workspaces, pins.environment, pins.home, *named))))


def create_key(store: Store, name: str, role: str, owner: str | None, days: int | None, pins: Pins) -> int:
    """Create a key and print it, once."""
    require_person("keys create")
    with open_store(store.store, store.config, make=True) as found:
        key, secret = AccessKeys(found.journal).create(
            name, parse_role(role), owner=owner or user_name(), actor=user_name(), days=days, pins=pins
        )
        people = People(found.journal).list()
    is_person = any(person.name == key.owner and person.state == ACTIVE for person in people)
    print(secret)
    print(
        f"key `{plain(key.name)}`, {key.role.value}, owner {plain(key.owner)}. It is shown only now; "
        "send it as `Authorization: Bearer …`",
        file=sys.stderr,
    )
    if owner is not None and not is_person:
        advice = f"`interlock people add {plain(owner)}` adds them"
        print(f"note: there is no active person `{plain(owner)}`; {advice}", file=sys.stderr)
    return 0


def revoke_key(store: Store, text: str) -> int:
    """Revoke a key."""
    with open_store(store.store, store.config) as found:
        key = AccessKeys(found.journal).revoke(text, user_name())
    print(f"key `{plain(key.name)}` ({key.key_id}) is revoked")
    return 0


def list_people(store: Store, *, as_json: bool) -> int:
    """Print the people who may sign in."""
    with open_store(store.store, store.config) as found:
        people = People(found.journal).list()
    if as_json:
        print_json_lines(people)
        return 0
    if not people:
        print("no people yet; `interlock serve` prints a link for you, `interlock people add NAME` adds others")
        return 0
    table, at = columns("name", "role", "state", "password", f"added ({zone_name()})"), now().wall
    for person in people:
        password = "yes" if person.has_password else "no (uses a link)"
        added = local_time(person.created_at, at)
        table.add_row(plain(person.name), person.role.value, person.state, password, added)
    console().print(table)
    return 0


def add_person(store: Store, name: str, role: str, url: str | None) -> int:
    """Add a person and print a sign-in link."""
    require_person("people add")
    with open_store(store.store, store.config, make=True) as found:
        people = People(found.journal)
        person = people.add(name, parse_role(role), user_name())
        _print_link(found, person.name, url)
        notice = describe_second_person(people.list(), person, user_name(), found.config.approvals.one_person)
    print(f"{plain(person.name)} can sign in with this link once, within 15 minutes", file=sys.stderr)
    if notice:
        print(notice, file=sys.stderr)
    return 0


def link(store: Store, name: str, url: str | None) -> int:
    """Print a sign-in link for a person."""
    require_person("people link")
    with open_store(store.store, store.config) as found:
        person = People(found.journal).get(name)
        if person.state != ACTIVE:
            raise InterlockError(
                f"`{plain(name)}` is suspended; `interlock people suspend {name} --undo` reactivates them"
            )
        _print_link(found, person.name, url)
    return 0


def _print_link(found: OpenStore, name: str, url: str | None) -> None:
    """Print a sign-in link at the address that was given, that of the running server, or the configured one."""
    where, assumption = find_server_address(found, url)
    secret = LoginSessions(found.journal, People(found.journal)).create_link(name)
    print(f"{where.rstrip('/')}/sign-in/{secret}")
    if assumption:
        print(assumption, file=sys.stderr)


def set_password(store: Store, name: str) -> int:
    """Read a password, and set it for a person."""
    require_person("people password")
    with open_store(store.store, store.config) as found:
        people = People(found.journal)
        people.get(name)
        if sys.stdin.isatty():
            password = getpass.getpass("password: ")
            if getpass.getpass("repeat: ") != password:
                raise InterlockError("the passwords do not match; nothing was changed")
        else:
            password = sys.stdin.readline().rstrip("\n")
        people.set_password(name, password, user_name())
    print(f"{plain(name)} can sign in with that password")
    return 0


def change_role(store: Store, name: str, role: str) -> int:
    """Change the role of a person."""
    require_person("people role")
    found_role = parse_role(role)
    if found_role.value not in ("reviewer", "admin"):
        raise InterlockError("a person is a reviewer or an admin")
    with open_store(store.store, store.config) as found:
        person = People(found.journal).change(name, user_name(), role=found_role.value)
    print(f"{plain(person.name)} is {person.role.value} now")
    return 0


def suspend(store: Store, name: str, *, undo: bool) -> int:
    """Suspend a person, or reactivate them."""
    require_person("people suspend")
    with open_store(store.store, store.config) as found:
        person = People(found.journal).change(name, user_name(), state=ACTIVE if undo else SHUT_OUT)
    print(f"{plain(person.name)} {'can sign in again' if undo else 'is suspended'}")
    return 0
