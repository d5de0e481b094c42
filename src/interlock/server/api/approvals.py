"""`/v1/approvals`: requests for approval, and the answers to them."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from litestar import get, post
from litestar.params import FromPath, JSONBody, QueryParameter

from interlock.access.roles import Caller, Right
from interlock.approval.assignments import Assignments
from interlock.approval.comments import Comments
from interlock.approval.quiz_attempts import QuizAttempts
from interlock.approval.request import Approval, ApprovalState, GrantScope
from interlock.approval.request_filter import PENDING, PENDING_SORTS, parse_filter
from interlock.approval.request_list import ListedRequest
from interlock.errors import InterlockError, MissingApprovalError
from interlock.levels import Level
from interlock.model import Struct
from interlock.server import answers
from interlock.server.api.parameters import (
    ANSWER,
    EVALUATE,
    SEE,
    AgentFilter,
    ApiRequest,
    CursorParameter,
    PageSize,
    RunIdFilter,
    ServiceDependency,
)
from interlock.server.api.responses import problem_responses
from interlock.server.eligibility import Eligibility, find_eligibility, list_approvers
from interlock.server.schemas import ApprovalWire, Page, approval_wire, challenge_wire
from interlock.server.service import MAX_WAIT, Service
from interlock.server.triage import request_list
from interlock.store.paging import parse_cursor

Wait = Annotated[float, QueryParameter(ge=0, le=MAX_WAIT, description="wait this many seconds for an answer")]
StateFilter = Annotated[ApprovalState | None, QueryParameter(name="state", description="only this state")]
LevelFilter = Annotated[Level | None, QueryParameter(name="level", description="only this level")]
TextFilter = Annotated[str, QueryParameter(max_length=200)]
AgeFilter = Annotated[
    Literal["5m", "1h", "1d", "1w"] | None, QueryParameter(description="only requests that are at least this old")
]
SortOrder = Annotated[Literal["newest", "oldest", "risk", "left"], QueryParameter(description="`left` is time left")]
RecordText = Annotated[str, msgspec.Meta(max_length=2_000)]


class ApproveBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An approval: the ticket of the challenge that you were shown, and the answers in order.

    `scope` is how long the approval counts, and `shape` the id of one of the request's shapes; without one, it is for
    exactly this action.
    """

    ticket: Annotated[str, msgspec.Meta(max_length=200)] = ""
    answers: Annotated[list[RecordText], msgspec.Meta(max_length=10)] = msgspec.field(default_factory=list)
    scope: GrantScope = GrantScope.ONCE
    shape: Annotated[str, msgspec.Meta(max_length=64)] = ""
    reason: RecordText = ""


class RejectBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A rejection: the reason, and what to do instead."""

    reason: RecordText = ""
    instead: RecordText = ""


@get(
    "/approvals",
    opt={"right": SEE},
    responses=problem_responses(),
    summary="All requests, newest first",
    description="Filtered and sorted; a page can be shorter than `limit` while there is a `next`.",
    tags=["approvals"],
)
async def list_approvals(
    request: ApiRequest,
    service: ServiceDependency,
    limit: PageSize = 50,
    cursor: CursorParameter = None,
    state_: StateFilter = None,
    run_id: RunIdFilter = None,
    agent_id: AgentFilter = None,
    mine: Annotated[bool, QueryParameter(description="only requests that you can answer")] = False,
    environment: TextFilter = "",
    level: LevelFilter = None,
    tool: Annotated[str, QueryParameter(name="toolName", max_length=200, description="only this tool")] = "",
    q: TextFilter = "",
    assignee: TextFilter = "",
    age: AgeFilter = None,
    sort: SortOrder = "newest",
) -> Page[ApprovalWire]:
    """List the requests."""
    given = {"state": state_.value if state_ else "all", "run": run_id, "agent": agent_id, "age": age, "tool": tool}
    given |= {"environment": environment, "level": level.value if level else "", "q": q, "assignee": assignee}
    if sort in PENDING_SORTS and given["state"] != PENDING:
        raise InterlockError(f"`sort={sort}` needs `state=pending`")
    wanted = parse_filter({name: text for name, text in given.items() if text} | {"sort": sort})
    wanted = msgspec.structs.replace(wanted, mine=mine, group=False)
    after = parse_cursor(cursor) if cursor else None
    listed, more = await to_thread(request_list(service, request.user).page, wanted, limit, after)
    items = await to_thread(_list_items, service, request.user, listed)
    return Page(items=items, next=None if more is None else str(more))


def _list_items(service: Service, caller: Caller, listed: Sequence[ListedRequest]) -> list[ApprovalWire]:
    approvers, locked = list_approvers(service), service.gate.approvals.find_locked_requests(caller.name)
    items = []
    for one in listed:
        attempts = QuizAttempts(tries_left=0 if one.approval.approval_id in locked else 1)
        found = find_eligibility(caller, one.approval, approvers, attempts)
        url = service.approval_url(one.approval)
        wire = approval_wire(one.approval, url, assignee=one.assignee or None, comments=one.comments)
        items.append(_with_eligibility(wire, found))
    return items


def _with_eligibility(wire: ApprovalWire, found: Eligibility) -> ApprovalWire:
    return msgspec.structs.replace(wire, can_answer=found.can_answer, why_not=found.why_not, eligible=found.people)


@get(
    "/approvals/{approval_id:str}",
    opt={"right": (SEE, EVALUATE)},
    responses=problem_responses(),
    summary="One request",
    description="With `wait`, responds once the request has ended, or when the time is up. A caller who may answer "
    "also gets the challenge, with a ticket that proves when it was shown.",
    tags=["approvals"],
)
async def get_approval(
    request: ApiRequest, service: ServiceDependency, approval_id: FromPath[str], wait: Wait = 0
) -> ApprovalWire:
    """Show a request."""
    await to_thread(_check_visible, service, request.user, approval_id)
    approval = await service.wait_for_answer(approval_id, wait)
    return await to_thread(_response, service, request.user, approval)


@post(
    "/approvals/{approval_id:str}/approve",
    opt={"right": ANSWER},
    status_code=200,
    responses=problem_responses(),
    summary="Approve a request",
    description="Needs the answers to the challenge. After a wrong answer to a quiz, you can take it again after a "
    "pause, a few times; then another person has to approve.",
    tags=["approvals"],
)
async def approve(
    request: ApiRequest, service: ServiceDependency, approval_id: FromPath[str], data: JSONBody[ApproveBody]
) -> ApprovalWire:
    """Approve a request."""
    approval = await to_thread(
        answers.approve,
        service,
        request.user,
        approval_id,
        data.ticket,
        data.answers,
        data.scope,
        data.reason,
        data.shape,
    )
    return await to_thread(_response, service, request.user, approval)


@post(
    "/approvals/{approval_id:str}/reject",
    opt={"right": ANSWER},
    status_code=200,
    responses=problem_responses(),
    summary="Reject a request",
    tags=["approvals"],
)
async def reject(
    request: ApiRequest, service: ServiceDependency, approval_id: FromPath[str], data: JSONBody[RejectBody]
) -> ApprovalWire:
    """Reject a request."""
    approval = await to_thread(answers.reject, service, request.user, approval_id, data.reason, data.instead)
    return await to_thread(_response, service, request.user, approval)


@post(
    "/approvals/{approval_id:str}/extend",
    opt={"right": ANSWER},
    status_code=200,
    responses=problem_responses(),
    summary="Extend a request",
    description="Keeps a pending request open for another `approvals.expire_hours`, at most until "
    "`approvals.extend_days` after it was opened. Only a person who can approve it may do so.",
    tags=["approvals"],
)
async def extend(request: ApiRequest, service: ServiceDependency, approval_id: FromPath[str]) -> ApprovalWire:
    """Extend a request."""
    approval = await to_thread(answers.extend, service, request.user, approval_id)
    return await to_thread(_response, service, request.user, approval)


@post(
    "/approvals/{approval_id:str}/override",
    opt={"right": ANSWER},
    status_code=200,
    responses=problem_responses(),
    summary="Override a model's rejection",
    description="Reopens the request for people to answer, and returns the new request. Each rejection by a model "
    "can be overridden once; a person's cannot.",
    tags=["approvals"],
)
async def override(request: ApiRequest, service: ServiceDependency, approval_id: FromPath[str]) -> ApprovalWire:
    """Reopen a request that a model rejected."""
    approval = await to_thread(answers.override, service, request.user, approval_id)
    return await to_thread(_response, service, request.user, approval)


@post(
    "/approvals/{approval_id:str}/cancel",
    opt={"right": EVALUATE},
    status_code=200,
    responses=problem_responses(),
    summary="Cancel a request",
    tags=["approvals"],
)
async def cancel(request: ApiRequest, service: ServiceDependency, approval_id: FromPath[str]) -> ApprovalWire:
    """Cancel a request."""
    await to_thread(_check_visible, service, request.user, approval_id)
    approval = await to_thread(service.gate.approvals.cancel, approval_id, request.user.agent or request.user.name)
    return await to_thread(_response, service, request.user, approval)


def _response(service: Service, caller: Caller, approval: Approval) -> ApprovalWire:
    """Return a request, with its challenge if the caller may answer, and who else can if they may see that."""
    challenge, attempts = None, None
    if approval.state is ApprovalState.PENDING and caller.may(Right.ANSWER):
        attempts = answers.find_attempts(service, caller, approval)
        ticket = answers.reading_ticket(service, caller, approval, attempts.failures)
        challenge = challenge_wire(approval, ticket, attempts)
    ids = [approval.approval_id]
    assignee = Assignments(service.journal).of(ids).get(approval.approval_id)
    comments = Comments(service.journal).count(ids).get(approval.approval_id, 0)
    url = service.approval_url(approval)
    wire = approval_wire(approval, url, challenge, assignee=assignee, comments=comments)
    if not caller.may(Right.SEE):
        return wire
    return _with_eligibility(wire, find_eligibility(caller, approval, list_approvers(service), attempts))


def _check_visible(service: Service, caller: Caller, approval_id: str) -> None:
    """Raise unless the id is complete, and the caller may see all requests or owns this one."""
    approval = service.gate.approvals.get(approval_id)
    is_own = caller.owns(approval.started_by, approval.agent_id)
    if approval.approval_id != approval_id or not (caller.may(Right.SEE) or is_own):
        raise MissingApprovalError("there is no such request")


ROUTES = [list_approvals, get_approval, approve, reject, extend, override, cancel]
