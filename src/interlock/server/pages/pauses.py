"""Pause agents and keys from the pages, and resume them."""

from __future__ import annotations

from asyncio import to_thread

from litestar import post
from litestar.response import Redirect

from interlock.access.roles import Right
from interlock.audit.stops import StopTarget
from interlock.errors import InterlockError
from interlock.server.api.pauses import resume
from interlock.server.pages.links import agent_link
from interlock.server.pages.renderer import PageRequest, PagesDependency
from interlock.server.pages.stops import MAX_REASON, target_in

#: How long a pause can be, as a form names it, in seconds; None is until a person ends it.
LENGTHS: dict[str, int | None] = {"15m": 900, "1h": 3_600, "resumed": None}


@post("/pauses", opt={"right": Right.ANSWER}, include_in_schema=False)
async def pause(request: PageRequest, pages: PagesDependency) -> Redirect:
    """Pause an agent, a key, or everything."""
    fields = await request.form()
    length, reason = str(fields.get("for", "")), str(fields.get("reason", ""))[:MAX_REASON]
    if length not in LENGTHS:
        raise InterlockError("choose how long to pause: 15 minutes, an hour, or until resumed")
    target, name, gate = await target_in(request, pages), request.user.name, pages.service.gate
    await to_thread(lambda: gate.pause(target, seconds=LENGTHS[length], actor=name, reason=reason))
    return _back(target)


@post("/pauses/end", opt={"right": Right.ANSWER}, include_in_schema=False)
async def end_pause(request: PageRequest, pages: PagesDependency) -> Redirect:
    """End the pause of an agent, a key, or everything."""
    target = await target_in(request, pages)
    await to_thread(resume, pages.service, request.user, target)
    return _back(target)


def _back(target: StopTarget) -> Redirect:
    return Redirect("/" if target.agent_id is None else agent_link(target.agent_id), status_code=303)


ROUTES = [pause, end_pause]
