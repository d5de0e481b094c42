"""The page about sign-in: the providers, the accounts that are linked, and those that wait for it."""

from __future__ import annotations

from asyncio import to_thread
from typing import Any

from litestar import Response, get, post
from litestar.response import Redirect

from interlock.access.identities import Identities
from interlock.access.roles import Right
from interlock.access.waiting_accounts import list_waiting
from interlock.errors import ConflictError, MissingError
from interlock.server.api.identities import link_account
from interlock.server.pages.renderer import PageRenderer, PageRequest, PagesDependency

PATH = "/settings/sign-in"


@get(PATH, opt={"right": Right.MANAGE}, include_in_schema=False)
async def show_sign_in(request: PageRequest, pages: PagesDependency) -> Response[str]:
    """Show how people sign in."""
    return await to_thread(_page, request, pages)


def _page(request: PageRequest, pages: PageRenderer, error: str = "") -> Response[str]:
    service = pages.service
    return pages.render(
        request,
        "sign_in_settings.html",
        status=422 if error else 200,
        sign_in=service.providers.settings,
        url=service.url,
        identities=Identities(service.journal).list(),
        waiting=list_waiting(service.journal.database),
        error=error,
    )


@post(f"{PATH}/link", opt={"right": Right.MANAGE}, include_in_schema=False)
async def link_identity(request: PageRequest, pages: PagesDependency) -> Response[Any]:
    """Link an account that was rejected to the person of its name."""
    given = await request.form()
    person, provider, subject = (str(given.get(name, "")) for name in ("person", "provider", "subject"))
    try:
        await to_thread(link_account, pages.service, request.user, person, provider, subject)
    except (ConflictError, MissingError) as error:
        return await to_thread(_page, request, pages, str(error))
    return Redirect(PATH, status_code=303)


@post(f"{PATH}/unlink", opt={"right": Right.MANAGE}, include_in_schema=False)
async def unlink_identity(request: PageRequest, pages: PagesDependency) -> Response[Any]:
    """Unlink an account."""
    identity_id = str((await request.form()).get("identity", ""))
    await to_thread(Identities(pages.service.journal).unlink, identity_id, request.user.name)
    return Redirect(PATH, status_code=303)


ROUTES = [show_sign_in, link_identity, unlink_identity]
