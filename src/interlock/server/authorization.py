"""Check that a caller may use a route. Each route names in `right` what it requires."""

from __future__ import annotations

from typing import Any

from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler

from interlock.access.roles import Caller
from interlock.server.problems import RequestError

#: The `right` of a route that requires no authentication.
OPEN = "open"
#: The option of a route that keys can use while the store does not answer, if they were valid a short while ago.
IN_OUTAGE = "in_outage"


async def check_right(connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler) -> None:
    """Raise unless the caller has the right, or one of the rights, that the route requires."""
    right = handler.opt["right"]
    if right == OPEN:
        return
    caller: Caller | None = connection.scope.get("user")
    if caller is None:
        raise RequestError(401, "sign in, or send an API key as `Authorization: Bearer …`")
    rights = right if isinstance(right, tuple) else (right,)
    if not any(caller.may(one) for one in rights):
        names = " or ".join(f"`{one.value}`" for one in rights)
        raise RequestError(403, f"this requires the right to {names}, which the role `{caller.role.value}` lacks")
