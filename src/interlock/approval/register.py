"""The register of approvals: requests are opened, answered, used and ended, each step once and on record."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from interlock.approval.asker import Asker
from interlock.approval.grants import remember
from interlock.approval.request import Answer, Approval, State
from interlock.approval.requirement import check_answer, covers, settled
from interlock.approval.rows import (
    CLOCKED,
    KEPT,
    approval_of,
    bare,
    check_open,
    check_told,
    entry_of,
    is_over,
    row_of,
    seconds_left,
)
from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.record import canonical
from interlock.audit.rows import write_row
from interlock.config.settings import ApprovalSettings
from interlock.errors import EndedError, MissingApprovalError
from interlock.model import Needs
from interlock.sanitise import plain
from interlock.store.clock import Moment, now_in
from interlock.store.connection import Connection, Row
from interlock.store.paging import Cursor
from interlock.store.tables import answers, approvals
from interlock.store.where import Where

#: So many requests that have run out are ended together.
AT_ONCE = 100
_STEPS = {state: f"approval.{state.value}" for state in State}


class Terms(NamedTuple):
    """By which rules requests are answered: the settings, who belongs to a role, and whether a model reviews."""

    settings: ApprovalSettings = ApprovalSettings()
    roles: Mapping[str, tuple[str, ...]] = {}
    one_person: bool = False
    reviewer: bool = False

    def roles_in(self, needs: Needs) -> dict[str, tuple[str, ...]]:
        """Return who belongs to the roles that somebody must have."""
        named = {item[1:] for group in needs.who for item in group if item.startswith("@")}
        return {role: tuple(self.roles.get(role, ())) for role in sorted(named)}


class Register:
    """The approvals of a store."""

    def __init__(self, journal: Journal, terms: Terms) -> None:
        self._journal, self.terms = journal, terms

    # reading

    def get(self, approval_id: str) -> Approval:
        """Return a request, or raise if there is none by that id, or by an id that begins like that."""
        with self._journal.database.read() as connection:
            return self._as_now(approval_of(connection, row_of(connection, approval_id)))

    def look(self, approval_id: str) -> tuple[State, float | None]:
        """Return where a request stands, and how many seconds it has left, or None where it does not run out."""
        query = "SELECT * FROM interlock_approvals WHERE approval_id = :approval_id"
        with self._journal.database.read() as connection:
            row = connection.row(query, approval_id=approval_id)
            if row is None:
                raise MissingApprovalError(f"there is no request `{plain(approval_id)[:80]}` any more")
            return State(row["state"]), seconds_left(row, now_in(connection))

    def list(
        self,
        state: State | None = State.PENDING,
        limit: int = 100,
        *,
        after: Cursor | None = None,
        run_id: str | None = None,
        agent_id: str | None = None,
    ) -> list[Approval]:
        """Return requests, the newest first; `after` is where the page before ended."""
        self.expire_due()
        where = Where().same(state=None if state is None else state.value, run_id=run_id, agent_id=agent_id)
        if after is not None:
            after.narrow(where, "created_at", "approval_id")
        query = f"SELECT * FROM interlock_approvals {where} ORDER BY created_at DESC, approval_id DESC LIMIT :most"
        with self._journal.database.read() as connection:
            return [approval_of(connection, row) for row in connection.rows(query, most=limit, **where.given)]

    def count(self) -> int:
        """Return how many requests wait."""
        with self._journal.database.read() as connection:
            return int(connection.value("SELECT count(*) FROM interlock_approvals WHERE state = 'pending'"))

    def _as_now(self, approval: Approval) -> Approval:
        """Return a request by the rules of now where those are stricter: somebody else may have come since."""
        if approval.one_person and not self.terms.one_person:
            return msgspec.structs.replace(approval, one_person=False)
        return approval

    # steps

    def open(self, transaction: Transaction, approval: Approval, at: Moment) -> None:
        """Open a request, as part of a transaction."""
        lasts = None if approval.expires_at is None else approval.expires_at - at.wall
        row = {
            "approval_id": approval.approval_id,
            "run_id": approval.run_id,
            "agent_id": approval.agent_id,
            "started_by": approval.started_by,
            "digest": approval.digest,
            "state": State.PENDING.value,
            "request": canonical({name: getattr(approval, name) for name in KEPT}).decode(),
            "created_at": at.wall,
            "created_boot": at.boot,
            "created_ticks": at.ticks,
            "lasts": lasts,
            "used_at": None,
            "why": "",
        }
        needs = msgspec.to_builtins(approval.needs)
        data = {"needs": needs, "onePerson": approval.one_person}
        entry = entry_of("approval.requested", row, approval.agent_id or approval.started_by, at.wall, data)
        write_row(transaction, approvals, row, entry, new=True)

    def answer(self, approval_id: str, answer: Answer) -> Approval:
        """Take an answer, or raise; return the request as it then stands. Of two at the same instant one counts."""

        def operation(transaction: Transaction) -> Approval | None:
            connection = transaction.connection
            row = row_of(connection, approval_id)
            approval = approval_of(connection, row)
            if approval.state is State.PENDING and is_over(row, now_in(connection)):
                return None
            check_open(approval)
            check_told(transaction, row)
            check_answer(self._as_now(approval), answer)
            return self._take(transaction, row, approval, answer)

        found = self._journal.commit(operation)
        if found is None:
            self.end(approval_id, State.EXPIRED, "nobody answered in time")
            raise EndedError(f"request `{approval_id}` has run out of time; nothing was changed")
        return found

    def _take(self, transaction: Transaction, row: dict[str, Any], approval: Approval, answer: Answer) -> Approval:
        at = now_in(transaction.connection).wall
        answer = msgspec.structs.replace(answer, at=at)
        given = {
            "approval_id": approval.approval_id,
            "approver": answer.approver,
            "answer": canonical(answer).decode(),
        }
        data = {"answer": msgspec.to_builtins(answer)}
        entry = entry_of("approval.answered", row, answer.approver, at, data, answer.approver, answer.verdict.value)
        write_row(transaction, answers, given, entry, new=True)
        approval = msgspec.structs.replace(approval, answers=(*approval.answers, answer))
        outcome = settled(approval, reviewer=approval.reviewer)
        if outcome is None:
            return approval
        state, why = outcome
        _move(transaction, row, state, answer.approver, why)
        if state is State.APPROVED:
            remember(transaction, approval, self.terms.settings, at)
        return msgspec.structs.replace(approval, state=state, why=why)

    def end(self, approval_id: str, state: State, why: str, actor: str = "interlock") -> Approval:
        """End a request that is still pending; one that has ended stays as it is."""

        return self._journal.commit(lambda transaction: _end(transaction, approval_id, state, why, actor))

    def cancel(self, approval_id: str, actor: str) -> Approval:
        """Take a request back, or raise if it has ended."""

        def operation(transaction: Transaction) -> Approval:
            row = row_of(transaction.connection, approval_id)
            check_open(approval_of(transaction.connection, row))
            _move(transaction, row, State.CANCELLED, actor, f"taken back by `{plain(actor)}`")
            return approval_of(transaction.connection, row_of(transaction.connection, approval_id))

        return self._journal.commit(operation)

    def expire_due(self) -> int:
        """End every request that has run out of time; return how many those were."""
        query = f"SELECT {', '.join(CLOCKED)} FROM interlock_approvals WHERE state = 'pending'"
        with self._journal.database.read() as connection:
            at = now_in(connection)
            due = [row["approval_id"] for row in connection.rows(query) if is_over(row, at)]
        for start in range(0, len(due), AT_ONCE):
            self._journal.commit(_expiring(due[start : start + AT_ONCE]))
        return len(due)


def pending(connection: Connection, asker: Asker, digest: str, needs: Needs) -> Approval | None:
    """Return the request of a run for exactly this action that still waits, if there is one that asks enough."""
    at = now_in(connection)
    rows = _of(connection, asker.where().same(digest=digest, state=State.PENDING.value))
    waiting = (approval_of(connection, row) for row in rows if not is_over(row, at))
    return next((approval for approval in waiting if covers(approval.needs, needs)), None)


def use(transaction: Transaction, asker: Asker, digest: str, needs: Needs) -> Approval | None:
    """Use up an approval of exactly this action by this run, if there is one that still counts; return it."""
    connection = transaction.connection
    at = now_in(connection)
    where = asker.where().same(digest=digest, state=State.APPROVED.value).add("used_at IS NULL")
    for row in _of(connection, where):
        if is_over(row, at) or not covers(approval_of(connection, row).needs, needs):
            continue
        check_told(transaction, row)
        used = {**row, "used_at": at.wall}
        entry = entry_of("approval.used", row, row["agent_id"] or row["started_by"], at.wall, {}, outcome="allow")
        write_row(transaction, approvals, bare(used), entry, new=False)
        return approval_of(connection, used)
    return None


def _of(connection: Connection, where: Where) -> list[Row]:
    return connection.rows(f"SELECT * FROM interlock_approvals {where}", **where.given)


def _expiring(ids: Sequence[str]) -> Callable[[Transaction], None]:
    """Return the operation that ends some requests whose time is up."""

    def operation(transaction: Transaction) -> None:
        for approval_id in ids:
            _end(transaction, approval_id, State.EXPIRED, "nobody answered in time")

    return operation


def _end(transaction: Transaction, approval_id: str, state: State, why: str, actor: str = "interlock") -> Approval:
    """End a request that is still pending."""
    row = row_of(transaction.connection, approval_id)
    if row["state"] == State.PENDING.value:
        _move(transaction, row, state, actor, why)
    return approval_of(transaction.connection, row_of(transaction.connection, approval_id))


def _move(transaction: Transaction, row: dict[str, Any], state: State, actor: str, why: str) -> None:
    """Move a pending request to its end."""
    moved = {**bare(row), "state": state.value, "why": why}
    at = now_in(transaction.connection).wall
    entry = entry_of(_STEPS[state], row, actor, at, {"why": why}, outcome=state.value)
    write_row(transaction, approvals, moved, entry, new=False)
