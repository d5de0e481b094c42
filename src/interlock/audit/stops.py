"""Stops and pauses of an agent, an API key, or all agents.

While one is in force, every action is refused. A person has to lift a stop. A pause can also expire, and waiting
callers are held until then.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.masking import mask_text
from interlock.audit.record import Entry
from interlock.audit.rows import check_row, write_row
from interlock.errors import ConflictError, InterlockError, MissingError
from interlock.ids import new_id
from interlock.model import Struct
from interlock.sanitise import plain, storable_name
from interlock.store.clock import MICROSECONDS, format_time, now_in
from interlock.store.connection import Connection
from interlock.store.tables import stops

MAX_REASON = 300
MAX_PAUSE = 30 * 86_400  # seconds
_MINUTE = 60 * MICROSECONDS
_UNLIFTED = "SELECT * FROM interlock_stops WHERE lifted_at IS NULL ORDER BY stopped_at"


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
        return None if self.agent_id is None else storable_name(self.agent_id), self.key_id


class Stop(Struct, frozen=True, kw_only=True):
    """A stop of an agent and the agents below it, of an API key, or of all if it names neither.

    It is a pause if it `pauses`. A pause that has an `ends_at` is over at that time.
    """

    stop_id: str
    agent_id: str | None
    key_id: str | None = None
    key_name: str | None = None
    reason: str
    stopped_by: str
    stopped_at: int
    lifted_by: str | None = None
    lifted_at: int | None = None
    pauses: bool = False
    ends_at: int | None = None

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

    def is_over(self, at: int) -> bool:
        """Whether this is a pause that has expired."""
        return self.ends_at is not None and self.ends_at <= at

    @property
    def until(self) -> str:
        """When a pause ends, in UTC and rounded up to the minute.

        >>> pause = Stop(stop_id="1", agent_id="bot", reason="", stopped_by="ann", stopped_at=0, ends_at=61_000_000)
        >>> pause.until, msgspec.structs.replace(pause, ends_at=86_400_000_000).until
        ('00:02 UTC', '1970-01-02 00:00 UTC')
        """
        if self.ends_at is None:
            return "a person resumes it" if self.target != StopTarget() else "a person resumes them"
        shown = format_time(-(-self.ends_at // _MINUTE) * _MINUTE)[:16]
        same_day = shown[:10] == format_time(self.stopped_at)[:10]
        return f"{shown[11:] if same_day else shown} UTC"

    def __str__(self) -> str:
        verb = "is" if self.agent_id is not None or self.key_id is not None else "are"
        why = f": {plain(self.reason)}" if self.reason else ""
        what = "paused" if self.pauses else "stopped"
        when = f"until {self.until}" if self.pauses else f"since {format_time(self.stopped_at)} UTC"
        return f"{self.target} {verb} {what} by {plain(self.stopped_by)} {when}{why}"


def read_stops(transaction: Transaction) -> Sequence[Stop]:
    """Return the stops and pauses in force, each verified against its record. They are read once in a transaction.

    The first transaction that finds a pause over, and has the store alone, records that it has ended.
    """
    if transaction.stops is None:
        rows = transaction.connection.rows(_UNLIFTED)
        at = now_in(transaction.connection).wall if rows else 0
        for row in rows:
            check_row(transaction, stops, row)
            if _stop_of(row).is_over(at) and not transaction.is_shared:
                _write_end(transaction, row, "pause.ended", "interlock", row["ends_at"], at)
        transaction.stops = tuple(stop for stop in map(_stop_of, rows) if not stop.is_over(at))
    return transaction.stops


def list_stops(connection: Connection) -> list[Stop]:
    """Return the stops and pauses in force, without verifying them."""
    found = [_stop_of(row) for row in connection.rows(_UNLIFTED)]
    at = now_in(connection).wall if found else 0
    return [stop for stop in found if not stop.is_over(at)]


def find_strictest(found: Iterable[Stop]) -> Stop | None:
    """Return the strictest of several stops: a stop before a pause, then the one that lasts longest."""
    return min(found, key=lambda stop: (stop.pauses, stop.ends_at is not None, -(stop.ends_at or 0)), default=None)


class Stops:
    """The stops and pauses of a store."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def list(self) -> list[Stop]:
        """Return the stops and pauses in force, without verifying them."""
        with self._journal.database.read() as connection:
            return list_stops(connection)

    def stop(self, target: StopTarget, actor: str, reason: str = "") -> Stop:
        """Stop an agent, a key, or all agents; raise if that stop is already in force."""
        return self._journal.commit(lambda transaction: _make(transaction, target, actor, reason))

    def pause(self, target: StopTarget, actor: str, reason: str = "", seconds: int | None = None) -> Stop:
        """Pause an agent, a key, or all agents, for so many seconds or until it is resumed; raise if it is paused."""
        if seconds is not None and not 0 < seconds <= MAX_PAUSE:
            raise InterlockError(f"pause for at most {MAX_PAUSE // 86_400} days, or without an end")
        return self._journal.commit(
            lambda transaction: _make(transaction, target, actor, reason, pauses=True, seconds=seconds)
        )

    def end_due(self) -> None:
        """Record the end of expired pauses. They are not in force any more even if that fails."""
        with self._journal.database.read() as connection:
            found = [_stop_of(row) for row in connection.rows(_UNLIFTED)]
            at = now_in(connection).wall if found else 0
        if any(stop.is_over(at) for stop in found):
            self._journal.commit(read_stops)

    def lift(self, target: StopTarget, actor: str) -> Stop:
        """Lift the stop of an agent, a key, or all agents; raise if there is none."""
        return self._journal.commit(lambda transaction: _lift(transaction, target, actor, pauses=False))

    def resume(self, target: StopTarget, actor: str) -> Stop:
        """End the pause of an agent, a key, or all agents; raise if there is none."""
        return self._journal.commit(lambda transaction: _lift(transaction, target, actor, pauses=True))


def _make(
    transaction: Transaction,
    target: StopTarget,
    actor: str,
    reason: str,
    *,
    pauses: bool = False,
    seconds: int | None = None,
) -> Stop:
    for found in read_stops(transaction):
        if found.target.identity == target.identity and (pauses or not found.pauses):
            raise ConflictError(f"{found}; `interlock stop --list` lists the stops and pauses")
    agent_id, key_id = target.identity
    at = now_in(transaction.connection).wall
    row: dict[str, Any] = {
        "stop_id": new_id()[:12],
        "agent_id": agent_id,
        "reason": mask_text(plain(reason))[:MAX_REASON],
        "stopped_by": storable_name(actor),
        "stopped_at": at,
        "lifted_by": None,
        "lifted_at": None,
        "api_key": key_id,
        "api_key_name": None if target.key_name is None else storable_name(target.key_name),
        "pauses": 1 if pauses else None,
        "ends_at": None if seconds is None else at + seconds * MICROSECONDS,
    }
    entry = _entry("pause.made" if pauses else "stop.made", row, actor, at)
    write_row(transaction, stops, row, entry, new=True)
    transaction.stops = None
    return _stop_of(row)


def _lift(transaction: Transaction, target: StopTarget, actor: str, *, pauses: bool) -> Stop:
    in_force = {stop.stop_id for stop in read_stops(transaction) if stop.pauses is pauses}
    rows = [row for row in transaction.connection.rows(_UNLIFTED) if row["stop_id"] in in_force]
    matching = [row for row in rows if _stop_of(row).target.identity == target.identity]
    if not matching:
        verb = "is" if target != StopTarget() else "are"
        what = "paused" if pauses else "stopped"
        raise MissingError(f"{target} {verb} not {what}; `interlock stop --list` lists the stops and pauses")
    at = now_in(transaction.connection).wall
    return _write_end(transaction, matching[0], "pause.lifted" if pauses else "stop.lifted", actor, at, at)


def _write_end(transaction: Transaction, found: Mapping[Any, Any], kind: str, actor: str, ended: int, at: int) -> Stop:
    """Write that a stop or a pause is no longer in force since a time, in one transaction with its record."""
    row = {key: value for key, value in found.items() if key != "seq"}
    row["lifted_by"], row["lifted_at"] = storable_name(actor), ended
    write_row(transaction, stops, row, _entry(kind, row, actor, at), new=False)
    transaction.stops = None
    return _stop_of(row)


def _entry(kind: str, row: Mapping[str, Any], actor: str, at: int) -> Entry:
    data = {"agentId": row["agent_id"], "reason": row["reason"]}
    if row["api_key"]:
        data |= {"keyId": row["api_key"], "keyName": row["api_key_name"]}
    if row["ends_at"] is not None:
        data["endsAt"] = row["ends_at"]
    return Entry(kind=kind, at=at, actor=actor, name=row["stop_id"], data=data)


def _stop_of(row: Mapping[Any, Any]) -> Stop:
    names = {"key_id": "api_key", "key_name": "api_key_name"}
    given = {field: row[names.get(field, field)] for field in Stop.__struct_fields__}
    return Stop(**{**given, "pauses": bool(row["pauses"])})
