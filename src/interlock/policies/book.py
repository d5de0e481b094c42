"""The book of policies: every change is a version with who and when, and any version can be restored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.record import Entry
from interlock.audit.rows import ROW_RECORDS, check_row, write_row
from interlock.config.policies import policy_of
from interlock.documents import Document
from interlock.errors import ConfigError, ConflictError, MissingError, TamperedError
from interlock.model import Struct
from interlock.policy.kept import Kept
from interlock.policy.policies import Policy
from interlock.policy.tiers import plain
from interlock.store.clock import format_time, now_in
from interlock.store.connection import Connection, sql_list
from interlock.store.tables import policies
from interlock.store.where import Where

MAX_NOTE = 500
MAX_ID = 100
_POLICY = msgspec.json.Decoder(Policy)
_TOLD = f"SELECT name FROM interlock_records WHERE kind IN {sql_list(ROW_RECORDS['policies'].all_kinds)}"


class Version(Struct, frozen=True, kw_only=True):
    """One version of a policy: what it said, who wrote it and when. A removed one counts no longer."""

    policy: Policy
    version: int
    changed_by: str
    changed_at: int
    note: str = ""
    removed: bool = False


class Book:
    """The policies of a store."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    # reading

    def newest(self) -> int:
        """Return the number of the newest record about a policy: where it is the same, nothing has changed."""
        with self._journal.database.read() as connection:
            return connection.value("SELECT max(seq) FROM interlock_policies") or 0

    def kept(self) -> Kept:
        """Return what counts now, once it is proved to be what was written."""
        return self._journal.commit(_kept)

    def current(self) -> dict[str, Version]:
        """Return the newest version of each policy, by its id."""
        with self._journal.database.read() as connection:
            return _newest(connection)

    def versions(self, policy_id: str) -> list[Version]:
        """Return every version of a policy, the newest first."""
        query = "SELECT * FROM interlock_policies WHERE policy_id = :policy_id ORDER BY version DESC"
        with self._journal.database.read() as connection:
            return [_version(row) for row in connection.rows(query, policy_id=policy_id)]

    def get(self, policy_id: str, version: int) -> Version:
        """Return one version of a policy, or raise."""
        found = next((one for one in self.versions(policy_id) if one.version == version), None)
        if found is None:
            raise MissingError(f"there is no version {version} of policy `{plain(policy_id)[:80]}`")
        return found

    # writing

    def save(self, policy: Policy, actor: str, *, known: int | None, note: str = "") -> Version:
        """Write a policy as its next version, or raise where somebody has written since version `known`.

        `known` is 0 where there must be none yet, and None where it does not matter.
        """
        return self._journal.commit(lambda transaction: _write(transaction, policy, actor, known, note))

    def remove(self, policy: Policy, actor: str, *, known: int | None, note: str = "") -> Version:
        """Let a policy count no longer. Its versions stay, and can be restored."""
        return self._journal.commit(lambda transaction: _write(transaction, policy, actor, known, note, removed=True))


def _write(
    transaction: Transaction, policy: Policy, actor: str, known: int | None, note: str, *, removed: bool = False
) -> Version:
    last = _newest(transaction.connection, policy.policy_id).get(policy.policy_id)
    number = last.version if last else 0
    if known is not None and known != number:
        found = f"version {number}, written by `{plain(last.changed_by)}`" if last else "no version"
        raise ConflictError(
            f"policy `{plain(policy.policy_id)}` has {found}, and yours is built on {known}; load it again"
        )
    if number >= 1_000_000:
        raise ConflictError(f"policy `{plain(policy.policy_id)}` has a million versions; write one under another id")
    at = now_in(transaction.connection).wall
    made = last.policy.created_at if last and last.policy.created_at else format_time(at)
    policy = msgspec.structs.replace(policy, version=number + 1, created_at=made, updated_at=format_time(at))
    row = {
        "version_id": f"{policy.policy_id}@{number + 1}",
        "policy_id": policy.policy_id,
        "version": number + 1,
        "body": msgspec.json.encode(policy).decode(),
        "removed": int(removed),
        "changed_by": actor,
        "changed_at": at,
        "note": plain(note)[:MAX_NOTE],
    }
    kind = "policy.removed" if removed else "policy.saved"
    data = {"policy": msgspec.to_builtins(policy), "note": row["note"]}
    outcome = "removed" if removed else policy.action.value
    entry = Entry(kind=kind, at=at, actor=actor, name=str(row["version_id"]), outcome=outcome, data=data)
    write_row(transaction, policies, row, entry, new=True)
    return _version(row)


def _newest(connection: Connection, policy_id: str | None = None) -> dict[str, Version]:
    where = Where().equals(policy_id=policy_id)
    query = f"SELECT * FROM interlock_policies {where} ORDER BY policy_id, version"
    return {row["policy_id"]: _version(row) for row in connection.rows(query, **where.given)}


def _kept(transaction: Transaction) -> Kept:
    """Return what counts; every version must be what its record says, and none that was told of may be gone."""
    connection = transaction.connection
    rows = connection.rows("SELECT * FROM interlock_policies")
    last: dict[str, dict[str, Any]] = {}
    for row in sorted(rows, key=lambda row: row["version"]):
        last[row["policy_id"]] = row
    for row in last.values():
        check_row(transaction, policies, row)
    told = set(connection.values(_TOLD))
    for name in told - {row["version_id"] for row in rows}:
        raise TamperedError(f"`{name}` in `policies` was removed behind our back; nothing is built on it")
    found = [_version(row) for row in last.values()]
    return Kept(
        tuple(version.policy for version in found if not version.removed),
        frozenset(version.policy.policy_id for version in found if version.removed),
    )


def _version(row: Mapping[Any, Any]) -> Version:
    try:
        policy = _POLICY.decode(row["body"])
    except (msgspec.DecodeError, TypeError, ValueError):
        raise TamperedError("a policy cannot be read; `interlock audit verify` says which") from None
    return Version(
        policy=policy,
        version=row["version"],
        changed_by=row["changed_by"],
        changed_at=row["changed_at"],
        note=row["note"],
        removed=bool(row["removed"]),
    )


def checked(given: Mapping[str, Any], taken: Iterable[str] = ()) -> Policy:
    """Return a policy as somebody has written it, compiled; or raise with what is wrong and what to write instead.

    `taken` are the ids that files have: those are changed there.
    """
    try:
        policy = policy_of(Document("", ""), given)
    except TypeError as error:  # a list or a table where a field holds words or numbers
        raise ConfigError(f"a condition compares with what its field never holds: {error}") from None
    if len(policy.policy_id) > MAX_ID or not policy.policy_id.isascii() or not policy.policy_id.isprintable():
        raise ConfigError(f"an id is at most {MAX_ID} plain characters, found `{plain(policy.policy_id)[:40]}`")
    if policy.policy_id in set(taken):
        raise ConflictError(f"policy `{policy.policy_id}` comes from a configuration file; change it there")
    return policy
