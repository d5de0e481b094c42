"""The machines that pull policies from this server. Each reports its bundle in force."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec

from interlock.access.roles import Caller
from interlock.errors import ConflictError
from interlock.model import Struct
from interlock.sanitise import plain
from interlock.store.clock import MICROSECONDS, now_in
from interlock.store.database import Database
from interlock.store.tables import machines

#: A machine that has not reported for this long is removed.
FORGOTTEN_DAYS = 90
#: How many machines may report with one key.
MAX_MACHINES = 5_000
_OWN = "key_id = :key_id AND machine_id = :machine_id"

MachineText = Annotated[str, msgspec.Meta(max_length=300)]
MachineName = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


class MachineReport(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The report of a machine. `bundle` is the version in force, and `error` says why it is not the newest."""

    machine_id: Annotated[str, msgspec.Meta(min_length=8, max_length=64, pattern="^[0-9a-f]+$")]
    machine: MachineName
    user: MachineName
    version: Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
    bundle: Annotated[str, msgspec.Meta(max_length=64, pattern="^[0-9a-f]*$")] | None = None
    error: MachineText = ""


class Machine(Struct, frozen=True, kw_only=True):
    """The last report of a machine. `owner` is the owner of its key."""

    machine_id: str
    key_id: str
    owner: str
    machine: str
    user: str
    version: str
    bundle: str | None
    error: str
    first_seen_at: int
    seen_at: int


class Machines:
    """The machines that have reported to a store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def report(self, caller: Caller, report: MachineReport) -> Machine:
        """Store the report of a machine, which replaces its previous one."""
        who = {"key_id": caller.key_id or caller.name, "machine_id": report.machine_id}
        with self._database.write() as connection:
            at = now_in(connection).wall
            gone = at - FORGOTTEN_DAYS * 86_400 * MICROSECONDS
            connection.run("DELETE FROM interlock_machines WHERE seen_at < :gone", gone=gone)
            before = connection.row(f"SELECT * FROM interlock_machines WHERE {_OWN}", **who)
            if before is None:
                count = "SELECT count(*) FROM interlock_machines WHERE key_id = :key_id"
                if (connection.value(count, key_id=who["key_id"]) or 0) >= MAX_MACHINES:
                    raise ConflictError(f"{MAX_MACHINES:,} machines already report with this key; create another key")
            row = {
                **who,
                "owner": caller.name,
                "machine": plain(report.machine),
                "user_name": plain(report.user),
                "version": plain(report.version),
                "bundle": report.bundle,
                "error": plain(report.error),
                "first_seen_at": at if before is None else before["first_seen_at"],
                "seen_at": at,
            }
            connection.run(f"DELETE FROM interlock_machines WHERE {_OWN}", **who)
            connection.insert(machines, row)
        return _machine_of(row)

    def list(self) -> list[Machine]:
        """Return every machine, the most recent report first."""
        query = "SELECT * FROM interlock_machines ORDER BY seen_at DESC, machine_id LIMIT 10000"
        with self._database.read() as connection:
            return [_machine_of(row) for row in connection.rows(query)]


def _machine_of(row: Mapping[Any, Any]) -> Machine:
    fields = {name: row[name] for name in Machine.__struct_fields__ if name != "user"}
    return Machine(**fields, user=row["user_name"])
