"""Pause agents and keys from the pages, and resume them."""

from __future__ import annotations

from asyncio import to_thread
from typing import Any

from litestar import Response, post
from litestar.response import Redirect

from interlock.access.roles import Right
from interlock.errors import InterlockError
from interlock.server.api.pauses import resume
from interlock.server.pages.confirmation import field, is_confirmed
from interlock.server.pages.renderer import PageRequest, PagesDependency
from interlock.server.pages.stop_question import pause_question
from interlock.server.pages.stops import (
    LENGTHS,
    MAX_REASON,
    ask_first,
    fields_in,
    page_of,
    show_page,
    target_in,
)


@post("/pauses", opt={"right": Right.ANSWER}, status_code=200, include_in_schema=False)
async def pause(request: PageRequest, pages: PagesDependency) -> Response[Any]:
    """Pause an agent, a key, or everything, once the person has seen what that affects."""
    form = await request.form()

    def work() -> Response[Any]:
        service, caller = pages.service, request.user
        try:
            target, (seconds, words) = target_in(form, service), _length_in(form)
            if not is_confirmed(form):
                question = pause_question(service, caller, target, words if seconds is not None else None)
                return ask_first(request, pages, question, form, target)
            reason = field(form, "reason")[:MAX_REASON]
            service.gate.pause(target, seconds=seconds, actor=caller.name, reason=reason)
        except InterlockError as error:
            return show_page(request, pages, fields_in(form), error)
        return page_of(target)

    return await to_thread(work)


def _length_in(form: Any) -> tuple[int | None, str]:
    length = field(form, "for")
    if length not in LENGTHS:
        raise InterlockError("choose how long to pause: 15 minutes, an hour, a day, or until resumed")
    return LENGTHS[length]


@post("/pauses/end", opt={"right": Right.ANSWER}, include_in_schema=False)
async def end_pause(request: PageRequest, pages: PagesDependency) -> Redirect:
    """End the pause of an agent, a key, or everything."""
    target = await to_thread(target_in, await request.form(), pages.service)
    await to_thread(resume, pages.service, request.user, target)
    return page_of(target)


ROUTES = [pause, end_pause]
