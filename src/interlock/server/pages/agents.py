"""The agents: a list, and one agent with its history, its trend, and buttons to pause, stop and resume it."""

from __future__ import annotations

from asyncio import to_thread
from typing import Any
from urllib.parse import urlencode

from litestar import Response, get, post
from litestar.params import FromPath
from litestar.response import Redirect

from interlock.access.keys import AccessKey
from interlock.access.roles import Right
from interlock.approval.request_filter import RequestFilter
from interlock.audit.stops import Stop, Stops, StopTarget
from interlock.errors import InterlockError, MissingError
from interlock.learning.drift_notes import notes_of_agent
from interlock.metrics.action_filter import ActionFilter
from interlock.metrics.action_list import read_actions
from interlock.metrics.agent_list import TREND_DAYS, Activity, ListedAgent, list_agents, read_activity, read_trends
from interlock.metrics.counters import DAY
from interlock.metrics.run_list import RunFilter, read_runs
from interlock.metrics.totals import AGENT, Totals, find_totals
from interlock.server.agent_requests import reject_open_requests
from interlock.server.pages.action_links import actions_link, text_parameter
from interlock.server.pages.derivation import catch_up
from interlock.server.pages.links import agent_id_from_path, agent_link
from interlock.server.pages.renderer import PageRenderer, PageRequest, PagesDependency
from interlock.server.pages.stop_question import describe_affected, read_affected
from interlock.server.pages.stops import LENGTHS, MAX_REASON
from interlock.server.service import Service
from interlock.server.triage import request_list
from interlock.store.clock import MICROSECONDS, now

#: How far back the activity of an agent is shown, and how much of its history.
DAYS = 30
MAX_RUNS, MAX_ACTIONS, MAX_REQUESTS = 8, 12, 5


@get("/agents", opt={"right": Right.SEE}, include_in_schema=False)
async def list_all(request: PageRequest, pages: PagesDependency) -> Response[str]:
    """Show the agents."""
    return await to_thread(_list_page, request, pages)


def _list_page(request: PageRequest, pages: PageRenderer) -> Response[str]:
    journal, error, agents, more = pages.service.journal, "", list[ListedAgent](), None
    left = catch_up(journal)
    q, cursor = "", ""
    try:
        q, cursor = text_parameter(request, "q"), text_parameter(request, "cursor", 600)
        with journal.database.read() as connection:
            agents, more = list_agents(connection, q, cursor, now().wall)
    except InterlockError as raised:
        error = str(raised)
    stops = Stops(journal).list()
    return pages.render(
        request,
        "agents.html",
        status=422 if error else 200,
        error=error,
        left=left,
        agents=[(agent, _stop_of(stops, agent.agent_id)) for agent in agents],
        more=urlencode({"q": q, "cursor": more}) if more else "",
        q=q,
        first=not cursor,
        days=TREND_DAYS,
    )


def _stop_of(stops: list[Stop], agent_id: str) -> Stop | None:
    """Return the stop or pause that covers an agent: a stop before a pause, and its own before one of all agents."""
    found = [stop for stop in stops if stop.key_id is None and stop.covers([agent_id])]
    return min(found, key=lambda stop: (stop.pauses, stop.agent_id != agent_id), default=None)


@get("/agents/{agent_path:path}", opt={"right": Right.SEE}, include_in_schema=False)
async def show_agent(request: PageRequest, pages: PagesDependency, agent_path: FromPath[str]) -> Response[str]:
    """Show an agent."""
    return await to_thread(_page, request, pages, agent_id_from_path(agent_path))


def _page(request: PageRequest, pages: PageRenderer, agent_id: str) -> Response[str]:
    service = pages.service
    left = catch_up(service.journal)
    step, at = DAY * MICROSECONDS, now().wall
    start, end = at - at % step - (DAYS - 1) * step, at - at % step + step
    mine = ActionFilter(agent_id=agent_id, unnamed=not agent_id)
    with service.journal.database.read() as connection:
        totals = find_totals(connection, AGENT, agent_id)
        runs, _ = read_runs(connection, RunFilter(agent_id=agent_id), limit=MAX_RUNS) if agent_id else ([], None)
        if not totals.actions and not runs:
            raise MissingError("there is no such agent; the list of agents shows all of them")
        activity = read_activity(connection, agent_id, start, end)
        actions = read_actions(connection, mine, limit=MAX_ACTIONS).items
        trend = read_trends(connection, [agent_id], at)[agent_id]
        notes = notes_of_agent(connection, agent_id) if agent_id else []
    asked = RequestFilter(agent=agent_id, sort="risk")
    waiting, more = request_list(service, request.user).page(asked, MAX_REQUESTS) if agent_id else ([], None)
    stop = _stop_of(Stops(service.journal).list(), agent_id)
    return pages.render(
        request,
        "agent.html",
        agent_id=agent_id,
        left=left,
        totals=totals,
        figures=_figures(mine, totals),
        activity=activity,
        links=_links(mine, activity, start, end),
        keys=_keys(service, activity),
        runs=runs,
        actions=actions,
        trend=trend,
        notes=notes,
        trend_days=TREND_DAYS,
        days=DAYS,
        waiting=waiting,
        all_waiting=f"/approvals?{asked.to_query()}" if more else "",
        stop=stop,
        lengths={name: words for name, (_, words) in LENGTHS.items()},
        affected=describe_affected(read_affected(service, StopTarget(agent_id)), StopTarget(agent_id))
        if agent_id
        else "",
    )


def _figures(mine: ActionFilter, totals: Totals) -> list[tuple[str, int, str]]:
    """Return the numbers of an agent, each with the link to its actions."""
    rows: list[tuple[str, int, dict[str, Any]]] = [
        ("Actions", totals.actions, {}),
        ("High or critical", totals.risky, {"level": "risky"}),
        ("Needed approval", totals.asked, {"verdict": "require_approval"}),
        ("Blocked", totals.blocked, {"verdict": "block"}),
    ]
    whose: dict[str, Any] = {"agent_id": mine.agent_id, "unnamed": mine.unnamed}
    return [(name, number, actions_link(ActionFilter(**whose, **given))) for name, number, given in rows]


def _links(mine: ActionFilter, activity: Activity, start: int, end: int) -> dict[str, dict[str, str]]:
    """Return the link of each tool, policy, rule and API key to the actions that its number counts."""
    found = {
        "tool": (activity.tools, start),
        "policy": (activity.policies, start),
        "rule": (activity.rules, activity.rules_since),
    }
    whose: dict[str, Any] = {"agent_id": mine.agent_id, "unnamed": mine.unnamed, "end": end}

    def link(what: str, name: str, since: int) -> str:
        return actions_link(ActionFilter(**{**whose, "start": since, what: name}))

    links = {what: {name: link(what, name, since) for name, _ in rows} for what, (rows, since) in found.items()}
    whose = {"agent_id": mine.agent_id, "unnamed": mine.unnamed, "start": activity.keys_since}
    return links | {"key": {key_id: actions_link(ActionFilter(**whose, key_id=key_id)) for key_id, _ in activity.keys}}


def _keys(service: Service, activity: Activity) -> list[tuple[str, int, AccessKey | None]]:
    """Return the keys that an agent used: their ids, how often, and the keys themselves if they still exist."""
    known = {key.key_id: key for key in service.authenticator.keys.list()}
    return [(key_id, uses, known.get(key_id)) for key_id, uses in activity.keys]


@post("/agents/stop", opt={"right": Right.ANSWER}, include_in_schema=False)
async def stop_agent(request: PageRequest, pages: PagesDependency) -> Redirect:
    """Stop an agent, and reject its open requests if the form says so."""
    fields = await request.form()
    agent_id, reason = _agent_in(fields), str(fields.get("reason", ""))[:MAX_REASON]
    await to_thread(pages.service.gate.stop, StopTarget(agent_id), actor=request.user.name, reason=reason)
    if fields.get("reject"):
        await to_thread(reject_open_requests, pages.service, request.user, agent_id, reason)
    return Redirect(agent_link(agent_id), status_code=303)


def _agent_in(fields: Any) -> str:
    """Return the agent that a form names; without a name, everything would be stopped."""
    agent_id = str(fields.get("agent", ""))
    if not agent_id or len(agent_id) > 200:
        raise InterlockError("name the agent; to stop all agents, use the overview")
    return agent_id


ROUTES = [list_all, show_agent, stop_agent]
