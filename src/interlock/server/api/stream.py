"""`/v1/events/stream`: new records as server-sent events."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator
from typing import Annotated

import msgspec
from litestar import get
from litestar.params import HeaderParameter, QueryParameter
from litestar.response import Stream

from interlock.audit.read import RecordFilter
from interlock.audit.record import KINDS
from interlock.errors import InterlockError, StoreError
from interlock.server.api.parameters import SEE, ApiRequest, KindFilter, RunIdFilter, ServiceDependency
from interlock.server.api.responses import problem_responses
from interlock.server.service import Service
from interlock.server.timeline import item_of

#: How often a stream sends a heartbeat, and checks that its reader is still allowed to see it.
HEARTBEAT_SECONDS = 1.0
_LOG = logging.getLogger("interlock.server")


@get(
    "/events/stream",
    opt={"right": SEE},
    responses=problem_responses(),
    media_type="text/event-stream",
    summary="Stream new records",
    description="Server-sent events: the name of an event is the kind of a record, and its id the record's number. "
    "Sent back as `Last-Event-ID`, the stream continues after that record, so that none is missed.",
    tags=["audit"],
)
async def stream(
    request: ApiRequest,
    service: ServiceDependency,
    kind: KindFilter = None,
    run_id: RunIdFilter = None,
    after: Annotated[int | None, QueryParameter(ge=0, lt=2**62)] = None,
    last_event_id: Annotated[str | None, HeaderParameter(name="last-event-id", max_length=30)] = None,
) -> Stream:
    """Stream new records."""
    if last_event_id is not None:
        if not last_event_id.isascii() or not last_event_id.isdigit():
            raise InterlockError(f"`Last-Event-ID` must be the number of a record, found `{last_event_id}`")
        after = int(last_event_id)
    kinds = None if kind is None else frozenset(_kinds(kind))
    events = _events(service, kinds, run_id, after)
    allowed = _stream_while_allowed(request, service, events)
    return Stream(_until_store_fails(allowed), media_type="text/event-stream")


def _kinds(kind: str) -> list[str]:
    RecordFilter(kind=kind)  # raises for an unknown kind
    return [known for known in KINDS if kind in (known, known.partition(".")[0])]


async def _until_store_fails(events: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield events until the store fails. The reader then connects again, and continues after the last event."""
    try:
        async for event in events:
            yield event
    except StoreError as error:
        _LOG.warning("a stream of events ended: %s", error)


async def _stream_while_allowed(
    request: ApiRequest, service: Service, events: AsyncIterator[bytes]
) -> AsyncIterator[bytes]:
    """Yield events as long as the reader may see them: access can be revoked while a stream is open."""
    checked = time.monotonic()
    async for event in events:
        if time.monotonic() - checked > HEARTBEAT_SECONDS:
            if not await service.authenticator.is_still_allowed(request, SEE):
                return
            checked = time.monotonic()
        yield event


async def _events(
    service: Service, kinds: frozenset[str] | None, run_id: str | None, after: int | None
) -> AsyncIterator[bytes]:
    yield b"retry: 1000\n: following\n\n"
    sent = time.monotonic()
    async for line in service.feed.follow(after, HEARTBEAT_SECONDS):
        record = None if line is None else line.record
        if record is None or (kinds is not None and record.kind not in kinds) or run_id not in (None, record.run_id):
            if time.monotonic() - sent >= HEARTBEAT_SECONDS:  # also while other kinds of records arrive
                sent = time.monotonic()
                yield b": still here\n\n"
        else:
            sent = time.monotonic()
            data = msgspec.json.encode(item_of(record))
            yield b"id: %d\nevent: %s\ndata: %s\n\n" % (record.seq, record.kind.encode(), data)


ROUTES = [stream]
