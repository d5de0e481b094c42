"""The page for addresses that do not exist. As a route, it knows who has signed in, and can show the navigation."""

from __future__ import annotations

from litestar import get
from litestar.exceptions import NotFoundException

from interlock.server.authorization import OPEN


@get("/{path:path}", opt={"right": OPEN}, include_in_schema=False)
async def not_found() -> None:
    """Report that there is no such page."""
    raise NotFoundException


ROUTES = [not_found]
