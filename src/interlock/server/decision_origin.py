"""Find the recorded decision behind an action or a request, by the id of either."""

from __future__ import annotations

from interlock.audit.read import parse_record
from interlock.audit.record import Record
from interlock.errors import MissingError
from interlock.server.service import Service
from interlock.store.connection import Connection

#: How many decisions of a run before a request are compared with it.
MAX_COMPARED = 50
_BY_ID = "SELECT body, hash FROM interlock_records WHERE record_id = :id AND kind = 'decision'"
_REQUESTED = "SELECT body, hash FROM interlock_records WHERE approval_id = :id AND kind = 'approval.requested'"
_BEFORE = (
    "SELECT body, hash FROM interlock_records WHERE run_id = :run_id AND kind = 'decision' AND seq < :seq "
    "ORDER BY seq DESC LIMIT :most"
)


def locate_decision(service: Service, id_: str) -> Record:
    """Return the decision with an id, or the one that opened the request with that id; raise if there is none."""
    with service.journal.database.read() as connection:
        rows = connection.tuples(_BY_ID, id=id_)
        found = parse_record(*rows[0]).record if rows else _of_request(connection, id_)
    if found is None:
        raise MissingError("there is no such action; it may have been pruned")
    return found


def _of_request(connection: Connection, approval_id: str) -> Record | None:
    """Return the newest decision on the same action before a request was opened, which is the one that opened it."""
    rows = connection.tuples(_REQUESTED, id=approval_id)
    if not rows:
        return None
    opened = parse_record(*rows[0]).record
    before = connection.tuples(_BEFORE, run_id=opened.run_id, seq=opened.seq, most=MAX_COMPARED)
    decisions = (parse_record(*row).record for row in before)
    return next((decision for decision in decisions if decision.digest == opened.digest), None)
