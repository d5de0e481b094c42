"""`/v1/audit`: the audit log, verified and exported."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from litestar import Response, get
from litestar.openapi.spec import OpenAPIMediaType, OpenAPIResponse, OpenAPIType, Operation, Schema
from litestar.params import QueryParameter
from litestar.response import Stream

from interlock.audit.export import FORMATS
from interlock.audit.keys import KeyRing, parse_key
from interlock.audit.read import RecordFilter, read_all, read_page
from interlock.audit.verify import Proof, verify
from interlock.config.home import own_folder
from interlock.model import Struct
from interlock.server.api.parameters import (
    SEE,
    ApprovalFilter,
    CursorParameter,
    KindFilter,
    PageSize,
    RunIdFilter,
    ServiceDependency,
    Since,
    parse_time,
)
from interlock.server.api.responses import problem_responses
from interlock.server.schemas import Page
from interlock.server.service import Service
from interlock.server.timeline import TimelineItem, item_of
from interlock.store.clock import now
from interlock.store.paging import PageCursor, parse_cursor

MEDIA = {"jsonl": "application/jsonl", "csv": "text/csv; charset=utf-8", "ocsf": "application/jsonl"}


@dataclass
class _ExportOperation(Operation):
    """Documents every media type of an export."""

    def __post_init__(self) -> None:
        text = Schema(type=OpenAPIType.STRING)
        for code, response in (self.responses or {}).items():
            if code == "200" and isinstance(response, OpenAPIResponse):
                response.content = {kind.partition(";")[0]: OpenAPIMediaType(schema=text) for kind in MEDIA.values()}


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
    cursor: CursorParameter = None,
    kind: KindFilter = None,
    run_id: RunIdFilter = None,
    approval_id: ApprovalFilter = None,
    since: Since = None,
) -> Page[TimelineItem]:
    """List the records."""
    wanted = RecordFilter(run_id=run_id, kind=kind, approval_id=approval_id, since=parse_time(since, "from"))
    before = parse_cursor(cursor).at if cursor else 2**62
    lines = await to_thread(read_page, service.journal.database, wanted, before=before, limit=limit + 1)
    items = [item_of(line.record) for line in reversed(lines[-limit:])]
    return Page(items=items, next=str(PageCursor(items[-1].seq, "")) if len(lines) > limit else None)


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
    proof = await service.verification.run("chain", lambda: to_thread(_verify, service))
    service.verified = now().wall, proof
    return proof


def _verify(service: Service) -> Proof:
    """Verify the chain with the keys that this server knows."""
    known = service.gate.config.audit.keys
    ring = KeyRing([service.journal.key.public, *(parse_key(key) for key in known)])
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
    kind: KindFilter = None,
    run_id: RunIdFilter = None,
    since: Since = None,
) -> Response[Any]:
    """Export the records."""
    wanted = RecordFilter(run_id=run_id, kind=kind, since=parse_time(since, "from"))
    name = f"interlock-{service.journal.store_id[:8]}.{'csv' if format_ == 'csv' else 'jsonl'}"
    headers = {"content-type": MEDIA[format_], "content-disposition": f'attachment; filename="{name}"'}
    return Stream(in_chunks(FORMATS[format_](read_all(service.journal.database, wanted))), headers=headers)


async def in_chunks(lines: Iterator[str]) -> AsyncIterator[str]:
    """Yield lines in chunks, each of them produced in a thread."""
    while True:
        chunk = await to_thread(lambda: "".join(line for _, line in zip(range(500), lines, strict=False)))
        if not chunk:
            return
        yield chunk


ROUTES = [list_records, verify_records, export_records]
