"""`/v1/audit`: the record, proved and exported; and `/v1/events/stream`, as it grows."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec
from litestar import Response, get
from litestar.openapi.spec import OpenAPIMediaType, OpenAPIResponse, OpenAPIType, Operation, Schema
from litestar.params import HeaderParameter, QueryParameter
from litestar.response import Stream

from interlock.audit.export import FORMATS
from interlock.audit.keys import KeyRing, parse_key
from interlock.audit.read import RecordFilter, read_all, read_page
from interlock.audit.record import KINDS
from interlock.audit.verify import Proof, verify
from interlock.config.trust import own_folder
from interlock.errors import InterlockError
from interlock.model import Struct
from interlock.server.api.shared import (
    SEE,
    Call,
    CursorText,
    Limit,
    OfApproval,
    OfRun,
    Served,
    Since,
    moment,
    problems,
    threaded,
)
from interlock.server.service import Service
from interlock.server.timeline import Item, item_of
from interlock.server.wire import Page
from interlock.store.clock import now
from interlock.store.paging import PageCursor, parse_cursor

Kind = Annotated[str | None, QueryParameter(max_length=40, description="a kind, or a family such as `approval`")]
#: How often a stream says that it is still there, and looks whether it may still be heard.
LOOK_SECONDS = 1.0
_MEDIA = {"jsonl": "application/jsonl", "csv": "text/csv; charset=utf-8", "ocsf": "application/jsonl"}


@dataclass
class _Export(Operation):
    """Documents that an export may be a table as well."""

    def __post_init__(self) -> None:
        text = Schema(type=OpenAPIType.STRING)
        for code, response in (self.responses or {}).items():
            if code == "200" and isinstance(response, OpenAPIResponse):
                response.content = {kind.partition(";")[0]: OpenAPIMediaType(schema=text) for kind in _MEDIA.values()}


class Verified(Struct, frozen=True, kw_only=True):
    """Whether the chain is as it was written, and what is wrong with it where it is not."""

    good: bool
    store_id: str
    records: int
    first: int
    last: int
    hash: str
    faults: list[str]
    checked_at: int


@get(
    "/audit",
    opt={"right": SEE},
    responses=problems(),
    summary="The record, the newest first",
    tags=["audit"],
)
async def list_records(
    service: Served,
    limit: Limit = 100,
    cursor: CursorText = None,
    kind: Kind = None,
    run_id: OfRun = None,
    approval_id: OfApproval = None,
    since: Since = None,
) -> Page[Item]:
    """List the records."""
    wanted = RecordFilter(run_id=run_id, kind=kind, approval_id=approval_id, since=moment(since, "from"))
    before = parse_cursor(cursor).at if cursor else 2**62
    lines = await threaded(read_page, service.journal.database, wanted, before=before, limit=limit + 1)
    items = [item_of(line.record) for line in reversed(lines[-limit:])]
    return Page(items=items, next=str(PageCursor(items[-1].seq, "")) if len(lines) > limit else None)


@get(
    "/audit/verify",
    opt={"right": SEE},
    responses=problems(),
    summary="Prove the record",
    description="Reads every record. A million take some seconds.",
    tags=["audit"],
)
async def verify_records(service: Served) -> Verified:
    """Prove the chain."""
    return verified(await proof_of(service))


async def proof_of(service: Service) -> Proof:
    """Prove the chain, once for everybody who asks meanwhile: that reads all of it."""
    return await service.proving.of("chain", lambda: threaded(_prove, service))


def _prove(service: Service) -> Proof:
    """Prove the chain with the keys that this server knows."""
    known = service.gate.config.audit.keys
    ring = KeyRing([service.journal.key.public, *(parse_key(key) for key in known)])
    return verify(service.journal.database, ring, folder=own_folder())


def verified(proof: Proof) -> Verified:
    """Return what is told of a proof."""
    return Verified(
        good=proof.good,
        store_id=proof.store_id,
        records=proof.records,
        first=proof.first,
        last=proof.last,
        hash=proof.hash,
        faults=[str(fault) for fault in proof.faults[:50]],
        checked_at=now().wall,
    )


@get(
    "/audit/export",
    opt={"right": SEE},
    responses=problems(),
    media_type="application/jsonl",
    operation_class=_Export,
    summary="Export the record",
    description="As JSON lines that anybody can prove, CSV for a spreadsheet, or OCSF for a security system.",
    tags=["audit"],
)
async def export_records(
    service: Served,
    format_: Annotated[Literal["jsonl", "csv", "ocsf"], QueryParameter(name="format")] = "jsonl",
    kind: Kind = None,
    run_id: OfRun = None,
    since: Since = None,
) -> Response[Any]:
    """Write the records out."""
    wanted = RecordFilter(run_id=run_id, kind=kind, since=moment(since, "from"))
    name = f"interlock-{service.journal.store_id[:8]}.{'csv' if format_ == 'csv' else 'jsonl'}"
    headers = {"content-type": _MEDIA[format_], "content-disposition": f'attachment; filename="{name}"'}
    return Stream(_chunks(FORMATS[format_](read_all(service.journal.database, wanted))), headers=headers)


async def _chunks(lines: Iterator[str]) -> AsyncIterator[str]:
    """Yield a text in pieces, each made in a thread."""
    while True:
        piece = await threaded(lambda: "".join(line for _, line in zip(range(500), lines, strict=False)))
        if not piece:
            return
        yield piece


@get(
    "/events/stream",
    opt={"right": SEE},
    responses=problems(),
    media_type="text/event-stream",
    summary="The record as it grows",
    description="Server-sent events: each has the kind of a record as its name, and the number of the record as its "
    "id. Given back as `Last-Event-ID`, the stream goes on after that one, so nothing is missed.",
    tags=["audit"],
)
async def stream(
    request: Call,
    service: Served,
    kind: Kind = None,
    run_id: OfRun = None,
    after: Annotated[int | None, QueryParameter(ge=0, lt=2**62)] = None,
    last_event_id: Annotated[str | None, HeaderParameter(name="last-event-id", max_length=30)] = None,
) -> Stream:
    """Follow the chain."""
    if last_event_id is not None:
        if not last_event_id.isascii() or not last_event_id.isdigit():
            raise InterlockError(f"`Last-Event-ID` is the number of a record, found `{last_event_id}`")
        after = int(last_event_id)
    kinds = None if kind is None else frozenset(_kinds(kind))
    events = _events(service, kinds, run_id, after)
    return Stream(_while_in(request, service, events), media_type="text/event-stream")


def _kinds(kind: str) -> list[str]:
    RecordFilter(kind=kind)  # raises with the nearest right word
    return [known for known in KINDS if kind in (known, known.partition(".")[0])]


async def _while_in(request: Call, service: Service, events: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield events to somebody as long as they may see them: a stream outlives the request that began it."""
    looked = time.monotonic()
    async for event in events:
        if time.monotonic() - looked > LOOK_SECONDS:
            if not await service.doors.is_still_in(request, SEE):
                return
            looked = time.monotonic()
        yield event


async def _events(
    service: Service, kinds: frozenset[str] | None, run_id: str | None, after: int | None
) -> AsyncIterator[bytes]:
    yield b"retry: 1000\n: following\n\n"
    said = time.monotonic()
    async for line in service.feed.follow(after, LOOK_SECONDS):
        record = None if line is None else line.record
        if record is None or (kinds is not None and record.kind not in kinds) or run_id not in (None, record.run_id):
            if time.monotonic() - said >= LOOK_SECONDS:  # also while only others have news
                said = time.monotonic()
                yield b": still here\n\n"
        else:
            said = time.monotonic()
            data = msgspec.json.encode(item_of(record))
            yield b"id: %d\nevent: %s\ndata: %s\n\n" % (record.seq, record.kind.encode(), data)


ROUTES = [list_records, verify_records, export_records, stream]
