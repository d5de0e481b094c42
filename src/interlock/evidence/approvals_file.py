"""The requests for approval of a period, with their answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from interlock.approval.request import Approval
from interlock.approval.rows import read_approval
from interlock.evidence.period import Period
from interlock.rules.standards.rule_ids import ids_of
from interlock.store.clock import MICROSECONDS
from interlock.store.database import Database

_PAGE = 200
_NEXT = """
    SELECT * FROM interlock_approvals
    WHERE created_at < :end AND (created_at > :at OR (created_at = :at AND approval_id > :id))
    ORDER BY created_at, approval_id LIMIT :most
"""


def write_approvals(database: Database, period: Period, file: Path) -> int:
    """Write one line for each request that was opened in a period; return how many there are."""
    count = 0
    with file.open("xb") as opened:
        for approval, text in _read(database, period):
            opened.write(msgspec.json.encode(_line(approval, text), order="sorted") + b"\n")
            count += 1
    return count


def _read(database: Database, period: Period) -> Iterator[tuple[Approval, str]]:
    """Yield the requests of a period with the text of their action, the oldest first, reading a page at a time."""
    at, id_ = period.start - 1, ""
    while True:
        with database.read() as connection:
            rows = connection.rows(_NEXT, end=period.end, at=at, id=id_, most=_PAGE)
            page = [(read_approval(connection, row), str(row["text"] or "")) for row in rows]
        if not page:
            return
        yield from page
        at, id_ = page[-1][0].created_at, page[-1][0].approval_id


def _line(approval: Approval, text: str) -> dict[str, Any]:
    """Return a request as an auditor reads it."""
    decision = approval.decision
    rules = [str(found.get("rule")) for found in decision.get("findings") or ()]
    first = approval.answers[0].at if approval.answers else None
    return {
        "approvalId": approval.approval_id,
        "requestedAt": approval.created_at,
        "agentId": approval.agent_id,
        "startedBy": approval.started_by,
        "runId": approval.run_id,
        "digest": approval.digest,
        "tool": approval.action.get("toolName"),
        "environment": approval.action.get("environment"),
        "text": text,
        "level": decision.get("level"),
        "score": decision.get("score"),
        "reasons": decision.get("reasons"),
        "rules": rules,
        "standards": ids_of(*rules),
        "needs": approval.needs,
        "answers": approval.answers,
        "secondsToFirstAnswer": None if first is None else round((first - approval.created_at) / MICROSECONDS, 3),
        "state": approval.state,
        "why": approval.why,
        "usedAt": approval.used_at,
    }
