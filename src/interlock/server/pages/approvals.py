"""The inbox, and one request: everything that a person needs to decide, the challenge, and the answer."""

from __future__ import annotations

from typing import Annotated, Any

from litestar import Request, Response, get, post
from litestar.params import FromPath, QueryParameter
from litestar.response import Redirect

from interlock.access.roles import Caller, Right
from interlock.approval.challenge.challenge import challenge_for
from interlock.approval.challenge.questions import MAX_LISTED
from interlock.approval.challenge.targets import list_targets
from interlock.approval.request import Approval, ApprovalState, GrantScope
from interlock.approval.requirement import check_approver
from interlock.approval.terminal.action_text import read_action_text
from interlock.errors import ApprovalError
from interlock.server.answering import answer_no, answer_yes, ticket_for
from interlock.server.api.shared import threaded
from interlock.server.pages.looks import Pages, Shown
from interlock.store.clock import MICROSECONDS, now
from interlock.store.paging import PageCursor, parse_cursor

PER_PAGE = 50
_STATES = [state.value for state in ApprovalState]


@get("/approvals", opt={"right": Right.SEE}, include_in_schema=False)
async def inbox(
    request: Request[Any, Any, Any],
    pages: Shown,
    state_: Annotated[str, QueryParameter(name="state", max_length=20)] = "pending",
    cursor: Annotated[str, QueryParameter(max_length=600)] = "",
) -> Response[str]:
    """Show the requests."""

    def work() -> Response[str]:
        after = parse_cursor(cursor) if cursor else None
        state = ApprovalState(state_) if state_ in _STATES else None
        found = pages.service.gate.approvals.list(state, PER_PAGE + 1, after=after)
        last = found[PER_PAGE - 1] if len(found) > PER_PAGE else None
        more = str(PageCursor(last.created_at, last.approval_id)) if last else None
        return pages.render(
            request,
            "approvals.html",
            approvals=found[:PER_PAGE],
            more=more,
            asked_state=state_,
            states=[*_STATES, "all"],
            first=not cursor,
        )

    return await threaded(work)


@get("/approvals/{approval_id:str}", opt={"right": Right.SEE}, include_in_schema=False)
async def show(request: Request[Any, Any, Any], pages: Shown, approval_id: FromPath[str]) -> Response[str]:
    """Show a request."""
    return await threaded(_page, request, pages, approval_id)


@post("/approvals/{approval_id:str}/approve", opt={"right": Right.ANSWER}, include_in_schema=False)
async def approve(request: Request[Any, Any, Any], pages: Shown, approval_id: FromPath[str]) -> Response[Any]:
    """Take an approval."""
    form = await request.form()
    answers = [str(form[name]) for name in sorted(form) if name.startswith("answer-")]
    given = str(form.get("scope", "once"))
    scope = GrantScope(given) if given in [one.value for one in GrantScope] else GrantScope.ONCE
    said = str(form.get("ticket", "")), answers, scope, str(form.get("reason", ""))

    def work() -> Response[Any]:
        try:
            answer_yes(pages.service, request.user, approval_id, *said)
        except ApprovalError as error:
            return _page(request, pages, approval_id, error=str(error), given={**_fields(form)})
        return Redirect(f"/approvals/{approval_id}", status_code=303)

    return await threaded(work)


@post("/approvals/{approval_id:str}/reject", opt={"right": Right.ANSWER}, include_in_schema=False)
async def reject(request: Request[Any, Any, Any], pages: Shown, approval_id: FromPath[str]) -> Response[Any]:
    """Take a rejection."""
    form = await request.form()
    reason, instead = str(form.get("reason", "")), str(form.get("instead", ""))

    def work() -> Response[Any]:
        try:
            answer_no(pages.service, request.user, approval_id, reason, instead)
        except ApprovalError as error:
            return _page(request, pages, approval_id, error=str(error), given=_fields(form))
        return Redirect(f"/approvals/{approval_id}", status_code=303)

    return await threaded(work)


def _fields(form: Any) -> dict[str, str]:
    return {name: str(form[name]) for name in form if name not in ("csrf", "ticket")}


def _page(
    request: Request[Any, Any, Any],
    pages: Pages,
    approval_id: str,
    error: str = "",
    given: dict[str, str] | None = None,
) -> Response[str]:
    service, caller = pages.service, request.user
    approval = service.current(approval_id)
    wording = read_action_text(approval)
    pending = approval.state is ApprovalState.PENDING
    why_not = _why_not(approval, caller) if pending else ""
    touches = list_targets(approval.decision)
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
        ticket=ticket_for(service, caller, approval) if pending and not why_not else "",
        why_not=why_not,
        left=_left(approval),
        error=error,
        given=given or {},
        scopes=(("once", "once"), ("run", "for this run"), ("always", "always, for exactly this")),
    )


#: A text so long that what matters in it could be missed.
LONG = 600


def _why_not(approval: Approval, caller: Caller) -> str:
    if not caller.may(Right.ANSWER):
        return f"`{caller.role.value}` does not answer requests"
    try:
        check_approver(approval, caller.name)
    except ApprovalError as error:
        return str(error)
    return ""


def _left(approval: Approval) -> int | None:
    if approval.expires_at is None or approval.state is not ApprovalState.PENDING:
        return None
    return max(0, (approval.expires_at - now().wall) // MICROSECONDS)


ROUTES = [inbox, show, approve, reject]
