"""`/docs`: the API reference as a page, made from the OpenAPI description."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from litestar import Litestar, Response, get

from interlock.server.authorization import OPEN
from interlock.server.pages.api_fields import list_body_fields
from interlock.server.pages.renderer import PageRequest, PagesDependency


@get("/docs", opt={"right": OPEN}, include_in_schema=False)
async def show_reference(request: PageRequest, pages: PagesDependency) -> Response[str]:
    """Show the API reference."""
    groups, info = _describe_routes(request.app)
    return pages.render(request, "reference.html", groups=groups, info=info)


@lru_cache(maxsize=1)
def _describe_routes(app: Litestar) -> tuple[dict[str, list[dict[str, Any]]], dict[str, Any]]:
    """Return the routes by tag, and the general description. Cached, because it takes a while."""
    schema = app.openapi_schema.to_schema()
    components = schema["components"]["schemas"]
    groups: dict[str, list[dict[str, Any]]] = {}
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            if isinstance(operation, dict) and "summary" in operation:
                tag = operation.get("tags", ["other"])[0]
                route = {"path": path, "method": method, **operation}
                route["body"] = list_body_fields(operation.get("requestBody"), components)
                route["answer"] = list_body_fields(_find_success(operation), components)
                groups.setdefault(tag, []).append(route)
    return groups, schema["info"]


def _find_success(operation: dict[str, Any]) -> dict[str, Any] | None:
    """Return the response of a request that succeeds."""
    return next((found for status, found in operation["responses"].items() if status.startswith("2")), None)


@get("/docs/openapi.json", opt={"right": OPEN}, include_in_schema=False)
async def show_description(request: PageRequest) -> dict[str, Any]:
    """Return the OpenAPI description."""
    schema: dict[str, Any] = request.app.openapi_schema.to_schema()
    return schema


ROUTES = [show_reference, show_description]
