"""The way through the gate: nothing to ask, somebody approved it before, or a request is opened."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from interlock.approval.flow import ApprovalFlow, missing_review_entry
from interlock.approval.grants import use_grant
from interlock.approval.repository import ApprovalRepository
from interlock.approval.request import Approval
from interlock.approval.transitions import find_pending, open_request, use_approval
from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.spool import Spool
from interlock.config.schema import Config
from interlock.engine import Engine
from interlock.gate.case import Case, named
from interlock.levels import Verdict
from interlock.model import Needs
from interlock.policy.tiers import is_crisis_bypass
from interlock.store.clock import now, now_in

_HOUR = 3_600


class Parts(NamedTuple):
    """What a run works with."""

    journal: Journal
    register: ApprovalRepository
    asking: ApprovalFlow
    spool: Spool
    engine: Engine
    config: Config
    returning: bool = False  # whoever asks comes back for the answer, and finds the request that it left


class Step(NamedTuple):
    """What one transaction came to: a way through, or a request that waits."""

    case: Case
    by: str = ""
    approval: Approval | None = None
    record_id: str = ""  # of the decision


Elsewhere = Callable[[Needs], bool]
#: How a step says that whoever acts asks a person itself.
ASKED = "asked"


def way_through(transaction: Transaction, case: Case, parts: Parts, elsewhere: Elsewhere | None = None) -> Step:
    """Return how a case goes on: it may run, somebody approved it before, or a request is opened.

    `elsewhere` says of what an approval takes whether whoever acts has it itself: an agent that asks its person.
    """
    needs = case.decision.needs
    if case.decision.verdict is not Verdict.REQUIRE_APPROVAL or needs is None:
        return Step(case)
    if _is_crisis(case, parts.config):
        transaction.append(case.entry("bypass", now().wall, name=named(case.action.tool_name), outcome="allow"))
        return Step(case, "bypass")
    if use_grant(transaction, case.asker, case.digest, needs, one_person=parts.register.rules.one_person) is not None:
        return Step(case, "remembered")
    if use_approval(transaction, case.asker, case.digest, needs) is not None:
        return Step(case, "approval")
    if elsewhere is not None and elsewhere(needs):
        transaction.append(case.entry("asked", now().wall, name=case.agent_id))
        return Step(case, ASKED)
    return _request(transaction, case, parts, needs)


def _request(transaction: Transaction, case: Case, parts: Parts, needs: Needs) -> Step:
    """Open a request; one that is queued already for exactly this is not opened again."""
    settings, at = parts.config.approvals, now_in(transaction.connection)
    queued = settings.without_anyone(case.decision.assessment.level) == "queue"
    again = queued or parts.returning
    waiting = find_pending(transaction.connection, case.asker, case.digest, needs) if again else None
    if waiting is not None:
        return Step(case, approval=waiting)
    seconds = settings.queue_hours * _HOUR if queued else needs.timeout_seconds
    approval = case.request(needs, at, seconds, parts.register.rules)
    if needs.model and parts.config.reviewer is None:
        transaction.append(missing_review_entry(approval))
        if not needs.human and not settings.require_reviewer:
            return Step(case, "unreviewed")
    open_request(transaction, approval, at)
    return Step(case, approval=approval)


#: What may not wait in a crisis: somebody is told something, or asked. Whatever else an action does, waits.
_TELLING = ("message.", "net.", "tool.read", "tool.change", "tool.unknown", "system.read", "out.print")


def _is_crisis(case: Case, config: Config) -> bool:
    """Whether an action must not wait because somebody's life may depend on it."""
    context = str(case.action.metadata.get("context", ""))
    if not is_crisis_bypass(case.action.tool_name, context, context_bypass=config.crisis):
        return False
    return all(effect.kind.startswith(_TELLING) for effect in case.decision.assessment.effects)
