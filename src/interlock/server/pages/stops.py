"""The page of stops and pauses, from which agents and keys are paused, stopped and resumed."""

from __future__ import annotations

from asyncio import to_thread
from typing import Any

from litestar import Response, get, post
from litestar.response import Redirect

from interlock.access.keys import AccessKey
from interlock.access.roles import Right
from interlock.audit.stops import Stops, StopTarget
from interlock.errors import InterlockError
from interlock.server.administration.keys import EXPIRED, REVOKED, list_key_states
from interlock.server.api.stops import stop_target
from interlock.server.pages.action_links import text_parameter
from interlock.server.pages.confirmation import CONFIRMED, Question, field, is_confirmed
from interlock.server.pages.links import agent_link
from interlock.server.pages.renderer import PageRenderer, PageRequest, PagesDependency
from interlock.server.pages.stop_question import stop_question
from interlock.server.problems import problem_from
from interlock.server.service import Service

MAX_REASON = 300
MAX_SUGGESTED = 200
#: How long a pause can be, as a form names it: in seconds (None is until a person ends it), and in words.
LENGTHS: dict[str, tuple[int | None, str]] = {
    "15m": (900, "15 minutes"),
    "1h": (3_600, "1 hour"),
    "1d": (86_400, "1 day"),
    "resumed": (None, "until resumed"),
}
_NEWEST_AGENTS = (
    "SELECT name FROM interlock_totals WHERE what = 'agent' AND name <> '' ORDER BY last_at DESC LIMIT :most"
)


@get("/stops", opt={"right": Right.SEE}, include_in_schema=False)
async def show_stops(request: PageRequest, pages: PagesDependency) -> Response[str]:
    """Show the stops and pauses in force, and the form for another one."""
    given = {"agent": text_parameter(request, "agent"), "key": text_parameter(request, "keyId")}
    return await to_thread(show_page, request, pages, given)


def show_page(
    request: PageRequest, pages: PageRenderer, given: dict[str, str], error: InterlockError | None = None
) -> Response[str]:
    """Return the page of stops and pauses; its form holds what is given."""
    service = pages.service
    with service.journal.database.read() as connection:
        agents = [name for (name,) in connection.tuples(_NEWEST_AGENTS, most=MAX_SUGGESTED)]
    return pages.render(
        request,
        "stops.html",
        status=200 if error is None else problem_from(error).status,
        error="" if error is None else str(error),
        stops=Stops(service.journal).list(),
        agents=agents,
        keys=_usable_keys(service),
        lengths={name: words for name, (_, words) in LENGTHS.items()},
        given={"agent": "", "key": "", "reason": "", "for": "15m", "target": "", **given},
    )


def _usable_keys(service: Service) -> list[AccessKey]:
    states = [one for one in list_key_states(service) if one.state not in (EXPIRED, REVOKED)]
    return sorted((one.key for one in states), key=lambda key: key.name)


@post("/stops", opt={"right": Right.ANSWER}, status_code=200, include_in_schema=False)
async def stop_agents(request: PageRequest, pages: PagesDependency) -> Response[Any]:
    """Stop an agent, a key, or everything, once the person has seen what that affects."""
    form = await request.form()

    def work() -> Response[Any]:
        try:
            target, caller = target_in(form, pages.service), request.user
            if not is_confirmed(form):
                return ask_first(request, pages, stop_question(pages.service, caller, target), form, target)
            pages.service.gate.stop(target, actor=caller.name, reason=field(form, "reason")[:MAX_REASON])
        except InterlockError as error:
            return show_page(request, pages, fields_in(form), error)
        return page_of(target)

    return await to_thread(work)


@post("/stops/lift", opt={"right": Right.MANAGE}, include_in_schema=False)
async def lift_stop(request: PageRequest, pages: PagesDependency) -> Redirect:
    """Lift the stop of an agent, a key, or everything."""
    target = await to_thread(target_in, await request.form(), pages.service)
    await to_thread(pages.service.gate.lift_stop, target, actor=request.user.name)
    return page_of(target)


def target_in(form: Any, service: Service) -> StopTarget:
    """Return what a form names: an agent, a key, or everything."""
    chosen, agent, key = (field(form, name) for name in ("target", "agent", "key"))
    if (chosen == "agent" and not agent) or (chosen == "key" and not key):
        raise InterlockError("enter the name of the agent" if chosen == "agent" else "choose the API key")
    agent, key = agent if chosen in ("", "agent") else "", key if chosen in ("", "key") else ""
    if len(agent) > 200:
        raise InterlockError("the name of an agent has at most 200 characters")
    return stop_target(service, agent or None, key or None)


def fields_in(form: Any) -> dict[str, str]:
    """Return the fields of the form, to show it again."""
    return {name: field(form, name)[:MAX_REASON] for name in ("target", "agent", "key", "reason", "for")}


def ask_first(
    request: PageRequest, pages: PageRenderer, question: Question, form: Any, target: StopTarget
) -> Response[str]:
    """Return the page that says what a pause or a stop affects, and asks."""
    named = {"agent": target.agent_id or "", "key": target.key_id or ""}
    fields = {**named, "reason": field(form, "reason")[:MAX_REASON], "for": field(form, "for"), CONFIRMED: "yes"}
    return pages.render(request, "stop_question.html", question=question, fields=fields)


def page_of(target: StopTarget) -> Redirect:
    """Return where the stop or pause of a target is shown."""
    if target.key_id is not None:
        return Redirect(f"/settings/keys/{target.key_id}", status_code=303)
    return Redirect("/stops" if target.agent_id is None else agent_link(target.agent_id), status_code=303)


ROUTES = [show_stops, stop_agents, lift_stop]
