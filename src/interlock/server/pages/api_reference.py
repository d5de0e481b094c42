"""`/docs`: the API reference as a page, made from the OpenAPI description."""

from __future__ import annotations

from typing import Any

from litestar import Response, get

from interlock.server.authorization import OPEN
from interlock.server.pages.renderer import PageRequest, PagesDependency
from interlock.server.pages.request_bodies import describe_body


@get("/docs", opt={"right": OPEN}, include_in_schema=False)
async def show_reference(request: PageRequest, pages: PagesDependency) -> Response[str]:
    """Show the API reference."""
    schema = request.app.openapi_schema.to_schema()
    groups: dict[str, list[dict[str, Any]]] = {}
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            if isinstance(operation, dict) and "summary" in operation:
                tag = operation.get("tags", ["other"])[0]
                body = describe_body(schema, operation)
                groups.setdefault(tag, []).append({"path": path, "method": method, "body": body, **operation})
    return pages.render(request, "reference.html", groups=groups, info=schema["info"])


@get("/docs/openapi.json", opt={"right": OPEN}, include_in_schema=False)
async def show_description(request: PageRequest) -> dict[str, Any]:
    """Return the OpenAPI description."""
    schema: dict[str, Any] = request.app.openapi_schema.to_schema()
    return schema


ROUTES = [show_reference, show_description]
