"""`/docs`: the API as a page, from the same description that programs read."""

from __future__ import annotations

from typing import Any

from litestar import Request, Response, get

from interlock.server.authentication import OPEN
from interlock.server.pages.renderer import Shown


@get("/docs", opt={"right": OPEN}, include_in_schema=False)
async def reference(request: Request[Any, Any, Any], pages: Shown) -> Response[str]:
    """Show the API."""
    schema = request.app.openapi_schema.to_schema()
    groups: dict[str, list[dict[str, Any]]] = {}
    for path, methods in schema["paths"].items():
        for method, told in methods.items():
            if isinstance(told, dict) and "summary" in told:
                groups.setdefault(told.get("tags", ["other"])[0], []).append({"path": path, "method": method, **told})
    return pages.render(request, "reference.html", groups=groups, info=schema["info"])


@get("/docs/openapi.json", opt={"right": OPEN}, include_in_schema=False)
async def description(request: Request[Any, Any, Any]) -> dict[str, Any]:
    """Return the API as programs read it."""
    schema: dict[str, Any] = request.app.openapi_schema.to_schema()
    return schema


ROUTES = [reference, description]
