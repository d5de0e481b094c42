"""The page of one request, with everything that a person needs to decide."""

from __future__ import annotations

from asyncio import to_thread
from math import ceil
from typing import Any, NamedTuple

from litestar import Response, get, post
from litestar.params import FromPath
from litestar.response import Redirect

from interlock.access.roles import Right
from interlock.agents.continuation import continuation_command
from interlock.approval.challenge.challenge import challenge_for
from interlock.approval.challenge.questions import MAX_LISTED
from interlock.approval.challenge.targets import list_targets
from interlock.approval.eligibility import find_ineligibility
from interlock.approval.override import is_refused_by_model
from interlock.approval.request import Approval, ApprovalState, GrantScope
from interlock.approval.terminal.action_text import read_action_text
from interlock.config.settings import ApprovalSettings
from interlock.errors import ApprovalError
from interlock.server import answers
from interlock.server.eligibility import find_eligibility, list_approvers
from interlock.server.pages.discussion import discussion_values
from interlock.server.pages.grants import SCOPES
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
    scope, shape = read_chosen_grant(str(form.get("grant", "once")), str(form.get("scope", "")))
    answer = str(form.get("ticket", "")), replies, scope, str(form.get("reason", "")), shape

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


@post("/approvals/{approval_id:str}/extend", opt={"right": Right.ANSWER}, include_in_schema=False)
async def extend(request: PageRequest, pages: PagesDependency, approval_id: FromPath[str]) -> Response[Any]:
    """Keep a request open for longer."""

    def work() -> Response[Any]:
        try:
            answers.extend(pages.service, request.user, approval_id)
        except ApprovalError as error:
            return _page(request, pages, approval_id, error=str(error))
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
    attempts = answers.find_attempts(service, caller, approval)
    standing = find_eligibility(caller, approval, list_approvers(service), attempts)
    may_take = pending and standing.can_answer
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
        challenge=challenge_for(approval, attempt=attempts.failures) if may_take else None,
        ticket=answers.reading_ticket(service, caller, approval, attempts.failures) if may_take else "",
        attempts=attempts,
        pause=ceil(attempts.pause),
        standing=standing,
        can_override=is_refused_by_model(approval)
        and caller.may(Right.ANSWER)
        and not find_ineligibility(approval, caller.name),
        seconds_left=_seconds_left(approval),
        extension=_extension(approval, service.gate.approvals.rules.settings) if may_take else None,
        grant=None if pending else service.gate.grants.of_request(approval.approval_id),
        continuation=_continuation(approval),
        next_request=service.gate.approvals.next_for(caller.name, approval_id) if caller.may(Right.ANSWER) else None,
        error=error,
        given=given or {},
        **discussion_values(service, approval),
        lifetimes=_lifetimes(service.gate.approvals.rules.settings),
        scopes=SCOPES,
        at=now().wall,
    )


#: Texts longer than this are shown with a list of the passages that matter.
LONG = 600


class ExtensionOffer(NamedTuple):
    """An offer to keep a request open: for how many hours, and whether it is about to expire."""

    hours: int
    is_urgent: bool


def _extension(approval: Approval, settings: ApprovalSettings) -> ExtensionOffer | None:
    """Return the offer to keep a request open, or None if it is open for as long as it can be."""
    left, limit = _seconds_left(approval), approval.extendable_until
    if left is None or limit is None or approval.expires_at is None or limit - approval.expires_at < 60 * MICROSECONDS:
        return None
    most = (limit - now().wall) // (3_600 * MICROSECONDS)
    hours = max(1, min(settings.expire_hours, most))
    return ExtensionOffer(hours, left < settings.warn_minutes * 60) if hours * 3_600 > left + 60 else None


def _continuation(approval: Approval) -> str | None:
    """Return the command that continues the agent of an approved request, until the approval is used."""
    if approval.state is not ApprovalState.APPROVED or approval.used_at:
        return None
    return continuation_command(approval.agent_id, approval.run_id, approval.action)


def _lifetimes(settings: ApprovalSettings) -> tuple[tuple[str, str], ...]:
    """Return how long a grant can count, with the words for each."""
    always = f"{settings.remember_days} days" if settings.remember_days > 1 else "a day"
    return (("15min", "15 minutes"), ("run", "this run"), ("day", "a day"), ("always", always))


def read_chosen_grant(grant: str, scope: str) -> tuple[GrantScope, str]:
    """Return how long an approval counts and the id of its shape, from the fields of a form.

    `grant` is `once`, `exact` or the id of a shape. A `scope` that is unknown counts for one use of the action.
    """
    known = [one.value for one in GrantScope]
    if grant == "once" or scope not in known:
        return GrantScope.ONCE, ""
    return GrantScope(scope), "" if grant == "exact" else grant


def _seconds_left(approval: Approval) -> int | None:
    if approval.expires_at is None or approval.state is not ApprovalState.PENDING:
        return None
    return max(0, (approval.expires_at - now().wall) // MICROSECONDS)


ROUTES = [show, approve, reject, extend, override]
