"""The policy editor while somebody writes: checks, counts and completes a draft. Nothing is changed."""

from __future__ import annotations

from asyncio import to_thread
from typing import Annotated, Any

from litestar import Response, get, post
from litestar.params import FromPath, QueryParameter
from litestar.response import Stream

from interlock.access.roles import Right
from interlock.model import Action
from interlock.policies.drafts import MAX_ACTIONS
from interlock.server.pages.formatting import as_sentence
from interlock.server.pages.policy_form import FormProblem, PolicyForm, check_form
from interlock.server.pages.policy_page import editor_page, find_form_warnings
from interlock.server.pages.posted_form import change_form, read_sent_form, with_id
from interlock.server.pages.renderer import PageRenderer, PageRequest, PagesDependency
from interlock.server.policy_simulation import PolicyTrial, make_draft, simulate_in_time, try_policy
from interlock.server.problems import RequestError
from interlock.server.seen_values import MAX_LENGTH, complete_value, load_seen_values

_LINES = "application/x-ndjson"


@post("/policies/{policy_id:str}/edit", opt={"right": Right.SEE}, status_code=200, include_in_schema=False)
async def edit_draft(request: PageRequest, pages: PagesDependency, policy_id: FromPath[str]) -> Response[str]:
    """Show the form with a row added, removed or moved, or as text or rows, depending on the button."""
    sent = await request.form()
    form, button, known = read_sent_form(sent), str(sent.get("button", "")), str(sent.get("known", ""))

    def work() -> Response[str]:
        fields, problem = change_form(form, button, pages.service.gate.config)
        return editor_page(request, pages, policy_id, fields=fields, known=known, problem=problem)

    return await to_thread(work)


@post("/policies/{policy_id:str}/try", opt={"right": Right.SEE}, status_code=200, include_in_schema=False)
async def try_draft(request: PageRequest, pages: PagesDependency, policy_id: FromPath[str]) -> Response[str]:
    """Test a draft against one command or past actions, depending on the button."""
    sent = await request.form()
    known, button, command = (str(sent.get(name, "")) for name in ("known", "button", "command"))
    return await to_thread(_try, request, pages, policy_id, read_sent_form(sent), known, button, command)


@post("/policies/{policy_id:str}/check", opt={"right": Right.SEE}, status_code=200, include_in_schema=False)
async def check_draft(request: PageRequest, pages: PagesDependency) -> dict[str, Any]:
    """Return what is wrong with a draft and where, and warnings, while it is typed."""
    form = with_id(read_sent_form(await request.form()))

    def work() -> dict[str, Any]:
        _, problem = check_form(form, pages.service.gate.config)
        place = {**problem.to_dict(), "message": as_sentence(problem.message)} if problem.message else {}
        return {"error": as_sentence(str(problem)), "warnings": find_form_warnings(pages, form), "place": place}

    return await to_thread(work)


@post("/policies/{policy_id:str}/count", opt={"right": Right.SEE}, status_code=200, include_in_schema=False)
async def count_draft(request: PageRequest, pages: PagesDependency) -> Stream:
    """Stream how many past actions a draft matches, as lines of JSON. It replaces the reader's last count."""
    form, service = with_id(read_sent_form(await request.form())), pages.service
    reader = str(request.user.session_id or request.user.key_id)
    cancelled = pages.live_counts.begin(reader)
    given, problem = await to_thread(check_form, form, service.gate.config)
    if given is None:
        raise RequestError(422, str(problem))
    return Stream(pages.live_counts.follow(service, given, reader, cancelled), media_type=_LINES)


@get("/policies/{policy_id:str}/values", opt={"right": Right.SEE}, include_in_schema=False)
async def complete_draft(
    pages: PagesDependency,
    field: Annotated[str, QueryParameter(max_length=MAX_LENGTH)] = "",
    text: Annotated[str, QueryParameter(max_length=MAX_LENGTH)] = "",
) -> dict[str, Any]:
    """Return values that complete a condition."""

    def work() -> dict[str, Any]:
        with pages.service.journal.database.read() as connection:
            return {"values": complete_value(load_seen_values(connection), field, text)}

    return await to_thread(work)


def _try(
    request: PageRequest,
    pages: PageRenderer,
    policy_id: str,
    form: PolicyForm,
    known: str,
    button: str,
    command: str,
) -> Response[str]:
    given, problem = check_form(with_id(form), pages.service.gate.config)
    values: dict[str, Any] = {"command": command, "fields": form, "problem": problem, "known": known}
    if given is not None and button == "simulate":
        values["simulation"] = simulate_in_time(pages.service, make_draft(given, limit=MAX_ACTIONS))
    elif given is not None and not command.strip():
        values["problem"] = FormProblem(message="enter a command to test the policy against", part="command")
    elif given is not None:
        values["trial"] = try_policy(pages.service, PolicyTrial(policy=given, action=Action.shell(command)))
    return editor_page(request, pages, policy_id, **values)


ROUTES = [edit_draft, try_draft, check_draft, count_draft, complete_draft]
