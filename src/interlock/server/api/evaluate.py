"""`POST /v1/evaluate`: decide whether an action may run."""

from __future__ import annotations

import asyncio
from typing import Annotated

import msgspec
from litestar import post
from litestar.params import JSONBody, QueryParameter

from interlock.model import Action, Struct
from interlock.server.api.parameters import EVALUATE, ApiRequest, ServiceDependency
from interlock.server.api.responses import problem_responses
from interlock.server.schemas import Evaluation
from interlock.server.service import MAX_WAIT
from interlock.server.tracing import trace_evaluation

MAX_BATCH = 100
Wait = Annotated[float, QueryParameter(ge=0, le=MAX_WAIT, description="wait this many seconds for an approval")]


class EvaluationBatch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Several actions, decided in order."""

    actions: Annotated[list[Action], msgspec.Meta(min_length=1, max_length=MAX_BATCH)]


class EvaluationList(Struct, frozen=True, kw_only=True):
    """The decisions, in the order of the actions."""

    items: list[Evaluation]


@post(
    "/evaluate",
    opt={"right": EVALUATE},
    status_code=200,
    responses=problem_responses(),
    summary="May this action run?",
    description="Decides an action and records the decision. The action may run only if `allowed` is true. If a person "
    "has to approve it, `approval` says where; ask again once they have, or pass `wait` to wait in the same call.",
    tags=["decisions"],
)
async def evaluate(
    request: ApiRequest, service: ServiceDependency, data: JSONBody[Action], wait: Wait = 0
) -> Evaluation:
    """Decide one action."""
    if not wait:
        return await trace_evaluation(service.tracer, request.headers, data, service.evaluate(request.user, data))
    disconnect = asyncio.ensure_future(request.receive())  # the body was read, so the next message is a disconnect
    try:
        evaluation = service.evaluate(request.user, data, wait, disconnect.done)
        return await trace_evaluation(service.tracer, request.headers, data, evaluation)
    finally:
        disconnect.cancel()


@post(
    "/evaluate/batch",
    opt={"right": EVALUATE},
    status_code=200,
    responses=problem_responses(),
    summary="May these actions run?",
    description="Decides several actions in order. What one of them would do counts for those after it.",
    tags=["decisions"],
)
async def evaluate_batch(
    request: ApiRequest, service: ServiceDependency, data: JSONBody[EvaluationBatch]
) -> EvaluationList:
    """Decide several actions."""
    items = []
    for action in data.actions:
        evaluation = service.evaluate(request.user, action)
        items.append(await trace_evaluation(service.tracer, request.headers, action, evaluation))
        await asyncio.sleep(0)
    return EvaluationList(items=items)


ROUTES = [evaluate, evaluate_batch]
