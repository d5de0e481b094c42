"""A case: an action with its decision, what is recorded of it, and the request that it becomes where that is asked."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import msgspec

from interlock.analyse.payloads.payload import clean
from interlock.approval.request import Approval
from interlock.approval.requester import Requester
from interlock.approval.rules import ApprovalRules
from interlock.audit.content_store import ContentStore
from interlock.audit.digest import canonical_form
from interlock.audit.masking import mask_text
from interlock.audit.record import Entry, new_id
from interlock.audit.runs import Run
from interlock.audit.summary import (
    MAX_PAYLOAD,
    describe_action,
    list_omissions,
    mask_action,
    mask_decision,
    summarise_decision,
)
from interlock.config.schema import Config
from interlock.levels import Verdict
from interlock.model import MAX_FILE, Action, Decision, Needs
from interlock.policy.tiers import plain
from interlock.store.clock import MICROSECONDS, Moment

MAX_NAME = 200


class Case(NamedTuple):
    """An action on its way through the gate. `digest` is of the exact action."""

    action: Action
    decision: Decision
    digest: str
    run: Run

    @property
    def agent_id(self) -> str | None:
        """Who wants this: an action may name another agent than its run does."""
        return None if self.action.agent_id is None else named(self.action.agent_id)

    @property
    def asker(self) -> Requester:
        """Who asks."""
        return Requester(self.run.run_id, self.agent_id, self.run.started_by)

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
        told = summarise_decision(action, decision, payloads=payloads)
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
        kept = [mask_text(name) if "://" in name else named(name) for name in dict.fromkeys(names)]
        return [self.entry("download", at, name=name) for name in kept]

    def written(self, at: int, shelf: ContentStore) -> list[Entry]:
        """Return what is recorded once the action may run: each file that holds something else then. Texts are kept."""
        found = []
        for path, one in self.decision.assessment.analysis.files.items():
            short = one.text is not None and len(one.text) <= MAX_FILE
            digest = shelf.put(one.text) if short and one.text is not None else ""
            state = one.state if short or one.state == "gone" else "changed"
            data = {"path": path, "digest": digest, "state": state}
            found.append(self.entry("written", at, name=named(path), **data))
        return found

    def after(self, at: int, shelf: ContentStore) -> list[Entry]:
        """Return what is recorded once the action may run."""
        return [*self.fetched(at), *self.written(at, shelf)]

    def blocked(self, why: str) -> Case:
        """Return the case with its action blocked, for a reason that the engine does not know."""
        decision = msgspec.structs.replace(self.decision, verdict=Verdict.BLOCK, because=why, needs=None)
        return self._replace(decision=decision)

    def _unshown(self) -> list[str]:
        """Return what somebody who is asked is not shown of the action."""
        if len(msgspec.json.encode(canonical_form(self.action.input_payload))) > MAX_PAYLOAD:
            return [f"all but the first {MAX_PAYLOAD:,} bytes of what it is given"]
        return list_omissions(self.action.input_payload)

    def request(self, needs: Needs, at: Moment, seconds: int | None, terms: ApprovalRules) -> Approval:
        """Return the request that asks for this case's approval."""
        text = describe_action(self.action, self.decision)
        return Approval(
            approval_id=new_id(),
            run_id=self.run.run_id,
            agent_id=self.agent_id,
            started_by=self.run.started_by,
            one_person=terms.one_person,
            reviewer=terms.reviewer,
            roles=terms.members_of_roles(needs),
            digest=self.digest,
            action=mask_action(self.action),
            decision={**mask_decision(self.decision), "text": text, "unshown": self._unshown()},
            needs=needs,
            created_at=at.wall,
            expires_at=None if seconds is None else at.wall + seconds * MICROSECONDS,
        )


def named(text: str) -> str:
    """Return a name as the store keeps it: nothing in it that does not print, and not too long."""
    return text if len(text) <= MAX_NAME and text.isprintable() and text.isascii() else _cleaned(text)


def _cleaned(text: str) -> str:
    whole = plain(clean(text))
    if len(whole) <= MAX_NAME:
        return whole
    return f"{whole[: MAX_NAME - 20]}…{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


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
