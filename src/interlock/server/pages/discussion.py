"""The discussion of a request: its comments, and who it is assigned to."""

from __future__ import annotations

from asyncio import to_thread
from typing import Any

from litestar import Response, post
from litestar.params import FromPath
from litestar.response import Redirect

from interlock.access.roles import Right
from interlock.approval.assignments import Assignments
from interlock.approval.comments import MAX_COMMENT, Comments
from interlock.approval.request import Approval, ApprovalState
from interlock.server.pages.renderer import PageRequest, PagesDependency
from interlock.server.service import Service
from interlock.server.triage import assign, comment, possible_assignees


def discussion_values(service: Service, approval: Approval) -> dict[str, Any]:
    """Return what `approval_discussion.html` shows."""
    pending = approval.state is ApprovalState.PENDING
    return {
        "comments": Comments(service.journal).list(approval.approval_id),
        "assignee": Assignments(service.journal).of([approval.approval_id]).get(approval.approval_id, ""),
        "assignees": possible_assignees(service, approval) if pending else [],
        "max_comment": MAX_COMMENT,
    }


@post("/approvals/{approval_id:str}/comments", opt={"right": Right.ANSWER}, include_in_schema=False)
async def add_comment(request: PageRequest, pages: PagesDependency, approval_id: FromPath[str]) -> Response[Any]:
    """Add a comment to a request."""
    text = str((await request.form()).get("text", ""))
    await to_thread(comment, pages.service, request.user, approval_id, text)
    return Redirect(f"/approvals/{approval_id}#discussion", status_code=303)


@post("/approvals/{approval_id:str}/assign", opt={"right": Right.ANSWER}, include_in_schema=False)
async def assign_request(request: PageRequest, pages: PagesDependency, approval_id: FromPath[str]) -> Response[Any]:
    """Assign a request to a person, or unassign it."""
    name = str((await request.form()).get("assignee", "")).strip()
    await to_thread(assign, pages.service, request.user, approval_id, name or None)
    return Redirect(f"/approvals/{approval_id}#discussion", status_code=303)


ROUTES = [add_comment, assign_request]
