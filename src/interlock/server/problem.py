"""Problems: every error of the server, told in one shape, with what was found and what to do instead."""

from __future__ import annotations

import errno
import logging
import traceback
from http import HTTPStatus
from typing import Any

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException, ValidationException

from interlock.errors import (
    ActionRefused,
    ApprovalError,
    ConfigError,
    ConflictError,
    ForbiddenError,
    InterlockError,
    InvalidActionError,
    MissingError,
    StoreError,
    TamperedError,
)
from interlock.sanitise import plain

MEDIA_TYPE = "application/problem+json"
_LOG = logging.getLogger("interlock.server")

#: Which status an error of ours has; the first that fits counts.
_STATUSES: tuple[tuple[type[InterlockError], int], ...] = (
    (MissingError, 404),
    (ForbiddenError, 403),
    (ConflictError, 409),
    (ApprovalError, 422),
    (ConfigError, 422),
    (InvalidActionError, 422),
    (ActionRefused, 503),
    (StoreError, 503),
    (InterlockError, 422),
)


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """What went wrong, after RFC 9457."""

    title: str
    status: int
    detail: str
    type: str = "about:blank"
    errors: list[dict[str, str]] = []


class Refused(HTTPException):
    """A request that is not done, with a status of its own."""

    def __init__(self, status: int, detail: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(detail=detail, status_code=status, headers=headers)


def problem(status: int, detail: str, errors: list[dict[str, str]] | None = None) -> Problem:
    """Return a problem with the title of its status."""
    return Problem(HTTPStatus(status).phrase, status, plain(detail)[:2_000], errors=errors or [])


def respond(found: Problem, headers: dict[str, str] | None = None) -> Response[bytes]:
    """Return a problem as a response."""
    body = msgspec.json.encode(found)
    return Response(body, status_code=found.status, media_type=MEDIA_TYPE, headers=headers or {})


def problem_of(error: Exception) -> Problem:
    """Return what an error comes to; of one that nobody expected, nothing is told but that it happened."""
    if isinstance(error, InterlockError):
        status = next(status for kind, status in _STATUSES if isinstance(error, kind))
        return problem(status, _NOT_STORED if _names_the_store(error) else str(error))
    if _is_of_body(error):
        return problem(400, "the body is no JSON that can be read: it is nested too deep, or not in UTF-8")
    if isinstance(error, ValidationException):
        return problem(400, _told(error), _fields(error.extra))
    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
        return problem(404, "there is nothing of that name")
    if isinstance(error, HTTPException):
        return problem(error.status_code, error.detail or HTTPStatus(error.status_code).description)
    return problem(500, "something went wrong here; the server's log says what")


_NOT_STORED = "the store does not do as it should, so nothing was decided or changed; the server's log says why"


def _names_the_store(error: InterlockError) -> bool:
    """Whether an error says where the store is and how it fails, which is nobody's business outside."""
    cause = error.__cause__ if isinstance(error, ActionRefused) else error
    return isinstance(cause, StoreError) and not isinstance(cause, TamperedError)


def _is_of_body(error: Exception) -> bool:
    """Whether an error comes from decoding a body, and is none that the framework knows."""
    if not isinstance(error, RecursionError | UnicodeDecodeError):
        return False
    return any(frame.name == "decode_json" for frame in traceback.extract_tb(error.__traceback__))


def _told(error: ValidationException) -> str:
    fields = _fields(error.extra)
    told = "; ".join(f"`{one['field']}`: {one['message']}" if one["field"] else one["message"] for one in fields[:5])
    return told or error.detail


def _fields(extra: Any) -> list[dict[str, str]]:
    if not isinstance(extra, list):
        return []
    return [
        {"field": plain(str(one.get("key", ""))), "message": plain(str(one.get("message", "")))[:300]}
        for one in extra[:20]
        if isinstance(one, dict)
    ]


def handle(request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
    """Answer an error: a page to people who look at pages, a problem to everybody else."""
    found = problem_of(error)
    if found.status >= 500:
        ours = isinstance(error, InterlockError)
        where = getattr(request.scope.get("route_handler"), "paths", None) or {"an address"}
        _LOG.error("%s %s failed: %s", request.method, min(where), error, exc_info=None if ours else error)
    headers = dict(getattr(error, "headers", None) or {})
    if found.status == 401:
        headers.setdefault("www-authenticate", "Bearer")
    pages = getattr(request.app.state, "pages", None)
    if pages is not None and pages.wants_page(request):
        shown: Response[Any] = pages.problem_page(request, found, headers)
        return shown
    return respond(found, headers)
