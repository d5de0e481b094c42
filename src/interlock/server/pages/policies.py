"""The policy pages: the list with match rates, and the editor with tests and versions."""

from __future__ import annotations

from asyncio import to_thread
from typing import Annotated, Any

import msgspec
from litestar import Response, get, post
from litestar.params import FromPath, QueryParameter
from litestar.response import Redirect

from interlock.access.roles import Right
from interlock.errors import InterlockError, MissingError
from interlock.metrics.counters import DAY
from interlock.metrics.window import make_window
from interlock.model import Action
from interlock.policies.drafts import PolicyDraft
from interlock.policies.from_action import DraftedAction, draft_policy
from interlock.policies.policy_input import PolicyInput, compile_policy
from interlock.policy.conditions import DATA_CLASSES, OPEN_FIELDS, OPERATORS
from interlock.policy.conditions import FIELDS as POLICY_FIELDS
from interlock.policy.policies import Policy
from interlock.server import policy_editor
from interlock.server.api.metrics import load_risk_metrics
from interlock.server.decision_origin import find_decision
from interlock.server.pages.links import policy_link
from interlock.server.pages.policy_diff import diff_versions
from interlock.server.pages.policy_form import (
    CHALLENGES,
    EMPTY_FORM,
    FIELDS,
    check_form,
    form_fields,
    is_lossless,
    parse_number,
)
from interlock.server.pages.renderer import PageRenderer, PageRequest, PagesDependency
from interlock.server.policy_simulation import PolicyTrial, simulate_draft, try_policy
from interlock.server.problems import RequestError
from interlock.server.service import Service
from interlock.store.clock import MICROSECONDS, now

RATE_DAYS = 7
#: How many past actions a draft is tested against before anybody asks for more.
FIRST_SIMULATED = 1_000
#: Stands in the URL for the id of a policy that does not exist yet.
NEW = "new"
_VERDICTS = ("allow", "warn", "require_approval", "block")


@get("/policies", opt={"right": Right.SEE}, include_in_schema=False)
async def list_policies(request: PageRequest, pages: PagesDependency) -> Response[str]:
    """Show the policies with their match rates."""

    def work() -> Response[str]:
        at = now().wall
        risk = load_risk_metrics(pages.service, make_window(at - RATE_DAYS * DAY * MICROSECONDS, at, "day", at))
        return pages.render(
            request,
            "policies.html",
            policies=policy_editor.list_policies(pages.service),
            rates={rate.policy_id: rate for rate in risk.policies},
            actions=risk.actions,
            days=RATE_DAYS,
        )

    return await to_thread(work)


@get("/policies/{policy_id:str}", opt={"right": Right.SEE}, include_in_schema=False)
async def show_policy(
    request: PageRequest,
    pages: PagesDependency,
    policy_id: FromPath[str],
    source: Annotated[str, QueryParameter(name="from", max_length=64)] = "",
    action: Annotated[DraftedAction | None, QueryParameter()] = None,
) -> Response[str]:
    """Show a policy in the editor; a new one may be drafted from a recorded action."""
    if policy_id == NEW and source:
        return await to_thread(_drafted_page, request, pages, source, action)
    return await to_thread(_page, request, pages, policy_id)


@post("/policies/{policy_id:str}", opt={"right": Right.MANAGE}, status_code=200, include_in_schema=False)
async def change_policy(request: PageRequest, pages: PagesDependency, policy_id: FromPath[str]) -> Response[Any]:
    """Save a policy, switch it on or off, or remove it, depending on the button."""
    form = await request.form()
    fields = _fields(form)
    button, known = str(form.get("button", "save")), str(form.get("known", ""))
    return await to_thread(_apply_button, request, pages, policy_id, fields, button, known)


@post("/policies/{policy_id:str}/try", opt={"right": Right.SEE}, status_code=200, include_in_schema=False)
async def try_draft(request: PageRequest, pages: PagesDependency, policy_id: FromPath[str]) -> Response[str]:
    """Test a draft against one command or past actions, depending on the button. Nothing is changed."""
    form = await request.form()
    fields = _fields(form)
    known, button, command = (str(form.get(name, "")) for name in ("known", "button", "command"))
    return await to_thread(_try, request, pages, policy_id, fields, known, button, command)


@post("/policies/{policy_id:str}/check", opt={"right": Right.SEE}, status_code=200, include_in_schema=False)
async def check_draft(request: PageRequest, pages: PagesDependency) -> dict[str, Any]:
    """Return the errors and warnings for a draft while it is typed."""
    fields = _fields(await request.form())
    _, error = await to_thread(check_form, fields, pages.service.gate.config)
    return {"error": error, "warnings": await to_thread(_find_warnings, pages, fields)}


@post("/policies/{policy_id:str}/restore", opt={"right": Right.MANAGE}, status_code=200, include_in_schema=False)
async def restore_policy(request: PageRequest, pages: PagesDependency, policy_id: FromPath[str]) -> Response[Any]:
    """Restore an older version."""
    form = await request.form()
    version = parse_number(str(form.get("version", "")), "version")
    known = str(form.get("known", ""))
    await to_thread(policy_editor.restore_policy, pages.service, request.user.name, policy_id, version, known)
    return Redirect(policy_link(policy_id), status_code=303)


def _fields(form: Any) -> dict[str, str]:
    return {name: str(form.get(name, "")) for name in FIELDS}


def _apply_button(
    request: PageRequest, pages: PageRenderer, policy_id: str, fields: dict[str, str], button: str, known: str
) -> Response[Any]:
    service, caller = pages.service, request.user.name
    try:
        if button in ("enable", "disable"):
            policy_editor.set_enabled(service, caller, policy_id, enabled=button == "enable")
        elif button == "remove":
            wire = policy_editor.get_policy(service, policy_id)
            policy_editor.remove_policy(service, caller, wire, known=policy_editor.check_etag(wire, known))
            return Redirect("/policies", status_code=303)
        else:
            return _save(request, pages, policy_id, fields, known)
    except (InterlockError, RequestError) as error:
        message = error.detail if isinstance(error, RequestError) else str(error)
        return _page(request, pages, policy_id, fields=fields, error=message, known=known)
    return Redirect(policy_link(policy_id), status_code=303)


def _save(
    request: PageRequest, pages: PageRenderer, policy_id: str, fields: dict[str, str], known: str
) -> Response[Any]:
    service = pages.service
    given, error = check_form(fields, service.gate.config, _saved(service, policy_id))
    if given is None:
        return _page(request, pages, policy_id, fields=fields, error=error, known=known)
    if policy_id == NEW:
        version = policy_editor.base_version(service, given.policy_id)
    else:
        given = msgspec.structs.replace(given, policy_id=policy_id)
        version = policy_editor.check_etag(policy_editor.get_policy(service, policy_id), known)
    policy_editor.save_policy(service, request.user.name, given, known=version)
    return Redirect(policy_link(given.policy_id), status_code=303)


def _saved(service: Service, policy_id: str) -> Policy | None:
    """Return a policy as it is in force, or None."""
    every = policy_editor.list_policies(service)
    return next((wire.policy for wire in every if wire.policy.policy_id == policy_id), None)


def _try(
    request: PageRequest,
    pages: PageRenderer,
    policy_id: str,
    fields: dict[str, str],
    known: str,
    button: str,
    command: str,
) -> Response[str]:
    if not fields["policyId"] and policy_id != NEW:  # the form is disabled for a caller who may not change policies
        fields = form_fields(policy_editor.get_policy(pages.service, policy_id).policy)
    given, error = check_form(fields, pages.service.gate.config, _saved(pages.service, policy_id))
    values: dict[str, Any] = {"command": command, "fields": fields, "error": error, "known": known}
    if given is not None and button == "simulate":
        draft = PolicyDraft(policies=[given], without=_disabled_ids(given))
        values["simulation"] = simulate_draft(pages.service, draft)
    elif given is not None and not command.strip():
        values["error"] = "enter a command to test the policy against"
    elif given is not None:
        values["trial"] = try_policy(pages.service, PolicyTrial(policy=given, action=Action.shell(command)))
    return _page(request, pages, policy_id, **values)


def _find_warnings(pages: PageRenderer, fields: dict[str, str]) -> list[str]:
    """Return warnings about the policy in a form; none if it cannot be saved."""
    config = pages.service.gate.config
    given, _ = check_form(fields, config)
    return [] if given is None else policy_editor.find_warnings(pages.service, compile_policy(given, config))


def _disabled_ids(given: PolicyInput) -> list[str]:
    """Return the id of a draft that is switched off, so that it is simulated as if it did not exist."""
    return [] if given.enabled else [given.policy_id]


def _drafted_page(
    request: PageRequest, pages: PageRenderer, source: str, action: DraftedAction | None
) -> Response[str]:
    """Show a draft made from a recorded action, and what it would have changed."""
    service = pages.service
    decision = find_decision(service, source)
    text = decision.data.get("text") or ""
    drafted = {"source": source, "decision_id": decision.record_id, "tool": decision.name, "text": text, "error": ""}
    try:
        given = draft_policy(decision, action)
    except InterlockError as error:
        given, drafted["error"] = draft_policy(decision), str(error)
    simulation = simulate_draft(service, PolicyDraft(policies=[given], limit=FIRST_SIMULATED))
    fields = form_fields(compile_policy(given, service.gate.config))
    return _page(request, pages, NEW, fields=fields, simulation=simulation, drafted=drafted)


def _page(
    request: PageRequest,
    pages: PageRenderer,
    policy_id: str,
    *,
    fields: dict[str, str] | None = None,
    known: str = "",
    error: str = "",
    **values: Any,
) -> Response[str]:
    service = pages.service
    versions = [] if policy_id == NEW else service.gate.policies.versions(policy_id)
    try:
        wire = None if policy_id == NEW else policy_editor.get_policy(service, policy_id)
    except MissingError:
        if not versions:
            raise
        wire = None  # it was removed, and can be restored
    saved = form_fields(wire.policy) if wire else form_fields(versions[0].policy) if versions else EMPTY_FORM
    return pages.render(
        request,
        "policy.html",
        status=422 if error else 200,
        policy_id=policy_id,
        wire=wire,
        fields=fields or saved,
        known=known or (policy_editor.etag(wire) if wire else ""),
        versions=diff_versions(versions),
        error=error,
        warnings=_find_warnings(pages, fields or saved),
        is_new=policy_id == NEW,
        lossless=is_lossless(saved),
        actions=_VERDICTS,
        challenges=CHALLENGES,
        policy_fields=POLICY_FIELDS,
        open_fields=OPEN_FIELDS,
        data_classes=DATA_CLASSES,
        operators=OPERATORS,
        **{"command": "", "simulation": None, "trial": None, "drafted": None, **values},
    )


ROUTES = [list_policies, show_policy, change_policy, try_draft, check_draft, restore_policy]
