"""Stopping agents from the pages, and letting them act again."""

from __future__ import annotations

from asyncio import to_thread

from litestar import post
from litestar.response import Redirect

from interlock.access.roles import Right
from interlock.server.pages.renderer import PageRequest, PagesDependency

MAX_REASON = 300


@post("/stops", opt={"right": Right.ANSWER}, include_in_schema=False)
async def stop_agents(request: PageRequest, pages: PagesDependency) -> Redirect:
    """Stop an agent, or all."""
    fields = await request.form()
    agent, reason = str(fields.get("agent", "")) or None, str(fields.get("reason", ""))[:MAX_REASON]
    await to_thread(pages.service.gate.stop, agent, actor=request.user.name, reason=reason)
    return Redirect("/", status_code=303)


@post("/stops/lift", opt={"right": Right.MANAGE}, include_in_schema=False)
async def lift_stop(request: PageRequest, pages: PagesDependency) -> Redirect:
    """Let an agent, or all, act again."""
    agent = str((await request.form()).get("agent", "")) or None
    await to_thread(pages.service.gate.lift_stop, agent, actor=request.user.name)
    return Redirect("/", status_code=303)


ROUTES = [stop_agents, lift_stop]
