"""Requests for tests: opened as the gate opens them, without waiting for an answer."""

from __future__ import annotations

import msgspec

from interlock.approval.request import Answer, AnswerVerdict, Approval, ChallengeResult
from interlock.approval.rules import ApprovalRules
from interlock.approval.transitions import open_request
from interlock.audit.chain import Transaction
from interlock.audit.digest import action_digest
from interlock.audit.journal import Journal
from interlock.audit.record import Entry
from interlock.audit.runs import OPEN, Run, start_run
from interlock.engine import Engine
from interlock.gate.decision_record import DecisionRecord
from interlock.model import Action, Needs
from interlock.store.clock import now

ENGINE = Engine()
SOMEBODY_ELSE = ApprovalRules()
PUSH = Action.shell("git push --force origin main", cwd="/home/u/p", workspace="/home/u/p", home="/home/u")


def request_approval(
    journal: Journal,
    action: Action = PUSH,
    *,
    seconds: int | None = 300,
    run_id: str = "run-1",
    agent_id: str | None = "bot",
    started_by: str = "ann",
    terms: ApprovalRules = SOMEBODY_ELSE,
    extendable_until: int | None = None,
    **needs: object,
) -> Approval:
    """Open a request, and return it."""
    run = Run(
        run_id=run_id, agent_id=agent_id, started_by=started_by, workspace=None, state=OPEN, started_at=now().wall
    )
    decision = ENGINE.decide(action)
    assert decision.needs is not None
    taken: Needs = msgspec.structs.replace(decision.needs, **{"model": False, **needs})
    record = DecisionRecord(
        msgspec.structs.replace(action, agent_id=agent_id), decision, action_digest(journal.store_id, action), run
    )
    at = now()
    approval = record.approval_request(taken, at, seconds, terms)
    approval = msgspec.structs.replace(approval, extendable_until=extendable_until)

    def operation(transaction: Transaction) -> None:
        start_run(transaction, run)
        open_request(transaction, approval, at)

    journal.commit(operation)
    return approval


def put(journal: Journal, *entries: Entry) -> None:
    """Write entries, in one transaction."""

    def operation(transaction: Transaction) -> None:
        for entry in entries:
            transaction.append(entry)

    journal.commit(operation)


def yes(approver: str = "bob", kind: str = "multi_party", **fields: object) -> Answer:
    """Return an approval, with any challenge passed."""
    taken = ChallengeResult(kind=kind, passed=True, seconds=9)
    return Answer(**{"approver": approver, "verdict": AnswerVerdict.APPROVE, "challenge": taken, **fields})  # type: ignore[arg-type]


def no(approver: str = "bob", **fields: object) -> Answer:
    """Return a rejection."""
    return Answer(**{"approver": approver, "verdict": AnswerVerdict.REJECT, **fields})  # type: ignore[arg-type]
