"""Signing in, by a link that counts once or by a password, and out."""

from __future__ import annotations

import re
from typing import Annotated, Any

from litestar import Request, Response, get, post
from litestar.params import FromPath, QueryParameter
from litestar.response import Redirect

from interlock.access.people import is_password
from interlock.errors import ForbiddenError, MissingError
from interlock.patterns import late
from interlock.server.api.parameters import threaded
from interlock.server.authentication import OPEN, is_foreign
from interlock.server.cookies import cookie
from interlock.server.pages.renderer import Pages, Shown
from interlock.server.problems import Refused
from interlock.server.rate_limits import Limit

_SECRET = late(r"[\w-]{20,100}", re.ASCII)
WRONG = "that name and password do not belong together"


@get("/sign-in", opt={"right": OPEN}, include_in_schema=False)
async def form(
    request: Request[Any, Any, Any], pages: Shown, to: Annotated[str, QueryParameter(max_length=500)] = "/"
) -> Response[Any]:
    """Ask who somebody is."""
    if request.scope.get("user") is not None:
        return Redirect("/", status_code=303)
    return pages.render(request, "sign_in.html", error="", wanted=to)


@post("/sign-in", opt={"right": OPEN}, include_in_schema=False)
async def by_password(request: Request[Any, Any, Any], pages: Shown) -> Response[Any]:
    """Sign somebody in by their password."""
    _check_origin(request)
    given = await request.form()
    name, password = str(given.get("name", ""))[:100], str(given.get("password", ""))
    wanted = str(given.get("wanted", "/"))
    _check_tries(request, pages, name)

    def work() -> str | None:
        doors = pages.service.doors
        if not is_password(doors.people.hash_of(name), password):
            doors.sessions.refused(name, "password")
            return None
        return doors.sessions.begin(name, "password")

    secret = await threaded(work)
    if secret is None:
        return pages.render(request, "sign_in.html", status=401, error=WRONG, wanted=wanted)
    pages.service.tries.forgive(f"name {name}")
    return await _in(request, pages, secret, wanted)


@get("/sign-in/{secret:str}", opt={"right": OPEN}, include_in_schema=False)
async def link(request: Request[Any, Any, Any], pages: Shown, secret: FromPath[str]) -> Response[str]:
    """Show a button: whatever only looks at links, as mail programs do, does not use them up."""
    if not _SECRET.fullmatch(secret):
        raise MissingError("this is no link of ours")
    return pages.render(request, "link.html", secret=secret)


@post("/sign-in/{secret:str}", opt={"right": OPEN}, include_in_schema=False)
async def by_link(request: Request[Any, Any, Any], pages: Shown, secret: FromPath[str]) -> Response[Any]:
    """Sign somebody in by a link."""
    _check_origin(request)
    try:
        _, session = await threaded(pages.service.doors.sessions.by_link, secret)
    except ForbiddenError as error:
        _check_tries(request, pages, "", pages.service.links)  # only wrong ones: nobody keeps others from signing in
        return pages.render(request, "sign_in.html", status=403, error=str(error), wanted="/")
    return await _in(request, pages, session, "/")


@post("/sign-out", opt={"right": OPEN}, include_in_schema=False)
async def sign_out(request: Request[Any, Any, Any], pages: Shown) -> Response[Any]:
    """Sign somebody out."""
    caller = request.scope.get("user")
    if caller is not None and caller.session_id is not None:
        await threaded(pages.service.doors.sessions.end, caller.session_id, caller.name)
        pages.service.doors.forget()
    gone = cookie(pages.service.doors, "", gone=True)
    return Redirect("/sign-in", status_code=303, headers={"set-cookie": gone})


async def _in(request: Request[Any, Any, Any], pages: Shown, secret: FromPath[str], wanted: str) -> Response[Any]:
    """Begin a session anew: whatever cookie came along counts no longer."""
    caller = request.scope.get("user")
    if caller is not None and caller.session_id is not None:
        await threaded(pages.service.doors.sessions.end, caller.session_id, caller.name)
        pages.service.doors.forget()
    where = wanted if wanted.startswith("/") and not wanted.startswith(("//", "/\\")) else "/"
    return Redirect(where, status_code=303, headers={"set-cookie": cookie(pages.service.doors, secret)})


def _check_origin(request: Request[Any, Any, Any]) -> None:
    """Refuse to sign somebody in who is sent here by another site."""
    if is_foreign(request):
        raise Refused(403, "this was sent by another site")


def _check_tries(request: Request[Any, Any, Any], pages: Pages, name: str, limit: Limit | None = None) -> None:
    address = request.client.host if request.client else ""
    for who in (f"name {name}", f"at {address}") if name else (f"at {address}",):
        seconds = (limit or pages.service.tries).take(who)
        if seconds:
            wait = {"retry-after": str(int(seconds) + 1)}
            raise Refused(429, f"too many tries; wait {int(seconds) + 1} seconds", wait)


ROUTES = [form, by_password, link, by_link, sign_out]
