"""Actions that ran, according to their records: they were allowed, or a person approved them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import msgspec

from interlock.levels import Verdict
from interlock.sanitise import storable_name
from interlock.store.connection import Connection

DECISION, EVENT = "decision", "event"
#: The records that say that an action ran which had needed an approval.
_APPROVED = frozenset({"approval.used", "grant.used"})
_ENDED = frozenset({"tool.completed", "tool.failed"})
#: The kinds of records that are read.
KINDS = (DECISION, EVENT, *sorted(_APPROVED))
_ALLOWED = frozenset(verdict.value for verdict in Verdict if verdict.rank <= Verdict.WARN.rank)
#: How many earlier decisions of a run are searched for the one that was approved.
MAX_SEARCHED = 500
_BY_ID = "SELECT body FROM interlock_records WHERE record_id = :id AND kind = 'decision'"
_OF_RUN = """
    SELECT body FROM interlock_records WHERE run_id = :run_id AND seq < :seq AND kind = 'decision'
    ORDER BY seq DESC LIMIT :most
"""
_ASKED = "SELECT body FROM interlock_records WHERE kind = 'asked' AND run_id = :run_id ORDER BY seq DESC LIMIT :most"


class _RecordedView(msgspec.Struct, frozen=True):
    action: dict[str, Any] = {}


class _Data(msgspec.Struct, frozen=True, rename="camel"):
    resources: tuple[str, ...] = ()
    would_have: Any = None
    views: tuple[_RecordedView, ...] = ()
    decision_id: str = ""
    data: Any = None


class DecisionBody(msgspec.Struct, frozen=True, rename="camel"):
    """The record of a decision or its consequences: the fields that say what an agent did."""

    at: int
    record_id: str = ""
    name: str | None = None
    run_id: str | None = None
    agent_id: str | None = None
    digest: str | None = None
    outcome: str | None = None
    data: _Data = _Data()

    @property
    def agent(self) -> str:
        """The agent that acted, as named by its key or its run, or else by its action."""
        named = (view.action["agentId"] for view in self.data.views if "agentId" in view.action)
        return storable_name(str(next(named, None) or self.agent_id or ""))


class ExecutedAction(NamedTuple):
    """An action that ran: when, whose it was, its tool, and what it touched."""

    seq: int
    at: int
    agent: str
    tool: str
    resources: tuple[str, ...]


_DECODER = msgspec.json.Decoder(DecisionBody)


def read_body(body: str | bytes) -> DecisionBody | None:
    """Return a record, or None if Interlock did not write it: `interlock audit verify` reports that."""
    try:
        return _DECODER.decode(body)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return None


def find_executed_actions(
    connection: Connection, rows: Iterable[tuple[int, str, str | None]]
) -> Iterator[ExecutedAction]:
    """Yield the actions that ran, according to records."""
    for seq, kind, body in rows:
        record = read_body(body) if body is not None else None
        if record is None:
            continue
        decision = _find_decision(connection, seq, kind, record)
        if decision is not None and decision.agent:
            yield ExecutedAction(
                seq, record.at, decision.agent, storable_name(decision.name or ""), decision.data.resources
            )


def _find_decision(connection: Connection, seq: int, kind: str, record: DecisionBody) -> DecisionBody | None:
    """Return the decision on the action that ran, or None if a record does not say that one did."""
    if kind == DECISION:
        # observed actions ran without an approval
        return record if record.outcome in _ALLOWED and record.data.would_have is None else None
    if kind == EVENT:
        return _find_user_approved(connection, record)
    if record.data.decision_id:
        return _load(connection, record.data.decision_id)
    bodies = connection.values(_OF_RUN, run_id=record.run_id, seq=seq, most=MAX_SEARCHED)
    earlier = (read_body(body) for body in bodies)
    return next((one for one in earlier if one is not None and one.digest == record.digest), None)


def _find_user_approved(connection: Connection, record: DecisionBody) -> DecisionBody | None:
    """Return the decision on a call that the agent's own user approved: its user was asked, and it ran.

    Only a hook or a guard beside the store says so. What an agent reports over the API (with `data`) proves nothing.
    """
    decision_id = record.data.decision_id
    if record.name not in _ENDED or not decision_id or record.data.data is not None:
        return None
    asked = (read_body(body) for body in connection.values(_ASKED, run_id=record.run_id, most=MAX_SEARCHED))
    if not any(one is not None and one.data.decision_id == decision_id for one in asked):
        return None
    return _load(connection, decision_id)


def _load(connection: Connection, decision_id: str) -> DecisionBody | None:
    body = connection.value(_BY_ID, id=decision_id)
    return None if body is None else read_body(body)
