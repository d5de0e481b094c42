"""A case: an action with its decision, what is recorded of it, and the request that it becomes where that is asked."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from interlock.analyse.payloads.payload import clean
from interlock.approval.request import Approval
from interlock.audit.masking import mask_text
from interlock.audit.record import Entry, new_id
from interlock.audit.runs import Run
from interlock.audit.summary import masked_action, masked_decision, of_decision, shown
from interlock.levels import Verdict
from interlock.model import Action, Decision, Needs
from interlock.policy.tiers import plain
from interlock.store.clock import MICROSECONDS, Moment

MAX_NAME = 200


class Case(NamedTuple):
    """An action on its way through the gate. `digest` is of the exact action."""

    action: Action
    decision: Decision
    digest: str
    run: Run

    def entry(
        self, kind: str, at: int, *, name: str | None = None, outcome: str | None = None, **data: object
    ) -> Entry:
        """Return an entry about this case."""
        return Entry(
            kind=kind,
            at=at,
            actor=self.run.agent_id or self.run.started_by,
            name=name,
            run_id=self.run.run_id,
            agent_id=self.run.agent_id,
            digest=self.digest,
            outcome=outcome,
            data=data,
        )

    def entries(self, at: int, *, payloads: bool) -> tuple[Entry, ...]:
        """Return what is recorded: the decision, a risk event for each policy, and each override."""
        decision, action = self.decision, self.action
        told = of_decision(action, decision, payloads=payloads)
        found = [
            self.entry("decision", at, name=named(action.tool_name), outcome=decision.verdict.value, **told),
        ]
        for match in decision.matched_policies:
            data = {"severity": match.severity.value, "policy": match.name, "error": match.error}
            found.append(self.entry("risk", at, name=match.policy_id, outcome=match.action.value, **data))
        for override in decision.overrides:
            data = {"what": override.what, "verdict": override.verdict.value}
            found.append(self.entry("override", at, name=override.by, outcome=decision.verdict.value, **data))
        return tuple(found)

    def fetched(self, at: int) -> list[Entry]:
        """Return what is recorded once the action may run: each thing that it fetches."""
        effects = self.decision.assessment.effects
        names = (effect.resource.name for effect in effects if effect.resource and "download" in effect.flags)
        return [self.entry("download", at, name=mask_text(name)) for name in dict.fromkeys(names)]

    def blocked(self, why: str) -> Case:
        """Return the case with its action blocked, for a reason that the engine does not know."""
        decision = msgspec.structs.replace(self.decision, verdict=Verdict.BLOCK, because=why, needs=None)
        return self._replace(decision=decision)

    def request(self, needs: Needs, at: Moment, seconds: int | None) -> Approval:
        """Return the request that asks for this case's approval."""
        text = shown(self.action, self.decision)
        return Approval(
            approval_id=new_id(),
            run_id=self.run.run_id,
            agent_id=self.run.agent_id,
            started_by=self.run.started_by,
            digest=self.digest,
            action=masked_action(self.action),
            decision={**masked_decision(self.decision), "text": text},
            needs=needs,
            created_at=at.wall,
            expires_at=None if seconds is None else at.wall + seconds * MICROSECONDS,
        )


def named(text: str) -> str:
    """Return a name as the store keeps it: nothing in it that does not print, and not too long."""
    return text if len(text) <= MAX_NAME and text.isprintable() and text.isascii() else _cleaned(text)


def _cleaned(text: str) -> str:
    return plain(clean(text[:MAX_NAME]))[:MAX_NAME]


def belonging(action: Action, run: Run) -> Action:
    """Return an action as one of a run, which says where it runs if the action does not."""
    workspace = action.workspace if action.workspace is not None else run.workspace
    return msgspec.structs.replace(
        action,
        run_id=run.run_id,
        agent_id=run.agent_id or action.agent_id,
        workspace=workspace,
        cwd=action.cwd if action.cwd is not None else run.workspace,
    )
