"""Budgets: the limits of policies, counted in the chain under its lock, so that they hold for all processes."""

from __future__ import annotations

from typing import Any

import msgspec

from interlock.audit.chain import Transaction
from interlock.audit.record import Entry
from interlock.gate.decision_record import DecisionRecord
from interlock.levels import Verdict
from interlock.model import BudgetUse, Cause, Decision
from interlock.policy.decide import needs_for
from interlock.policy.needs import tighten
from interlock.sanitise import stored_name
from interlock.store.clock import MICROSECONDS, now_in

_LAST = (
    "SELECT body FROM interlock_records WHERE kind = 'budget' AND run_id IS NULL AND name = :name AND at <= :at "
    "ORDER BY seq DESC LIMIT 1"
)


def apply_budgets(transaction: Transaction, record: DecisionRecord) -> DecisionRecord:
    """Return a record whose decision is stricter if the action would exceed the limit of a policy that matches it."""
    if record.decision.would_have is not None:
        return _apply_observed(transaction, record)
    for use in record.decision.budgets:
        spent = _spent(transaction, use)
        if use.amount is None or spent + use.amount > use.most:
            record = msgspec.structs.replace(record, decision=_exceeded(record, use, spent))
    return record


def _apply_observed(transaction: Transaction, record: DecisionRecord) -> DecisionRecord:
    """Do the same to the verdict that an observed action would have had."""
    from interlock.policy.observe import enforce, observe

    enforced = apply_budgets(transaction, msgspec.structs.replace(record, decision=enforce(record.decision)))
    return msgspec.structs.replace(enforced, decision=observe(enforced.decision))


def budget_entries(transaction: Transaction, record: DecisionRecord, at: int) -> list[Entry]:
    """Return the entries by which an action that runs is counted."""
    entries = []
    for use in record.decision.budgets:
        name = _name(use)
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


def _name(use: BudgetUse) -> str:
    return stored_name(f"{use.policy.policy_id} {use.scope}")


def _spent(transaction: Transaction, use: BudgetUse) -> float:
    """Return how much of a limit was used in the period that ends now."""
    total = _total(transaction, _name(use), None)
    if use.seconds is None:
        return total
    return total - _total(transaction, _name(use), now_in(transaction.connection).wall - use.seconds * MICROSECONDS)


def _total(transaction: Transaction, name: str, at: int | None) -> float:
    """Return how much was counted under a name in all, or until a time."""
    if at is None and name in transaction.budgets:
        return transaction.budgets[name]
    found = transaction.connection.values(_LAST, name=name, at=2**62 if at is None else at)
    return float(msgspec.json.decode(found[0])["data"]["total"]) if found else 0.0


def _exceeded(record: DecisionRecord, use: BudgetUse, spent: float) -> Decision:
    """Return a decision with the verdict of a policy whose limit is exceeded, unless it is stricter already.

    If both require an approval, it has to satisfy both.
    """
    decision, policy = record.decision, use.policy
    if use.amount is None:
        why = f"policy `{policy.policy_id}` allows {use.limit}, and the amount of this action is unknown"
    else:
        why = f"policy `{policy.policy_id}` allows {use.limit}; {spent:g} so far, and {use.amount:g} more"
    matches = (*decision.matched_policies, policy)
    if decision.verdict >= policy.action:
        needs = decision.needs
        if needs is not None and policy.ask is not None and policy.action is Verdict.REQUIRE_APPROVAL:
            needs = tighten(needs, policy.ask)
        return msgspec.structs.replace(decision, matched_policies=matches, needs=needs)
    changed = msgspec.structs.replace(
        decision, verdict=policy.action, matched_policies=matches, cause=Cause.POLICY, because=why, needs=None
    )
    return needs_for(record.action, changed) if policy.action is Verdict.REQUIRE_APPROVAL else changed
