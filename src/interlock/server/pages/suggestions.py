"""The pages of suggestions: what past answers suggest, with the evidence, and the forms that accept or dismiss one."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Callable
from typing import Annotated, Any

from litestar import Response, get, post
from litestar.params import FromPath, QueryParameter
from litestar.response import Redirect

from interlock.access.roles import Right
from interlock.errors import InterlockError
from interlock.learning.narrower_shapes import has_folder
from interlock.learning.suggestion import Suggestion
from interlock.learning.suggestion_responses import Narrowing, list_dismissed, narrow_shape
from interlock.server import suggestions
from interlock.server.pages.renderer import PageRenderer, PageRequest, PagesDependency

#: How many dismissed suggestions the page lists.
MAX_DISMISSED = 20


@get("/suggestions", opt={"right": Right.SEE}, include_in_schema=False)
async def show_suggestions(
    request: PageRequest, pages: PagesDependency, done: Annotated[str, QueryParameter(max_length=20)] = ""
) -> Response[str]:
    """Show the suggestions."""
    found = await pages.service.suggestions.search_briefly()

    def work() -> Response[str]:
        dismissed = list_dismissed(pages.service.journal.database, MAX_DISMISSED)
        return pages.render(request, "suggestions.html", found=found, dismissed=dismissed, done=done)

    return await to_thread(work)


@get("/suggestions/{suggestion_id:str}", opt={"right": Right.SEE}, include_in_schema=False)
async def show_suggestion(request: PageRequest, pages: PagesDependency, suggestion_id: FromPath[str]) -> Response[str]:
    """Show one suggestion."""
    return await to_thread(_page, request, pages, await pages.service.suggestions.get(suggestion_id))


@post("/suggestions/{suggestion_id:str}/accept", opt={"right": Right.ANSWER}, include_in_schema=False)
async def accept(request: PageRequest, pages: PagesDependency, suggestion_id: FromPath[str]) -> Response[Any]:
    """Accept a suggested grant."""
    form = await request.form()
    replies = [str(form[name]) for name in sorted(form) if name.startswith("answer-")]

    found = await pages.service.suggestions.get(suggestion_id)

    def work() -> None:
        narrowing = _parse_narrowing(str(form.get("days", "")), str(form.get("folder", "")))
        given = str(form.get("ticket", "")), replies, str(form.get("reason", "")), narrowing
        suggestions.accept_grant(pages.service, request.user, found, *given)

    return await to_thread(_answer, request, pages, found, work, "/settings/grants")


@post("/suggestions/{suggestion_id:str}/accept-policy", opt={"right": Right.MANAGE}, include_in_schema=False)
async def accept_policy(request: PageRequest, pages: PagesDependency, suggestion_id: FromPath[str]) -> Response[Any]:
    """Accept a suggested policy."""

    found = await pages.service.suggestions.get(suggestion_id)

    def work() -> None:
        suggestions.accept_policy(pages.service, request.user, found)

    return await to_thread(_answer, request, pages, found, work, "/policies")


@post("/suggestions/{suggestion_id:str}/dismiss", opt={"right": Right.ANSWER}, include_in_schema=False)
async def dismiss(request: PageRequest, pages: PagesDependency, suggestion_id: FromPath[str]) -> Response[Any]:
    """Dismiss a suggestion."""
    why = str((await request.form()).get("why", ""))

    found = await pages.service.suggestions.get(suggestion_id)

    def work() -> None:
        suggestions.dismiss(pages.service, request.user, found, why)

    return await to_thread(_answer, request, pages, found, work, "/suggestions?done=dismissed")


@post("/suggestions/{suggestion_id:str}/restore", opt={"right": Right.ANSWER}, include_in_schema=False)
async def restore(request: PageRequest, pages: PagesDependency, suggestion_id: FromPath[str]) -> Response[Any]:
    """Undo the dismissal of a suggestion."""
    await to_thread(suggestions.restore, pages.service, request.user, suggestion_id)
    return Redirect("/suggestions", status_code=303)


def _answer(
    request: PageRequest, pages: PageRenderer, one: Suggestion, work: Callable[[], None], then: str
) -> Response[Any]:
    """Do what a form asks for, and go on; or show the suggestion again with the error."""
    try:
        work()
    except InterlockError as error:
        return _page(request, pages, one, error=str(error))
    return Redirect(then, status_code=303)


def _parse_narrowing(days: str, folder: str) -> Narrowing:
    if days.strip() and not (days.strip().isascii() and days.strip().isdigit() and len(days.strip()) < 5):
        raise InterlockError("write the days as a number, such as 7")
    return Narrowing(days=int(days) if days.strip() else None, folder=folder.strip() or None)


def _page(request: PageRequest, pages: PageRenderer, one: Suggestion, error: str = "") -> Response[str]:
    service = pages.service
    return pages.render(
        request,
        "suggestion.html",
        status=422 if error else 200,
        one=one,
        taken=suggestions.find_acceptance(service, request.user, one),
        most_days=service.gate.approvals.rules.settings.remember_days,
        has_folder=one.kind == "grant" and has_folder(narrow_shape(one, Narrowing())),
        error=error,
    )


ROUTES = [show_suggestions, show_suggestion, accept, accept_policy, dismiss, restore]
