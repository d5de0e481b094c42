"""The tables beside the chain: each row names its newest record, which holds a digest of the row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from interlock.account import machine
from interlock.audit.chain import Transaction
from interlock.audit.keys import Key
from interlock.audit.record import Entry, digest_of
from interlock.errors import TamperedError
from interlock.store.clock import now
from interlock.store.connection import Connection, listed
from interlock.store.tables import (
    Table,
    access,
    answers,
    approvals,
    checkpoints,
    grants,
    keys,
    people,
    policies,
    runs,
    webhooks,
)
from interlock.store.where import Where


class Telling(NamedTuple):
    """How records tell of a table: the columns that name a row there and in a record, and the kinds of record."""

    table: Table
    row: tuple[str, ...]
    record: tuple[str, ...]
    kinds: tuple[str, ...]

    @property
    def all_kinds(self) -> tuple[str, ...]:
        """The kinds of record, with the one that tells of a row anew."""
        return (*self.kinds, kept_kind(self.table))

    @property
    def name(self) -> str:
        """What people call the table."""
        return short(self.table)


def short(table: Table) -> str:
    """Return a table's name without what all of them begin with."""
    return table.name.removeprefix("interlock_")


def _kinds(family: str, steps: str) -> tuple[str, ...]:
    return tuple(f"{family}.{step}" for step in steps.split())


TELLING = {
    telling.name: telling
    for telling in (
        Telling(runs, ("run_id",), ("run_id",), _kinds("run", "started paused resumed ended failed")),
        Telling(
            approvals,
            ("approval_id",),
            ("approval_id",),
            _kinds("approval", "requested approved rejected expired cancelled used"),
        ),
        Telling(answers, ("approval_id", "approver"), ("approval_id", "name"), ("approval.answered",)),
        Telling(grants, ("grant_id",), ("name",), _kinds("grant", "made used revoked")),
        Telling(keys, ("key_id",), ("name",), ("key",)),
        Telling(checkpoints, ("point",), ("name",), ("checkpoint",)),
        Telling(policies, ("version_id",), ("name",), _kinds("policy", "saved removed")),
        Telling(people, ("name",), ("name",), _kinds("person", "added changed")),
        Telling(access, ("key_id",), ("name",), _kinds("access", "made revoked")),
        Telling(webhooks, ("webhook_id",), ("name",), _kinds("webhook", "made changed removed")),
    )
}


def kept_kind(table: Table) -> str:
    """Return the kind of record that tells of a row anew, when its older records are removed."""
    return f"kept.{short(table)}"


def row_digest(row: Mapping[str, Any]) -> str:
    """Return the digest of a row, which its newest record holds."""
    return digest_of({name: value for name, value in row.items() if name != "seq"})


def write_row(transaction: Transaction, table: Table, row: Mapping[str, Any], entry: Entry, *, new: bool) -> int:
    """Write a row together with the record that tells of it; return the number of the record."""
    digest = row_digest(row)
    seal = transaction.key.sign(_sealed(transaction.before.store_id, table, digest, entry.record_id))
    told = {**entry.data, "table": short(table), "row": digest, "seal": seal, "key": transaction.key.key_id}
    seq = transaction.append(msgspec.structs.replace(entry, data=told)).seq
    if new:
        transaction.connection.insert(table, {**row, "seq": seq})
    else:
        same = {name: row[name] for name in TELLING[short(table)].row}
        transaction.connection.update(table, same, **row, seq=seq)
    return seq


def introduce(transaction: Transaction, key: Key) -> None:
    """Note the public half of a key that signs here for the first time."""
    if not transaction.connection.values("SELECT 1 FROM interlock_keys WHERE key_id = :key_id", key_id=key.key_id):
        row = {"key_id": key.key_id, "public": key.public, "machine": machine()}
        entry = Entry(kind="key", at=now().wall, actor=machine(), name=key.key_id)
        write_row(transaction, keys, row, entry, new=True)


class _Told(msgspec.Struct):
    data: dict[str, Any]


_DECODER = msgspec.json.Decoder(_Told)


def _sealed(store_id: str, table: Table, digest: str, record_id: str) -> bytes:
    """Return the text that a row's seal is over: only who has a key can make a record that speaks for a row."""
    return f"interlock row {store_id} {short(table)} {digest} {record_id}".encode()


def must_be_told(transaction: Transaction, table: Table, row: Mapping[str, Any]) -> None:
    """Raise unless a row is what its newest record says, and somebody who may has sealed that."""
    named = " ".join(str(row[name]) for name in TELLING[short(table)].row)
    written = transaction.appended(row["seq"])
    if written is not None and _fits(table, row, written):
        return  # by this very transaction, for somebody else
    query = "SELECT body, record_id FROM interlock_records WHERE seq = :seq"
    found = transaction.connection.tuples(query, seq=row["seq"])
    if not found or not _fits(table, row, found[0][0]) or not _has_seal(transaction, table, row, *found[0]):
        raise TamperedError(f"`{named}` in `{short(table)}` was changed behind our back; nothing is built on it")
    if _newest(transaction.connection, TELLING[short(table)], row) != row["seq"]:
        raise TamperedError(f"`{named}` in `{short(table)}` was set back behind our back; nothing is built on it")


def _has_seal(transaction: Transaction, table: Table, row: Mapping[str, Any], body: str, record_id: str) -> bool:
    told = _DECODER.decode(body.encode("utf-8", "surrogatepass")).data
    text = _sealed(transaction.before.store_id, table, row_digest(row), record_id)
    return transaction.signers.signed(transaction.connection, str(told.get("key")), str(told.get("seal")), text)


def _newest(connection: Connection, telling: Telling, row: Mapping[str, Any]) -> int | None:
    """Return the newest record that tells of a row."""
    same = {to: str(row[name]) for to, name in zip(telling.record, telling.row, strict=True)}
    where = Where(f"kind IN {listed(telling.all_kinds)}").same(**same)
    found: int | None = connection.value(f"SELECT max(seq) FROM interlock_records {where}", **where.given)
    return found


def _fits(table: Table, row: Mapping[str, Any], body: object) -> bool:
    try:
        told = _DECODER.decode(str(body).encode("utf-8", "surrogatepass")).data
        return bool(told.get("table") == short(table) and told.get("row") == row_digest(row))
    except (msgspec.DecodeError, TypeError, ValueError):  # no record, or one that nobody of us wrote
        return False


def wrong_rows(connection: Connection) -> Iterator[tuple[str, str]]:
    """Yield the rows that are not what the chain says, and those that the chain tells of and that are gone."""
    for telling in TELLING.values():
        table = telling.table
        mine = ", ".join(f"t.{column}" for column in table.columns)
        query = f"SELECT {mine}, r.body FROM {table.name} t LEFT JOIN interlock_records r ON r.seq = t.seq"
        for *values, told in connection.stream(query, 1_000):
            row = dict(zip(table.columns, values, strict=True))
            if not _fits(table, row, told):
                shown = " ".join(str(row[column]) for column in telling.row)
                yield telling.name, f"`{shown}` is not what the chain says"
        yield from _gone(connection, telling)


def _gone(connection: Connection, telling: Telling) -> Iterator[tuple[str, str]]:
    """Yield what the chain tells of and no row answers for: the row is gone, or was set back to an older state."""
    named = ", ".join(telling.record)
    kinds = listed(telling.all_kinds)
    told = f"SELECT {named}, max(seq) AS newest FROM interlock_records WHERE kind IN {kinds} GROUP BY {named}"
    answered = f"SELECT 1 FROM {telling.table.name} t WHERE t.seq = told.newest"
    for *shown, seq in connection.tuples(f"SELECT * FROM ({told}) AS told WHERE NOT EXISTS ({answered})"):
        name = " ".join(map(str, shown))
        yield telling.name, f"`{name}` is missing or was set back; record {seq} tells of it"
