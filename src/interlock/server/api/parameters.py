"""Parameters that several routes share, and how they are parsed."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from litestar import Request
from litestar.di import NamedDependency
from litestar.params import QueryParameter

from interlock.access.roles import Caller, Right
from interlock.errors import InterlockError
from interlock.sanitise import storable_name
from interlock.server.service import Service
from interlock.store.clock import MICROSECONDS

ApiRequest = Request[Caller, Any, Any]
ServiceDependency = NamedDependency[Service]
EVALUATE, SEE, ANSWER, MANAGE, PULL = Right.EVALUATE, Right.SEE, Right.ANSWER, Right.MANAGE, Right.PULL

PageSize = Annotated[int, QueryParameter(ge=1, le=500, description="at most this many")]
CursorParameter = Annotated[str | None, QueryParameter(max_length=600, description="the `next` of the previous page")]
RunIdFilter = Annotated[str | None, QueryParameter(name="runId", max_length=200, description="only this run")]
AgentFilter = Annotated[str | None, QueryParameter(name="agentId", max_length=200, description="only this agent")]
ApprovalFilter = Annotated[
    str | None, QueryParameter(name="approvalId", max_length=64, description="only this approval request")
]
KindFilter = Annotated[
    str | None,
    QueryParameter(name="kind", max_length=40, description="a kind of record, or a family such as `approval`"),
]
_TIME = "ISO 8601, or microseconds since 1970"
Since = Annotated[str | None, QueryParameter(name="from", max_length=40, description=_TIME)]
Until = Annotated[str | None, QueryParameter(name="to", max_length=40, description=_TIME)]


def optional_name(text: str | None) -> str | None:
    """Return an optional id or name as the store keeps it."""
    return None if text is None else storable_name(text)


def parse_time(text: str | None, name: str) -> int | None:
    """Return the time in a query parameter in microseconds, or raise.

    >>> parse_time("1970-01-01T00:00:01Z", "from")
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
            raise InterlockError(f"`{name}` must be a time such as `2026-01-31T08:00:00Z`, found `{text}`") from None
    if not 0 <= value < 2**53:
        raise InterlockError(f"`{name}` is out of range, found `{text}`")
    return value
