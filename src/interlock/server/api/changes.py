"""`/v1/changes`: changes of people, keys, webhooks, channels, grants and settings, and undoing them."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec
from litestar import get, post
from litestar.params import FromPath, JSONBody, QueryParameter

from interlock.model import Struct
from interlock.server.administration.changes import Change, describe_change_record, find_change, list_changes
from interlock.server.administration.recent_changes import find_obstacle
from interlock.server.administration.targets import collect_administered
from interlock.server.administration.undo import plan_undo, undo_at
from interlock.server.api.parameters import MANAGE, ApiRequest, ServiceDependency
from interlock.server.api.responses import problem_responses
from interlock.server.service import Service

MOST = 100
Of = Annotated[
    Literal["people", "keys", "webhooks", "channels", "grants", "retention"] | None,
    QueryParameter(description="only changes of these"),
]
MaxChanges = Annotated[int, QueryParameter(ge=1, le=MOST, description="at most this many")]


class ListedChange(Struct, frozen=True, kw_only=True):
    """A change, and why it cannot be undone; an empty text if it can."""

    change: Change
    cannot_undo: str


class ChangeList(Struct, frozen=True, kw_only=True):
    """The newest changes."""

    items: list[ListedChange]


class PlannedUndo(Struct, frozen=True, kw_only=True):
    """What undoing a change does, what it restores, which has to be confirmed unless it is empty, and what it asks for.

    `asks` names the replaced secrets, which are not stored: to undo the change, send the previous ones.
    """

    change: Change
    does: str
    restores: str
    asks: tuple[str, ...] = ()


class Confirmation(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Confirms that a change is undone which restores a key or a grant, and holds the secrets that it asks for."""

    confirm: Annotated[bool, msgspec.Meta(description="whether to restore a revoked key or grant")] = False
    secrets: Annotated[
        Mapping[str, str],
        msgspec.Meta(max_length=5, description="the previous secrets of a channel, by their names in `asks`"),
    ] = {}


@get("/changes", opt={"right": MANAGE}, responses=problem_responses(), summary="The newest changes", tags=["changes"])
async def list_newest(
    request: ApiRequest, service: ServiceDependency, of: Of = None, limit: MaxChanges = 20
) -> ChangeList:
    """List the newest changes."""

    def work() -> ChangeList:
        things = collect_administered(service)
        found = list_changes(service.journal.database, of, limit=limit)
        obstacles = (find_obstacle(things, one, request.user.name) for one in found)
        pairs = zip(found, obstacles, strict=True)
        return ChangeList(items=[ListedChange(change=one, cannot_undo=why) for one, why in pairs])

    return await to_thread(work)


@get(
    "/changes/{record_id:str}",
    opt={"right": MANAGE},
    responses=problem_responses(),
    summary="A change, and what undoing it does",
    tags=["changes"],
)
async def get_change(request: ApiRequest, service: ServiceDependency, record_id: FromPath[str]) -> PlannedUndo:
    """Show a change and what undoing it does, or say why it cannot be undone."""
    return await to_thread(_plan, service, record_id, request.user.name)


def _plan(service: Service, record_id: str, actor: str) -> PlannedUndo:
    inverse = plan_undo(collect_administered(service), record_id, actor)
    change = describe_change_record(find_change(service.journal.database, record_id))
    return PlannedUndo(change=change, does=inverse.does, restores=inverse.restores, asks=inverse.asks)


@post(
    "/changes/{record_id:str}/undo",
    opt={"right": MANAGE},
    status_code=200,
    responses=problem_responses(),
    summary="Undo a change",
    description="Makes the opposite change, unless the same thing has changed since. Restoring a revoked key or grant "
    "takes `confirm: true`. Replaced secrets of a channel and URLs of webhooks are not stored, so undoing that takes "
    "the previous ones as `secrets`; everything else is restored.",
    tags=["changes"],
)
async def undo_change(
    request: ApiRequest, service: ServiceDependency, record_id: FromPath[str], data: JSONBody[Confirmation]
) -> PlannedUndo:
    """Undo a change."""

    def work() -> PlannedUndo:
        change = describe_change_record(find_change(service.journal.database, record_id))
        done = undo_at(service, record_id, request.user.name, confirmed=data.confirm, secrets=data.secrets)
        return PlannedUndo(change=change, does=done.does, restores=done.restores, asks=done.asks)

    return await to_thread(work)


ROUTES: list[Any] = [list_newest, get_change, undo_change]
