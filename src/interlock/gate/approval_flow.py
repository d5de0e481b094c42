"""The next step after a decision: the action runs, an earlier approval covers it, or a request is opened."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

import msgspec

from interlock.approval.request import Approval
from interlock.approval.rules import ApprovalRules
from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.masking import mask_text
from interlock.audit.record import Entry
from interlock.audit.spool import Spool
from interlock.config.schema import Config
from interlock.engine import Engine
from interlock.errors import InterlockError
from interlock.gate.decision_record import DecisionRecord
from interlock.gate.stop_list import StopFinder
from interlock.levels import Verdict
from interlock.model import Decision, Needs, Struct
from interlock.sanitise import storable_name
from interlock.store.clock import now, now_in

if TYPE_CHECKING:
    from interlock.approval.flow import ApprovalFlow
    from interlock.approval.repository import ApprovalRepository
    from interlock.policy.drift import Baseline


class RunContext(msgspec.Struct, frozen=True):
    """The services and the configuration that a run works with. Those for approvals are imported when one is needed."""

    journal: Journal
    spool: Spool
    engine: Engine
    config: Config
    approval_rules: ApprovalRules
    open_approvals: "Callable[[], ApprovalRepository]"
    open_flow: "Callable[[], ApprovalFlow]"
    stops: StopFinder
    resumable: bool = False  # callers poll for the answer, and find the request that they opened before
    keeps: bool = True  # whether the store outlives the gate
    turns: AbstractContextManager[object] = nullcontext()  # lets a few threads decide at a time
    is_attended: Callable[[], bool] = lambda: False  # whether a person can be asked right here
    setup: Callable[[], str] = lambda: ""  # the stamp of what decides now
    find_baseline: "Callable[[str | None, tuple[str, ...]], Baseline | None]" = lambda _agent_id, _fields: None


class Submission(msgspec.Struct, frozen=True):
    """The result of recording an action. It may run if `by` or its decision allows it; else `approval` is pending.

    `in_snapshot`: a snapshot of the run's state was recorded with it.
    """

    record: DecisionRecord
    by: str = ""
    approval: Approval | None = None
    record_id: str = ""  # of the decision in the chain
    in_snapshot: bool = False

    @property
    def decision(self) -> Decision:
        """The decision on the action."""
        return self.record.decision


class Outcome(Struct, frozen=True, kw_only=True):
    """An action that may run. `by` is the reason: `decision`, `approval`, `remembered`, `bypass` or `unreviewed`.

    `kept` is false for a temporary gate, whose records are deleted when it is closed. `decision_id` is the id of the
    recorded decision.
    """

    decision: Decision
    run_id: str
    agent_id: str | None = None
    decision_id: str = ""
    digest: str
    by: str = "decision"
    approval: Approval | None = None
    kept: bool = True


class ActionHeld(InterlockError):  # noqa: N818 - a state of an action, not a mistake
    """An action of a paused agent that is not recorded. `submission` is how it would be refused."""

    def __init__(self, submission: Submission) -> None:
        super().__init__(submission.decision.because)
        self.submission = submission


#: Whether the agent asks its own user for an approval with these requirements.
AgentAsks = Callable[[Needs], bool]
#: The value of `Submission.by` if the agent asks its own user.
ASKED_BY_AGENT = "asked"


def seek_approval(
    transaction: Transaction, record: DecisionRecord, context: RunContext, agent_asks: AgentAsks | None = None
) -> Submission:
    """Return the next step of a recorded action; open a request if it needs an approval and has none."""
    needs = record.decision.needs
    if record.decision.verdict is not Verdict.REQUIRE_APPROVAL or needs is None:
        return Submission(record)
    if _is_crisis(record, context.config):
        name = storable_name(record.action.tool_name)
        transaction.append(
            record.entry("bypass", now().wall, name=name, outcome="allow", decisionId=record.decision_id)
        )
        return Submission(record, "bypass")
    way = _use_earlier_approval(transaction, record, context, needs)
    if way:
        return Submission(record, way)
    lifted = _find_liftable_needs(record.decision, context.config)
    if lifted is not None:
        return _open_request(transaction, record, context, lifted)
    if agent_asks is not None and agent_asks(needs):
        transaction.append(question_entry(record))
        return Submission(record, ASKED_BY_AGENT)
    return _open_request(transaction, record, context, needs)


def question_entry(record: DecisionRecord) -> Entry:
    """Return the record of an action that the agent asks its own user about; a channel finds the action by it."""
    action = record.action
    place = {"cwd": action.cwd, "workspace": action.workspace, "environment": action.environment, "home": action.home}
    where = {name: mask_text(text) for name, text in place.items() if text}
    return record.entry("asked", now().wall, name=record.agent_id, decisionId=record.decision_id, where=where)


def _find_liftable_needs(decision: Decision, config: Config) -> Needs | None:
    """Return the requirements of an approval that a model may give instead, or None if a person has to answer."""
    up_to = config.reviewer.lifts_up_to if config.reviewer is not None else None
    if up_to is None or decision.needs is None:
        return None
    from interlock.policy.liftable import is_liftable

    return msgspec.structs.replace(decision.needs, model=True, liftable=True) if is_liftable(decision, up_to) else None


def _use_earlier_approval(transaction: Transaction, record: DecisionRecord, context: RunContext, needs: Needs) -> str:
    """Use a remembered approval, or one for exactly this action; return which kind it was, or an empty text."""
    from interlock.approval.grants import use_grant
    from interlock.approval.one_person import allows_one_person
    from interlock.approval.transitions import use_approval

    given = transaction, record.asker, record.digest, needs, record.decision_id
    one_person = allows_one_person(transaction.connection, context.approval_rules)
    candidate = record.candidate
    if use_grant(*given, one_person=one_person, candidate=candidate) is not None:
        return "remembered"
    since = max(candidate.live_since, candidate.last_switch)
    return "approval" if use_approval(*given, since=since) is not None else ""


def _open_request(transaction: Transaction, record: DecisionRecord, context: RunContext, needs: Needs) -> Submission:
    """Open a request, or return the pending one for exactly this action."""
    from interlock.approval.flow import missing_review_entry
    from interlock.approval.groups import current_rules
    from interlock.approval.lifetime import extension_limit, find_fixed_seconds, request_seconds
    from interlock.approval.transitions import find_pending, open_request

    transaction.lock_actions(record.digest)
    settings, at = context.config.approvals, now_in(transaction.connection)
    queued = settings.unattended_action(record.decision.assessment.level) == "queue"
    attended = not queued and not context.resumable and context.is_attended()
    waiting = None if attended else find_pending(transaction.connection, record.asker, record.digest, needs)
    if waiting is not None:
        return Submission(record, approval=waiting)
    fixed = find_fixed_seconds(record.decision, needs, context.config.timeouts)
    seconds = request_seconds(needs, fixed, settings, attended=attended)
    rules = current_rules(transaction, context.approval_rules, needs)
    approval = record.approval_request(needs, at, seconds, rules)
    approval = msgspec.structs.replace(approval, extendable_until=extension_limit(at.wall, fixed, settings))
    if needs.model and context.config.reviewer is None:
        transaction.append(missing_review_entry(approval))
        if not needs.human and not settings.require_reviewer:
            return Submission(record, "unreviewed")
    open_request(transaction, approval, at)
    return Submission(record, approval=approval)


#: The kinds of effects that do not wait in a crisis: messages to people. All others still wait.
_CRISIS_KINDS = ("message.", "net.", "tool.read", "tool.change", "tool.unknown", "system.read", "out.print")


def _is_crisis(record: DecisionRecord, config: Config) -> bool:
    """Whether an action must not wait because a life may depend on it."""
    from interlock.policy.crisis import is_crisis_bypass

    context = str(record.action.metadata.get("context", ""))
    if not is_crisis_bypass(record.action.tool_name, context, context_bypass=config.crisis):
        return False
    return all(effect.kind.startswith(_CRISIS_KINDS) for effect in record.decision.assessment.effects)
