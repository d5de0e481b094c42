"""`/v1/approvals`: what waits for a person, and their answers."""

from __future__ import annotations

from typing import Annotated

import msgspec
from litestar import get, post
from litestar.params import FromPath, JSONBody, QueryParameter

from interlock.access.roles import Caller, Right
from interlock.approval.request import Approval, ApprovalState, GrantScope
from interlock.errors import MissingApprovalError
from interlock.model import Struct
from interlock.server.answering import answer_no, answer_yes, ticket_for
from interlock.server.api.shared import (
    ANSWER,
    EVALUATE,
    SEE,
    Call,
    CursorText,
    Limit,
    OfAgent,
    OfRun,
    Served,
    problems,
    threaded,
)
from interlock.server.service import MAX_WAIT, Service
from interlock.server.wire import ApprovalWire, Page, approval_wire, challenge_wire
from interlock.store.paging import PageCursor, parse_cursor

Wait = Annotated[float, QueryParameter(ge=0, le=MAX_WAIT, description="wait so many seconds for an answer")]
InState = Annotated[ApprovalState | None, QueryParameter(name="state", description="only in this state")]
Line = Annotated[str, msgspec.Meta(max_length=2_000)]


class Yes(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An approval: the ticket of the challenge that you were shown, and its answers in order."""

    ticket: Annotated[str, msgspec.Meta(max_length=200)] = ""
    answers: Annotated[list[Line], msgspec.Meta(max_length=10)] = msgspec.field(default_factory=list)
    scope: GrantScope = GrantScope.ONCE
    reason: Line = ""


class No(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A rejection: why, and what you would rather see."""

    reason: Line = ""
    instead: Line = ""


@get(
    "/approvals",
    opt={"right": SEE},
    responses=problems(),
    summary="The requests, the newest first",
    tags=["approvals"],
)
async def list_approvals(
    service: Served,
    limit: Limit = 50,
    cursor: CursorText = None,
    state_: InState = None,
    run_id: OfRun = None,
    agent_id: OfAgent = None,
) -> Page[ApprovalWire]:
    """List the requests."""
    after = parse_cursor(cursor) if cursor else None
    found = await threaded(
        service.gate.approvals.list, state_, limit + 1, after=after, run_id=run_id, agent_id=agent_id
    )
    items = [approval_wire(approval, service.url_of(approval)) for approval in found[:limit]]
    more = str(PageCursor(items[-1].created_at, items[-1].approval_id)) if len(found) > limit else None
    return Page(items=items, next=more)


@get(
    "/approvals/{approval_id:str}",
    opt={"right": (SEE, EVALUATE)},
    responses=problems(),
    summary="One request",
    description="With `wait`, answers once the request has ended, or when the time is up. Whoever may answer also "
    "gets the challenge, with a ticket that says when they were shown it.",
    tags=["approvals"],
)
async def get_approval(request: Call, service: Served, approval_id: FromPath[str], wait: Wait = 0) -> ApprovalWire:
    """Show a request."""
    await threaded(_visible, service, request.user, approval_id)
    approval = await service.wait(approval_id, wait)
    return shown(service, request.user, approval)


@post(
    "/approvals/{approval_id:str}/approve",
    opt={"right": ANSWER},
    status_code=200,
    responses=problems(),
    summary="Approve a request",
    description="Takes the challenge's answers. A wrong answer to a quiz is a rejection: it is not asked twice.",
    tags=["approvals"],
)
async def approve(request: Call, service: Served, approval_id: FromPath[str], data: JSONBody[Yes]) -> ApprovalWire:
    """Approve a request."""
    approval = await threaded(
        answer_yes, service, request.user, approval_id, data.ticket, data.answers, data.scope, data.reason
    )
    return shown(service, request.user, approval)


@post(
    "/approvals/{approval_id:str}/reject",
    opt={"right": ANSWER},
    status_code=200,
    responses=problems(),
    summary="Reject a request",
    tags=["approvals"],
)
async def reject(request: Call, service: Served, approval_id: FromPath[str], data: JSONBody[No]) -> ApprovalWire:
    """Reject a request."""
    approval = await threaded(answer_no, service, request.user, approval_id, data.reason, data.instead)
    return shown(service, request.user, approval)


@post(
    "/approvals/{approval_id:str}/cancel",
    opt={"right": EVALUATE},
    status_code=200,
    responses=problems(),
    summary="Take a request back",
    tags=["approvals"],
)
async def cancel(request: Call, service: Served, approval_id: FromPath[str]) -> ApprovalWire:
    """Take a request back."""
    await threaded(_visible, service, request.user, approval_id)
    approval = await threaded(service.gate.approvals.cancel, approval_id, request.user.agent or request.user.name)
    return shown(service, request.user, approval)


def shown(service: Service, caller: Caller, approval: Approval) -> ApprovalWire:
    """Return a request as a caller sees it: with its challenge, if they may answer."""
    challenge = None
    if approval.state is ApprovalState.PENDING and caller.may(Right.ANSWER):
        challenge = challenge_wire(approval, ticket_for(service, caller, approval))
    return approval_wire(approval, service.url_of(approval), challenge)


def _visible(service: Service, caller: Caller, approval_id: str) -> None:
    """Raise unless a request is there, by its whole id, and the caller's own where they see no others."""
    approval = service.gate.approvals.get(approval_id)
    mine = caller.owns(approval.started_by, approval.agent_id)
    if approval.approval_id != approval_id or not (caller.may(Right.SEE) or mine):
        raise MissingApprovalError("there is no such request")


ROUTES = [list_approvals, get_approval, approve, reject, cancel]
