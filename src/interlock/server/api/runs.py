"""`/v1/runs`: the sessions of agents, each with its timeline."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from litestar import get, post
from litestar.params import FromPath, JSONBody, QueryParameter

from interlock.access.roles import Caller, Right
from interlock.audit.chain import Transaction
from interlock.audit.record import new_id
from interlock.audit.runs import OPEN, PAUSED, Run, check_owner, end_run, find_run, start_run
from interlock.errors import ConflictError, MissingError
from interlock.gate.case import named
from interlock.model import Struct
from interlock.policy.tiers import plain
from interlock.server.api.shared import (
    ANSWER,
    EVALUATE,
    SEE,
    Call,
    CursorText,
    Limit,
    OfAgent,
    Served,
    name_of,
    problems,
    threaded,
)
from interlock.server.service import Service, agent_of
from interlock.server.timeline import Item, timeline
from interlock.server.wire import Page
from interlock.store.clock import now
from interlock.store.paging import PageCursor, parse_cursor


class RunWire(Struct, frozen=True, kw_only=True):
    """One agent session, and how many actions it has."""

    run_id: str
    agent_id: str | None
    started_by: str
    workspace: str | None
    state: str
    started_at: int
    ended_at: int | None
    actions: int = 0


class RunWithTimeline(RunWire, frozen=True, kw_only=True):
    """A run, and what happened in it, in order. `next` is where the rest of it begins."""

    timeline: list[Item]
    next: str | None


class NewRun(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A run that begins."""

    run_id: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] | None = None
    agent_id: Annotated[str, msgspec.Meta(max_length=200)] | None = None
    workspace: Annotated[str, msgspec.Meta(max_length=4_000)] | None = None


class Failure(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Why a run failed."""

    reason: Annotated[str, msgspec.Meta(max_length=2_000)] = ""


State = Literal["open", "paused", "ended", "failed"]
InState = Annotated[State | None, QueryParameter(name="state", description="only in this state")]


@get(
    "/runs",
    opt={"right": SEE},
    responses=problems(),
    summary="The runs, the newest first",
    tags=["runs"],
)
async def list_runs(
    service: Served,
    limit: Limit = 50,
    cursor: CursorText = None,
    agent_id: OfAgent = None,
    state_: InState = None,
) -> Page[RunWire]:
    """List the runs."""
    after = parse_cursor(cursor) if cursor else None
    found = await threaded(service.gate.runs.list, limit + 1, after=after, agent_id=agent_id, state=state_)
    items = [wire(run, actions) for run, actions in found[:limit]]
    more = str(PageCursor(items[-1].started_at, items[-1].run_id)) if len(found) > limit else None
    return Page(items=items, next=more)


@post(
    "/runs",
    opt={"right": EVALUATE},
    responses=problems(),
    summary="Begin a run",
    description="A run also begins by itself with its first action. One that has ended goes on.",
    tags=["runs"],
)
async def begin_run(request: Call, service: Served, data: JSONBody[NewRun]) -> RunWire:
    """Begin a run."""
    caller = request.user
    run_id = data.run_id or new_id()
    await threaded(service.check_owner, caller, run_id)
    run = Run(
        run_id=named(run_id),
        agent_id=name_of(agent_of(caller, data.agent_id)),
        started_by=caller.name,
        workspace=data.workspace,
        state=OPEN,
        started_at=now().wall,
    )
    return wire(await service.journal.acommit(lambda transaction: begin(transaction, run, caller)))


def begin(transaction: Transaction, run: Run, caller: Caller) -> Run:
    """Begin a run, or go on with it; raise where somebody else was quicker to take its id."""
    check_owner(transaction.connection, run.run_id, caller.name, caller.agent)
    return start_run(transaction, run)


@get(
    "/runs/{run_id:str}",
    opt={"right": (SEE, EVALUATE)},
    responses=problems(),
    summary="One run, with its timeline",
    description="What happened in it, in order: decisions with their outcome, approvals, and what was reported.",
    tags=["runs"],
)
async def get_run(
    request: Call, service: Served, run_id: FromPath[str], limit: Limit = 100, cursor: CursorText = None
) -> RunWithTimeline:
    """Show a run."""
    run, actions = await threaded(_found, service, request.user, run_id)
    after = parse_cursor(cursor).at if cursor else 0
    items, more = await threaded(timeline, service.journal.database, run.run_id, after=after, limit=limit)
    shown = wire(run, actions)
    following = str(PageCursor(more, "")) if more is not None else None
    return RunWithTimeline(
        **{name: getattr(shown, name) for name in RunWire.__struct_fields__}, timeline=items, next=following
    )


@post(
    "/runs/{run_id:str}/complete",
    opt={"right": EVALUATE},
    status_code=200,
    responses=problems(),
    summary="End a run",
    tags=["runs"],
)
async def complete_run(request: Call, service: Served, run_id: FromPath[str]) -> RunWire:
    """Note that a run has ended."""
    return await _end(request.user, service, run_id, None)


@post(
    "/runs/{run_id:str}/fail",
    opt={"right": EVALUATE},
    status_code=200,
    responses=problems(),
    summary="End a run that failed",
    tags=["runs"],
)
async def fail_run(request: Call, service: Served, run_id: FromPath[str], data: JSONBody[Failure]) -> RunWire:
    """Note that a run has failed, and why."""
    return await _end(request.user, service, run_id, data.reason or "it failed")


@post(
    "/runs/{run_id:str}/resume",
    opt={"right": ANSWER},
    status_code=200,
    responses=problems(),
    summary="Let a paused run go on",
    tags=["runs"],
)
async def resume_run(request: Call, service: Served, run_id: FromPath[str]) -> RunWire:
    """Let a paused run go on."""
    return wire(await threaded(service.resume, request.user, run_id))


async def _end(caller: Caller, service: Service, run_id: str, why: str | None) -> RunWire:
    await threaded(service.check_owner, caller, run_id)

    def operation(transaction: Transaction) -> Run:
        run = find_run(transaction.connection, named(run_id))
        if run is None:
            raise MissingError(f"there is no run `{plain(run_id)[:80]}`")
        if run.state == PAUSED:
            raise ConflictError("the run is paused; ending it is not a way on. Somebody has to resume it")
        return end_run(transaction, run.run_id, caller.agent or caller.name, why) or run

    return wire(await service.journal.acommit(operation))


def _found(service: Service, caller: Caller, run_id: str) -> tuple[Run, int]:
    with service.journal.database.read() as connection:
        run = find_run(connection, named(run_id))
    if run is None or not (caller.may(Right.SEE) or caller.owns(run.started_by, run.agent_id)):
        raise MissingError(f"there is no run `{plain(run_id)[:80]}`")
    return run, service.gate.runs.actions(run.run_id)


def wire(run: Run, actions: int = 0) -> RunWire:
    """Return what is told of a run."""
    return RunWire(**{name: getattr(run, name) for name in Run.__struct_fields__}, actions=actions)


ROUTES = [list_runs, begin_run, get_run, complete_run, fail_run, resume_run]
