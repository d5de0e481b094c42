"""A decided action: its entries in the audit chain, and the approval request that it becomes if it needs one."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from interlock.approval.request import Approval
from interlock.approval.rules import ApprovalRules
from interlock.audit.content_store import ContentStore
from interlock.audit.digest import canonical_form
from interlock.audit.masking import mask_text
from interlock.audit.record import Entry
from interlock.audit.run_state import encode_changes, encode_written_file
from interlock.audit.runs import Run
from interlock.audit.summary import (
    MAX_PAYLOAD,
    describe_action,
    list_omissions,
    mask_action,
    mask_decision,
    summarise_decision,
)
from interlock.gate.decision_basis import NO_BASIS, DecisionBasis
from interlock.ids import new_id
from interlock.levels import Verdict
from interlock.memory.changes import find_changes
from interlock.memory.model import MemoryChanges
from interlock.memory.state import RunState, find_downloads
from interlock.model import Action, BudgetUse, Cause, Decision, Match, Needs
from interlock.sanitise import storable_name
from interlock.store.clock import MICROSECONDS, Moment

if TYPE_CHECKING:
    from interlock.approval.requester import Requester
    from interlock.approval.shape.shape import Candidate


def budget_name(use: BudgetUse) -> str:
    """Return the name under which the limit of a policy is counted."""
    return storable_name(f"{use.policy.policy_id} {use.scope}")


class DecisionRecord(msgspec.Struct, frozen=True, dict=True):
    """An action of a run, with its decision. `digest` is of the exact action; `key_id` is the API key it came with.

    `decision_id` is the id of the decision in the chain, once it is there. `state` is what the run has done before.
    `basis` is what else the decision was based on.
    """

    action: Action
    decision: Decision
    digest: str
    run: Run
    key_id: str | None = None
    decision_id: str = ""
    state: RunState | None = None
    basis: DecisionBasis = NO_BASIS
    find_changes: Callable[[Action, Decision], MemoryChanges] = find_changes

    @property
    def agent_id(self) -> str | None:
        """The agent that acts: an action may name another one than its run does."""
        return None if self.action.agent_id is None else storable_name(self.action.agent_id)

    @cached_property
    def changes(self) -> MemoryChanges:
        """What the action changes in the memory of its run once it runs; both its record and the run need it."""
        return self.find_changes(self.action, self.decision)

    @property
    def asker(self) -> Requester:
        """The run, agent and person that an approval of this action is for."""
        from interlock.approval.requester import Requester

        return Requester(self.run.run_id, self.agent_id, self.run.started_by)

    def entry(
        self, kind: str, at: int, *, name: str | None = None, outcome: str | None = None, **data: object
    ) -> Entry:
        """Return one audit entry about this action."""
        return Entry(
            kind=kind,
            at=at,
            actor=self.agent_id or self.run.started_by,
            name=name,
            run_id=self.run.run_id,
            agent_id=self.agent_id,
            digest=self.digest,
            outcome=outcome,
            data=data,
        )

    def decision_entries(self, at: int, *, payloads: bool, record_id: str = "") -> tuple[Entry, ...]:
        """Return the entries of the decision: the decision itself, a risk event per policy, and each override.

        With `record_id`, the decision has that id in the chain.
        """
        decision, action = self.decision, self.action
        summary = summarise_decision(action, decision, payloads=payloads) | self.basis.data(action, self.state)
        if self.key_id is not None:
            summary["keyId"] = self.key_id
        entries = [
            self.entry("decision", at, name=storable_name(action.tool_name), outcome=decision.verdict.value, **summary),
        ]
        if record_id:
            entries[0] = msgspec.structs.replace(entries[0], record_id=record_id)
        for match in decision.matched_policies:
            data = {"severity": match.severity.value, "policy": match.name, "error": match.error}
            entries.append(self._make_match_entry(match, at, data))
        for override in decision.overrides:
            data = {"what": override.what, "verdict": override.verdict.value}
            entries.append(self.entry("override", at, name=override.by, outcome=decision.verdict.value, **data))
        if decision.cause is Cause.OBSERVED:
            entries.append(self._make_observed_entry(at, summary, entries[0].record_id))
        return tuple(entries)

    def _make_observed_entry(self, at: int, summary: dict[str, Any], decision_id: str) -> Entry:
        """Return the record of an observed action that would have been stopped; reports find it by this kind."""
        would_have = summary["wouldHave"]
        data = {name: summary[name] for name in ("text", "level", "score")}
        data |= {
            "tool": storable_name(self.action.tool_name),
            "because": would_have["because"],
            "decisionId": decision_id,
        }
        outcome = f"would_{would_have['verdict']}"
        return self.entry("observed", at, name=storable_name(would_have["source"]), outcome=outcome, **data)

    def _make_match_entry(self, match: Match, at: int, data: dict[str, Any]) -> Entry:
        """Return the risk event of a policy. One of an observed action is not sent to webhooks for risks."""
        if self.decision.cause is Cause.OBSERVED and match.action >= Verdict.REQUIRE_APPROVAL:
            outcome = f"would_{match.action.value}"
            return self.entry("observed.policy", at, name=match.policy_id, outcome=outcome, **data)
        return self.entry("risk", at, name=match.policy_id, outcome=match.action.value, **data)

    def outcome_entries(self, at: int, content: ContentStore) -> list[Entry]:
        """Return the entries that follow once the action may run: its downloads, and the files that it writes."""
        return [*self._downloads(at), *self._written_files(at, content), *self._memory_changes(at)]

    def _memory_changes(self, at: int) -> list[Entry]:
        """Return the record of changes of the run's memory, if the action changes it."""
        changes = self.changes
        return [self.entry("memory", at, name="changes", **encode_changes(changes))] if changes else []

    def _downloads(self, at: int) -> list[Entry]:
        effects = self.decision.assessment.effects
        names = find_downloads(effects)
        masked = [mask_text(name) if "://" in name else storable_name(name) for name in dict.fromkeys(names)]
        return [self.entry("download", at, name=name) for name in masked]

    def _written_files(self, at: int, content: ContentStore) -> list[Entry]:
        """Return an entry for each file whose content changes; texts that are short enough are stored."""
        entries = []
        for path, file in self.decision.assessment.analysis.files.items():
            data = {"path": path, **encode_written_file(file, content)}
            entries.append(self.entry("written", at, name=storable_name(path), **data))
        return entries

    def block(self, cause: Cause, because: str) -> DecisionRecord:
        """Return the record with its action blocked by a stop or a pause, which apply to observed actions as well."""
        decision = msgspec.structs.replace(
            self.decision, verdict=Verdict.BLOCK, cause=cause, because=because, needs=None, would_have=None
        )
        return msgspec.structs.replace(self, decision=decision)

    @property
    def candidate(self) -> Candidate:
        """The action as it is compared with shapes that were granted."""
        from interlock.approval.shape.shape import Candidate
        from interlock.gate.local_tags import has_tag

        candidate = Candidate(self.action, self.decision, self.agent_id, self.state)
        # the folders of a program that uses an API key are on another machine
        return candidate if self.key_id is not None else msgspec.structs.replace(candidate, has_tag=has_tag)

    def approval_request(self, needs: Needs, at: Moment, seconds: int | None, rules: ApprovalRules) -> Approval:
        """Return a request to approve this action, which expires after so many seconds."""
        from interlock.approval.shape.propose import propose

        text = describe_action(self.action, self.decision)
        shown = {"text": text, "unshown": self._describe_hidden_parts(), "call": self.decision.call}
        candidate = self.candidate
        if candidate.contexts:
            shown["context"] = candidate.context
        return Approval(
            approval_id=new_id(),
            run_id=self.run.run_id,
            agent_id=self.agent_id,
            started_by=self.run.started_by,
            one_person=rules.one_person,
            reviewer=rules.reviewer,
            roles=rules.members_of_roles(needs),
            digest=self.digest,
            action=mask_action(self.action),
            decision={**mask_decision(self.decision), **shown},
            needs=needs,
            shapes=propose(candidate),
            created_at=at.wall,
            expires_at=None if seconds is None else at.wall + seconds * MICROSECONDS,
        )

    def _describe_hidden_parts(self) -> list[str]:
        """Return descriptions of the parts of the action that an approver is not shown."""
        if len(msgspec.json.encode(canonical_form(self.action.input_payload))) > MAX_PAYLOAD:
            return [f"all but the first {MAX_PAYLOAD:,} bytes of what it is given"]
        return list_omissions(self.action.input_payload)
