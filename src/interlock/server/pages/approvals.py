"""The page of one request, with all that a person needs to decide on it."""

from __future__ import annotations

from asyncio import to_thread
from typing import Any

from litestar import Response, get, post
from litestar.params import FromPath
from litestar.response import Redirect

from interlock.access.roles import Caller, Right
from interlock.approval.challenge.challenge import challenge_for
from interlock.approval.challenge.questions import MAX_LISTED
from interlock.approval.challenge.targets import list_targets
from interlock.approval.override import is_refused_by_model
from interlock.approval.request import Approval, ApprovalState, GrantScope
from interlock.approval.requirement import check_approver
from interlock.approval.terminal.action_text import read_action_text
from interlock.errors import ApprovalError
from interlock.server import answers
from interlock.server.pages.discussion import discussion_values
from interlock.server.pages.renderer import PageRenderer, PageRequest, PagesDependency
from interlock.store.clock import MICROSECONDS, now


@get("/approvals/{approval_id:str}", opt={"right": Right.SEE}, include_in_schema=False)
async def show(request: PageRequest, pages: PagesDependency, approval_id: FromPath[str]) -> Response[str]:
    """Show a request."""
    return await to_thread(_page, request, pages, approval_id)


@post("/approvals/{approval_id:str}/approve", opt={"right": Right.ANSWER}, include_in_schema=False)
async def approve(request: PageRequest, pages: PagesDependency, approval_id: FromPath[str]) -> Response[Any]:
    """Approve a request."""
    form = await request.form()
    replies = [str(form[name]) for name in sorted(form) if name.startswith("answer-")]
    scope_name = str(form.get("scope", "once"))
    scope = GrantScope(scope_name) if scope_name in [one.value for one in GrantScope] else GrantScope.ONCE
    answer = str(form.get("ticket", "")), replies, scope, str(form.get("reason", ""))

    def work() -> Response[Any]:
        try:
            answers.approve(pages.service, request.user, approval_id, *answer)
        except ApprovalError as error:
            return _page(request, pages, approval_id, error=str(error), given=_fields(form))
        return Redirect(f"/approvals/{approval_id}", status_code=303)

    return await to_thread(work)


@post("/approvals/{approval_id:str}/reject", opt={"right": Right.ANSWER}, include_in_schema=False)
async def reject(request: PageRequest, pages: PagesDependency, approval_id: FromPath[str]) -> Response[Any]:
    """Reject a request."""
    form = await request.form()
    reason, instead = str(form.get("reason", "")), str(form.get("instead", ""))

    def work() -> Response[Any]:
        try:
            answers.reject(pages.service, request.user, approval_id, reason, instead)
        except ApprovalError as error:
            return _page(request, pages, approval_id, error=str(error), given=_fields(form))
        return Redirect(f"/approvals/{approval_id}", status_code=303)

    return await to_thread(work)


@post("/approvals/{approval_id:str}/override", opt={"right": Right.ANSWER}, include_in_schema=False)
async def override(request: PageRequest, pages: PagesDependency, approval_id: FromPath[str]) -> Response[Any]:
    """Reopen a request that a model rejected, and show the new request."""

    def work() -> Response[Any]:
        try:
            opened = answers.override(pages.service, request.user, approval_id)
        except ApprovalError as error:
            return _page(request, pages, approval_id, error=str(error))
        return Redirect(f"/approvals/{opened.approval_id}", status_code=303)

    return await to_thread(work)


def _fields(form: Any) -> dict[str, str]:
    return {name: str(form[name]) for name in form if name not in ("csrf", "ticket")}


def _page(
    request: PageRequest,
    pages: PageRenderer,
    approval_id: str,
    error: str = "",
    given: dict[str, str] | None = None,
) -> Response[str]:
    service, caller = pages.service, request.user
    approval = service.current_approval(approval_id)
    wording = read_action_text(approval)
    pending = approval.state is ApprovalState.PENDING
    why_not = _why_not(approval, caller) if pending else ""
    touches = list_targets(approval)
    return pages.render(
        request,
        "approval.html",
        status=422 if error else 200,
        approval=approval,
        decision=approval.decision,
        wording=wording,
        passages=wording.passages()[:MAX_LISTED] if len(wording.text) > LONG or wording.unseen else (),
        touches=touches[:MAX_LISTED],
        more_touches=len(touches) - MAX_LISTED,
        instead=list(dict.fromkeys(f["instead"] for f in approval.decision.get("findings") or () if f.get("instead"))),
        challenge=challenge_for(approval) if pending and not why_not else None,
        ticket=answers.reading_ticket(service, caller, approval) if pending and not why_not else "",
        why_not=why_not,
        can_override=is_refused_by_model(approval) and not _why_not(approval, caller),
        seconds_left=_seconds_left(approval),
        error=error,
        given=given or {},
        **discussion_values(service, approval),
        scopes=(("once", "once"), ("run", "for this run"), ("always", "always, for exactly this action")),
    )


#: Texts longer than this are shown with a list of the passages that matter.
LONG = 600


def _why_not(approval: Approval, caller: Caller) -> str:
    if not caller.may(Right.ANSWER):
        return f"the role `{caller.role.value}` cannot answer requests"
    try:
        check_approver(approval, caller.name)
    except ApprovalError as error:
        return str(error)
    return ""


def _seconds_left(approval: Approval) -> int | None:
    if approval.expires_at is None or approval.state is not ApprovalState.PENDING:
        return None
    return max(0, (approval.expires_at - now().wall) // MICROSECONDS)


ROUTES = [show, approve, reject, override]
