"""Recent changes of people, keys, webhooks and settings, described for people."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from interlock.audit.read import parse_record
from interlock.audit.record import Record
from interlock.errors import MissingError
from interlock.model import Struct
from interlock.sanitise import plain
from interlock.store.database import Database

#: The kinds of records about the things of each page.
KINDS = {
    "people": ("person.added", "person.changed"),
    "keys": ("access.made", "access.changed", "access.revoked"),
    "webhooks": ("webhook.made", "webhook.changed", "webhook.removed"),
    "retention": ("setting.changed",),
}
PAGES = {kind: page for page, kinds in KINDS.items() for kind in kinds}
SHOWN = 8


class Change(Struct, frozen=True, kw_only=True):
    """A change: who made it, when, what it was, and whether it is the newest change of the same thing."""

    record_id: str
    seq: int
    at: int
    actor: str
    what: str
    details: tuple[str, ...] = ()
    is_newest: bool = True
    undoes: int | None = None


def list_changes(database: Database, page: str, name: str | None = None, limit: int = SHOWN) -> list[Change]:
    """Return the newest changes of the things of a page, or of one of them."""
    which = "kind = :kind" if name is None else "kind = :kind AND name = :name"
    query = f"SELECT body, hash FROM interlock_records WHERE {which} ORDER BY seq DESC LIMIT :most"
    given = {} if name is None else {"name": name}
    with database.read() as connection:  # kind by kind: each is the end of one index
        rows = [row for kind in KINDS[page] for row in connection.tuples(query, kind=kind, most=limit, **given)]
    found = sorted((parse_record(*row).record for row in rows), key=lambda record: -record.seq)[:limit]
    return _describe_all(found)


def find_change(database: Database, record_id: str) -> Record:
    """Return the record of a change, or raise."""
    query = "SELECT body, hash FROM interlock_records WHERE record_id = :record_id"
    with database.read() as connection:
        rows = connection.tuples(query, record_id=record_id) if record_id.isalnum() and record_id.isascii() else []
    record = parse_record(*rows[0]).record if rows else None
    if record is None or record.kind not in PAGES:
        raise MissingError(f"there is no change `{plain(record_id)[:40]}`; its record may have been removed")
    return record


def _describe_all(records: Sequence[Record]) -> list[Change]:
    seen: set[str | None] = set()
    changes = []
    for record in records:
        changes.append(describe(record, is_newest=record.name not in seen))
        seen.add(record.name)
    return changes


def describe(record: Record, *, is_newest: bool = True) -> Change:
    """Return the description of a change."""
    what, *details = _DESCRIBE[record.kind](str(record.name), record.data)
    undoes = record.data.get("undoes")
    return Change(
        record_id=record.record_id,
        seq=record.seq,
        at=record.at,
        actor=record.actor,
        what=what,
        details=tuple(details),
        is_newest=is_newest,
        undoes=undoes if isinstance(undoes, int) else None,
    )


def _person_added(name: str, data: Mapping[str, Any]) -> list[str]:
    return [f"added `{name}` as {data.get('role')}"]


def _person_changed(name: str, data: Mapping[str, Any]) -> list[str]:
    changed, before = data.get("changed") or [], data.get("before") or {}
    words = []
    if "role" in changed:
        words.append(f"changed the role of `{name}` from {before.get('role', 'another')} to {data.get('role')}")
    if "state" in changed:
        words.append(f"reactivated `{name}`" if data.get("state") == "active" else f"suspended `{name}`")
    if "password" in changed:
        words.append(f"changed the password of `{name}`")
    return [", ".join(words) or f"changed `{name}`"]


def _key_made(_: str, data: Mapping[str, Any]) -> list[str]:
    return [f"created key `{data.get('name')}` ({data.get('role')})", *_pin_lines({}, data.get("pins") or {})]


def _key_changed(_: str, data: Mapping[str, Any]) -> list[str]:
    name, before = f"`{data.get('name')}`", data.get("before") or {}
    if before.get("observe") != data.get("observe"):
        return [
            f"started observing key {name}" if data.get("observe") else f"enforced the verdicts on key {name} again"
        ]
    return [f"changed the pins of key {name}", *_pin_lines(before.get("pins") or {}, data.get("pins") or {})]


def _key_revoked(_: str, data: Mapping[str, Any]) -> list[str]:
    return [f"revoked key `{data.get('name')}`"]


def _pin_lines(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    names = sorted({*before, *after})
    return [_line(name, before.get(name), after.get(name)) for name in names if before.get(name) != after.get(name)]


def _line(name: str, before: Any, after: Any) -> str:
    return f"{name}: {_word(before)} → {_word(after)}"


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None else str(value)


def _webhook_made(_: str, data: Mapping[str, Any]) -> list[str]:
    return [f"created a webhook to `{data.get('to')}`", f"kinds: {_word(data.get('kinds'))}"]


def _webhook_changed(_: str, data: Mapping[str, Any]) -> list[str]:
    changed, before, to = data.get("changed") or [], data.get("before") or {}, f"`{data.get('to')}`"
    words = []
    if before.get("state") != data.get("state") and "state" in changed:
        states = {"active": f"switched the webhook to {to} on", "off": f"switched the webhook to {to} off"}
        words.append(f"restored the webhook to {to}" if before.get("state") == "removed" else states[data["state"]])
    if "url" in changed:
        words.append(f"changed the URL of a webhook to {to}")
    if "secret" in changed:
        words.append(f"gave the webhook to {to} a new secret")
    if before.get("kinds") != data.get("kinds") and "kinds" in changed:
        return [
            ", ".join([*words, f"changed the kinds of the webhook to {to}"]),
            _line("kinds", before.get("kinds"), data.get("kinds")),
        ]
    why = data.get("why")
    return [", ".join(words) or f"saved the webhook to {to}", *([str(why)] if why else [])]


def _webhook_removed(_: str, data: Mapping[str, Any]) -> list[str]:
    return [f"removed the webhook to `{data.get('to')}`"]


def _setting_changed(name: str, data: Mapping[str, Any]) -> list[str]:
    before, after = data.get("before") or {}, data.get("after") or {}
    keys = [key for key in sorted({*before, *after}) if before.get(key) != after.get(key)]
    return [f"changed the {name}", *(_line(key, before.get(key, "default"), after.get(key, "default")) for key in keys)]


_DESCRIBE: dict[str, Callable[[str, Mapping[str, Any]], list[str]]] = {
    "person.added": _person_added,
    "person.changed": _person_changed,
    "access.made": _key_made,
    "access.changed": _key_changed,
    "access.revoked": _key_revoked,
    "webhook.made": _webhook_made,
    "webhook.changed": _webhook_changed,
    "webhook.removed": _webhook_removed,
    "setting.changed": _setting_changed,
}
