"""Suggest policies from repeated rejections: each blocks the rejected actions, and lists others that it would stop."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import msgspec

from interlock.approval.request import ApprovalState
from interlock.audit.read import StoredRecord, parse_record
from interlock.audit.record import canonical, digest_of
from interlock.config.schema import Config
from interlock.learning.approval_evidence import AnsweredRequest, Answers, NoEvidence
from interlock.learning.from_approvals import MIN_PEOPLE, evidence_of
from interlock.learning.grant_coverage import riskiest_first
from interlock.learning.suggestion import MAX_LISTED, PastUse, Suggestion
from interlock.levels import Verdict
from interlock.policies.from_action import draft_policy
from interlock.policies.policy_input import PolicyInput, compile_policy
from interlock.policies.simulation import Simulator, VerdictChange
from interlock.policy.conditions import Condition
from interlock.policy.policies import Policy
from interlock.sanitise import plain
from interlock.store.clock import MICROSECONDS
from interlock.store.database import Database

MIN_REJECTIONS, MIN_DAYS = 3, 2
#: How many policies are suggested at a time, and on how many past actions each is simulated, the newest first.
MAX_SUGGESTED = 10
MAX_SIMULATED = 10_000
_AT_ONCE = 1_000
_DAY = 86_400 * MICROSECONDS
_DECISION = """
    SELECT r.body, r.hash FROM interlock_actions a JOIN interlock_records r ON r.seq = a.seq
    WHERE a.approval_id = :approval_id
"""
_DECIDED = """
    SELECT a.seq, a.at, r.body, r.hash FROM interlock_actions a JOIN interlock_records r ON r.seq = a.seq
    WHERE a.agent_id = :agent AND a.tool = :tool AND a.at <= :at AND (a.at < :at OR a.seq < :seq)
    ORDER BY a.at DESC, a.seq DESC LIMIT :most
"""
_STATE = """
    SELECT p.state FROM interlock_actions a JOIN interlock_approvals p ON p.approval_id = a.approval_id
    WHERE a.seq = :seq
"""
#: Outcomes of actions that a policy must not stop without telling a person.
_RAN = (ApprovalState.APPROVED.value, Verdict.ALLOW.value, Verdict.WARN.value)


def suggest_policies(
    database: Database, answers: Answers, policies: Sequence[Policy], config: Config
) -> Iterator[Suggestion]:
    """Yield a policy for each kind of action that was rejected often enough, and more often than it ran."""
    grouped: dict[bytes, tuple[PolicyInput, list[AnsweredRequest]]] = {}
    for one in answers.rejected:
        draft = None if one.why_not is NoEvidence.BY_MODEL else _draft(database, one)
        if draft is not None:
            grouped.setdefault(canonical(draft), (draft, []))[1].append(one)
    enough = [group for group in grouped.values() if _is_enough(group[1], alone=answers.alone)]
    taken = {policy.policy_id for policy in policies}
    for draft, given in islice(enough, MAX_SUGGESTED):
        if draft.policy_id not in taken:
            found = _suggestion(database, draft, given, policies, config)
            if found is not None:
                yield found


def _draft(database: Database, one: AnsweredRequest) -> PolicyInput | None:
    """Return the policy that blocks a requested action, for the same agent, or None if its record is gone."""
    with database.read() as connection:
        rows = connection.tuples(_DECISION, approval_id=one.approval.approval_id)
    if not rows:
        return None
    record = parse_record(*rows[0]).record
    draft = draft_policy(record, "block")
    if len(draft.conditions) < 2 or record.agent_id is None:  # the tool alone, or any agent, is too much
        return None
    condition = Condition("agentId", "equals", record.agent_id)
    policy_id = f"{draft.policy_id}-{digest_of([record.agent_id])[:6]}"[:100]
    name = f"{draft.name} by {plain(record.agent_id)}"[:200]
    return msgspec.structs.replace(draft, policy_id=policy_id, name=name, conditions=[*draft.conditions, condition])


def _is_enough(given: Sequence[AnsweredRequest], *, alone: bool) -> bool:
    days = {one.answer.at // _DAY for one in given}
    people = {one.answer.approver for one in given}
    return len(given) >= MIN_REJECTIONS and len(days) >= MIN_DAYS and (alone or len(people) >= MIN_PEOPLE)


def _suggestion(
    database: Database, draft: PolicyInput, given: Sequence[AnsweredRequest], policies: Sequence[Policy], config: Config
) -> Suggestion | None:
    simulator = Simulator(policies, [*policies, compile_policy(draft, config)], config)
    stopped, also, is_complete = 0, list[PastUse](), True
    tool = str(given[-1].approval.action.get("toolName") or "")
    for number, line in enumerate(_past_decisions(database, given[-1].approval.agent_id or "", tool)):
        if number == MAX_SIMULATED:
            is_complete = False
            break
        for change in simulator.run([line]).examples:
            stopped += 1
            also += _find_stopped_success(database, change, line)
    if len(also) >= len(given):
        return None
    approval = given[-1].approval
    return Suggestion(
        suggestion_id=f"p{digest_of(msgspec.to_builtins(draft))[:16]}",
        kind="policy",
        text=draft.name,
        tool_name=str(approval.action.get("toolName") or ""),
        agent_id=approval.agent_id,
        environment=approval.action.get("environment"),
        folder=None,
        request_id=approval.approval_id,
        evidence=evidence_of(given, {}),
        covered=max(stopped, len(given)),
        also=tuple(riskiest_first(also)[:MAX_LISTED]),
        also_count=len(also),
        is_complete=is_complete,
        policy=draft,
    )


def _find_stopped_success(database: Database, change: VerdictChange, line: StoredRecord) -> Iterator[PastUse]:
    """Yield an action that ran and that the policy would have stopped."""
    with database.read() as connection:
        state = connection.value(_STATE, seq=change.seq) or str(line.record.outcome)
    if state in _RAN:
        data: Mapping[str, object] = line.record.data
        yield PastUse(
            seq=change.seq,
            record_id=change.record_id,
            at=line.record.at,
            text=change.text,
            level=str(data.get("level") or "safe"),
            score=int(str(data.get("score") or 0)),
            state=state,
            run_id=change.run_id,
        )


def _past_decisions(database: Database, agent: str, tool: str) -> Iterator[StoredRecord]:
    """Yield the decisions on an agent's calls of a tool, the newest first, reading one page at a time."""
    at = seq = 2**62
    while True:
        with database.read() as connection:
            rows = connection.tuples(_DECIDED, agent=agent, tool=tool, at=at, seq=seq, most=_AT_ONCE)
        yield from (parse_record(body, hash_) for _, _, body, hash_ in rows)
        if len(rows) < _AT_ONCE:
            return
        seq, at = rows[-1][:2]
