"""`POST /v1/check`: check an action for a remote gate. `GET /v1/caller`: the identity of the caller."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Annotated

import msgspec
from litestar import get, post
from litestar.params import JSONBody

from interlock.access.roles import Caller
from interlock.analyse.declared_action import DeclaredAction
from interlock.errors import InvalidActionError
from interlock.gate.remote.messages import DeclaredTool
from interlock.model import Action, Struct
from interlock.policy.pins import Pins
from interlock.server.api.evaluate import Wait
from interlock.server.api.parameters import EVALUATE, SEE, ApiRequest, ServiceDependency
from interlock.server.api.responses import problem_responses
from interlock.server.remote_checks import Check, check
from interlock.server.schemas import CheckedAction, approval_wire
from interlock.server.service import Service
from interlock.server.tracing import trace_evaluation

MAX_FORMS = 16
Id = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


class CheckBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An action to check.

    `once` is an idempotency key: an action that is sent twice with it is recorded once. To continue an earlier
    decision, pass its id as `decisionId` instead. If it is unclear in which run or with which pins an action runs, list
    every form of it: the strictest verdict counts. With `asks`, the caller can ask its own user; this requires a key
    that is pinned to `asksUser`. Without `opens`, no approval is requested. With `holds`, the action of a paused agent
    is held for `wait` seconds instead of being refused; if the response says `held`, send it again to keep waiting.
    `declared` is the tool author's declaration, which adds to what is known about the tool: the action is judged with
    and without it, and the stricter verdict counts.
    """

    forms: Annotated[list[Action], msgspec.Meta(min_length=1, max_length=MAX_FORMS)]
    declared: DeclaredTool | None = None
    once: Id | None = None
    decision_id: Id | None = None
    asks: bool = False
    opens: bool = True
    holds: bool = False


class CallerWire(Struct, frozen=True, kw_only=True):
    """Who a request comes from: a person, and the agent whose key it is, if any."""

    name: str
    role: str
    agent: str | None
    pins: Pins


@post(
    "/check",
    opt={"right": EVALUATE},
    status_code=200,
    responses=problem_responses(),
    summary="Check an action for a remote gate",
    description="Decides an action, records it once even if it is sent several times, and returns the full decision. "
    "With `wait`, responds once its approval is answered, or when the time is up; send it again to keep waiting. The "
    "response that allows the action uses up its approval. `Gate(url, key=…)` in the Python library uses this route.",
    tags=["decisions"],
)
async def check_action(
    request: ApiRequest, service: ServiceDependency, data: JSONBody[CheckBody], wait: Wait = 0
) -> CheckedAction:
    """Check one action."""
    if (data.once is None) == (data.decision_id is None):
        raise InvalidActionError("pass `once` for a new action, or `decisionId` to continue a decision")
    asked = Check(
        forms=_add_declared_forms(data),
        once=data.once or "",
        decision=data.decision_id or "",
        asks=data.asks,
        opens=data.opens,
        holds=data.holds,
    )
    disconnect = asyncio.ensure_future(request.receive())  # the body was read, so the next message is a disconnect
    try:
        checked = _check(service, request.user, asked, wait, disconnect.done)
        return await trace_evaluation(service.tracer, request.headers, data.forms[0], checked)
    finally:
        disconnect.cancel()


def _add_declared_forms(data: CheckBody) -> list[Action]:
    """Return the forms of an action, and each form with the declaration of its tool."""
    if data.declared is None:
        return data.forms
    tool = data.declared.to_tool()
    fields = [{name: getattr(form, name) for name in Action.__struct_fields__} for form in data.forms]
    return [*(DeclaredAction(**given, declared=tool, claimed=True) for given in fields), *data.forms]


async def _check(
    service: Service, caller: Caller, asked: Check, wait: float, has_left: Callable[[], bool]
) -> CheckedAction:
    result = await check(service, caller, asked, wait, has_left)
    step, approval = result.submission, result.approval
    return CheckedAction(
        allowed=result.allowed,
        by=result.by,
        decision_id=step.record_id,
        run_id=step.record.run.run_id,
        agent_id=step.record.agent_id,
        verdict=step.decision.verdict,
        score=step.decision.assessment.score,
        level=step.decision.assessment.level,
        would_have=step.decision.would_have,
        decision=step.decision.to_dict(),
        approval=None if approval is None else approval_wire(approval, service.approval_url(approval)),
        waits=result.waits,
        held=result.held,
    )


@get(
    "/caller",
    opt={"right": (SEE, EVALUATE)},
    responses=problem_responses(),
    summary="Who am I?",
    description="The person and the agent that the key or the session belongs to, and the pins of the key.",
    tags=["access"],
)
async def get_caller(request: ApiRequest) -> CallerWire:
    """Show who the caller is."""
    caller = request.user
    return CallerWire(name=caller.name, role=caller.role.value, agent=caller.agent, pins=caller.pins)


ROUTES = [check_action, get_caller]
