"""The settings: their address redirects to the first page that the caller may see."""

from __future__ import annotations

from litestar import get
from litestar.response import Redirect

from interlock.access.roles import Right
from interlock.server.pages.renderer import SETTINGS, PageRequest


@get("/settings", opt={"right": Right.SEE}, include_in_schema=False)
async def show_settings(request: PageRequest) -> Redirect:
    """Redirect to the first page of the settings."""
    return Redirect(next(path for path, _, right in SETTINGS if request.user.may(right)))


ROUTES = [show_settings]
