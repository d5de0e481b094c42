"""Budgets: the limits of policies, counted in the chain, each under a lock, so that they apply across processes."""

from __future__ import annotations

from typing import Any

import msgspec

from interlock.audit.chain import Transaction
from interlock.audit.record import Entry
from interlock.gate.decision_basis import LimitUse
from interlock.gate.decision_record import DecisionRecord, budget_name
from interlock.model import BudgetUse
from interlock.policy.exceeded_limit import exceed_limit
from interlock.store.clock import MICROSECONDS, now_in

_LAST = (
    "SELECT body FROM interlock_records WHERE kind = 'budget' AND run_id IS NULL AND name = :name AND at <= :at "
    "ORDER BY seq DESC LIMIT 1"
)


def apply_budgets(transaction: Transaction, record: DecisionRecord) -> DecisionRecord:
    """Return a record whose decision is stricter if the action would exceed the limit of a policy that matches it."""
    if record.decision.would_have is not None:
        return _apply_observed(transaction, record)
    used = []
    for use in record.decision.budgets:
        spent = _sum_used(transaction, use)
        used.append(LimitUse.of(use, spent))
        if use.amount is None or spent + use.amount > use.most:
            decision = exceed_limit(record.action, record.decision, use, spent)
            record = msgspec.structs.replace(record, decision=decision)
    return msgspec.structs.replace(record, basis=msgspec.structs.replace(record.basis, limits=tuple(used)))


def _apply_observed(transaction: Transaction, record: DecisionRecord) -> DecisionRecord:
    """Apply the limits to the verdict that an observed action would have had."""
    from interlock.policy.observe import enforce, observe

    enforced = apply_budgets(transaction, msgspec.structs.replace(record, decision=enforce(record.decision)))
    return msgspec.structs.replace(enforced, decision=observe(enforced.decision))


def budget_entries(transaction: Transaction, record: DecisionRecord, at: int) -> list[Entry]:
    """Return the records that count an action towards the limits of policies."""
    entries = []
    for use in record.decision.budgets:
        name = budget_name(use)
        total = _total(transaction, name, None) + (use.amount or 0.0)
        transaction.budgets[name] = total
        data: dict[str, Any] = {
            "amount": use.amount or 0.0,
            "total": total,
            "policy": use.policy.policy_id,
            "run": record.run.run_id,
        }
        entry = record.entry("budget", at, name=name, **data)
        entries.append(msgspec.structs.replace(entry, run_id=None))  # it is counted for more than one run
    return entries


def _sum_used(transaction: Transaction, use: BudgetUse) -> float:
    """Return how much of a limit was used in the period that ends now."""
    total = _total(transaction, budget_name(use), None)
    if use.seconds is None:
        return total
    return total - _total(
        transaction, budget_name(use), now_in(transaction.connection).wall - use.seconds * MICROSECONDS
    )


def _total(transaction: Transaction, name: str, at: int | None) -> float:
    """Return the amount counted under a name, in total or until a time."""
    if at is None and name in transaction.budgets:
        return transaction.budgets[name]
    transaction.lock_budget(name)
    found = transaction.connection.values(_LAST, name=name, at=2**62 if at is None else at)
    return float(msgspec.json.decode(found[0])["data"]["total"]) if found else 0.0
