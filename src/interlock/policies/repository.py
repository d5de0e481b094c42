"""The policy repository: every change is a new version in the store, and any version can be restored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import msgspec

from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.record import Entry
from interlock.audit.rows import ROW_RECORDS, check_row, write_row
from interlock.errors import ConfigError, ConflictError, MissingError, TamperedError
from interlock.model import Struct
from interlock.policies.origin import PolicyOrigin
from interlock.policy.policies import Policy
from interlock.policy.stored_policies import StoredPolicies
from interlock.sanitise import plain
from interlock.store.clock import format_time, now_in
from interlock.store.connection import Connection, sql_list
from interlock.store.tables import policies
from interlock.store.where import Where

MAX_NOTE = 500
MAX_ID = 100
_RECORDED_VERSIONS = f"SELECT name FROM interlock_records WHERE kind IN {sql_list(ROW_RECORDS['policies'].all_kinds)}"


class PolicyVersion(Struct, frozen=True, kw_only=True):
    """One version of a policy, with its author and time. `removed` says that this version removed the policy.

    A version that was applied from a repository has the number of that revision, and its origin.
    """

    policy: Policy
    version: int
    changed_by: str
    changed_at: int
    note: str = ""
    removed: bool = False
    revision: int | None = None
    origin: PolicyOrigin | None = None


class Revision(NamedTuple):
    """The number and the origin of versions that are written together."""

    number: int
    origin: PolicyOrigin


class PolicyRepository:
    """The policies of a store."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    # reading

    def load(self) -> StoredPolicies:
        """Return the policies in force, after checking every row against its record."""
        return self._journal.commit(load_verified)

    def current(self) -> dict[str, PolicyVersion]:
        """Return the newest version of each policy, by its id."""
        with self._journal.database.read() as connection:
            return _newest(connection)

    def versions(self, policy_id: str) -> list[PolicyVersion]:
        """Return every version of a policy, newest first."""
        query = "SELECT * FROM interlock_policies WHERE policy_id = :policy_id ORDER BY version DESC"
        with self._journal.database.read() as connection:
            return [version_from_row(row) for row in connection.rows(query, policy_id=policy_id)]

    def get(self, policy_id: str, version: int) -> PolicyVersion:
        """Return one version of a policy, or raise."""
        found = next((one for one in self.versions(policy_id) if one.version == version), None)
        if found is None:
            raise MissingError(f"there is no version {version} of policy `{plain(policy_id)[:80]}`")
        return found

    # writing

    def save(self, policy: Policy, actor: str, *, known: int | None, note: str = "") -> PolicyVersion:
        """Write a policy as its next version, or raise if `known` is not its newest version.

        `known` is 0 if there must be no version yet, and None to skip the check.
        """
        return self._journal.commit(lambda transaction: write_version(transaction, policy, actor, known, note))

    def remove(self, policy: Policy, actor: str, *, known: int | None, note: str = "") -> PolicyVersion:
        """Remove a policy. Its versions stay, and can be restored."""
        return self._journal.commit(
            lambda transaction: write_version(transaction, policy, actor, known, note, removed=True)
        )

    def restore(self, old: PolicyVersion, actor: str, *, known: int | None, note: str = "") -> PolicyVersion:
        """Write an older version as the newest one, or raise if it was changed outside Interlock."""

        def operation(transaction: Transaction) -> PolicyVersion:
            check_version(transaction, old)
            told = note or f"restored from version {old.version}"
            return write_version(transaction, old.policy, actor, known, told)

        return self._journal.commit(operation)


def write_version(
    transaction: Transaction,
    policy: Policy,
    actor: str,
    known: int | None,
    note: str,
    *,
    removed: bool = False,
    revision: Revision | None = None,
) -> PolicyVersion:
    """Write the next version of a policy, or raise if `known` is not its newest version."""
    last = _newest(transaction.connection, policy.policy_id).get(policy.policy_id)
    number = last.version if last else 0
    if known is not None and known != number:
        found = f"version {number}, written by `{plain(last.changed_by)}`" if last else "no version"
        raise ConflictError(
            f"policy `{plain(policy.policy_id)}` has {found}, but your change is based on version {known}; reload it"
        )
    if number >= 1_000_000:
        raise ConflictError(f"policy `{plain(policy.policy_id)}` has a million versions; use another id")
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
        "revision": revision.number if revision else None,
        "origin": msgspec.json.encode(revision.origin).decode() if revision else None,
    }
    write_row(transaction, policies, row, _make_entry(policy, row, revision), new=True)
    return version_from_row(row)


def _make_entry(policy: Policy, row: Mapping[str, Any], revision: Revision | None) -> Entry:
    """Return the record of a new version, which has this row."""
    data = {"policy": msgspec.to_builtins(policy), "note": row["note"]}
    if revision is not None:
        data |= {"revision": revision.number, "origin": revision.origin.to_dict()}
    removed = bool(row["removed"])
    return Entry(
        kind="policy.removed" if removed else "policy.saved",
        at=row["changed_at"],
        actor=row["changed_by"],
        name=row["version_id"],
        outcome="removed" if removed else policy.action.value,
        data=data,
    )


def check_version(transaction: Transaction, version: PolicyVersion) -> None:
    """Raise unless a version is stored as it was written."""
    version_id = f"{version.policy.policy_id}@{version.version}"
    row = transaction.connection.row("SELECT * FROM interlock_policies WHERE version_id = :id", id=version_id)
    if row is None or version_from_row(row) != version:
        raise TamperedError(f"`{version_id}` in `policies` was changed outside Interlock and is not used")
    check_row(transaction, policies, row)


def _newest(connection: Connection, policy_id: str | None = None) -> dict[str, PolicyVersion]:
    where = Where().equals(policy_id=policy_id)
    query = f"SELECT * FROM interlock_policies {where} ORDER BY policy_id, version"
    return {row["policy_id"]: version_from_row(row) for row in connection.rows(query, **where.given)}


def load_verified(transaction: Transaction) -> StoredPolicies:
    """Return the policies in force; raise if a row does not match its record, or a recorded one is missing."""
    connection = transaction.connection
    rows = connection.rows("SELECT * FROM interlock_policies")
    newest: dict[str, dict[str, Any]] = {}
    for row in sorted(rows, key=lambda row: row["version"]):
        newest[row["policy_id"]] = row
    for row in newest.values():
        check_row(transaction, policies, row)
    recorded = set(connection.values(_RECORDED_VERSIONS))
    for name in recorded - {row["version_id"] for row in rows}:
        raise TamperedError(f"`{name}` in `policies` was deleted from the database; the policies cannot be trusted")
    versions = [version_from_row(row) for row in newest.values()]
    return StoredPolicies(
        tuple(version.policy for version in versions if not version.removed),
        frozenset(version.policy.policy_id for version in versions if version.removed),
    )


def version_from_row(row: Mapping[Any, Any]) -> PolicyVersion:
    try:
        policy = msgspec.json.decode(row["body"], type=Policy)
        origin = msgspec.json.decode(row["origin"], type=PolicyOrigin) if row["origin"] else None
    except (msgspec.DecodeError, TypeError, ValueError):
        raise TamperedError("a policy cannot be decoded; run `interlock audit verify`") from None
    return PolicyVersion(
        policy=policy,
        version=row["version"],
        changed_by=row["changed_by"],
        changed_at=row["changed_at"],
        note=row["note"],
        removed=bool(row["removed"]),
        revision=row["revision"],
        origin=origin,
    )


def parse_policy(given: Mapping[str, Any], ids_in_files: Iterable[str] = ()) -> Policy:
    """Return a policy from its fields, compiled, or raise with what to write instead.

    Policies of configuration files, whose ids are given, can only be changed there.
    """
    from interlock.config.policies import read_policy
    from interlock.documents import Document

    try:
        policy = read_policy(Document("", ""), given)
    except TypeError as error:  # a list or a table where a field holds words or numbers
        raise ConfigError(f"a condition compares a field with a value of the wrong type: {error}") from None
    if len(policy.policy_id) > MAX_ID or not policy.policy_id.isascii() or not policy.policy_id.isprintable():
        raise ConfigError(
            f"an id may have at most {MAX_ID} printable ASCII characters, found `{plain(policy.policy_id)[:40]}`"
        )
    if policy.policy_id in set(ids_in_files):
        raise ConflictError(f"policy `{policy.policy_id}` comes from a configuration file; change it there")
    return policy
