"""Stop agents and keys from the pages, and lift the stops."""

from __future__ import annotations

from asyncio import to_thread

from litestar import post
from litestar.response import Redirect

from interlock.access.roles import Right
from interlock.audit.stops import StopTarget
from interlock.server.api.stops import stop_target
from interlock.server.pages.links import agent_link
from interlock.server.pages.renderer import PageRenderer, PageRequest, PagesDependency

MAX_REASON = 300


@post("/stops", opt={"right": Right.ANSWER}, include_in_schema=False)
async def stop_agents(request: PageRequest, pages: PagesDependency) -> Redirect:
    """Stop an agent, a key, or everything."""
    reason = str((await request.form()).get("reason", ""))[:MAX_REASON]
    target = await target_in(request, pages)
    await to_thread(pages.service.gate.stop, target, actor=request.user.name, reason=reason)
    return Redirect("/", status_code=303)


@post("/stops/lift", opt={"right": Right.MANAGE}, include_in_schema=False)
async def lift_stop(request: PageRequest, pages: PagesDependency) -> Redirect:
    """Lift the stop of an agent, a key, or everything."""
    target = await target_in(request, pages)
    await to_thread(pages.service.gate.lift_stop, target, actor=request.user.name)
    return Redirect("/" if target.agent_id is None else agent_link(target.agent_id), status_code=303)


async def target_in(request: PageRequest, pages: PageRenderer) -> StopTarget:
    """Return what a form names."""
    fields = await request.form()
    agent, key = (str(fields.get(name, "")).strip() or None for name in ("agent", "key"))
    return await to_thread(stop_target, pages.service, agent, key)


ROUTES = [stop_agents, lift_stop]
