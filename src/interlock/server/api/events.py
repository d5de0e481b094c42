"""`POST /v1/events`: what happened, as an agent reports it."""

from __future__ import annotations

import hashlib
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
from interlock.gate.case import named
from interlock.model import Struct
from interlock.server.api.runs import begin
from interlock.server.api.shared import EVALUATE, Call, Served, name_of, problems, threaded
from interlock.server.service import agent_of
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


class Event(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something that happened in a run. The same `eventId` twice counts once."""

    event_id: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    type: EventType
    run_id: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    agent_id: Annotated[str, msgspec.Meta(max_length=200)] | None = None
    decision_id: Annotated[str, msgspec.Meta(max_length=64)] | None = None
    summary: Annotated[str, msgspec.Meta(max_length=2_000)] = ""
    data: dict[str, Any] = msgspec.field(default_factory=dict)


class Noted(Struct, frozen=True, kw_only=True):
    """That an event is on record. `duplicate` says that it was before."""

    event_id: str
    record_id: str
    duplicate: bool


@post(
    "/events",
    opt={"right": EVALUATE},
    status_code=200,
    responses=problems(),
    summary="Report what happened",
    description="Notes that a tool completed or failed, that a run began or ended, or any step between. Sent twice "
    "with the same `eventId`, it is noted once, so it can be sent again whenever no answer came.",
    tags=["deciding"],
)
async def report(request: Call, service: Served, data: JSONBody[Event]) -> Noted:
    """Note what happened."""
    caller = request.user
    agent_id = name_of(agent_of(caller, data.agent_id))
    await threaded(service.check_owner, caller, data.run_id)
    if len(msgspec.json.encode(data.data)) > MAX_DATA:
        raise InvalidActionError(f"`data` is at most {MAX_DATA:,} bytes long")
    entry = _entry(service.journal.store_id, caller, agent_id, data)
    duplicate = await service.journal.acommit(lambda transaction: _note(transaction, caller, entry, data))
    return Noted(event_id=data.event_id, record_id=entry.record_id, duplicate=duplicate)


def _entry(store_id: str, caller: Caller, agent_id: str | None, event: Event) -> Entry:
    """Return what is recorded; its id follows from the event's, so that it cannot be there twice."""
    whose = canonical([store_id, caller.name, event.run_id, event.event_id])
    told: dict[str, Any] = {
        "eventId": event.event_id,
        "text": mask_text(event.summary),
        "data": mask(canonical_form(event.data)),
    }
    if event.decision_id is not None:
        told["decisionId"] = event.decision_id
    return Entry(
        kind="event",
        at=now().wall,
        actor=agent_id or caller.name,
        name=event.type,
        run_id=named(event.run_id),
        agent_id=agent_id,
        outcome=event.type.rpartition(".")[2],
        data=told,
        record_id="e" + hashlib.sha256(whose).hexdigest()[:31],
    )


def _note(transaction: Transaction, caller: Caller, entry: Entry, event: Event) -> bool:
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
    begin(transaction, run, caller)
    transaction.append(entry)
    if event.type in ("run.completed", "run.failed"):
        why = (event.summary or "it failed") if event.type == "run.failed" else None
        end_run(transaction, run.run_id, entry.actor, why)
    return False


ROUTES = [report]
