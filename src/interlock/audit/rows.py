"""Rows of the other tables: each refers to its newest record in the chain, which contains a digest of the row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from interlock.audit.chain import Transaction
from interlock.audit.identity import machine_name
from interlock.audit.keys import SigningKey
from interlock.audit.record import Entry, digest_of
from interlock.errors import TamperedError
from interlock.store.clock import now
from interlock.store.connection import Connection, Query, sql_list
from interlock.store.tables import (
    ADDED_COLUMNS,
    DatabaseTable,
    access,
    answers,
    approvals,
    assignments,
    browsers,
    bundles,
    channels,
    chat_accounts,
    checkpoints,
    comments,
    grants,
    groups,
    identities,
    keys,
    people,
    policies,
    preferences,
    push_keys,
    quiz_attempts,
    runs,
    settings,
    stops,
    suggestions,
    views,
    webhooks,
)
from interlock.store.where import Where


class RowRecords(msgspec.Struct, frozen=True):
    """The kinds of record that describe the rows of a table.

    `row_key` are the columns that identify a row, `record_key` the fields of a record that hold the same values, and
    `kinds` the kinds of record that are written with a row.
    """

    table: DatabaseTable
    row_key: tuple[str, ...]
    record_key: tuple[str, ...]
    kinds: tuple[str, ...]

    @property
    def all_kinds(self) -> tuple[str, ...]:
        """The kinds of record, including the one that is written when older records are pruned."""
        return (*self.kinds, kind_after_pruning(self.table))

    @property
    def name(self) -> str:
        """The table's name without the common prefix."""
        return short_name(self.table)

    def name_row(self, row: Mapping[str, Any]) -> str:
        """Return the key of a row, for messages."""
        return " ".join(str(row[column]) for column in self.row_key)

    def record_fields(self, row: Mapping[str, Any]) -> dict[str, str]:
        """Return the fields by which the records of a row are found."""
        return {field: str(row[column]) for field, column in zip(self.record_key, self.row_key, strict=True)}


def short_name(table: DatabaseTable) -> str:
    """Return a table's name without the common prefix."""
    return table.name.removeprefix("interlock_")


def _kinds(family: str, steps: str) -> tuple[str, ...]:
    return tuple(f"{family}.{step}" for step in steps.split())


ROW_RECORDS = {
    described.name: described
    for described in (
        RowRecords(runs, ("run_id",), ("run_id",), _kinds("run", "started paused resumed ended failed")),
        RowRecords(
            approvals,
            ("approval_id",),
            ("approval_id",),
            _kinds("approval", "requested approved rejected expired cancelled used extended expiring"),
        ),
        RowRecords(answers, ("approval_id", "approver"), ("approval_id", "name"), ("approval.answered",)),
        RowRecords(comments, ("comment_id",), ("name",), ("approval.commented",)),
        RowRecords(assignments, ("approval_id",), ("approval_id",), _kinds("approval", "assigned unassigned")),
        RowRecords(views, ("view_id",), ("name",), _kinds("view", "saved changed removed")),
        RowRecords(quiz_attempts, ("approval_id", "person"), ("approval_id", "name"), ("approval.quiz_failed",)),
        RowRecords(grants, ("grant_id",), ("name",), _kinds("grant", "made used revoked restored")),
        RowRecords(
            suggestions, ("suggestion_id",), ("name",), _kinds("suggestion", "accepted dismissed restored quiz_failed")
        ),
        RowRecords(keys, ("key_id",), ("name",), ("key",)),
        RowRecords(checkpoints, ("point",), ("name",), ("checkpoint",)),
        RowRecords(policies, ("version_id",), ("name",), _kinds("policy", "saved removed")),
        RowRecords(people, ("name",), ("name",), _kinds("person", "added changed")),
        RowRecords(identities, ("identity_id",), ("name",), _kinds("identity", "linked unlinked")),
        RowRecords(groups, ("name",), ("name",), _kinds("group", "made changed removed")),
        RowRecords(access, ("key_id",), ("name",), _kinds("access", "made changed revoked restored")),
        RowRecords(bundles, ("bundle_id",), ("name",), ("bundle.issued",)),
        RowRecords(
            stops, ("stop_id",), ("name",), (*_kinds("stop", "made lifted"), *_kinds("pause", "made lifted ended"))
        ),
        RowRecords(webhooks, ("webhook_id",), ("name",), _kinds("webhook", "made changed removed")),
        RowRecords(preferences, ("person",), ("name",), ("preferences.saved",)),
        RowRecords(browsers, ("browser_id",), ("name",), _kinds("browser", "added removed")),
        RowRecords(push_keys, ("key_id",), ("name",), ("push_key.made",)),
        RowRecords(chat_accounts, ("account_id",), ("name",), _kinds("chat", "linked unlinked")),
        RowRecords(settings, ("name",), ("name",), ("setting.changed",)),
        RowRecords(channels, ("channel_id",), ("name",), _kinds("channel", "made changed removed")),
    )
}


def kind_after_pruning(table: DatabaseTable) -> str:
    """Return the kind of record that describes a row again when its older records are pruned."""
    return f"kept.{short_name(table)}"


def row_digest(row: Mapping[str, Any]) -> str:
    """Return the digest of a row, which its newest record contains."""
    covered = {name: value for name, value in row.items() if name != "seq"}
    return digest_of({name: value for name, value in covered.items() if value is not None or name not in ADDED_COLUMNS})


def write_row(
    transaction: Transaction, table: DatabaseTable, row: Mapping[str, Any], entry: Entry, *, new: bool
) -> int:
    """Insert or update a row together with the record that describes it; return the record's sequence number."""
    digest = row_digest(row)
    seal = transaction.key.sign(_seal_text(transaction.store_id, table, digest, entry.record_id))
    data = {**entry.data, "table": short_name(table), "row": digest, "seal": seal, "key": transaction.key.key_id}
    seq = transaction.append(msgspec.structs.replace(entry, data=data)).seq
    key = {name: row[name] for name in ROW_RECORDS[short_name(table)].row_key}
    transaction.write(table, {**row, "seq": seq}, key, new=new)
    return seq


def register_key(transaction: Transaction, key: SigningKey) -> None:
    """Store the public key of this machine, unless the store has it."""
    if not transaction.connection.values("SELECT 1 FROM interlock_keys WHERE key_id = :key_id", key_id=key.key_id):
        row = {"key_id": key.key_id, "public": key.public, "machine": machine_name()}
        entry = Entry(kind="key", at=now().wall, actor=machine_name(), name=key.key_id)
        write_row(transaction, keys, row, entry, new=True)


class _RecordData(msgspec.Struct):
    data: dict[str, Any]


_DECODER = msgspec.json.Decoder(_RecordData)
_BY_SEQ = "SELECT body, record_id FROM interlock_records WHERE seq = :seq"


def _seal_text(store_id: str, table: DatabaseTable, digest: str, record_id: str) -> bytes:
    """Return the text that a row's seal covers. Without a key, no record can be forged that vouches for a row."""
    return f"interlock row {store_id} {short_name(table)} {digest} {record_id}".encode()


def check_row(transaction: Transaction, table: DatabaseTable, row: Mapping[str, Any]) -> None:
    """Raise unless a row matches its newest record, and that record is sealed by an accepted key."""
    described = ROW_RECORDS[short_name(table)]
    body = transaction.find_appended_body(row["seq"])
    if body is not None and _matches(table, row, body):
        return  # written in this very transaction, by another operation
    query, given = newest_record(table, row)
    newest = transaction.connection.tuples(query, **given)
    if newest and newest[0][0] == row["seq"] and _is_valid_record(transaction, table, row, newest[0][1:]):
        return
    found = transaction.connection.tuples(_BY_SEQ, seq=row["seq"])
    where = f"`{described.name_row(row)}` in `{described.name}`"
    what = "reset to an older state" if found and _is_valid_record(transaction, table, row, found[0]) else "changed"
    raise TamperedError(f"{where} was {what} outside Interlock and is not used; run `interlock audit verify`")


def newest_record(table: DatabaseTable, row: Mapping[str, Any]) -> Query:
    """Return the query for the newest record that describes a row, by the columns that identify the row."""
    described = ROW_RECORDS[short_name(table)]
    where = Where(f"kind IN {sql_list(described.all_kinds)}").equals(**described.record_fields(row))
    newest = f"SELECT max(seq) FROM interlock_records {where}"
    return f"SELECT seq, body, record_id FROM interlock_records WHERE seq = ({newest})", where.given


def check_earlier_row(transaction: Transaction, table: DatabaseTable, row: Mapping[str, Any], seq: int) -> None:
    """Raise unless a row was written together with a record, and that record is sealed by an accepted key."""
    found = transaction.connection.tuples(_BY_SEQ, seq=seq)
    if not found or not _is_valid_record(transaction, table, row, found[0]):
        raise TamperedError(f"record {seq} was changed outside Interlock and is not used; run `interlock audit verify`")


def _is_valid_record(
    transaction: Transaction, table: DatabaseTable, row: Mapping[str, Any], record: tuple[Any, ...]
) -> bool:
    """Whether a record describes a row and is sealed by an accepted key. `record` is its body and its id."""
    body, record_id = record
    return _matches(table, row, body) and _is_sealed(transaction, table, row, body, record_id)


def _is_sealed(
    transaction: Transaction, table: DatabaseTable, row: Mapping[str, Any], body: str, record_id: str
) -> bool:
    data = _DECODER.decode(body.encode("utf-8", "surrogatepass")).data
    text = _seal_text(transaction.store_id, table, row_digest(row), record_id)
    return transaction.accepts(str(data.get("key")), str(data.get("seal")), text)


def find_recorded_digest(
    connection: Connection, table: DatabaseTable, row: Mapping[str, Any], before: int
) -> str | None:
    """Return the digest that a row had before a record, or None if no older record of it is kept."""
    described = ROW_RECORDS[short_name(table)]
    where = Where(f"kind IN {sql_list(described.all_kinds)}").equals(**described.record_fields(row))
    where.add("seq < :before", before=before)
    query = f"SELECT body FROM interlock_records {where} ORDER BY seq DESC LIMIT 1"
    body = connection.value(query, **where.given)
    return None if body is None else str(_DECODER.decode(body.encode("utf-8", "surrogatepass")).data.get("row"))


def _matches(table: DatabaseTable, row: Mapping[str, Any], body: object) -> bool:
    try:
        data = _DECODER.decode(str(body).encode("utf-8", "surrogatepass")).data
        return bool(data.get("table") == short_name(table) and data.get("row") == row_digest(row))
    except (msgspec.DecodeError, TypeError, ValueError):  # no record, or one that Interlock did not write
        return False


def find_row_faults(connection: Connection) -> Iterator[tuple[str, str]]:
    """Yield the table and a description of each row that differs from the chain, or that is missing."""
    for described in ROW_RECORDS.values():
        table = described.table
        columns = ", ".join(f"t.{column}" for column in table.columns)
        query = f"SELECT {columns}, r.body FROM {table.name} t LEFT JOIN interlock_records r ON r.seq = t.seq"
        for *values, body in connection.stream(query, 1_000):
            row = dict(zip(table.columns, values, strict=True))
            if not _matches(table, row, body):
                yield described.name, f"`{described.name_row(row)}` differs from its record in the chain"
        yield from _find_missing(connection, described)


def _find_missing(connection: Connection, described: RowRecords) -> Iterator[tuple[str, str]]:
    """Yield the rows that are missing: no row refers to their newest record, so they were removed or reset."""
    fields = ", ".join(described.record_key)
    kinds = sql_list(described.all_kinds)
    newest = f"SELECT {fields}, max(seq) AS newest FROM interlock_records WHERE kind IN {kinds} GROUP BY {fields}"
    if connection.is_sqlite:  # it reads this list once, and the rows of the other query once for each record
        missing = f"newest NOT IN (SELECT seq FROM {described.table.name} WHERE seq IS NOT NULL)"
    else:
        missing = f"NOT EXISTS (SELECT 1 FROM {described.table.name} t WHERE t.seq = recorded.newest)"
    for *key, seq in connection.tuples(f"SELECT * FROM ({newest}) AS recorded WHERE {missing}"):
        name = " ".join(map(str, key))
        yield described.name, f"`{name}` is missing or was reset to an older state; its newest record is {seq}"
