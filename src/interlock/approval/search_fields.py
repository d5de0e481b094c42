"""The columns by which requests are found, sorted and grouped: they repeat parts of the request itself."""

from __future__ import annotations

from typing import Any

import msgspec

from interlock.approval.eligible import eligible_column
from interlock.approval.request import Approval
from interlock.approval.rows import find_row, read_approval, without_seq
from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.record import Entry, digest_of
from interlock.audit.rows import check_row, kept_kind, write_row
from interlock.sanitise import clean, stored_name
from interlock.scoring.command import normalise_environment
from interlock.store.clock import now
from interlock.store.tables import approvals

#: How many requests are filled in one transaction.
MAX_AT_ONCE = 100


def search_fields(approval: Approval) -> dict[str, Any]:
    """Return the columns of a request that searches use."""
    decision = approval.decision
    environment = environment_of(approval)
    return {
        "tool": stored_name(str(approval.action.get("toolName") or "")),
        "environment": None if environment is None else stored_name(environment),
        "level": str(decision.get("level") or ""),
        "score": int(decision.get("score") or 0),
        "text": clean(str(decision.get("text") or "")),
        "group_key": group_key(approval),
        "eligible": eligible_column(approval),
        "one_person": int(approval.one_person),
    }


def environment_of(approval: Approval) -> str | None:
    """Return the environment that a request was decided for, by its usual name."""
    for factor in approval.decision.get("factors") or ():
        if factor.get("name") == "environment" and factor.get("detail"):
            return str(factor["detail"])
    claimed = approval.action.get("environment")
    return normalise_environment(str(claimed)) if claimed else None


def group_key(approval: Approval) -> str:
    """Return a key that is the same for requests with no difference that an approver would want to see.

    They are for exactly the same action, including what is masked, with the same score, the same reasons and the same
    requirements. They may differ in the agent, the run, the person who started it, and in time.
    """
    decision = approval.decision
    shown = {name: decision.get(name) for name in ("score", "level", "reasons", "opaque", "reversible", "unshown")}
    needs = msgspec.to_builtins(approval.needs)
    return digest_of([approval.digest, environment_of(approval), shown, needs, approval.one_person, approval.reviewer])


_MISSING = "SELECT approval_id FROM interlock_approvals WHERE state = 'pending' AND group_key IS NULL LIMIT :most"


def fill_search_fields(journal: Journal) -> int:
    """Fill the columns of pending requests that an earlier version has opened; return how many there were."""
    filled = 0
    while count := journal.commit(_fill_some):
        filled += count
    return filled


def _fill_some(transaction: Transaction) -> int:
    connection = transaction.connection
    ids = connection.values(_MISSING, most=MAX_AT_ONCE)
    for approval_id in ids:
        row = find_row(connection, approval_id)
        check_row(transaction, approvals, row)
        filled = {**without_seq(row), **search_fields(read_approval(connection, row))}
        entry = Entry(kind=kept_kind(approvals), at=now().wall, actor="interlock", approval_id=approval_id)
        write_row(transaction, approvals, filled, entry, new=False)
    return len(ids)
