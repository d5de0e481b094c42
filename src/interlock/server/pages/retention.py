"""The page of the retention: what is kept for how long, and what would be removed."""

from __future__ import annotations

from asyncio import to_thread
from typing import Any

import msgspec
from litestar import Response, get, post
from litestar.response import Redirect

from interlock.access.roles import Right
from interlock.config.home import NAME, own_folder
from interlock.errors import InterlockError
from interlock.server.administration import retention
from interlock.server.administration.change_descriptions import RETENTION_LABELS
from interlock.server.administration.recent_changes import recent_changes
from interlock.server.pages.confirmation import Question, ask, field, is_confirmed
from interlock.server.pages.renderer import PageRenderer, PageRequest, PagesDependency
from interlock.server.problems import problem_from

HERE = "/settings/retention"
FIELDS = (*retention.MAX_NUMBERS, "known")


@get(HERE, opt={"right": Right.SEE}, include_in_schema=False)
async def show_retention(request: PageRequest, pages: PagesDependency) -> Response[str]:
    """Show the retention."""
    return await to_thread(_page, request, pages)


@post(HERE, opt={"right": Right.MANAGE}, status_code=200, include_in_schema=False)
async def change_retention(request: PageRequest, pages: PagesDependency) -> Response[Any]:
    """Change the retention, after a question if records would be removed."""
    form = await request.form()
    fields = {name: field(form, name) for name in FIELDS}
    return await to_thread(_change, request, pages, fields, confirmed=is_confirmed(form))


def _change(request: PageRequest, pages: PageRenderer, fields: dict[str, str], *, confirmed: bool) -> Response[Any]:
    service = pages.service
    known = int(fields["known"]) if fields["known"].isascii() and fields["known"].isdigit() else 0
    try:
        settings = retention.parse_retention(fields)
        removed = retention.preview_retention(service, settings)
        if removed and not confirmed:
            effects = (
                f"About {removed:,} records older than {settings.keep_days} days are removed, in small steps.",
                "Removed records cannot be restored, even if you undo this change.",
                "A signed checkpoint replaces them, so that the rest can still be verified.",
            )
            question = Question(
                title="Remove old records?", effects=effects, label="Save and remove", action=HERE, back=HERE
            )
            return ask(request, pages, question, fields)
        retention.change_retention(service, settings, known, request.user.name)
    except InterlockError as error:
        return _page(request, pages, error, fields)
    return Redirect(HERE, status_code=303)


def _page(
    request: PageRequest,
    pages: PageRenderer,
    error: InterlockError | None = None,
    fields: dict[str, str] | None = None,
) -> Response[str]:
    state = retention.read_retention(pages.service)
    return pages.render(
        request,
        "retention.html",
        status=200 if error is None else problem_from(error).status,
        state=state,
        fields=fields or {name: str(value) for name, value in msgspec.to_builtins(state.settings).items()},
        changes=recent_changes(pages.service, request.user.name, "retention", "retention"),
        error="" if error is None else str(error),
        own_file=own_folder() / NAME,
        delivery_days=retention.DELIVERY_DAYS,
        labels=RETENTION_LABELS,
    )


ROUTES = [show_retention, change_retention]
