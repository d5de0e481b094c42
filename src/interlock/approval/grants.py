"""Remembered approvals: for the run, or always for exactly this action in this workspace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from interlock.approval.request import AnswerVerdict, Approval, GrantScope
from interlock.approval.requester import Requester
from interlock.approval.requirement import covers
from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.record import Entry, canonical
from interlock.audit.rows import check_row, write_row
from interlock.config.settings import ApprovalSettings
from interlock.errors import ApprovalError
from interlock.ids import new_id
from interlock.model import Needs, Struct
from interlock.sanitise import plain
from interlock.store.clock import MICROSECONDS, now, now_in
from interlock.store.tables import grants
from interlock.store.where import Where

_DAY = 86_400 * MICROSECONDS
_ORDER = tuple(GrantScope)


class Grant(Struct, frozen=True, kw_only=True):
    """A remembered approval, which allows the same action again."""

    grant_id: str
    scope: GrantScope
    digest: str
    run_id: str
    agent_id: str | None
    workspace: str | None
    granted_by: str
    needs: Needs
    shown: str
    created_at: int
    expires_at: int | None
    revoked_at: int | None = None
    uses: int = 0


def remember(transaction: Transaction, approval: Approval, settings: ApprovalSettings, at: int) -> None:
    """Remember an approval, if its approvers asked for that; the narrowest scope that they chose counts."""
    agreeing = [answer for answer in approval.answers if answer.verdict is AnswerVerdict.APPROVE and not answer.model]
    scope = min((answer.scope for answer in agreeing), key=_ORDER.index, default=GrantScope.ONCE)
    if scope is GrantScope.ONCE:
        return
    names = ", ".join(answer.approver for answer in agreeing)
    grant = Grant(
        grant_id=new_id(),
        scope=scope,
        digest=approval.digest,
        run_id=approval.run_id,
        agent_id=approval.agent_id,
        workspace=approval.action.get("workspace"),
        granted_by=names[:200],
        needs=approval.needs,
        shown=str(approval.decision.get("text") or approval.action.get("toolName", ""))[:300],
        created_at=at,
        expires_at=at + settings.remember_days * _DAY,
    )
    write_row(transaction, grants, _row(grant), _entry("grant.made", grant, names, at), new=True)


def use_grant(
    transaction: Transaction,
    requester: Requester,
    digest: str,
    needs: Needs,
    decision_id: str = "",
    *,
    one_person: bool,
) -> Grant | None:
    """Return a remembered approval of exactly this action that satisfies `needs`, and record its use; or None.

    `decision_id` is recorded as the decision that uses it.
    """
    at = now_in(transaction.connection).wall
    query = "SELECT * FROM interlock_grants WHERE digest = :digest AND revoked_at IS NULL"
    for row in transaction.connection.rows(query, digest=digest):
        grant = _read_grant(row)
        expired = grant.expires_at is not None and at >= grant.expires_at
        other_run = grant.scope is GrantScope.RUN and (grant.run_id, grant.agent_id) != (
            requester.run_id,
            requester.agent_id,
        )
        own = not one_person and requester.started_by in grant.granted_by.split(", ")
        if expired or other_run or own or not covers(grant.needs, needs):
            continue
        check_row(transaction, grants, row)
        used = msgspec.structs.replace(grant, uses=grant.uses + 1)
        entry = _entry("grant.used", used, grant.granted_by, at)
        data = {**entry.data, "decisionId": decision_id} if decision_id else entry.data
        entry = msgspec.structs.replace(entry, run_id=requester.run_id, data=data)
        write_row(transaction, grants, _row(used), entry, new=False)
        return used
    return None


class Grants:
    """The remembered approvals of a store."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def list(self, *, everything: bool = False, limit: int = 100) -> list[Grant]:
        """Return the remembered approvals, the newest first; with `everything`, also those revoked or expired."""
        where = Where() if everything else Where("revoked_at IS NULL AND expires_at > :at", at=now().wall)
        query = f"SELECT * FROM interlock_grants {where} ORDER BY created_at DESC LIMIT :most"
        with self._journal.database.read() as connection:
            return [_read_grant(row) for row in connection.rows(query, most=limit, **where.given)]

    def revoke(self, grant_id: str, actor: str) -> Grant:
        """Revoke the remembered approval whose id starts like this, or raise if there is none."""

        def operation(transaction: Transaction) -> Grant:
            where = Where().starts_with("grant_id", grant_id)
            rows = transaction.connection.rows(f"SELECT * FROM interlock_grants {where} LIMIT 2", **where.given)
            if len(rows) != 1 or not grant_id:
                raise ApprovalError(
                    f"there is no remembered approval `{plain(grant_id)[:80]}`; `--remembered` lists them"
                )
            grant, at = _read_grant(rows[0]), now().wall
            if grant.revoked_at is not None:
                raise ApprovalError(f"`{grant.grant_id}` was revoked already; nothing was changed")
            revoked = msgspec.structs.replace(grant, revoked_at=at)
            write_row(transaction, grants, _row(revoked), _entry("grant.revoked", revoked, actor, at), new=False)
            return revoked

        return self._journal.commit(operation)


def _entry(kind: str, grant: Grant, actor: str, at: int) -> Entry:
    data = {"scope": grant.scope.value, "text": grant.shown}
    return Entry(
        kind=kind, at=at, actor=actor, name=grant.grant_id, run_id=grant.run_id, digest=grant.digest, data=data
    )


def _row(grant: Grant) -> dict[str, Any]:
    row = {name: getattr(grant, name) for name in grant.__struct_fields__}
    return {**row, "scope": grant.scope.value, "needs": canonical(grant.needs).decode()}


def _read_grant(row: Mapping[str, Any]) -> Grant:
    fields = {name: row[name] for name in Grant.__struct_fields__}
    needs = msgspec.json.decode(row["needs"], type=Needs)
    return Grant(**{**fields, "scope": GrantScope(row["scope"]), "needs": needs})
