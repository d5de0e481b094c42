"""`/v1/groups`: groups of people, for the approval requirements of policies."""

from __future__ import annotations

from asyncio import to_thread
from typing import Annotated

import msgspec
from litestar import delete, get, post, put
from litestar.params import FromPath, JSONBody

from interlock.access.group_history import GroupVersion, list_versions
from interlock.access.groups import Group, Groups
from interlock.model import Struct
from interlock.server.api.parameters import MANAGE, SEE, ApiRequest, ServiceDependency
from interlock.server.api.responses import problem_responses
from interlock.server.service import Service

GroupName = Annotated[str, msgspec.Meta(min_length=1, max_length=100)]


class NewGroup(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A group to create."""

    name: GroupName


class GroupList(Struct, frozen=True, kw_only=True):
    """All groups, and the members of each."""

    items: list[Group]


class GroupHistory(Struct, frozen=True, kw_only=True):
    """The versions of a group, newest first."""

    items: list[GroupVersion]


class RestoredVersion(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The version of a group to restore."""

    version: Annotated[int, msgspec.Meta(ge=1, lt=2**53)]


def groups_of(service: Service) -> Groups:
    """Return the groups of a service. Names of roles in its configuration are taken."""
    return Groups(service.journal, service.gate.config.roles)


@get("/groups", opt={"right": SEE}, responses=problem_responses(), summary="All groups", tags=["access"])
async def list_groups(service: ServiceDependency) -> GroupList:
    """List the groups."""
    return GroupList(items=await to_thread(groups_of(service).list))


@post(
    "/groups",
    opt={"right": MANAGE},
    responses=problem_responses(),
    summary="Create a group",
    description='A policy requires a member of the group with `"who": ["@name"]`.',
    tags=["access"],
)
async def create_group(request: ApiRequest, service: ServiceDependency, data: JSONBody[NewGroup]) -> Group:
    """Create an empty group."""
    return await to_thread(groups_of(service).create, data.name, request.user.name)


@get("/groups/{name:str}", opt={"right": SEE}, responses=problem_responses(), summary="A group", tags=["access"])
async def get_group(service: ServiceDependency, name: FromPath[str]) -> Group:
    """Return a group."""
    return await to_thread(groups_of(service).get, name)


@delete(
    "/groups/{name:str}",
    opt={"right": MANAGE},
    responses=problem_responses(),
    summary="Delete a group",
    description="Its versions stay, and can be restored.",
    tags=["access"],
)
async def delete_group(request: ApiRequest, service: ServiceDependency, name: FromPath[str]) -> None:
    """Delete a group."""
    await to_thread(groups_of(service).delete, name, request.user.name)


@put(
    "/groups/{name:str}/members/{member:str}",
    opt={"right": MANAGE},
    responses=problem_responses(),
    summary="Add a person to a group",
    tags=["access"],
)
async def add_member(
    request: ApiRequest, service: ServiceDependency, name: FromPath[str], member: FromPath[str]
) -> Group:
    """Add a person to a group."""
    return await to_thread(groups_of(service).add, name, member, request.user.name)


@delete(
    "/groups/{name:str}/members/{member:str}",
    opt={"right": MANAGE},
    status_code=200,
    responses=problem_responses(),
    summary="Remove a person from a group",
    tags=["access"],
)
async def remove_member(
    request: ApiRequest, service: ServiceDependency, name: FromPath[str], member: FromPath[str]
) -> Group:
    """Remove a person from a group."""
    return await to_thread(groups_of(service).remove, name, member, request.user.name)


@get(
    "/groups/{name:str}/versions",
    opt={"right": SEE},
    responses=problem_responses(),
    summary="The versions of a group",
    tags=["access"],
)
async def list_group_versions(service: ServiceDependency, name: FromPath[str]) -> GroupHistory:
    """List the versions of a group, also of a deleted one."""
    return GroupHistory(items=await to_thread(list_versions, service.journal.database, name))


@post(
    "/groups/{name:str}/restore",
    opt={"right": MANAGE},
    status_code=200,
    responses=problem_responses(),
    summary="Restore a version of a group",
    tags=["access"],
)
async def restore_group(
    request: ApiRequest, service: ServiceDependency, name: FromPath[str], data: JSONBody[RestoredVersion]
) -> Group:
    """Give a group the members of an earlier version."""
    return await to_thread(groups_of(service).restore, name, data.version, request.user.name)


ROUTES = [
    list_groups,
    create_group,
    get_group,
    delete_group,
    add_member,
    remove_member,
    list_group_versions,
    restore_group,
]
