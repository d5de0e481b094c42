"""Recorded notes of drift, by agent or by time span."""

from __future__ import annotations

from interlock.audit.read import parse_record
from interlock.audit.sentences import describe_record
from interlock.learning.action_usage import DRIFT
from interlock.learning.usage import DAY
from interlock.model import Struct
from interlock.store.connection import Connection

MAX_LISTED = 20
_OF_AGENT = """
    SELECT last_seq FROM interlock_usage WHERE agent_id = :agent_id AND what = :what ORDER BY at DESC LIMIT :most
"""
_OF_TIME = (
    "SELECT last_seq FROM interlock_usage WHERE what = :what AND at >= :start AND at < :end ORDER BY at LIMIT :most"
)
_RECORD = "SELECT body, hash FROM interlock_records WHERE seq = :seq"


class DriftNote(Struct, frozen=True, kw_only=True):
    """A note about an agent: its time and its text."""

    at: int
    agent_id: str
    text: str


def notes_of_agent(connection: Connection, agent_id: str) -> list[DriftNote]:
    """Return the newest notes about an agent."""
    return _read(connection, connection.values(_OF_AGENT, agent_id=agent_id, what=DRIFT, most=MAX_LISTED))


def notes_between(connection: Connection, start: int, end: int) -> list[DriftNote]:
    """Return the notes of a time span."""
    found = connection.values(_OF_TIME, what=DRIFT, start=start - start % DAY, end=end, most=4 * MAX_LISTED)
    return [note for note in _read(connection, found) if start <= note.at < end][:MAX_LISTED]


def _read(connection: Connection, numbers: list[int]) -> list[DriftNote]:
    found = []
    for seq in numbers:
        for row in connection.tuples(_RECORD, seq=seq):  # none if it was pruned
            record = parse_record(*row).record
            found.append(DriftNote(at=record.at, agent_id=record.agent_id or "", text=describe_record(record)))
    return found
