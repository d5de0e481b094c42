"""Permissions: why an action ran although its verdict requires approval, by the record after its decision."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from interlock.audit.record import Record
from interlock.levels import Verdict
from interlock.model import Struct
from interlock.store.connection import Connection, Query, sql_list

GRANT, APPROVAL, USER, CRISIS = "grant", "approval", "user", "crisis"
_KINDS = {"grant.used": GRANT, "approval.used": APPROVAL, "asked": USER, "bypass": CRISIS}
#: Between a decision and its permission are only the records of its policies and overrides.
_WITHIN = 1_000
_NEXT = (
    "SELECT body FROM interlock_records WHERE run_id = :run_id AND seq > :seq AND seq <= :last "
    f"AND kind IN {sql_list(('decision', *sorted(_KINDS)))} ORDER BY seq LIMIT 1"
)


class Permission(Struct, frozen=True, kw_only=True):
    """Why an action ran: under a grant, with an earlier approval, as its agent's own user agreed, or in a crisis.

    Of a grant, `name` is its id, `given_by` who gave it, and `covers` what it covers; of an approval, `name` is the id
    of its request.
    """

    kind: str
    name: str = ""
    given_by: str = ""
    covers: str = ""


def find_permissions(connection: Connection, decisions: Iterable[Record]) -> dict[int, Permission]:
    """Return the permissions of actions whose verdict requires approval, by the numbers of their records."""
    asked = [one for one in decisions if one.kind == "decision" and one.outcome == Verdict.REQUIRE_APPROVAL.value]
    found = connection.several(*map(_query, asked))
    permissions = ((one, _read(one, rows)) for one, rows in zip(asked, found, strict=True))
    return {one.seq: permission for one, permission in permissions if permission is not None}


def _query(decision: Record) -> Query:
    return _NEXT, {"run_id": decision.run_id, "seq": decision.seq, "last": decision.seq + _WITHIN}


def _read(decision: Record, rows: list[tuple[str]]) -> Permission | None:
    """Return the permission of a decision, if the record after it is one."""
    record = msgspec.json.decode(rows[0][0], type=Record) if rows else decision
    kind = _KINDS.get(record.kind)
    if kind is None or record.digest != decision.digest:
        return None
    if kind == GRANT:
        covers = str(record.data.get("text") or "")
        return Permission(kind=kind, name=record.name or "", given_by=record.actor, covers=covers)
    return Permission(kind=kind, name=record.approval_id or "")
