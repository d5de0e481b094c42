"""The pages of groups: who is in them, and the versions that can be restored."""

from __future__ import annotations

from asyncio import to_thread
from typing import Any
from urllib.parse import quote

from litestar import Response, get, post
from litestar.params import FromPath
from litestar.response import Redirect

from interlock.access.group_history import list_versions
from interlock.access.people import ACTIVE
from interlock.access.roles import Right
from interlock.errors import ConflictError, InterlockError, MissingError
from interlock.server.api.groups import groups_of
from interlock.server.pages.renderer import PageRenderer, PageRequest, PagesDependency

PATH = "/settings/groups"


@get(PATH, opt={"right": Right.SEE}, include_in_schema=False)
async def show_groups(request: PageRequest, pages: PagesDependency) -> Response[str]:
    """Show all groups, and those of the configuration."""
    return await to_thread(_list_page, request, pages)


def _list_page(request: PageRequest, pages: PageRenderer, error: str = "", typed: str = "") -> Response[str]:
    found, defined = groups_of(pages.service).list(), pages.service.gate.config.roles
    status = 422 if error else 200
    return pages.render(request, "groups.html", status=status, groups=found, defined=defined, error=error, typed=typed)


@post(PATH, opt={"right": Right.MANAGE}, include_in_schema=False)
async def create_group(request: PageRequest, pages: PagesDependency) -> Response[Any]:
    """Create a group, and redirect to its page."""
    name = str((await request.form()).get("name", "")).strip()
    try:
        await to_thread(groups_of(pages.service).create, name, request.user.name)
    except InterlockError as error:
        return await to_thread(_list_page, request, pages, str(error), name)
    return Redirect(_path(name), status_code=303)


@get(f"{PATH}/{{name:str}}", opt={"right": Right.SEE}, include_in_schema=False)
async def show_group(request: PageRequest, pages: PagesDependency, name: FromPath[str]) -> Response[str]:
    """Show the members and the versions of a group."""
    return await to_thread(_page, request, pages, name)


def _page(request: PageRequest, pages: PageRenderer, name: str, error: str = "") -> Response[str]:
    versions = list_versions(pages.service.journal.database, name)
    try:
        group = groups_of(pages.service).get(name)
    except MissingError:
        if not versions:
            raise
        group = None
    people = pages.service.authenticator.people.list()
    known, members = {one.name: one for one in people}, set(group.names if group else ())
    return pages.render(
        request,
        "group.html",
        status=422 if error else 200,
        group_name=name,
        group=group,
        versions=versions,
        known=known,
        others=[one.name for one in people if one.state == ACTIVE and one.name not in members],
        overruled=name in pages.service.gate.config.roles,
        error=error,
    )


@post(f"{PATH}/{{name:str}}/{{change:str}}", opt={"right": Right.MANAGE}, include_in_schema=False)
async def change_group(
    request: PageRequest, pages: PagesDependency, name: FromPath[str], change: FromPath[str]
) -> Response[Any]:
    """Add or remove a member, restore a version, or delete the group."""
    given = {key: str(value).strip() for key, value in (await request.form()).items()}
    groups, actor = groups_of(pages.service), request.user.name

    def work() -> None:
        if change == "add":
            groups.add(name, given.get("member", ""), actor)
        elif change == "remove":
            groups.remove(name, given.get("member", ""), actor)
        elif change == "restore":
            groups.restore(name, _number(given.get("version", "")), actor)
        elif change == "delete":
            groups.delete(name, actor)
        else:
            raise MissingError("there is no such change")

    try:
        await to_thread(work)
    except MissingError:
        raise
    except InterlockError as error:
        return await to_thread(_page, request, pages, name, str(error))
    return Redirect(_path(name), status_code=303)


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 15:
        raise ConflictError("name the version to restore by its number")
    return int(text)


def _path(name: str) -> str:
    return f"{PATH}/{quote(name, safe='')}"


ROUTES = [show_groups, create_group, show_group, change_group]
