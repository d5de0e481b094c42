"""`POST /v1/evaluate`: may this run?"""

from __future__ import annotations

import asyncio
from typing import Annotated

import msgspec
from litestar import post
from litestar.params import JSONBody, QueryParameter

from interlock.model import Action, Struct
from interlock.server.api.parameters import EVALUATE, Call, Served, problems
from interlock.server.schemas import Evaluation
from interlock.server.service import MAX_WAIT
from interlock.server.tracing import traced

MAX_BATCH = 100
Wait = Annotated[float, QueryParameter(ge=0, le=MAX_WAIT, description="wait so many seconds for an approval")]


class Batch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Several actions, decided in their order."""

    actions: Annotated[list[Action], msgspec.Meta(min_length=1, max_length=MAX_BATCH)]


class Evaluations(Struct, frozen=True, kw_only=True):
    """What was decided, in the order of the actions."""

    items: list[Evaluation]


@post(
    "/evaluate",
    opt={"right": EVALUATE},
    status_code=200,
    responses=problems(),
    summary="May this action run?",
    description="Decides an action and records that. It may run if `allowed` is true, and only then. Where a person "
    "has to approve, `approval` says where; ask again once they have, or give `wait` to be told in the same call.",
    tags=["deciding"],
)
async def evaluate(request: Call, service: Served, data: JSONBody[Action], wait: Wait = 0) -> Evaluation:
    """Decide one action."""
    if not wait:
        return await traced(service.tracer, request.headers, data, service.evaluate(request.user, data))
    leaving = asyncio.ensure_future(request.receive())  # the body was read: what comes now is that they leave
    try:
        deciding = service.evaluate(request.user, data, wait, leaving.done)
        return await traced(service.tracer, request.headers, data, deciding)
    finally:
        leaving.cancel()


@post(
    "/evaluate/batch",
    opt={"right": EVALUATE},
    status_code=200,
    responses=problems(),
    summary="May these actions run?",
    description="Decides several actions in their order. What one of them does counts for the ones after it.",
    tags=["deciding"],
)
async def evaluate_batch(request: Call, service: Served, data: JSONBody[Batch]) -> Evaluations:
    """Decide several actions."""
    items = []
    for action in data.actions:
        deciding = service.evaluate(request.user, action)
        items.append(await traced(service.tracer, request.headers, action, deciding))
        await asyncio.sleep(0)
    return Evaluations(items=items)


ROUTES = [evaluate, evaluate_batch]
