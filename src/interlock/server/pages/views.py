"""Saved views of the inbox: save, rename, share, delete and restore them."""

from __future__ import annotations

from asyncio import to_thread
from typing import Any

from litestar import Response, post
from litestar.params import FromPath
from litestar.response import Redirect

from interlock.access.roles import Right
from interlock.approval.views import View, Views
from interlock.errors import InterlockError
from interlock.server.pages.inbox import inbox_link, inbox_query, show_inbox
from interlock.server.pages.renderer import PageRequest, PagesDependency


@post("/views", opt={"right": Right.SEE}, include_in_schema=False)
async def save_view(request: PageRequest, pages: PagesDependency) -> Response[Any]:
    """Save the filter of the inbox as a view."""
    form = await request.form()
    name, query, shared = str(form.get("name", "")), str(form.get("query", "")), bool(form.get("shared"))

    def work() -> Response[Any]:
        try:
            view = Views(pages.service.journal).save(request.user.name, name, query, shared=shared)
        except InterlockError as error:
            return show_inbox(request, pages, inbox_query(query), error=str(error))
        return Redirect(inbox_link(view.query), status_code=303)

    return await to_thread(work)


@post("/views/{view_id:str}", opt={"right": Right.SEE}, include_in_schema=False)
async def change_view(request: PageRequest, pages: PagesDependency, view_id: FromPath[str]) -> Response[Any]:
    """Rename, share, delete or restore a view, depending on the button."""
    form = await request.form()
    button, name, shared = str(form.get("button", "")), str(form.get("name", "")), bool(form.get("shared"))
    views, person = Views(pages.service.journal), request.user.name

    def change() -> View:
        if button == "delete":
            return views.remove(view_id, person)
        if button == "restore":
            return views.restore(view_id, person)
        return views.change(view_id, person, name=name, shared=shared)

    def work() -> Response[Any]:
        try:
            view = change()
        except InterlockError as error:
            return show_inbox(request, pages, {}, error=str(error))
        link = inbox_link("") + f"?removed={view.view_id}" if view.removed_at is not None else inbox_link(view.query)
        return Redirect(link, status_code=303)

    return await to_thread(work)


ROUTES = [save_view, change_view]
