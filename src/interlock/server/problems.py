"""Problem details (RFC 9457): the one shape of every error response, and how errors are mapped to it."""

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
    InvalidFieldsError,
    InvalidPoliciesError,
    MissingError,
    PolicyConflictError,
    StoreError,
    TamperedError,
)
from interlock.sanitise import plain
from interlock.server.hook_refusals import STATUS_HEADER, hook_refusal

MEDIA_TYPE = "application/problem+json"
#: How many errors about policies a response lists at most.
MAX_ERRORS = 200
_WITH_ERRORS = (InvalidFieldsError, InvalidPoliciesError, PolicyConflictError)
_LOG = logging.getLogger("interlock.server")

#: The status of each of Interlock's errors; the first match counts.
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


class ProblemDetails(msgspec.Struct, frozen=True, omit_defaults=True):
    """The body of an error response, as RFC 9457 says."""

    title: str
    status: int
    detail: str
    type: str = "about:blank"
    errors: list[dict[str, str]] = []


class RequestError(HTTPException):
    """A request is rejected with this status."""

    def __init__(self, status: int, detail: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(detail=detail, status_code=status, headers=headers)


def make_problem(status: int, detail: str, errors: list[dict[str, str]] | None = None) -> ProblemDetails:
    """Return a problem titled after its status."""
    return ProblemDetails(HTTPStatus(status).phrase, status, plain(detail)[:2_000], errors=errors or [])


def problem_response(problem: ProblemDetails, headers: dict[str, str] | None = None) -> Response[bytes]:
    """Return a problem as a response."""
    body = msgspec.json.encode(problem)
    return Response(body, status_code=problem.status, media_type=MEDIA_TYPE, headers=headers or {})


def problem_from(error: Exception) -> ProblemDetails:
    """Return the problem for an error. Unexpected errors reveal nothing but that they happened."""
    if isinstance(error, InterlockError):
        status = next(status for kind, status in _STATUSES if isinstance(error, kind))
        return make_problem(status, _STORE_FAILED if _reveals_store(error) else str(error), _errors_of(error))
    if _is_body_decoding_error(error):
        return make_problem(400, "the body is not valid JSON: it is nested too deeply, or not in UTF-8")
    if isinstance(error, ValidationException):
        return make_problem(400, _summary(error), _fields(error.extra))
    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
        return make_problem(404, "not found")
    if isinstance(error, HTTPException):
        return make_problem(error.status_code, error.detail or HTTPStatus(error.status_code).description)
    return make_problem(500, "internal error; see the server's log")


def _errors_of(error: InterlockError) -> list[dict[str, str]]:
    """Return what is wrong with each of several policies or fields, by its id or name."""
    found = error.errors[:MAX_ERRORS] if isinstance(error, _WITH_ERRORS) else ()
    return [{"field": plain(policy_id), "message": plain(text)[:500]} for policy_id, text in found]


_STORE_FAILED = "the store failed, so nothing was decided or changed; see the server's log"


def _reveals_store(error: InterlockError) -> bool:
    """Whether an error tells where the store is and how it fails, which clients must not learn."""
    cause = error.__cause__ if isinstance(error, ActionRefused) else error
    return isinstance(cause, StoreError) and not isinstance(cause, TamperedError)


def _is_body_decoding_error(error: Exception) -> bool:
    """Whether an error comes from decoding a body, and the framework does not handle it."""
    if not isinstance(error, RecursionError | UnicodeDecodeError):
        return False
    return any(frame.name == "decode_json" for frame in traceback.extract_tb(error.__traceback__))


def _summary(error: ValidationException) -> str:
    fields = _fields(error.extra)
    summary = "; ".join(f"`{one['field']}`: {one['message']}" if one["field"] else one["message"] for one in fields[:5])
    return summary or error.detail


def _fields(extra: Any) -> list[dict[str, str]]:
    if not isinstance(extra, list):
        return []
    return [
        {"field": plain(str(one.get("key", ""))), "message": plain(str(one.get("message", "")))[:300]}
        for one in extra[:20]
        if isinstance(one, dict)
    ]


def handle_error(request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
    """Return the response for an error: a page for a browser, a problem for everything else."""
    problem = problem_from(error)
    if problem.status >= 500:
        expected = isinstance(error, InterlockError | RequestError)
        where = getattr(request.scope.get("route_handler"), "paths", None) or {"(no route)"}
        _LOG.error("%s %s failed: %s", request.method, min(where), error, exc_info=None if expected else error)
    headers = dict(getattr(error, "headers", None) or {})
    refusal = hook_refusal(request.url.path, problem.detail)
    if refusal is not None:
        headers[STATUS_HEADER] = str(problem.status)
        return Response(refusal, status_code=200, media_type="application/json", headers=headers)
    if problem.status == 401:
        headers.setdefault("www-authenticate", "Bearer")
    pages = request.app.state.parts.pages
    if pages.wants_page(request):
        page: Response[Any] = pages.problem_page(request, problem, headers)
        return page
    return problem_response(problem, headers)
