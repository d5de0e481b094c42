"""The policy pages: the list with match rates, and the editor, whose changes are reviewed before they are saved."""

from __future__ import annotations

from asyncio import to_thread
from typing import Annotated, Any

import msgspec
from litestar import Response, get, post
from litestar.params import FromPath, QueryParameter
from litestar.response import Redirect

from interlock.access.roles import Right
from interlock.errors import InterlockError
from interlock.metrics.counters import DAY
from interlock.metrics.window import make_window
from interlock.policies.from_action import DraftedAction
from interlock.policies.policy_input import PolicyInput, policy_input
from interlock.server import policy_editor
from interlock.server.api.metrics import load_risk_metrics
from interlock.server.pages import policy_drafts
from interlock.server.pages.drafted_policy import show_draft
from interlock.server.pages.links import policy_link
from interlock.server.pages.policy_form import FormProblem, PolicyForm, check_form, parse_number
from interlock.server.pages.policy_list import COLUMNS, PolicyListing, sort_policies
from interlock.server.pages.policy_page import NEW, editor_page
from interlock.server.pages.policy_review import review_page
from interlock.server.pages.posted_form import read_sent_form
from interlock.server.pages.renderer import PageRenderer, PageRequest, PagesDependency
from interlock.server.problems import RequestError
from interlock.store.clock import MICROSECONDS, now

RATE_DAYS = 7
Version = Annotated[int | None, QueryParameter(ge=1, le=10**9)]
SortColumn = Annotated[str, QueryParameter(max_length=20)]


@get("/policies", opt={"right": Right.SEE}, include_in_schema=False)
async def list_policies(
    request: PageRequest, pages: PagesDependency, sort: SortColumn = "name", order: SortColumn = ""
) -> Response[str]:
    """Show the policies with their match rates."""

    def work() -> Response[str]:
        at = now().wall
        risk = load_risk_metrics(pages.service, make_window(at - RATE_DAYS * DAY * MICROSECONDS, at, "day", at))
        rates = {rate.policy_id: rate for rate in risk.policies}
        found = [
            PolicyListing(wire, rates.get(wire.policy.policy_id)) for wire in policy_editor.list_policies(pages.service)
        ]
        return pages.render(
            request,
            "policies.html",
            policies=sort_policies(found, sort, descending=order == "desc"),
            columns=COLUMNS,
            sort=sort,
            order=order,
            actions=risk.actions,
            days=RATE_DAYS,
        )

    return await to_thread(work)


@get("/policies/{policy_id:str}", opt={"right": Right.SEE}, include_in_schema=False)
async def show_policy(
    request: PageRequest,
    pages: PagesDependency,
    policy_id: FromPath[str],
    saved: Annotated[int, QueryParameter(ge=0, le=10**9)] = 0,
    source: Annotated[str, QueryParameter(name="from", max_length=64)] = "",
    action: Annotated[DraftedAction | None, QueryParameter()] = None,
    old: Version = None,
    new: Version = None,
) -> Response[str]:
    """Show a policy in the editor. `saved` is the version that was saved just now; a new policy may be drafted from a
    recorded action; `old` and `new` are two versions to compare.
    """
    if policy_id == NEW and source:
        return await to_thread(show_draft, request, pages, source, action)
    chosen = None if old is None or new is None else (old, new)
    return await to_thread(editor_page, request, pages, policy_id, just_saved=saved, chosen=chosen)


@post("/policies/{policy_id:str}", opt={"right": Right.MANAGE}, status_code=200, include_in_schema=False)
async def change_policy(request: PageRequest, pages: PagesDependency, policy_id: FromPath[str]) -> Response[Any]:
    """Review a change, or save a policy or remove it, depending on the button."""
    sent = await request.form()
    form = read_sent_form(sent)
    button, known = str(sent.get("button", "save")), str(sent.get("known", ""))
    return await to_thread(_apply_button, request, pages, policy_id, form, button, known)


@post("/policies/{policy_id:str}/restore", opt={"right": Right.MANAGE}, status_code=200, include_in_schema=False)
async def restore_policy(request: PageRequest, pages: PagesDependency, policy_id: FromPath[str]) -> Response[Any]:
    """Restore an older version."""
    sent = await request.form()
    version = parse_number(str(sent.get("version", "")), "version")
    known = str(sent.get("known", ""))
    found = await to_thread(policy_editor.restore_policy, pages.service, request.user.name, policy_id, version, known)
    return _redirect_to_version(policy_id, found.version)


@post("/policies/{policy_id:str}/undo", opt={"right": Right.MANAGE}, status_code=200, include_in_schema=False)
async def undo_change(request: PageRequest, pages: PagesDependency, policy_id: FromPath[str]) -> Response[Any]:
    """Undo the newest change of a policy."""
    known = str((await request.form()).get("known", ""))
    found = await to_thread(policy_editor.undo_change, pages.service, request.user.name, policy_id, known)
    return _redirect_to_version(policy_id, found.version)


def _redirect_to_version(policy_id: str, version: int) -> Redirect:
    return Redirect(f"{policy_link(policy_id)}?saved={version}", status_code=303)


def _apply_button(
    request: PageRequest, pages: PageRenderer, policy_id: str, form: PolicyForm, button: str, known: str
) -> Response[Any]:
    try:
        if button in ("remove", "delete"):
            return _remove(request, pages, policy_id, known, is_reviewed=button == "delete")
        if button in ("enable", "disable"):
            wire = policy_editor.get_policy(pages.service, policy_id)
            policy_editor.check_etag(wire, known)
            given = msgspec.structs.replace(
                policy_input(wire.policy), enabled=button == "enable", note=_SWITCHED[button]
            )
            return review_page(request, pages, policy_id, wire, given, known=known)
        given_or_none, problem = check_form(form, pages.service.gate.config)
        if given_or_none is None:
            return editor_page(request, pages, policy_id, fields=form, problem=problem, known=known)
        return _write(request, pages, policy_id, given_or_none, known, is_reviewed=button != "review")
    except (InterlockError, RequestError) as error:
        message = error.detail if isinstance(error, RequestError) else str(error)
        return editor_page(request, pages, policy_id, fields=form, problem=FormProblem(message=message), known=known)


_SWITCHED = {"enable": "switched on", "disable": "switched off"}


def _write(
    request: PageRequest, pages: PageRenderer, policy_id: str, given: PolicyInput, known: str, *, is_reviewed: bool
) -> Response[Any]:
    """Save a policy, or show what that would change."""
    service, wire = pages.service, None
    if policy_id == NEW:
        version = policy_editor.base_version(service, given.policy_id)
    else:
        given = msgspec.structs.replace(given, policy_id=policy_id)
        wire = policy_editor.get_policy(service, policy_id)
        version = policy_editor.check_etag(wire, known)
    if not is_reviewed:
        policy_editor.check_policy(service, given)
        return review_page(request, pages, policy_id, wire, given, known=known)
    found = policy_editor.save_policy(service, request.user.name, given, known=version)
    return _redirect_to_version(given.policy_id, found.version)


def _remove(
    request: PageRequest, pages: PageRenderer, policy_id: str, known: str, *, is_reviewed: bool
) -> Response[Any]:
    """Remove a policy, or show what that would change."""
    wire = policy_editor.get_policy(pages.service, policy_id)
    version = policy_editor.check_etag(wire, known)
    if not is_reviewed:
        return review_page(request, pages, policy_id, wire, None, known=known)
    policy_editor.remove_policy(pages.service, request.user.name, wire, known=version)
    return Redirect(policy_link(policy_id), status_code=303)


ROUTES = [list_policies, show_policy, change_policy, restore_policy, undo_change, *policy_drafts.ROUTES]
