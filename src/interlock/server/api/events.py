"""`POST /v1/events`: events that an agent reports."""

from __future__ import annotations

import hashlib
from asyncio import to_thread
from typing import Annotated, Any, Literal

import msgspec
from litestar import post
from litestar.params import JSONBody

from interlock.access.roles import Caller
from interlock.audit.chain import Transaction
from interlock.audit.digest import canonical_form
from interlock.audit.masking import mask, mask_text
from interlock.audit.record import Entry, canonical
from interlock.audit.runs import OPEN, Run, end_run
from interlock.errors import InvalidActionError
from interlock.model import Struct
from interlock.sanitise import stored_name
from interlock.server.api.parameters import EVALUATE, ApiRequest, ServiceDependency, optional_name
from interlock.server.api.responses import problem_responses
from interlock.server.api.runs import start_or_continue
from interlock.server.service import agent_id_for
from interlock.store.clock import now

MAX_DATA = 16_000
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
    "message",
]


class ReportedEvent(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something that happened in a run. An `eventId` that is sent twice counts once."""

    event_id: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    type: EventType
    run_id: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    agent_id: Annotated[str, msgspec.Meta(max_length=200)] | None = None
    decision_id: Annotated[str, msgspec.Meta(max_length=64)] | None = None
    summary: Annotated[str, msgspec.Meta(max_length=2_000)] = ""
    data: dict[str, Any] = msgspec.field(default_factory=dict)


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
    duplicate = await service.journal.acommit(lambda transaction: _record(transaction, caller, entry, data))
    return EventReceipt(event_id=data.event_id, record_id=entry.record_id, duplicate=duplicate)


def _entry(store_id: str, caller: Caller, agent_id: str | None, event: ReportedEvent) -> Entry:
    """Return the record of an event. Its id is derived from the event's, so that it cannot be recorded twice."""
    identity = canonical([store_id, caller.name, event.run_id, event.event_id])
    data: dict[str, Any] = {
        "eventId": event.event_id,
        "text": mask_text(event.summary),
        "data": mask(canonical_form(event.data)),
    }
    if event.decision_id is not None:
        data["decisionId"] = event.decision_id
    return Entry(
        kind="event",
        at=now().wall,
        actor=agent_id or caller.name,
        name=event.type,
        run_id=stored_name(event.run_id),
        agent_id=agent_id,
        outcome=event.type.rpartition(".")[2],
        data=data,
        record_id="e" + hashlib.sha256(identity).hexdigest()[:31],
    )


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
    start_or_continue(transaction, run, caller)
    transaction.append(entry)
    if event.type in ("run.completed", "run.failed"):
        why = (event.summary or "it failed") if event.type == "run.failed" else None
        end_run(transaction, run.run_id, entry.actor, why)
    return False


ROUTES = [report]
