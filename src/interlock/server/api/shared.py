"""What the routes share: parameters, the answers that every one of them can give, and running work in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar

from litestar import Request
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import QueryParameter

from interlock.access.roles import Caller, Right
from interlock.errors import InterlockError
from interlock.sanitise import stored_name
from interlock.server.problem import MEDIA_TYPE, Problem
from interlock.server.service import Service
from interlock.store.clock import MICROSECONDS

Given = TypeVar("Given")
Call = Request[Caller, Any, Any]
Served = NamedDependency[Service]
EVALUATE, SEE, ANSWER, MANAGE = Right.EVALUATE, Right.SEE, Right.ANSWER, Right.MANAGE

Limit = Annotated[int, QueryParameter(ge=1, le=500, description="at most this many")]
CursorText = Annotated[str | None, QueryParameter(max_length=600, description="the `next` of the page before")]
OfRun = Annotated[str | None, QueryParameter(name="runId", max_length=200, description="only of this run")]
OfAgent = Annotated[str | None, QueryParameter(name="agentId", max_length=200, description="only of this agent")]
OfApproval = Annotated[str | None, QueryParameter(name="approvalId", max_length=64, description="about this request")]
_TIME = "ISO 8601, or microseconds since 1970"
Since = Annotated[str | None, QueryParameter(name="from", max_length=40, description=_TIME)]
Until = Annotated[str | None, QueryParameter(name="to", max_length=40, description=_TIME)]

_PROBLEMS = {
    400: "The request cannot be read",
    401: "Nobody that we know",
    403: "Not for you to do",
    404: "There is no such thing",
    405: "Not in this way",
    408: "Not said in time",
    409: "Not in the state that it is in",
    413: "Too long",
    415: "Not in a form that is read here",
    421: "Another server's name",
    422: "It says something that cannot be done",
    429: "Too many",
    503: "The store does not answer",
}


def problems(*more: int) -> dict[int, ResponseSpec]:
    """Return the problems that a route may answer with."""
    found = {**_PROBLEMS, 412: "Changed by somebody else meanwhile", 428: "Say which version you change"}
    return {
        status: ResponseSpec(Problem, description=found[status], media_type=MEDIA_TYPE, generate_examples=False)
        for status in (*_PROBLEMS, *more)
    }


async def threaded(work: Callable[..., Given], *args: Any, **options: Any) -> Given:
    """Run what waits for a disk or a server while other requests go on."""
    return await asyncio.to_thread(work, *args, **options)


def name_of(text: str | None) -> str | None:
    """Return a name that may be missing as the store keeps it."""
    return None if text is None else stored_name(text)


def moment(text: str | None, name: str) -> int | None:
    """Return a time in microseconds, or raise.

    >>> moment("1970-01-01T00:00:01Z", "from")
    1000000
    """
    if text is None or not text.strip():
        return None
    if text.isascii() and text.removeprefix("-").isdigit():
        value = int(text)
    else:
        try:
            found = datetime.fromisoformat(text.replace(" ", "+") if "T" in text else text)
            value = int((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp() * MICROSECONDS)
        except (ValueError, OverflowError):
            raise InterlockError(f"`{name}` is a time such as `2026-01-31T08:00:00Z`, found `{text}`") from None
    if not 0 <= value < 2**53:
        raise InterlockError(f"`{name}` is no time that we know of, found `{text}`")
    return value
