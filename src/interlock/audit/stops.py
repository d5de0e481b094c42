"""Stops: a person refuses every action of an agent, or of all agents, at once and until somebody lifts that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.masking import mask_text
from interlock.audit.record import Entry
from interlock.audit.rows import check_row, write_row
from interlock.errors import ConflictError, MissingError
from interlock.ids import new_id
from interlock.model import Struct
from interlock.sanitise import plain, stored_name
from interlock.store.clock import now_in
from interlock.store.tables import stops

MAX_REASON = 300
_ACTIVE = "SELECT * FROM interlock_stops WHERE lifted_at IS NULL ORDER BY stopped_at"


class Stop(Struct, frozen=True, kw_only=True):
    """A stop of an agent and the agents below it, or of all if `agent_id` is None."""

    stop_id: str
    agent_id: str | None
    reason: str
    stopped_by: str
    stopped_at: int
    lifted_by: str | None = None
    lifted_at: int | None = None

    def covers(self, agent_id: str | None) -> bool:
        """Whether this stop is for an agent.

        >>> stop = Stop(stop_id="1", agent_id="bot", reason="", stopped_by="ann", stopped_at=0)
        >>> stop.covers("bot"), stop.covers("bot/helper"), stop.covers("botany"), stop.covers(None)
        (True, True, False, False)
        """
        return self.agent_id is None or f"{agent_id}/".startswith(f"{self.agent_id}/")

    def __str__(self) -> str:
        what = "all agents are" if self.agent_id is None else f"agent `{plain(self.agent_id)}` is"
        return f"{what} stopped by {plain(self.stopped_by)}" + (f": {plain(self.reason)}" if self.reason else "")


def find_stop(active: Sequence[Stop], agent_id: str | None) -> Stop | None:
    """Return the stop that is for an agent, or None."""
    return next((stop for stop in active if stop.covers(agent_id)), None)


class Stops:
    """The stops of a store."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def active(self) -> list[Stop]:
        """Return the stops that are in force, after checking each against its record."""

        def operation(transaction: Transaction) -> list[Stop]:
            rows = transaction.connection.rows(_ACTIVE)
            for row in rows:
                check_row(transaction, stops, row)
            return [_stop_of(row) for row in rows]

        return self._journal.commit(operation)

    def list(self) -> list[Stop]:
        """Return the stops that are in force, without checking them."""
        with self._journal.database.read() as connection:
            return [_stop_of(row) for row in connection.rows(_ACTIVE)]

    def stop(self, agent_id: str | None, actor: str, reason: str = "") -> Stop:
        """Stop an agent, or all; raise if that is in force already."""

        def operation(transaction: Transaction) -> Stop:
            name = None if agent_id is None else stored_name(agent_id)
            for found in map(_stop_of, transaction.connection.rows(_ACTIVE)):
                if found.agent_id == name:
                    raise ConflictError(f"{found}; `interlock stop --list` lists the stops")
            row: dict[str, Any] = {
                "stop_id": new_id()[:12],
                "agent_id": name,
                "reason": mask_text(plain(reason))[:MAX_REASON],
                "stopped_by": stored_name(actor),
                "stopped_at": now_in(transaction.connection).wall,
                "lifted_by": None,
                "lifted_at": None,
            }
            write_row(transaction, stops, row, _entry("stop.made", row, actor, row["stopped_at"]), new=True)
            return _stop_of(row)

        return self._journal.commit(operation)

    def lift(self, agent_id: str | None, actor: str) -> Stop:
        """Lift the stop of an agent, or of all; raise if there is none."""

        def operation(transaction: Transaction) -> Stop:
            name = None if agent_id is None else stored_name(agent_id)
            rows = [row for row in transaction.connection.rows(_ACTIVE) if row["agent_id"] == name]
            if not rows:
                what = "everything" if agent_id is None else f"`{plain(agent_id)[:80]}`"
                raise MissingError(f"{what} is not stopped; `interlock stop --list` lists the stops")
            row = {key: value for key, value in rows[0].items() if key != "seq"}
            row["lifted_by"], row["lifted_at"] = stored_name(actor), now_in(transaction.connection).wall
            write_row(transaction, stops, row, _entry("stop.lifted", row, actor, row["lifted_at"]), new=False)
            return _stop_of(row)

        return self._journal.commit(operation)


def _entry(kind: str, row: Mapping[str, Any], actor: str, at: int) -> Entry:
    data = {"agentId": row["agent_id"], "reason": row["reason"]}
    return Entry(kind=kind, at=at, actor=actor, name=row["stop_id"], data=data)


def _stop_of(row: Mapping[Any, Any]) -> Stop:
    return Stop(**{name: row[name] for name in Stop.__struct_fields__})
