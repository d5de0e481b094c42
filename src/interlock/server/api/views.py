"""`/v1/views`: saved views of the list of requests."""

from __future__ import annotations

from asyncio import to_thread
from typing import Annotated

import msgspec
from litestar import delete, get, patch, post
from litestar.params import FromPath, JSONBody

from interlock.approval.views import View, Views
from interlock.model import Struct
from interlock.server.api.parameters import SEE, ApiRequest, ServiceDependency
from interlock.server.api.responses import problem_responses

ViewName = Annotated[str, msgspec.Meta(max_length=200)]


class ViewBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A view to save: `query` is that of the list's URL, such as `environment=production&sort=risk`."""

    name: ViewName
    query: Annotated[str, msgspec.Meta(max_length=4_000)] = ""
    shared: bool = False


class ViewChange(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A change to a view: its name, or whether it is shared."""

    name: ViewName | None = None
    shared: bool | None = None


@get("/views", opt={"right": SEE}, responses=problem_responses(), summary="Your views and shared ones", tags=["views"])
async def list_views(request: ApiRequest, service: ServiceDependency) -> list[View]:
    """List the views of the caller, and those that others share."""
    return await to_thread(Views(service.journal).list, request.user.name)


@post("/views", opt={"right": SEE}, responses=problem_responses(), summary="Save a view", tags=["views"])
async def save_view(request: ApiRequest, service: ServiceDependency, data: JSONBody[ViewBody]) -> View:
    """Save a view."""
    save = Views(service.journal).save
    return await to_thread(save, request.user.name, data.name, data.query, shared=data.shared)


@patch(
    "/views/{view_id:str}", opt={"right": SEE}, responses=problem_responses(), summary="Change a view", tags=["views"]
)
async def change_view(
    request: ApiRequest, service: ServiceDependency, view_id: FromPath[str], data: JSONBody[ViewChange]
) -> View:
    """Rename a view, or share it or make it private."""
    change = Views(service.journal).change
    return await to_thread(change, view_id, request.user.name, name=data.name, shared=data.shared)


@delete(
    "/views/{view_id:str}",
    opt={"right": SEE},
    status_code=200,
    responses=problem_responses(),
    summary="Delete a view",
    tags=["views"],
)
async def remove_view(request: ApiRequest, service: ServiceDependency, view_id: FromPath[str]) -> View:
    """Delete a view. It can be restored."""
    return await to_thread(Views(service.journal).remove, view_id, request.user.name)


@post(
    "/views/{view_id:str}/restore",
    opt={"right": SEE},
    status_code=200,
    responses=problem_responses(),
    summary="Restore a deleted view",
    tags=["views"],
)
async def restore_view(request: ApiRequest, service: ServiceDependency, view_id: FromPath[str]) -> View:
    """Restore a view that was deleted."""
    return await to_thread(Views(service.journal).restore, view_id, request.user.name)


ROUTES = [list_views, save_view, change_view, remove_view, restore_view]
