"""`/v1/approvals`: comments on requests, who they are assigned to, and answers to several of them at once."""

from __future__ import annotations

from asyncio import to_thread
from typing import Annotated, Literal

import msgspec
from litestar import get, post
from litestar.params import FromPath, JSONBody, QueryParameter

from interlock.approval.comments import MAX_COMMENT, Comment, Comments
from interlock.approval.request import AnswerVerdict
from interlock.model import Struct
from interlock.server import triage
from interlock.server.api.parameters import ANSWER, SEE, ApiRequest, ServiceDependency
from interlock.server.api.responses import problem_responses
from interlock.server.bulk_answers import (
    MAX_AT_ONCE,
    BulkResult,
    LeftRequest,
    ShownRequest,
    answer_many,
    preview_bulk_answer,
)

AnswerChoice = Annotated[Literal["approve", "reject"], QueryParameter(description="the answer to preview")]
ApprovalIds = Annotated[list[str], QueryParameter(name="approvalId", max_items=MAX_AT_ONCE)]


class CommentBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A comment: plain text."""

    text: Annotated[str, msgspec.Meta(max_length=4 * MAX_COMMENT)]


class AssignBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The person that a request is assigned to, or null to unassign it."""

    assignee: Annotated[str, msgspec.Meta(max_length=200)] | None


class Assignment(Struct, frozen=True, kw_only=True):
    """The person that a request is assigned to, and whether that was a change."""

    approval_id: str
    assignee: str | None
    changed: bool


class BulkShown(Struct, frozen=True, kw_only=True):
    """What a bulk answer is about to do: the requests, those that are left out, and the ticket to send back."""

    verdict: AnswerVerdict
    requests: list[ShownRequest]
    left: list[LeftRequest]
    seconds: float
    ticket: str


class BulkBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A bulk answer: exactly the requests that were shown, with their digests and the ticket."""

    verdict: Literal["approve", "reject"]
    requests: Annotated[list[ShownRequest], msgspec.Meta(max_length=MAX_AT_ONCE)]
    ticket: Annotated[str, msgspec.Meta(max_length=200)]
    reason: Annotated[str, msgspec.Meta(max_length=2_000)] = ""


@get(
    "/approvals/{approval_id:str}/comments",
    opt={"right": SEE},
    responses=problem_responses(),
    summary="The comments on a request",
    tags=["approvals"],
)
async def list_comments(service: ServiceDependency, approval_id: FromPath[str]) -> list[Comment]:
    """List the comments on a request, the oldest first."""
    approval = await to_thread(triage.get_exactly, service, approval_id)
    return await to_thread(Comments(service.journal).list, approval.approval_id)


@post(
    "/approvals/{approval_id:str}/comments",
    opt={"right": ANSWER},
    responses=problem_responses(),
    summary="Comment on a request",
    tags=["approvals"],
)
async def add_comment(
    request: ApiRequest, service: ServiceDependency, approval_id: FromPath[str], data: JSONBody[CommentBody]
) -> Comment:
    """Add a comment to a request."""
    return await to_thread(triage.comment, service, request.user, approval_id, data.text)


@post(
    "/approvals/{approval_id:str}/assign",
    opt={"right": ANSWER},
    status_code=200,
    responses=problem_responses(),
    summary="Assign a request",
    description="Assigns it to a person who may approve it, or unassigns it. Others can still answer it.",
    tags=["approvals"],
)
async def assign(
    request: ApiRequest, service: ServiceDependency, approval_id: FromPath[str], data: JSONBody[AssignBody]
) -> Assignment:
    """Assign a request."""
    changed = await to_thread(triage.assign, service, request.user, approval_id, data.assignee)
    return Assignment(approval_id=approval_id, assignee=data.assignee, changed=changed)


@get(
    "/approvals/answers",
    opt={"right": ANSWER},
    responses=problem_responses(),
    summary="Preview a bulk answer",
    description="Returns which requests would be answered, which are left out and why, and the ticket with which "
    "exactly these can be answered. Only identical requests can be approved together.",
    tags=["approvals"],
)
async def preview_answers(
    request: ApiRequest, service: ServiceDependency, verdict: AnswerChoice, approval_ids: ApprovalIds
) -> BulkShown:
    """Show what a bulk answer would do."""
    found = await to_thread(preview_bulk_answer, service, request.user, AnswerVerdict(verdict), approval_ids)
    return BulkShown(
        verdict=found.verdict,
        requests=found.answerable_requests,
        left=found.left,
        seconds=found.seconds,
        ticket=found.ticket,
    )


@post(
    "/approvals/answers",
    opt={"right": ANSWER},
    status_code=200,
    responses=problem_responses(),
    summary="Answer several requests",
    description="Each request is answered by its own rules and recorded by itself. A quiz is never skipped.",
    tags=["approvals"],
)
async def answer_requests(
    request: ApiRequest, service: ServiceDependency, data: JSONBody[BulkBody]
) -> list[BulkResult]:
    """Answer several requests."""
    verdict = AnswerVerdict(data.verdict)
    return await to_thread(answer_many, service, request.user, verdict, data.requests, data.ticket, data.reason)


ROUTES = [list_comments, add_comment, assign, preview_answers, answer_requests]
