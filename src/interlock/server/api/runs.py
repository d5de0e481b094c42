"""`/v1/runs`: the runs of agents, each with its timeline."""

from __future__ import annotations

from asyncio import to_thread
from typing import Annotated, Any, Literal

import msgspec
from litestar import get, post
from litestar.params import FromPath, JSONBody, QueryParameter

from interlock.access.roles import Caller, Right
from interlock.audit.chain import Transaction
from interlock.audit.pending_write import Concurrent
from interlock.audit.run_details import check_details, check_same
from interlock.audit.runs import OPEN, PAUSED, Run, check_owner, end_run, find_run, run_queries, start_run
from interlock.errors import ConflictError, MissingError
from interlock.ids import new_id
from interlock.model import RunDetails, Struct
from interlock.sanitise import plain, storable_name
from interlock.server.api.parameters import (
    ANSWER,
    EVALUATE,
    SEE,
    AgentFilter,
    ApiRequest,
    CursorParameter,
    PageSize,
    ServiceDependency,
    optional_name,
)
from interlock.server.api.responses import problem_responses
from interlock.server.pagination import cut_page
from interlock.server.schemas import Page
from interlock.server.service import Service, agent_id_for
from interlock.server.timeline import TimelineItem, timeline
from interlock.store.clock import now
from interlock.store.paging import PageCursor, parse_cursor


class RunWire(Struct, frozen=True, kw_only=True):
    """A run, and how many actions it has."""

    run_id: str
    agent_id: str | None
    started_by: str
    workspace: str | None
    state: str
    started_at: int
    ended_at: int | None
    user: str | None
    tenant: str | None
    metadata: dict[str, Any]
    actions: int = 0


class RunWithTimeline(RunWire, frozen=True, kw_only=True):
    """A run, and a page of its timeline, in order. `next` is the cursor of the next page."""

    timeline: list[TimelineItem]
    next: str | None


class NewRun(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A run to start: its agent and workspace, the user and the tenant that it is for, and any metadata.

    `request` is the task that the person gave the agent, in their own words.
    """

    run_id: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] | None = None
    agent_id: Annotated[str, msgspec.Meta(max_length=200)] | None = None
    workspace: Annotated[str, msgspec.Meta(max_length=4_000)] | None = None
    user: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] | None = None
    tenant: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] | None = None
    metadata: dict[str, Any] = msgspec.field(default_factory=dict)
    request: Annotated[str, msgspec.Meta(max_length=20_000)] | None = None


class RunFailure(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Why a run failed."""

    reason: Annotated[str, msgspec.Meta(max_length=2_000)] = ""


class PersonRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A person's request, in their own words. A request that is sent twice with the same `once` is recorded once."""

    text: Annotated[str, msgspec.Meta(max_length=20_000)]
    once: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] | None = None


class KeptRequest(Struct, frozen=True, kw_only=True):
    """A recorded request: masked, on one line, and truncated."""

    text: str


class RequestList(Struct, frozen=True, kw_only=True):
    """The requests of the person behind a run, in order."""

    items: list[KeptRequest]


RunStateName = Literal["open", "paused", "ended", "failed"]
RunStateFilter = Annotated[RunStateName | None, QueryParameter(name="state", description="only this state")]


@get(
    "/runs",
    opt={"right": SEE},
    responses=problem_responses(),
    summary="All runs, newest first",
    tags=["runs"],
)
async def list_runs(
    service: ServiceDependency,
    limit: PageSize = 50,
    cursor: CursorParameter = None,
    agent_id: AgentFilter = None,
    state_: RunStateFilter = None,
) -> Page[RunWire]:
    """List the runs."""
    after = parse_cursor(cursor) if cursor else None
    found = await to_thread(service.gate.runs.list, limit + 1, after=after, agent_id=agent_id, state=state_)
    runs, next_cursor = cut_page(found, limit, lambda one: PageCursor(one[0].started_at, one[0].run_id))
    return Page(items=[run_wire(run, actions) for run, actions in runs], next=next_cursor)


@post(
    "/runs",
    opt={"right": EVALUATE},
    responses=problem_responses(),
    summary="Start a run",
    description="A run also starts by itself with its first action. A run that has ended continues. Its user, tenant "
    "and metadata never change. The pins of the key take precedence over this request.",
    tags=["runs"],
)
async def create_run(request: ApiRequest, service: ServiceDependency, data: JSONBody[NewRun]) -> RunWire:
    """Start a run."""
    caller = request.user
    run_id = data.run_id or new_id()
    await to_thread(service.check_owner, caller, run_id)
    pins = service.pins_of(caller, strict=True)
    named = RunDetails(user=pins.user or data.user, tenant=pins.tenant or data.tenant, metadata=data.metadata)
    details = check_details(named)
    run = Run(
        run_id=storable_name(run_id),
        agent_id=optional_name(agent_id_for(caller, data.agent_id)),
        started_by=caller.name,
        workspace=service.workspace_for(pins, data.workspace),
        state=OPEN,
        started_at=now().wall,
        user=details.user,
        tenant=details.tenant,
        metadata=details.metadata,
    )
    operation = Concurrent(
        lambda transaction: start_or_continue(transaction, run, caller), run.run_id, reads=run_queries(run.run_id)
    )
    started = await service.journal.acommit(operation)
    if data.request:
        await to_thread(service.add_request, caller, run.run_id, data.request)
    return run_wire(started)


def start_or_continue(transaction: Transaction, run: Run, caller: Caller) -> Run:
    """Start or continue a run; raise if its id belongs to another caller's run, or to one with other details."""
    check_owner(transaction.connection, run.run_id, caller.name, caller.agent)
    started = start_run(transaction, run)
    check_same(run.run_id, started.details, run.details)
    return started


@get(
    "/runs/{run_id:str}",
    opt={"right": (SEE, EVALUATE)},
    responses=problem_responses(),
    summary="One run, with its timeline",
    description="With its timeline: decisions and their outcomes, approvals, and reported events, in order.",
    tags=["runs"],
)
async def get_run(
    request: ApiRequest,
    service: ServiceDependency,
    run_id: FromPath[str],
    limit: PageSize = 100,
    cursor: CursorParameter = None,
) -> RunWithTimeline:
    """Show a run."""
    run, actions = await to_thread(_find_visible, service, request.user, run_id)
    after = parse_cursor(cursor).at if cursor else 0
    items, more = await to_thread(timeline, service.journal.database, run.run_id, after=after, limit=limit)
    summary = run_wire(run, actions)
    next_cursor = str(PageCursor(more, "")) if more is not None else None
    return RunWithTimeline(
        **{name: getattr(summary, name) for name in RunWire.__struct_fields__}, timeline=items, next=next_cursor
    )


@post(
    "/runs/{run_id:str}/complete",
    opt={"right": EVALUATE},
    status_code=200,
    responses=problem_responses(),
    summary="End a run",
    tags=["runs"],
)
async def complete_run(request: ApiRequest, service: ServiceDependency, run_id: FromPath[str]) -> RunWire:
    """End a run."""
    return await _end(request.user, service, run_id, None)


@post(
    "/runs/{run_id:str}/fail",
    opt={"right": EVALUATE},
    status_code=200,
    responses=problem_responses(),
    summary="End a run as failed",
    tags=["runs"],
)
async def fail_run(
    request: ApiRequest, service: ServiceDependency, run_id: FromPath[str], data: JSONBody[RunFailure]
) -> RunWire:
    """End a run as failed, with the reason."""
    return await _end(request.user, service, run_id, data.reason or "it failed")


@post(
    "/runs/{run_id:str}/resume",
    opt={"right": ANSWER},
    status_code=200,
    responses=problem_responses(),
    summary="Resume a paused run",
    tags=["runs"],
)
async def resume_run(request: ApiRequest, service: ServiceDependency, run_id: FromPath[str]) -> RunWire:
    """Resume a paused run."""
    return run_wire(await to_thread(service.resume_run, request.user, run_id))


@post(
    "/runs/{run_id:str}/requests",
    opt={"right": EVALUATE},
    responses=problem_responses(),
    summary="Record what the person asked for",
    description="In their own words, masked. Call it from the program that hears the person, never from a tool that "
    "the model can call: a reviewer model takes these words for an authorisation if the key is `trusted`.",
    tags=["runs"],
)
async def add_request(
    request: ApiRequest, service: ServiceDependency, run_id: FromPath[str], data: JSONBody[PersonRequest]
) -> KeptRequest:
    """Record what the person behind a run asked for."""
    kept = await to_thread(service.add_request, request.user, run_id, data.text, data.once)
    return KeptRequest(text=kept)


@get(
    "/runs/{run_id:str}/requests",
    opt={"right": (SEE, EVALUATE)},
    responses=problem_responses(),
    summary="Requests of the person behind a run",
    tags=["runs"],
)
async def list_requests(request: ApiRequest, service: ServiceDependency, run_id: FromPath[str]) -> RequestList:
    """List the requests of the person behind a run."""
    run, _ = await to_thread(_find_visible, service, request.user, run_id)
    state = await to_thread(service.gate.runs.state, run.run_id)
    return RequestList(items=[KeptRequest(text=text) for text in state.requests])


async def _end(caller: Caller, service: Service, run_id: str, why: str | None) -> RunWire:
    await to_thread(service.check_owner, caller, run_id)

    name = storable_name(run_id)

    def operation(transaction: Transaction) -> Run:
        run = find_run(transaction.connection, name)
        if run is None:
            raise MissingError(f"there is no run `{plain(run_id)[:80]}`")
        if run.state == PAUSED:
            raise ConflictError("the run is paused and cannot be ended; a person has to resume it first")
        return end_run(transaction, run.run_id, caller.agent or caller.name, why) or run

    run = await service.journal.acommit(Concurrent(operation, name, reads=run_queries(name)))
    service.gate.sessions.release_run(name)
    return run_wire(run)


def _find_visible(service: Service, caller: Caller, run_id: str) -> tuple[Run, int]:
    with service.journal.database.read() as connection:
        run = find_run(connection, storable_name(run_id))
    if run is None or not (caller.may(Right.SEE) or caller.owns(run.started_by, run.agent_id)):
        raise MissingError(f"there is no run `{plain(run_id)[:80]}`")
    return run, service.gate.runs.actions(run.run_id)


def run_wire(run: Run, actions: int = 0) -> RunWire:
    """Return a run as a response."""
    fields = {name: getattr(run, name) for name in Run.__struct_fields__}
    return RunWire(**{**fields, "metadata": dict(run.metadata)}, actions=actions)


ROUTES = [list_runs, create_run, get_run, complete_run, fail_run, resume_run, add_request, list_requests]
