"""The error responses that routes document in the OpenAPI description."""

from __future__ import annotations

from litestar.openapi.datastructures import ResponseSpec

from interlock.server.problems import MEDIA_TYPE, ProblemDetails

_ALWAYS = {
    400: "The request cannot be parsed",
    401: "No valid credentials",
    403: "The caller lacks the right",
    404: "Not found",
    405: "Method not allowed",
    408: "The body did not arrive in time",
    409: "Conflict with the current state",
    413: "The body is too large",
    415: "Unsupported media type",
    421: "Unknown host name",
    422: "The request is well-formed but cannot be carried out",
    429: "Too many requests",
    503: "The store is not available",
}
_SOMETIMES = {412: "Changed by somebody else in the meantime", 428: "`If-Match` is required"}


def problem_responses(*more: int) -> dict[int, ResponseSpec]:
    """Return the error responses of a route: those that every route has, and more by their status."""
    descriptions = {**_ALWAYS, **{status: _SOMETIMES[status] for status in more}}
    return {
        status: ResponseSpec(ProblemDetails, description=description, media_type=MEDIA_TYPE, generate_examples=False)
        for status, description in descriptions.items()
    }
