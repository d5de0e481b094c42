"""The lifetime of a request: how long it stays open, when its approvers are warned, and how far it can be extended."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from interlock.approval.concurrent_operations import change_request
from interlock.approval.groups import apply_current_rules
from interlock.approval.request import Approval, ApprovalState
from interlock.approval.requirement import check_approver
from interlock.approval.rows import (
    CLOCK_COLUMNS,
    check_against_chain,
    check_pending,
    find_row,
    has_expired,
    make_entry,
    read_approval,
    seconds_left,
    without_seq,
)
from interlock.approval.rules import ApprovalRules
from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.rows import write_row
from interlock.config.settings import ApprovalSettings
from interlock.errors import ApprovalError, EndedError
from interlock.model import Decision, Needs
from interlock.store.clock import MICROSECONDS, Moment, now_in
from interlock.store.tables import approvals

_HOUR, _DAY = 3_600, 86_400
#: Approvers are warned when this part of a request's lifetime is left, or `warn_minutes` if that is shorter.
_LAST_PART = 4
#: No warning for shorter lifetimes: a person is being asked right now.
_LEAST_SECONDS = 600
MAX_WARNED = 100
#: A request is not extended by less.
_LEAST_STEP = 60 * MICROSECONDS


def find_fixed_seconds(decision: Decision, needs: Needs, timeouts: Mapping[str, int]) -> int | None:
    """Return the time limit that a policy, `[timeouts]` or mode `tiers` sets, or None if none of them does."""
    asked = [match.ask.timeout_seconds for match in decision.matched_policies if match.ask is not None]
    limits = [limit for limit in (*asked, timeouts.get(needs.tier)) if limit is not None]
    if decision.mode == "tiers" and needs.timeout_seconds is not None:
        limits.append(needs.timeout_seconds)
    return min(limits, default=None)


def request_seconds(needs: Needs, fixed: int | None, settings: ApprovalSettings, *, attended: bool) -> int | None:
    """Return how long a request stays open: briefly if a person is being asked right now, else `expire_hours`."""
    if fixed is not None:
        return fixed
    return needs.timeout_seconds if attended else settings.expire_hours * _HOUR


def extension_limit(created_at: int, fixed: int | None, settings: ApprovalSettings) -> int | None:
    """Return until when a request can be kept open; None if its time limit is fixed."""
    return None if fixed is not None else created_at + settings.extend_days * _DAY * MICROSECONDS


def extend(journal: Journal, rules: ApprovalRules, approval_id: str, person: str) -> Approval:
    """Keep a pending request open for another `expire_hours`, at most until its limit; or raise."""

    def operation(transaction: Transaction) -> Approval:
        row = find_row(transaction.connection, approval_id)
        approval, at = read_approval(transaction.connection, row), now_in(transaction.connection)
        check_pending(approval)
        if has_expired(row, at):
            raise EndedError(f"request `{approval.approval_id}` has expired; nothing was changed")
        check_against_chain(transaction, row)
        check_approver(apply_current_rules(transaction, approval, rules), person)
        lasts = _extend_length(row, approval, at, rules.settings)
        changed = {**without_seq(row), "lasts": lasts, "warned_at": None}
        data = {"expiresAt": approval.created_at + lasts}
        entry = make_entry("approval.extended", row, person, at.wall, data, name=person)
        write_row(transaction, approvals, changed, entry, new=False)
        return read_approval(transaction.connection, changed)

    return change_request(journal, approval_id, operation)


def _extend_length(row: Mapping[str, Any], approval: Approval, at: Moment, settings: ApprovalSettings) -> int:
    """Return the new length of a request's life in microseconds, or raise if it cannot be longer."""
    left, limit = seconds_left(row, at), approval.extendable_until
    if left is None:
        raise ApprovalError("this request does not expire, so it cannot be extended")
    if limit is None:
        raise ApprovalError("a policy or the configuration limits the time of this request; it cannot be extended")
    passed = row["lasts"] - int(left * MICROSECONDS)
    most = limit - approval.created_at
    lasts = min(passed + settings.expire_hours * _HOUR * MICROSECONDS, most)
    if most - row["lasts"] < _LEAST_STEP:
        raise ApprovalError("this request is open for as long as it can be; answer it, or have the agent ask again")
    if lasts - row["lasts"] < _LEAST_STEP:
        raise ApprovalError(f"this request is open for {settings.expire_hours} h already; extend it later")
    return int(lasts)


_UNWARNED = f"""
    SELECT {", ".join(CLOCK_COLUMNS)} FROM interlock_approvals
    WHERE state = 'pending' AND warned_at IS NULL AND lasts >= :least AND created_at + lasts <= :before
    ORDER BY created_at LIMIT :most
"""


def warn_expiring(journal: Journal, settings: ApprovalSettings) -> int:
    """Record a warning for each request that is about to expire, once; return how many there were."""
    with journal.database.read() as connection:
        at = now_in(connection)
        before = at.wall + settings.warn_minutes * 60 * MICROSECONDS
        given = {"least": _LEAST_SECONDS * MICROSECONDS, "before": before, "most": MAX_WARNED}
        due = [row["approval_id"] for row in connection.rows(_UNWARNED, **given) if is_expiring(row, at, settings)]
    for approval_id in due:
        change_request(journal, approval_id, partial(_warn, approval_id=approval_id))
    return len(due)


def is_expiring(row: Mapping[str, Any], at: Moment, settings: ApprovalSettings) -> bool:
    """Whether a request has less than `warn_minutes` left, and less than a quarter of its life."""
    left = seconds_left(row, at)
    if left is None or row["lasts"] < _LEAST_SECONDS * MICROSECONDS:
        return False
    return bool(0 < left <= min(settings.warn_minutes * 60, row["lasts"] / MICROSECONDS / _LAST_PART))


def _warn(transaction: Transaction, approval_id: str) -> None:
    row = find_row(transaction.connection, approval_id)
    at = now_in(transaction.connection)
    if row["state"] != ApprovalState.PENDING.value or row["warned_at"] is not None or has_expired(row, at):
        return
    check_against_chain(transaction, row)
    data = {"expiresAt": row["created_at"] + row["lasts"]}
    entry = make_entry("approval.expiring", row, "interlock", at.wall, data)
    write_row(transaction, approvals, {**without_seq(row), "warned_at": at.wall}, entry, new=False)
