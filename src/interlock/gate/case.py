"""A case: an action with its decision, what is recorded of it, and the request that it becomes where that is asked."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from interlock.approval.asker import Asker
from interlock.approval.register import Terms
from interlock.approval.request import Approval
from interlock.audit.masking import mask_text
from interlock.audit.record import Entry
from interlock.audit.runs import Run
from interlock.audit.shelf import Shelf
from interlock.audit.summary import (
    MAX_PAYLOAD,
    masked_action,
    masked_decision,
    of_decision,
    plainly,
    shown,
    unshown,
)
from interlock.config.schema import Config
from interlock.ids import new_id
from interlock.levels import Verdict
from interlock.model import MAX_FILE, Action, Cause, Decision, Needs
from interlock.sanitise import stored_name
from interlock.store.clock import MICROSECONDS, Moment


class Case(NamedTuple):
    """An action on its way through the gate. `digest` is of the exact action."""

    action: Action
    decision: Decision
    digest: str
    run: Run

    @property
    def agent_id(self) -> str | None:
        """Who wants this: an action may name another agent than its run does."""
        return None if self.action.agent_id is None else stored_name(self.action.agent_id)

    @property
    def asker(self) -> Asker:
        """Who asks."""
        return Asker(self.run.run_id, self.agent_id, self.run.started_by)

    def entry(
        self, kind: str, at: int, *, name: str | None = None, outcome: str | None = None, **data: object
    ) -> Entry:
        """Return an entry about this case."""
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

    def entries(self, at: int, *, payloads: bool) -> tuple[Entry, ...]:
        """Return what is recorded: the decision, a risk event for each policy, and each override."""
        decision, action = self.decision, self.action
        told = of_decision(action, decision, payloads=payloads)
        found = [
            self.entry("decision", at, name=stored_name(action.tool_name), outcome=decision.verdict.value, **told),
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
        kept = [mask_text(name) if "://" in name else stored_name(name) for name in dict.fromkeys(names)]
        return [self.entry("download", at, name=name) for name in kept]

    def written(self, at: int, shelf: Shelf) -> list[Entry]:
        """Return what is recorded once the action may run: each file that holds something else then. Texts are kept."""
        found = []
        for path, one in self.decision.assessment.analysis.files.items():
            short = one.text is not None and len(one.text) <= MAX_FILE
            digest = shelf.put(one.text) if short and one.text is not None else ""
            state = one.state if short or one.state == "gone" else "changed"
            data = {"path": path, "digest": digest, "state": state}
            found.append(self.entry("written", at, name=stored_name(path), **data))
        return found

    def after(self, at: int, shelf: Shelf) -> list[Entry]:
        """Return what is recorded once the action may run."""
        return [*self.fetched(at), *self.written(at, shelf)]

    def pause(self) -> Case:
        """Return the case with its action blocked because its run is paused."""
        decision = msgspec.structs.replace(
            self.decision, verdict=Verdict.BLOCK, cause=Cause.PAUSED_RUN, because="the run is paused", needs=None
        )
        return self._replace(decision=decision)

    def _unshown(self) -> list[str]:
        """Return what somebody who is asked is not shown of the action."""
        if len(msgspec.json.encode(plainly(self.action.input_payload))) > MAX_PAYLOAD:
            return [f"all but the first {MAX_PAYLOAD:,} bytes of what it is given"]
        return unshown(self.action.input_payload)

    def request(self, needs: Needs, at: Moment, seconds: int | None, terms: Terms) -> Approval:
        """Return the request that asks for this case's approval."""
        text = shown(self.action, self.decision)
        return Approval(
            approval_id=new_id(),
            run_id=self.run.run_id,
            agent_id=self.agent_id,
            started_by=self.run.started_by,
            one_person=terms.one_person,
            reviewer=terms.reviewer,
            roles=terms.roles_in(needs),
            digest=self.digest,
            action=masked_action(self.action),
            decision={**masked_decision(self.decision), "text": text, "unshown": self._unshown()},
            needs=needs,
            created_at=at.wall,
            expires_at=None if seconds is None else at.wall + seconds * MICROSECONDS,
        )


def belonging(action: Action, run: Run, config: Config) -> Action:
    """Return an action as one of a run, with what the run and the configuration say about where it runs."""
    found: dict[str, str | None] = {"run_id": run.run_id}
    if action.agent_id is None:
        found["agent_id"] = run.agent_id
    if action.workspace is None:
        found["workspace"] = config.workspace if run.workspace is None else run.workspace
    if action.cwd is None:
        found["cwd"] = run.workspace
    if action.home is None:
        found["home"] = config.home
    if action.environment is None:
        found["environment"] = config.environment
    return msgspec.structs.replace(action, **found)
