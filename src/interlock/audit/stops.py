"""Stops: every action of an agent, an API key, or all agents is refused until a person lifts the stop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.masking import mask_text
from interlock.audit.record import Entry
from interlock.audit.rows import check_row, write_row
from interlock.errors import ConflictError, MissingError
from interlock.ids import new_id
from interlock.model import Struct
from interlock.sanitise import plain, stored_name
from interlock.store.clock import format_time, now_in
from interlock.store.connection import Connection
from interlock.store.tables import stops

MAX_REASON = 300
_ACTIVE = "SELECT * FROM interlock_stops WHERE lifted_at IS NULL ORDER BY stopped_at"


class StopTarget(msgspec.Struct, frozen=True):
    """The target of a stop: an agent and the agents below it, an API key, or everything."""

    agent_id: str | None = None
    key_id: str | None = None
    key_name: str | None = None

    def __str__(self) -> str:
        if self.key_id is not None:
            return f"key `{plain(self.key_name or self.key_id)}`"
        return "all agents" if self.agent_id is None else f"agent `{plain(self.agent_id)[:80]}`"

    @property
    def identity(self) -> tuple[str | None, str | None]:
        """The identity of the target: a key may have been renamed since."""
        return None if self.agent_id is None else stored_name(self.agent_id), self.key_id


class Stop(Struct, frozen=True, kw_only=True):
    """A stop of an agent and the agents below it, of an API key, or of all if it names neither."""

    stop_id: str
    agent_id: str | None
    key_id: str | None = None
    key_name: str | None = None
    reason: str
    stopped_by: str
    stopped_at: int
    lifted_by: str | None = None
    lifted_at: int | None = None

    @property
    def target(self) -> StopTarget:
        """The target of the stop."""
        return StopTarget(self.agent_id, self.key_id, self.key_name)

    def covers(self, agents: Iterable[str | None], key_id: str | None = None) -> bool:
        """Whether this stop covers an action of an agent, under any of its names, that was sent with an API key.

        >>> stop = Stop(stop_id="1", agent_id="bot", reason="", stopped_by="ann", stopped_at=0)
        >>> [stop.covers([name]) for name in ("bot", "bot/helper", "botany", None)]
        [True, True, False, False]
        """
        if self.key_id is not None:
            return self.key_id == key_id
        return self.agent_id is None or any(f"{agent}/".startswith(f"{self.agent_id}/") for agent in agents if agent)

    def __str__(self) -> str:
        verb = "is" if self.agent_id is not None or self.key_id is not None else "are"
        since = f"since {format_time(self.stopped_at)} UTC"
        why = f": {plain(self.reason)}" if self.reason else ""
        return f"{self.target} {verb} stopped by {plain(self.stopped_by)} {since}{why}"


def stops_in(transaction: Transaction) -> Sequence[Stop]:
    """Return the stops in force, each verified against its record. They are read once in a transaction."""
    if transaction.stops is None:
        rows = transaction.connection.rows(_ACTIVE)
        for row in rows:
            check_row(transaction, stops, row)
        transaction.stops = tuple(map(_stop_of, rows))
    return transaction.stops


def list_stops(connection: Connection) -> list[Stop]:
    """Return the stops in force, without verifying them."""
    return [_stop_of(row) for row in connection.rows(_ACTIVE)]


class Stops:
    """The stops of a store."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def list(self) -> list[Stop]:
        """Return the stops in force, without verifying them."""
        with self._journal.database.read() as connection:
            return list_stops(connection)

    def stop(self, target: StopTarget, actor: str, reason: str = "") -> Stop:
        """Stop an agent, a key, or all agents; raise if that stop is already in force."""

        def operation(transaction: Transaction) -> Stop:
            for found in map(_stop_of, transaction.connection.rows(_ACTIVE)):
                if found.target.identity == target.identity:
                    raise ConflictError(f"{found}; `interlock stop --list` lists the stops")
            agent_id, key_id = target.identity
            row: dict[str, Any] = {
                "stop_id": new_id()[:12],
                "agent_id": agent_id,
                "reason": mask_text(plain(reason))[:MAX_REASON],
                "stopped_by": stored_name(actor),
                "stopped_at": now_in(transaction.connection).wall,
                "lifted_by": None,
                "lifted_at": None,
                "api_key": key_id,
                "api_key_name": None if target.key_name is None else stored_name(target.key_name),
            }
            write_row(transaction, stops, row, _entry("stop.made", row, actor, row["stopped_at"]), new=True)
            transaction.stops = None
            return _stop_of(row)

        return self._journal.commit(operation)

    def lift(self, target: StopTarget, actor: str) -> Stop:
        """Lift the stop of an agent, a key, or all agents; raise if there is none."""

        def operation(transaction: Transaction) -> Stop:
            rows = transaction.connection.rows(_ACTIVE)
            matching = [row for row in rows if _stop_of(row).target.identity == target.identity]
            if not matching:
                verb = "is" if target != StopTarget() else "are"
                raise MissingError(f"{target} {verb} not stopped; `interlock stop --list` lists the stops")
            check_row(transaction, stops, matching[0])
            row = {key: value for key, value in matching[0].items() if key != "seq"}
            row["lifted_by"], row["lifted_at"] = stored_name(actor), now_in(transaction.connection).wall
            write_row(transaction, stops, row, _entry("stop.lifted", row, actor, row["lifted_at"]), new=False)
            transaction.stops = None
            return _stop_of(row)

        return self._journal.commit(operation)


def _entry(kind: str, row: Mapping[str, Any], actor: str, at: int) -> Entry:
    data = {"agentId": row["agent_id"], "reason": row["reason"]}
    if row["api_key"]:
        data |= {"keyId": row["api_key"], "keyName": row["api_key_name"]}
    return Entry(kind=kind, at=at, actor=actor, name=row["stop_id"], data=data)


def _stop_of(row: Mapping[Any, Any]) -> Stop:
    names = {"key_id": "api_key", "key_name": "api_key_name"}
    return Stop(**{field: row[names.get(field, field)] for field in Stop.__struct_fields__})
