"""Recent changes of people, keys, webhooks, channels, grants and settings, described for people."""

from __future__ import annotations

from collections.abc import Sequence

from interlock.audit.read import parse_record
from interlock.audit.record import Record
from interlock.errors import MissingError
from interlock.model import Struct
from interlock.sanitise import plain
from interlock.server.administration.change_descriptions import DESCRIPTIONS
from interlock.store.database import Database

#: The kinds of records about the objects of each page.
KINDS = {
    "people": ("person.added", "person.changed"),
    "keys": ("access.made", "access.changed", "access.revoked", "access.restored"),
    "webhooks": ("webhook.made", "webhook.changed", "webhook.removed"),
    "channels": ("channel.made", "channel.changed", "channel.removed"),
    "grants": ("grant.revoked", "grant.restored"),
    "retention": ("setting.changed",),
}
PAGES = {kind: page for page, kinds in KINDS.items() for kind in kinds}
SHOWN = 8
#: Numbers of records have fewer digits than ids have characters.
MAX_DIGITS = 16


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


def list_changes(database: Database, page: str | None, name: str | None = None, limit: int = SHOWN) -> list[Change]:
    """Return the newest changes of the things of a page, or of one of them; without a page, all changes."""
    which = "kind = :kind" if name is None else "kind = :kind AND name = :name"
    query = f"SELECT body, hash FROM interlock_records WHERE {which} ORDER BY seq DESC LIMIT :most"
    given = {} if name is None else {"name": name}
    kinds = PAGES if page is None else KINDS[page]
    with database.read() as connection:  # kind by kind: each is the end of one index
        rows = [row for kind in kinds for row in connection.tuples(query, kind=kind, most=limit, **given)]
    found = sorted((parse_record(*row).record for row in rows), key=lambda record: -record.seq)[:limit]
    return _describe_all(found)


def find_change(database: Database, record_id: str) -> Record:
    """Return the record of a change, by its id or its number, or raise."""
    select = "SELECT body, hash FROM interlock_records WHERE"
    is_id = record_id.isalnum() and record_id.isascii()
    with database.read() as connection:
        if is_id and record_id.isdigit() and len(record_id) <= MAX_DIGITS:
            rows = connection.tuples(f"{select} seq = :seq", seq=int(record_id))
        else:
            rows = connection.tuples(f"{select} record_id = :record_id", record_id=record_id) if is_id else []
    record = parse_record(*rows[0]).record if rows else None
    if record is None or record.kind not in PAGES:
        raise MissingError(f"there is no change `{plain(record_id)[:40]}`; its record may have been removed")
    return record


def _describe_all(records: Sequence[Record]) -> list[Change]:
    seen: set[tuple[str, str | None]] = set()
    changes = []
    for record in records:
        thing = (PAGES[record.kind], record.name)
        changes.append(describe_change_record(record, is_newest=thing not in seen))
        seen.add(thing)
    return changes


def describe_change_record(record: Record, *, is_newest: bool = True) -> Change:
    """Return the description of a change."""
    what, *details = DESCRIPTIONS[record.kind](str(record.name), record.data)
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
