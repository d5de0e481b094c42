"""A route that is what `POST /v1/evaluate` is, but for deciding and recording."""

from __future__ import annotations

from litestar import post
from litestar.params import JSONBody

from interlock import Action
from interlock.server.api.evaluate import Wait
from interlock.server.api.parameters import EVALUATE, ApiRequest, ServiceDependency


@post("/v1/nothing", opt={"right": EVALUATE}, status_code=200, include_in_schema=False)
async def nothing(
    request: ApiRequest, service: ServiceDependency, data: JSONBody[Action], wait: Wait = 0
) -> dict[str, str]:
    """Answer, and do nothing else."""
    return {"by": request.user.name, "toolName": data.tool_name, "url": service.url, "wait": str(wait)}
