"""Sign in with a one-time link or a password, and sign out."""

from __future__ import annotations

import re
from asyncio import to_thread
from typing import Annotated, Any

from litestar import Response, get, post
from litestar.params import FromPath, QueryParameter
from litestar.response import Redirect

from interlock.access.people import verify_password
from interlock.errors import ForbiddenError, MissingError
from interlock.patterns import late
from interlock.server.authentication import client_address
from interlock.server.authorization import OPEN
from interlock.server.cookies import expired_cookie, session_cookie
from interlock.server.csrf import check_same_site
from interlock.server.pages.local_path import local_path
from interlock.server.pages.renderer import PageRenderer, PageRequest, PagesDependency
from interlock.server.pages.requested_page import forget_page, read_remembered_page
from interlock.server.problems import RequestError
from interlock.server.rate_limits import RateLimiter

_SECRET = late(r"[\w-]{20,100}", re.ASCII)
WRONG = "wrong name or password"


@get("/sign-in", opt={"right": OPEN}, include_in_schema=False)
async def show_form(
    request: PageRequest,
    pages: PagesDependency,
    to: Annotated[str, QueryParameter(max_length=500)] = "/",
    out: Annotated[str, QueryParameter(max_length=40)] = "",
) -> Response[Any]:
    """Show the sign-in form; `out` is the provider that a person who signed out had signed in with."""
    if request.scope.get("user") is not None:
        return Redirect(local_path(to), status_code=303)
    return pages.sign_in_page(request, wanted=to, signed_out=out)


@post("/sign-in", opt={"right": OPEN}, include_in_schema=False)
async def sign_in_with_password(request: PageRequest, pages: PagesDependency) -> Response[Any]:
    """Sign in with a password."""
    check_same_site(request)
    if not pages.service.providers.settings.local:
        raise RequestError(403, "passwords are not accepted here; sign in with your company account, or with a link")
    given = await request.form()
    name, password = str(given.get("name", ""))[:100], str(given.get("password", ""))
    wanted = str(given.get("wanted", "/"))
    limit_attempts(request, pages.service.sign_in_limiter, name)

    def work() -> str | None:
        authenticator = pages.service.authenticator
        if not verify_password(authenticator.people.password_hash(name), password):
            authenticator.sessions.record_failed_sign_in(name, "password")
            return None
        return authenticator.sessions.start(name, "password")

    secret = await to_thread(work)
    if secret is None:
        return pages.sign_in_page(request, status=401, error=WRONG, wanted=wanted)
    pages.service.sign_in_limiter.reset(f"name {name}")
    return await start_session(request, pages, secret, wanted)


@get("/sign-in/{secret:str}", opt={"right": OPEN}, include_in_schema=False)
async def show_link(request: PageRequest, pages: PagesDependency, secret: FromPath[str]) -> Response[str]:
    """Show a button, so that mail programs that preview a link do not use it up; or say that it no longer works."""
    if not _SECRET.fullmatch(secret):
        raise MissingError("this is not a valid sign-in link")
    works = await to_thread(pages.service.authenticator.sessions.accepts_link, secret)
    if not works:
        limit_attempts(request, pages.service.link_limiter)
    return pages.render(request, "link.html", status=200 if works else 410, secret=secret, works=works)


@post("/sign-in/{secret:str}", opt={"right": OPEN}, include_in_schema=False)
async def sign_in_with_link(request: PageRequest, pages: PagesDependency, secret: FromPath[str]) -> Response[Any]:
    """Sign in with a one-time link, and redirect to the page that the browser had requested before."""
    check_same_site(request)
    try:
        _, session = await to_thread(pages.service.authenticator.sessions.start_with_link, secret)
    except ForbiddenError as error:
        limit_attempts(request, pages.service.link_limiter)  # only invalid links count, so nobody is locked out
        return pages.sign_in_page(request, status=403, error=str(error))
    authenticator = pages.service.authenticator
    wanted = read_remembered_page(request, authenticator)
    response = await start_session(request, pages, session, wanted)
    if wanted != "/":
        forget_page(response, authenticator)
    return response


@post("/sign-out", opt={"right": OPEN}, include_in_schema=False)
async def sign_out(request: PageRequest, pages: PagesDependency) -> Response[Any]:
    """Sign out. The next page says so if the person is still signed in at their provider."""
    provider = await to_thread(_provider_of, request, pages)
    await _end_session(request, pages)
    cookie = expired_cookie(pages.service.authenticator)
    where = f"/sign-in?out={provider}" if provider else "/sign-in"
    return Redirect(where, status_code=303, headers={"set-cookie": cookie})


def _provider_of(request: PageRequest, pages: PageRenderer) -> str:
    """Return the name of the provider that a session was started with, or an empty text."""
    caller = request.scope.get("user")
    if caller is None or caller.session_id is None:
        return ""
    how = pages.service.authenticator.sessions.find_sign_in_method(caller.session_id)
    return next((name for name in pages.service.providers.offered if how == f"oidc:{name}"), "")


async def start_session(request: PageRequest, pages: PageRenderer, secret: str, wanted: str) -> Response[Any]:
    """Set the cookie of a new session, and end the one that the request came with."""
    await _end_session(request, pages)
    cookie = session_cookie(pages.service.authenticator, secret)
    return Redirect(local_path(wanted), status_code=303, headers={"set-cookie": cookie})


async def _end_session(request: PageRequest, pages: PageRenderer) -> None:
    caller = request.scope.get("user")
    if caller is not None and caller.session_id is not None:
        await to_thread(pages.service.authenticator.sessions.end, caller.session_id, caller.name)
        pages.service.authenticator.clear_cache()


def limit_attempts(request: PageRequest, limiter: RateLimiter, name: str = "") -> None:
    """Count an attempt for the address and the name that it came with, and raise if there were too many."""
    address = client_address(request)
    for key in (f"name {name}", f"at {address}") if name else (f"at {address}",):
        seconds = limiter.take(key)
        if seconds:
            wait = int(seconds) + 1
            raise RequestError(429, f"too many attempts; wait {wait} seconds", {"retry-after": str(wait)})


ROUTES = [show_form, sign_in_with_password, show_link, sign_in_with_link, sign_out]
