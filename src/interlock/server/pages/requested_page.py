"""The page that a person requested before they signed in, kept in a cookie until a one-time link is used."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from litestar import Response
from litestar.datastructures import Cookie

from interlock.server.pages.local_path import local_path

if TYPE_CHECKING:
    from interlock.server.authentication import Authenticator
    from interlock.server.pages.renderer import PageRequest

#: As long as a one-time link is valid.
WANTED_SECONDS = 900
MAX_COOKIE = 800


def find_requested_page(request: PageRequest) -> str:
    """Return the page that a request is for; for a submitted form, the page of the form."""
    path, query = request.url.path, request.url.query
    if request.method == "POST":
        sender = urlsplit(request.headers.get("referer", "")[:MAX_COOKIE])
        is_ours = sender.netloc.lower() == request.headers.get("host", "").lower()
        path, query = (sender.path, sender.query) if is_ours else ("/", "")
    return local_path(f"{path}?{query}" if query else path)


def remember_page(response: Response[Any], authenticator: Authenticator, wanted: str) -> None:
    """Store a page of this site in a cookie."""
    if local_path(wanted) != "/":
        response.set_cookie(_cookie(authenticator, base64.urlsafe_b64encode(wanted.encode()).decode(), WANTED_SECONDS))


def forget_page(response: Response[Any], authenticator: Authenticator) -> None:
    """Delete the cookie."""
    response.set_cookie(_cookie(authenticator, "", 0))


def read_remembered_page(request: PageRequest, authenticator: Authenticator) -> str:
    """Return the page in the cookie, or `/`. The cookie is not trusted: only paths on this site are accepted."""
    value = request.cookies.get(_name(authenticator), "")[:MAX_COOKIE]
    try:
        return local_path(base64.b64decode(value, altchars=b"-_", validate=True).decode("ascii"))
    except (binascii.Error, ValueError):
        return "/"


def _name(authenticator: Authenticator) -> str:
    return f"{authenticator.cookie_name}-wanted"


def _cookie(authenticator: Authenticator, value: str, seconds: int) -> Cookie:
    name, secure = _name(authenticator), authenticator.secure
    return Cookie(key=name, value=value, path="/", max_age=seconds, httponly=True, samesite="lax", secure=secure)
