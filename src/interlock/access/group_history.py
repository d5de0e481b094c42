"""The versions of a group, read from the records of its changes."""

from __future__ import annotations

from typing import Any

import msgspec

from interlock.approval.groups import Member
from interlock.audit.record import Record
from interlock.errors import MissingError
from interlock.model import Struct
from interlock.sanitise import plain
from interlock.store.connection import Connection, sql_list
from interlock.store.database import Database

_KINDS = sql_list(("group.made", "group.changed", "group.removed"))
_RECORDS = f"SELECT body FROM interlock_records WHERE kind IN {_KINDS} AND name = :name"


class GroupVersion(Struct, frozen=True, kw_only=True):
    """A version of a group: its members after a change. `version` is the number of the change's record."""

    version: int
    at: int
    actor: str
    change: str
    members: tuple[Member, ...]


def list_versions(database: Database, name: str, most: int = 100) -> list[GroupVersion]:
    """Return the versions of a group, newest first. Versions whose records were pruned are gone."""
    with database.read() as connection:
        bodies = connection.values(f"{_RECORDS} ORDER BY seq DESC LIMIT :most", name=name, most=most)
    return [_version_of(msgspec.json.decode(body, type=Record)) for body in bodies]


def read_version(connection: Connection, name: str, version: int) -> dict[str, Any]:
    """Return the stored row of a group as it was after a change, or raise."""
    body = connection.value(f"{_RECORDS} AND seq = :seq", name=name, seq=version)
    if body is None:
        raise MissingError(f"group `{plain(name)[:80]}` has no version {version}; its history lists them")
    row: dict[str, Any] = msgspec.json.decode(body, type=Record).data["group"]
    return {"name": name, **row}


def decode_members(row: dict[str, Any]) -> tuple[Member, ...]:
    """Return the members in a stored row, also if the group was removed."""
    return msgspec.json.decode(row["members"], type=tuple[Member, ...])


def _version_of(record: Record) -> GroupVersion:
    return GroupVersion(
        version=record.seq,
        at=record.at,
        actor=record.actor,
        change=record.outcome or "",
        members=decode_members(record.data["group"]),
    )
