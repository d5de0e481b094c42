"""The inbox: the list of requests, filtered, sorted and grouped, and what is done with those that are selected."""

from __future__ import annotations

from asyncio import to_thread
from typing import Annotated, Any
from urllib.parse import parse_qsl, urlencode

from litestar import Response, get, post
from litestar.params import QueryParameter
from litestar.response import Redirect

from interlock.access.roles import Caller, Right
from interlock.approval.request_filter import AGES, LEVELS, ME, NOBODY, PENDING_SORTS, SORTS, STATES, parse_filter
from interlock.approval.views import View, Views
from interlock.errors import InterlockError
from interlock.scoring.command import ENVIRONMENTS
from interlock.server.pages.renderer import PageRenderer, PageRequest, PagesDependency
from interlock.server.service import Service
from interlock.server.triage import assign, get_exactly, possible_assignees, request_list
from interlock.store.paging import parse_cursor

PER_PAGE = 50
_AGES = dict(zip(AGES, ("5 minutes", "1 hour", "1 day", "1 week"), strict=True))
_SORTS = {"newest": "Newest first", "oldest": "Oldest first", "risk": "Highest risk", "left": "Least time left"}


@get("/approvals", opt={"right": Right.SEE}, include_in_schema=False)
async def inbox(
    request: PageRequest, pages: PagesDependency, cursor: Annotated[str, QueryParameter(max_length=600)] = ""
) -> Response[str]:
    """Show the inbox."""
    return await to_thread(show_inbox, request, pages, dict(request.query_params.items()), cursor)


def show_inbox(
    request: PageRequest, pages: PageRenderer, query: dict[str, Any], cursor: str = "", error: str = ""
) -> Response[str]:
    """Return the inbox as a page, with an error above it if there is one."""
    service, caller = pages.service, request.user
    try:
        wanted = parse_filter({name: str(text) for name, text in query.items()})
    except InterlockError as problem:
        wanted, error = parse_filter({}), error or str(problem)
    found, more = request_list(service, caller).page(wanted, PER_PAGE, parse_cursor(cursor) if cursor else None)
    saved = Views(service.journal).list(caller.name)
    return pages.render(
        request,
        "approvals.html",
        status=422 if error else 200,
        requests=found,
        more=None if more is None else str(more),
        searched_to=more if len(found) < PER_PAGE else None,
        wanted=wanted,
        query=wanted.to_query(),
        states=STATES,
        levels=LEVELS,
        environments=_environments(wanted.environment),
        ages=_AGES,
        sorts={name: _SORTS[name] for name in (*SORTS, *(PENDING_SORTS if wanted.is_pending else ()))},
        people=possible_assignees(service),
        first=not cursor,
        views=saved,
        view=next((one for one in saved if one.query == wanted.to_query()), None),
        removed=_find_removed_view(service, caller, str(query.get("removed", ""))),
        error=error,
        me=ME,
        nobody=NOBODY,
    )


def _environments(chosen: str) -> list[str]:
    names = [name for name in ENVIRONMENTS if name]
    return names if not chosen or chosen in names else [*names, chosen]


def _find_removed_view(service: Service, caller: Caller, view_id: str) -> View | None:
    """Return the view that the caller has just deleted, to be restored."""
    return Views(service.journal).find_removed(view_id, caller.name) if view_id else None


@post("/approvals/selected", opt={"right": Right.ANSWER}, include_in_schema=False)
async def use_selected(request: PageRequest, pages: PagesDependency) -> Response[Any]:
    """Redirect to the confirmation for the selected requests, or assign them, depending on the button."""
    form = await request.form()
    ids, groups = ([str(one)[:64] for one in form.getall(name, [])] for name in ("id", "group"))
    button, assignee, back = (str(form.get(name, "")) for name in ("button", "assignee", "back"))

    def work() -> Response[Any]:
        query = inbox_query(back)
        if not ids and not groups:
            return show_inbox(request, pages, query, error="select at least one request")
        if button in ("approve", "reject"):
            given = [("verdict", button), *(("id", one) for one in ids), *(("group", one) for one in groups)]
            return Redirect(f"/approvals/answer?{urlencode([*given, ('back', urlencode(query))])}", status_code=303)
        try:
            _assign_all(pages.service, request.user, ids, groups, assignee)
        except InterlockError as error:
            return show_inbox(request, pages, query, error=str(error))
        return Redirect(inbox_link(back), status_code=303)

    return await to_thread(work)


def _assign_all(service: Service, caller: Caller, ids: list[str], groups: list[str], assignee: str) -> None:
    for one in [*ids, *expand_groups(service, caller, groups)]:
        assign(service, caller, one, None if assignee == NOBODY else caller.name if assignee == ME else assignee)


#: How many requests of a group are answered or assigned at once.
MAX_OF_GROUP = 100


def expand_groups(service: Service, caller: Caller, leaders: list[str]) -> list[str]:
    """Return the ids of the pending requests that equal some requests."""
    lists = request_list(service, caller)
    return [found for one in leaders for found in lists.group(get_exactly(service, one), MAX_OF_GROUP)]


def inbox_query(back: str) -> dict[str, str]:
    """Return the filter of the inbox in a form field; anything else in the text is ignored."""
    try:
        return dict(parse_qsl(parse_filter(dict(parse_qsl(back[:4_000]))).to_query()))
    except InterlockError:
        return {}


def inbox_link(back: str) -> str:
    """Return the address of the inbox with a filter. The text cannot change the path or the host."""
    query = urlencode(inbox_query(back))
    return f"/approvals?{query}" if query else "/approvals"


@get("/approvals/next", opt={"right": Right.SEE}, include_in_schema=False)
async def next_request(
    request: PageRequest, pages: PagesDependency, after: Annotated[str, QueryParameter(max_length=64)] = ""
) -> Redirect:
    """Redirect to the next request that the caller can answer, or to the inbox."""
    found = await to_thread(pages.service.gate.approvals.next_for, request.user.name, after)
    return Redirect(f"/approvals/{found}" if found else "/approvals", status_code=303)


ROUTES = [inbox, use_selected, next_request]
