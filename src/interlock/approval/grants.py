"""Grants: remembered approvals of one exact action or of all actions of a shape, for a limited time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from interlock.approval.request import Answer, AnswerVerdict, Approval, GrantScope
from interlock.approval.requester import Requester
from interlock.approval.requirement import covers, find_shape
from interlock.approval.shape.matching import matches
from interlock.approval.shape.shape import Candidate, Shape, bind_digest
from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.record import Entry, canonical
from interlock.audit.rows import check_row, write_row
from interlock.config.settings import ApprovalSettings
from interlock.errors import EndedError, MissingApprovalError, TamperedError
from interlock.ids import new_id
from interlock.model import Needs, Struct
from interlock.sanitise import plain
from interlock.store.clock import MICROSECONDS, now, now_in
from interlock.store.connection import Query
from interlock.store.paging import PageCursor
from interlock.store.tables import grants
from interlock.store.where import Where

_MINUTE, _DAY = 60 * MICROSECONDS, 86_400 * MICROSECONDS
_ORDER = tuple(GrantScope)
#: How long a grant lasts, if less than `remember_days`.
_LASTS = {GrantScope.MINUTES: 15 * _MINUTE, GrantScope.DAY: _DAY}


class Grant(Struct, frozen=True, kw_only=True):
    """A remembered approval. It allows the same action again, or every action of a `shape`; `shown` describes which.

    `request_id` is the request in which it was granted.
    """

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
    shape: Shape | None = None
    request_id: str | None = None
    last_used_at: int | None = None

    def state(self, at: int) -> str:
        """Return whether the grant is in force at a time: `active`, `expired` or `revoked`."""
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at is not None and at >= self.expires_at else "active"


def remember(transaction: Transaction, approval: Approval, settings: ApprovalSettings, at: int) -> None:
    """Remember an approval if its approvers chose so; of different choices, the narrowest counts."""
    agreeing = [answer for answer in approval.answers if answer.verdict is AnswerVerdict.APPROVE and not answer.model]
    scopes = {answer.scope for answer in agreeing}
    if not agreeing or GrantScope.ONCE in scopes:
        return
    scope = GrantScope.RUN if GrantScope.RUN in scopes else min(scopes, key=_ORDER.index)
    lasts = min(_LASTS.get(one, _DAY * settings.remember_days) for one in scopes)
    shape = _find_chosen_shape(approval, agreeing)
    text = str(approval.decision.get("text") or approval.action.get("toolName", ""))[:300]
    names = ", ".join(answer.approver for answer in agreeing)
    grant = Grant(
        grant_id=new_id(),
        scope=scope,
        digest=shape.frame if shape is not None else bind_digest(approval.digest, approval.decision.get("context", "")),
        run_id=approval.run_id,
        agent_id=approval.agent_id,
        workspace=approval.action.get("workspace"),
        granted_by=names[:200],
        needs=approval.needs,
        shown=text if shape is None else shape.text,
        created_at=at,
        expires_at=at + min(lasts, _DAY * settings.remember_days),
        shape=shape,
        request_id=approval.approval_id,
    )
    write_row(transaction, grants, grant_row(grant), grant_entry("grant.made", grant, names, at), new=True)


def _find_chosen_shape(approval: Approval, agreeing: list[Answer]) -> Shape | None:
    """Return the shape that all approvers chose, or None: then exactly the action is granted."""
    chosen = {answer.shape for answer in agreeing}
    if len(chosen) != 1:
        return None
    found = find_shape(approval, chosen.pop())
    return None if found is None else msgspec.json.decode(found.shape, type=Shape)


def use_grant(
    transaction: Transaction,
    requester: Requester,
    digest: str,
    needs: Needs,
    decision_id: str = "",
    *,
    one_person: bool,
    candidate: Candidate | None = None,
) -> Grant | None:
    """Return a grant that covers this action and satisfies `needs`, and record its use; or None.

    `digest` is that of exactly this action, and `candidate` is compared with shapes. `decision_id` is recorded as the
    decision that uses the grant.
    """
    transaction.lock_actions(digest, digest if candidate is None else candidate.frame)
    at = now_in(transaction.connection).wall
    for row, grant in _find_grants(transaction, digest, candidate):
        other_run = grant.scope is GrantScope.RUN and (grant.run_id, grant.agent_id) != (
            requester.run_id,
            requester.agent_id,
        )
        own = not one_person and requester.started_by in grant.granted_by.split(", ")
        if grant.state(at) != "active" or other_run or own or not covers(grant.needs, needs):
            continue
        if not _covers_action(grant, candidate):
            continue
        check_row(transaction, grants, row)
        used = msgspec.structs.replace(grant, uses=grant.uses + 1, last_used_at=at)
        entry = grant_entry("grant.used", used, grant.granted_by, at)
        data = {**entry.data, "decisionId": decision_id} if decision_id else entry.data
        entry = msgspec.structs.replace(entry, run_id=requester.run_id, digest=digest, data=data)
        write_row(transaction, grants, grant_row(used), entry, new=False)
        return used
    return None


def _find_grants(
    transaction: Transaction, digest: str, candidate: Candidate | None
) -> Iterator[tuple[Mapping[str, Any], Grant]]:
    """Yield the grants that may cover an action: of its digest in its context, and of its frame."""
    query, given = grant_query(digest, candidate)
    for row in transaction.connection.rows(query, **given):
        yield row, read_grant(row)


def grant_query(digest: str, candidate: Candidate | None) -> Query:
    """Return the query for the grants that may cover an action."""
    query = "SELECT * FROM interlock_grants WHERE digest IN (:digest, :frame) AND revoked_at IS NULL"
    frame = digest if candidate is None else candidate.frame
    bound = digest if candidate is None else bind_digest(digest, candidate.context)
    return query, {"digest": bound, "frame": frame}


def _covers_action(grant: Grant, candidate: Candidate | None) -> bool:
    """Whether an action has the shape of a grant; one without a shape was found by the digest of the action.

    The same words mean something else once the run has switched to a live system.
    """
    if grant.shape is None:
        return candidate is None or not candidate.live_since
    return candidate is not None and matches(grant.shape, candidate)


class Grants:
    """The remembered approvals of a store."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def list(self, *, everything: bool = False, limit: int = 100, after: PageCursor | None = None) -> list[Grant]:
        """Return the grants in force, the newest first; with `everything`, also those revoked or expired."""
        where = Where() if everything else Where("revoked_at IS NULL AND expires_at > :at", at=now().wall)
        if after is not None:
            after.narrow(where, "created_at", "grant_id")
        query = f"SELECT * FROM interlock_grants {where} ORDER BY created_at DESC, grant_id DESC LIMIT :most"
        with self._journal.database.read() as connection:
            return [read_grant(row) for row in connection.rows(query, most=limit, **where.given)]

    def find(self, grant_id: str) -> Grant | None:
        """Return a grant by its id, whatever its state."""
        query = "SELECT * FROM interlock_grants WHERE grant_id = :grant_id"
        with self._journal.database.read() as connection:
            return next((read_grant(row) for row in connection.rows(query, grant_id=grant_id)), None)

    def of_request(self, approval_id: str) -> Grant | None:
        """Return the grant that was made in a request, if any."""
        query = "SELECT * FROM interlock_grants WHERE request_id = :approval_id"
        with self._journal.database.read() as connection:
            return next((read_grant(row) for row in connection.rows(query, approval_id=approval_id)), None)

    def revoke(self, grant_id: str, actor: str, *, undoes: int | None = None) -> Grant:
        """Revoke the grant whose id starts like this, or raise. `undoes` is the record of its restoration."""

        def operation(transaction: Transaction) -> Grant:
            where = Where().starts_with("grant_id", grant_id)
            rows = transaction.connection.rows(f"SELECT * FROM interlock_grants {where} LIMIT 2", **where.given)
            if len(rows) != 1 or not grant_id:
                raise MissingApprovalError(f"there is no grant `{plain(grant_id)[:80]}`; `interlock grants` lists them")
            grant, at = read_grant(rows[0]), now().wall
            if grant.revoked_at is not None:
                raise EndedError(f"grant `{grant.grant_id}` is already revoked; nothing was changed")
            revoked = msgspec.structs.replace(grant, revoked_at=at)
            entry = grant_entry("grant.revoked", revoked, actor, at, undoes)
            write_row(transaction, grants, grant_row(revoked), entry, new=False)
            return revoked

        return self._journal.commit(operation)


def grant_entry(kind: str, grant: Grant, actor: str, at: int, undoes: int | None = None) -> Entry:
    """Return the record of an event of a grant."""
    data: dict[str, Any] = {"scope": grant.scope.value, "text": grant.shown}
    data |= {} if undoes is None else {"undoes": undoes}
    return Entry(
        kind=kind,
        at=at,
        actor=actor,
        name=grant.grant_id,
        run_id=grant.run_id,
        agent_id=grant.agent_id,
        digest=grant.digest,
        data=data,
    )


def grant_row(grant: Grant) -> dict[str, Any]:
    """Return a grant in its stored form."""
    row = {name: getattr(grant, name) for name in grant.__struct_fields__}
    shape = None if grant.shape is None else canonical(grant.shape).decode()
    return {**row, "scope": grant.scope.value, "needs": canonical(grant.needs).decode(), "shape": shape}


def read_grant(row: Mapping[str, Any]) -> Grant:
    """Return the grant in a row, or raise if it cannot be read."""
    fields = {name: row[name] for name in Grant.__struct_fields__}
    try:
        needs = msgspec.json.decode(row["needs"], type=Needs)
        shape = None if row["shape"] is None else msgspec.json.decode(row["shape"], type=Shape)
        return Grant(**{**fields, "scope": GrantScope(row["scope"]), "needs": needs, "shape": shape})
    except (msgspec.DecodeError, TypeError, ValueError):
        name = plain(str(row["grant_id"]))
        raise TamperedError(f"grant `{name}` cannot be read; run `interlock audit verify`") from None
