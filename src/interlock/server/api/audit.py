"""`/v1/audit`: the audit log, verified and exported; and `/v1/events/stream`, new records as they are written."""

from __future__ import annotations

import time
from asyncio import to_thread
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec
from litestar import Response, get
from litestar.openapi.spec import OpenAPIMediaType, OpenAPIResponse, OpenAPIType, Operation, Schema
from litestar.params import HeaderParameter, QueryParameter
from litestar.response import Stream

from interlock.audit.export import FORMATS
from interlock.audit.keys import Ring, parse_key
from interlock.audit.read import Wanted, every, page
from interlock.audit.record import KINDS
from interlock.audit.verify import Proof, verify
from interlock.config.trust import own_folder
from interlock.errors import InterlockError
from interlock.model import Struct
from interlock.server.api.parameters import (
    SEE,
    ApiRequest,
    ApprovalFilter,
    PageCursor,
    PageSize,
    RunFilter,
    ServiceDependency,
    Since,
    parse_time,
)
from interlock.server.api.responses import problem_responses
from interlock.server.schemas import Page
from interlock.server.service import Service
from interlock.server.timeline import TimelineItem, item_of
from interlock.store.clock import now
from interlock.store.paging import Cursor, parse_cursor

Kind = Annotated[
    str | None, QueryParameter(max_length=40, description="a kind of record, or a family such as `approval`")
]
#: How often a stream sends a heartbeat, and checks that its reader is still allowed to see it.
HEARTBEAT_SECONDS = 1.0
_MEDIA = {"jsonl": "application/jsonl", "csv": "text/csv; charset=utf-8", "ocsf": "application/jsonl"}


@dataclass
class _ExportOperation(Operation):
    """Documents every media type of an export."""

    def __post_init__(self) -> None:
        text = Schema(type=OpenAPIType.STRING)
        for code, response in (self.responses or {}).items():
            if code == "200" and isinstance(response, OpenAPIResponse):
                response.content = {kind.partition(";")[0]: OpenAPIMediaType(schema=text) for kind in _MEDIA.values()}


class VerificationResult(Struct, frozen=True, kw_only=True):
    """Whether the chain is intact, and its faults if it is not."""

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
    responses=problem_responses(),
    summary="All records, newest first",
    tags=["audit"],
)
async def list_records(
    service: ServiceDependency,
    limit: PageSize = 100,
    cursor: PageCursor = None,
    kind: Kind = None,
    run_id: RunFilter = None,
    approval_id: ApprovalFilter = None,
    since: Since = None,
) -> Page[TimelineItem]:
    """List the records."""
    wanted = Wanted(run_id=run_id, kind=kind, approval_id=approval_id, since=parse_time(since, "from"))
    before = parse_cursor(cursor).at if cursor else 2**62
    lines = await to_thread(page, service.journal.database, wanted, before=before, limit=limit + 1)
    items = [item_of(line.record) for line in reversed(lines[-limit:])]
    return Page(items=items, next=str(Cursor(items[-1].seq, "")) if len(lines) > limit else None)


@get(
    "/audit/verify",
    opt={"right": SEE},
    responses=problem_responses(),
    summary="Verify the chain",
    description="Reads every record, which takes some seconds for a million.",
    tags=["audit"],
)
async def verify_records(service: ServiceDependency) -> VerificationResult:
    """Verify the chain."""
    return verification_result(await verify_chain(service))


async def verify_chain(service: Service) -> Proof:
    """Verify the chain, once for all callers that ask at the same time: it reads every record."""
    return await service.verification.run("chain", lambda: to_thread(_verify, service))


def _verify(service: Service) -> Proof:
    """Verify the chain with the keys that this server knows."""
    known = service.gate.config.audit.keys
    ring = Ring([service.journal.key.public, *(parse_key(key) for key in known)])
    return verify(service.journal.database, ring, folder=own_folder())


def verification_result(proof: Proof) -> VerificationResult:
    """Return a proof as a response."""
    return VerificationResult(
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
    responses=problem_responses(),
    media_type="application/jsonl",
    operation_class=_ExportOperation,
    summary="Export the audit log",
    description="As JSON lines that can be verified offline, CSV for a spreadsheet, or OCSF for a SIEM.",
    tags=["audit"],
)
async def export_records(
    service: ServiceDependency,
    format_: Annotated[Literal["jsonl", "csv", "ocsf"], QueryParameter(name="format")] = "jsonl",
    kind: Kind = None,
    run_id: RunFilter = None,
    since: Since = None,
) -> Response[Any]:
    """Export the records."""
    wanted = Wanted(run_id=run_id, kind=kind, since=parse_time(since, "from"))
    name = f"interlock-{service.journal.store_id[:8]}.{'csv' if format_ == 'csv' else 'jsonl'}"
    headers = {"content-type": _MEDIA[format_], "content-disposition": f'attachment; filename="{name}"'}
    return Stream(_chunks(FORMATS[format_](every(service.journal.database, wanted))), headers=headers)


async def _chunks(lines: Iterator[str]) -> AsyncIterator[str]:
    """Yield lines in chunks, each of them produced in a thread."""
    while True:
        chunk = await to_thread(lambda: "".join(line for _, line in zip(range(500), lines, strict=False)))
        if not chunk:
            return
        yield chunk


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
    kind: Kind = None,
    run_id: RunFilter = None,
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
    return Stream(_while_allowed(request, service, events), media_type="text/event-stream")


def _kinds(kind: str) -> list[str]:
    Wanted(kind=kind)  # raises for an unknown kind
    return [known for known in KINDS if kind in (known, known.partition(".")[0])]


async def _while_allowed(request: ApiRequest, service: Service, events: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
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


ROUTES = [list_records, verify_records, export_records, stream]
