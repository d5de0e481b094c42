"""`POST /v1/events`: events that an agent reports."""

from __future__ import annotations

import hashlib
from asyncio import to_thread
from typing import Annotated, Any, Literal

import msgspec
from litestar import get, post
from litestar.params import FromPath, JSONBody, QueryParameter

from interlock.access.roles import Caller
from interlock.audit.chain import Transaction
from interlock.audit.digest import canonical_form
from interlock.audit.masking import mask, mask_text
from interlock.audit.pending_write import Concurrent
from interlock.audit.record import Entry, canonical
from interlock.audit.runs import CLOSED, OPEN, Run, check_owner, check_run, end_run, find_run, run_queries
from interlock.errors import InvalidActionError, MissingError
from interlock.gate.call_outcome import COMPLETED, FAILED
from interlock.model import Struct
from interlock.sanitise import storable_name
from interlock.server.api.parameters import EVALUATE, ApiRequest, ServiceDependency, optional_name
from interlock.server.api.responses import problem_responses
from interlock.server.api.runs import start_or_continue
from interlock.server.service import Service, agent_id_for
from interlock.store.clock import now

MAX_DATA = 16_000
#: Events that end their run.
_ENDS = ("run.completed", "run.failed")
MAX_CONTENT = 200_000
InRun = Annotated[str, QueryParameter(name="runId", min_length=1, max_length=200, description="its run")]
InScope = Annotated[
    str | None, QueryParameter(name="scope", min_length=1, max_length=200, description="its scope, if it has one")
]
EventType = Literal[
    "run.started",
    "run.completed",
    "run.failed",
    "step.started",
    "step.completed",
    "step.failed",
    "tool.started",
    "tool.completed",
    "tool.failed",
    "question.asked",
    "question.approved",
    "question.rejected",
    "question.edited",
    "elicitation.accepted",
    "elicitation.declined",
    "message",
]


class ReportedEvent(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something that happened in a run. An `eventId` that is sent twice counts once.

    It is unique in its run, or, with `scope`, among the events that the agent reports in that scope. `person` is the
    user who did it, as the agent knows them. `content` is stored next to the record, for the agent to read again.
    """

    event_id: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    type: EventType
    run_id: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    agent_id: Annotated[str, msgspec.Meta(max_length=200)] | None = None
    decision_id: Annotated[str, msgspec.Meta(max_length=64)] | None = None
    summary: Annotated[str, msgspec.Meta(max_length=2_000)] = ""
    data: dict[str, Any] = msgspec.field(default_factory=dict)
    scope: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] | None = None
    person: Annotated[str, msgspec.Meta(max_length=200)] | None = None
    content: Annotated[str, msgspec.Meta(max_length=MAX_CONTENT)] | None = None


class StoredEvent(Struct, frozen=True, kw_only=True):
    """An event on record. `content` is null if there is none, or if it is lost."""

    event_id: str
    record_id: str
    type: str
    at: int
    run_id: str
    decision_id: str | None
    content: str | None


class EventReceipt(Struct, frozen=True, kw_only=True):
    """The record of an event. `duplicate` says that it had been recorded before."""

    event_id: str
    record_id: str
    duplicate: bool


@post(
    "/events",
    opt={"right": EVALUATE},
    status_code=200,
    responses=problem_responses(),
    summary="Report an event",
    description="Records that a tool completed or failed, that a run began or ended, or a step in between. An event "
    "that is sent twice with the same `eventId` is recorded once, so it is safe to retry.",
    tags=["decisions"],
)
async def report(request: ApiRequest, service: ServiceDependency, data: JSONBody[ReportedEvent]) -> EventReceipt:
    """Record an event."""
    caller = request.user
    agent_id = optional_name(agent_id_for(caller, data.agent_id))
    await to_thread(service.check_owner, caller, data.run_id)
    if len(msgspec.json.encode(data.data)) > MAX_DATA:
        raise InvalidActionError(f"`data` may be at most {MAX_DATA:,} bytes long")
    entry = _entry(service.journal.store_id, caller, agent_id, data)
    if data.content is not None:
        entry.data["digest"] = await to_thread(service.journal.content.put, data.content)
    operation = Concurrent(
        lambda transaction: _record(transaction, caller, entry, data),
        entry.run_id,
        record_id=entry.record_id,
        reads=run_queries(str(entry.run_id)),
    )
    duplicate = await service.journal.acommit(operation)
    if data.type in _ENDS:
        service.gate.sessions.release_run(str(entry.run_id))
    return EventReceipt(event_id=data.event_id, record_id=entry.record_id, duplicate=duplicate)


@get(
    "/events/{event_id:str}",
    opt={"right": EVALUATE},
    responses=problem_responses(),
    summary="A reported event",
    description="One of the caller's own, by its id and the run or the scope in which the id is unique.",
    tags=["decisions"],
)
async def get_event(
    request: ApiRequest, service: ServiceDependency, event_id: FromPath[str], run_id: InRun, scope_: InScope = None
) -> StoredEvent:
    """Show an event."""
    await to_thread(service.check_owner, request.user, run_id)
    record_id = _record_id(service.journal.store_id, request.user, run_id, scope_, event_id)
    return await to_thread(_load, service, record_id, event_id)


def _load(service: Service, record_id: str, event_id: str) -> StoredEvent:
    query = "SELECT body FROM interlock_records WHERE record_id = :record_id AND kind = 'event'"
    with service.journal.database.read() as connection:
        body = connection.value(query, record_id=record_id)
    if body is None:
        raise MissingError("there is no such event")
    found = msgspec.json.decode(body)
    digest = found["data"].get("digest")
    return StoredEvent(
        event_id=event_id,
        record_id=record_id,
        type=found["name"],
        at=found["at"],
        run_id=found["runId"],
        decision_id=found["data"].get("decisionId"),
        content=None if digest is None else service.journal.content.get(digest),
    )


def _entry(store_id: str, caller: Caller, agent_id: str | None, event: ReportedEvent) -> Entry:
    """Return the record of an event. Its id is derived from the event's, so that it cannot be recorded twice."""
    data: dict[str, Any] = {
        "eventId": event.event_id,
        "text": mask_text(event.summary),
        "data": mask(canonical_form(event.data)),
    }
    if event.decision_id is not None:
        data["decisionId"] = event.decision_id
    if event.person is not None:
        data["person"] = storable_name(event.person)
    return Entry(
        kind="event",
        at=now().wall,
        actor=agent_id or caller.name,
        name=event.type,
        run_id=storable_name(event.run_id),
        agent_id=agent_id,
        outcome=event.type.rpartition(".")[2],
        data=data,
        record_id=_record_id(store_id, caller, event.run_id, event.scope, event.event_id),
    )


def _record_id(store_id: str, caller: Caller, run_id: str, scope: str | None, event_id: str) -> str:
    """Return the id of the record of an event of a caller's own."""
    identity: list[str | None] = [store_id, caller.name, run_id, event_id]
    if scope is not None:
        identity = [store_id, caller.name, caller.agent, "scope", scope, event_id]
    return "e" + hashlib.sha256(canonical(identity)).hexdigest()[:31]


def _record(transaction: Transaction, caller: Caller, entry: Entry, event: ReportedEvent) -> bool:
    if transaction.has(entry.record_id):
        return True
    run = Run(
        run_id=str(entry.run_id),
        agent_id=entry.agent_id,
        started_by=caller.name,
        workspace=None,
        state=OPEN,
        started_at=entry.at,
    )
    if event.type in (COMPLETED, FAILED) and _has_ended(transaction, run.run_id):
        check_owner(transaction.connection, run.run_id, caller.name, caller.agent)
        check_run(transaction, run.run_id)
    else:
        start_or_continue(transaction, run, caller)
    transaction.append(entry)
    if event.type in _ENDS:
        why = (event.summary or "it failed") if event.type == "run.failed" else None
        end_run(transaction, run.run_id, entry.actor, why)
    return False


def _has_ended(transaction: Transaction, run_id: str) -> bool:
    """Whether a run has ended. A report on a call that arrives after that does not resume it."""
    run = find_run(transaction.connection, run_id)
    return run is not None and run.state in CLOSED


ROUTES = [report, get_event]
