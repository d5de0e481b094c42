"""The policies: a list with match rates, an editor, trials, versions with their differences."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import msgspec
from litestar import Request, Response, get, post
from litestar.params import FromPath
from litestar.response import Redirect

from interlock.access.roles import Right
from interlock.errors import InterlockError, MissingError
from interlock.metrics.counting import DAY
from interlock.metrics.risk import window
from interlock.model import Action
from interlock.policies.book import Version
from interlock.policy.conditions import FIELDS as POLICY_FIELDS
from interlock.policy.conditions import OPERATORS
from interlock.policy.policies import Policy
from interlock.server.api.metrics import risk_of
from interlock.server.api.shared import threaded
from interlock.server.drafting import (
    Draft,
    PolicyGiven,
    Trial,
    known_version,
    listed,
    next_version,
    one,
    remove,
    restored,
    save,
    simulated,
    switched,
    tag,
    tried,
)
from interlock.server.pages.looks import Pages, Shown
from interlock.server.pages.writing import CHALLENGES, FIELDS, NOTHING, checked, is_faithful, number, written
from interlock.server.problem import Refused
from interlock.store.clock import MICROSECONDS, now

RATE_DAYS = 7
NEW = "new"
_VERDICTS = ("allow", "warn", "require_approval", "block")
Asked = Request[Any, Any, Any]


@get("/policies", opt={"right": Right.SEE}, include_in_schema=False)
async def list_all(request: Asked, pages: Shown) -> Response[str]:
    """Show the policies with their match rates."""

    def work() -> Response[str]:
        at = now().wall
        risk = risk_of(pages.service, window(at - RATE_DAYS * DAY * MICROSECONDS, at, "day", at))
        rates = {rate.policy_id: rate for rate in risk.policies}
        return pages.render(
            request, "policies.html", policies=listed(pages.service), rates=rates, actions=risk.actions, days=RATE_DAYS
        )

    return await threaded(work)


@get("/policies/{policy_id:str}", opt={"right": Right.SEE}, include_in_schema=False)
async def edit(request: Asked, pages: Shown, policy_id: FromPath[str]) -> Response[str]:
    """Show a policy to be read, changed and tried."""
    return await threaded(_page, request, pages, policy_id)


@post("/policies/{policy_id:str}", opt={"right": Right.MANAGE}, status_code=200, include_in_schema=False)
async def change(request: Asked, pages: Shown, policy_id: FromPath[str]) -> Response[Any]:
    """Write a policy, switch it, or remove it, as the button says."""
    form = await request.form()
    fields = {name: str(form.get(name, "")) for name in FIELDS}
    button, known = str(form.get("button", "save")), str(form.get("known", ""))
    return await threaded(_pressed, request, pages, policy_id, fields, button, known)


@post("/policies/{policy_id:str}/try", opt={"right": Right.SEE}, status_code=200, include_in_schema=False)
async def try_draft(request: Asked, pages: Shown, policy_id: FromPath[str]) -> Response[str]:
    """Try a draft on an action or on what has been, as the button says. Nothing is changed."""
    form = await request.form()
    fields = {name: str(form.get(name, "")) for name in FIELDS}
    known, button, command = (str(form.get(name, "")) for name in ("known", "button", "command"))
    return await threaded(_tried, request, pages, policy_id, fields, known, button, command)


@post("/policies/{policy_id:str}/check", opt={"right": Right.SEE}, status_code=200, include_in_schema=False)
async def check(request: Asked, pages: Shown) -> dict[str, str]:
    """Say what is wrong with a draft while it is written."""
    form = await request.form()
    fields = {name: str(form.get(name, "")) for name in FIELDS}
    _, error = await threaded(checked, fields, pages.service.gate.config)
    return {"error": error}


@post("/policies/{policy_id:str}/restore", opt={"right": Right.MANAGE}, status_code=200, include_in_schema=False)
async def restore(request: Asked, pages: Shown, policy_id: FromPath[str]) -> Response[Any]:
    """Write an older version anew."""
    form = await request.form()
    version = number(str(form.get("version", "")), "version")
    await threaded(restored, pages.service, request.user.name, policy_id, version, str(form.get("known", "")))
    return Redirect(_link(policy_id), status_code=303)


def _pressed(
    request: Asked, pages: Pages, policy_id: str, fields: dict[str, str], button: str, known: str
) -> Response[Any]:
    service, caller = pages.service, request.user.name
    try:
        if button in ("enable", "disable"):
            switched(service, caller, policy_id, enabled=button == "enable")
        elif button == "remove":
            wire = one(service, policy_id)
            remove(service, caller, wire, known=known_version(wire, known))
            return Redirect("/policies", status_code=303)
        else:
            return _saved(request, pages, policy_id, fields, known)
    except (InterlockError, Refused) as error:
        told = error.detail if isinstance(error, Refused) else str(error)
        return _page(request, pages, policy_id, fields=fields, error=told, known=known)
    return Redirect(_link(policy_id), status_code=303)


def _saved(request: Asked, pages: Pages, policy_id: str, fields: dict[str, str], known: str) -> Response[Any]:
    service = pages.service
    given, error = checked(fields, service.gate.config)
    if given is None:
        return _page(request, pages, policy_id, fields=fields, error=error, known=known)
    if policy_id == NEW:
        version = next_version(service, given.policy_id)
    else:
        given = msgspec.structs.replace(given, policy_id=policy_id)
        version = known_version(one(service, policy_id), known)
    save(service, request.user.name, given, known=version)
    return Redirect(_link(given.policy_id), status_code=303)


def _tried(
    request: Asked, pages: Pages, policy_id: str, fields: dict[str, str], known: str, button: str, command: str
) -> Response[str]:
    if not fields["policyId"] and policy_id != NEW:  # whoever may not change it sends no fields
        fields = written(one(pages.service, policy_id).policy)
    given, error = checked(fields, pages.service.gate.config)
    told: dict[str, Any] = {"command": command, "fields": fields, "error": error, "known": known}
    if given is not None and button == "simulate":
        told["simulation"] = simulated(pages.service, Draft(policies=[given], without=_off(given)))
    elif given is not None:
        action = Action.shell(command) if command.strip() else None
        if action is None:
            told["error"] = "give a command to try it on"
        else:
            told["trial"] = tried(pages.service, Trial(policy=given, action=action))
    return _page(request, pages, policy_id, **told)


def _off(given: PolicyGiven) -> list[str]:
    """Return the id of a draft that is switched off, so that it is tried as if it were not there."""
    return [] if given.enabled else [given.policy_id]


def _page(
    request: Asked,
    pages: Pages,
    policy_id: str,
    *,
    fields: dict[str, str] | None = None,
    known: str = "",
    error: str = "",
    **told: Any,
) -> Response[str]:
    service = pages.service
    found = [] if policy_id == NEW else service.gate.book.versions(policy_id)
    try:
        wire = None if policy_id == NEW else one(service, policy_id)
    except MissingError:
        if not found:
            raise
        wire = None  # it was removed, and can be restored
    base = written(wire.policy) if wire else written(found[0].policy) if found else NOTHING
    shown = {"command": "", "simulation": None, "trial": None, **told}
    return pages.render(
        request,
        "policy.html",
        status=422 if error else 200,
        policy_id=policy_id,
        wire=wire,
        fields=fields or base,
        known=known or (tag(wire) if wire else ""),
        versions=_with_differences(found),
        error=error,
        is_new=policy_id == NEW,
        faithful=is_faithful(base),
        actions=_VERDICTS,
        challenges=CHALLENGES,
        policy_fields=POLICY_FIELDS,
        operators=OPERATORS,
        **shown,
    )


def _with_differences(versions: list[Version]) -> list[tuple[Version, list[str]]]:
    """Return versions, each with the lines in which it differs from the one before."""
    before = [*versions[1:], None][: len(versions)]
    return [
        (new, _difference(old.policy if old else None, new.policy)) for new, old in zip(versions, before, strict=True)
    ]


_QUIET = ("version", "createdAt", "updatedAt", "policyId")


def _difference(old: Policy | None, new: Policy) -> list[str]:
    before, after = (_lines(msgspec.to_builtins(policy)) if policy else [] for policy in (old, new))
    return [line for line in difflib.ndiff(before, after) if line[:1] in "+-" and line.strip("+- ")]


def _lines(policy: Mapping[str, Any]) -> list[str]:
    told = {key: value for key, value in policy.items() if key not in _QUIET and value not in (None, "", [], ())}
    return [f"{key}: {_shown(value)}" for key, value in told.items()]


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _link(policy_id: str) -> str:
    return f"/policies/{quote(policy_id, safe='')}"


ROUTES = [list_all, edit, change, try_draft, check, restore]
