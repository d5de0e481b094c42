"""A run at a server: its actions are checked there, and so are its requests for approval."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

from interlock.approval.request import Approval, ApprovalState
from interlock.audit.runs import OPEN, Run
from interlock.errors import ActionRefused, ServerError
from interlock.gate.approval_flow import ASKED_BY_AGENT, ActionHeld, Outcome
from interlock.gate.decision_record import DecisionRecord
from interlock.gate.remote.api import path_of
from interlock.gate.remote.messages import (
    CheckAnswer,
    CheckMessage,
    RemoteSubmission,
    digest_at,
    find_declaration,
    portable,
)
from interlock.gate.remote.refusals import RETRY_ADVICE, refuse
from interlock.ids import new_id
from interlock.levels import Verdict
from interlock.model import NO_DETAILS, Action, Decision, RunDetails, Struct
from interlock.policy.pins import Pins, apply_pins
from interlock.sanitise import storable_name
from interlock.store.clock import now

if TYPE_CHECKING:
    from interlock.gate.remote.api import ServerApi

#: How long one HTTP request waits for an answer: proxies close connections that are idle for longer.
POLL_SECONDS = 20.0
#: How long to wait before an action is tried again that the server still holds.
AGAIN_SECONDS = 0.5
#: How long to retry when a request is cancelled or a run is ended.
CANCEL_SECONDS = 5.0


class _RequestText(Struct, frozen=True, kw_only=True):
    text: str


class _RequestTexts(Struct, frozen=True, kw_only=True):
    items: list[_RequestText]


class _StateAnswer(Struct, frozen=True, kw_only=True):
    state: str


class RemoteSession:
    """One run at a server. Threads may share it, and processes may share its id.

    `pins` are facts that the program states about the run: an action that claims something else is judged both ways,
    and the stricter verdict counts.
    """

    def __init__(
        self,
        api: ServerApi,
        run_id: str,
        agent_id: str | None,
        owner: str,
        pins: Pins,
        workspace: str | None = None,
        details: RunDetails = NO_DETAILS,
    ) -> None:
        self._api, self._details = api, details
        self._pins = msgspec.structs.replace(pins, user=details.user, tenant=details.tenant)
        self._run = Run(
            run_id=storable_name(run_id.replace("/", ":")),  # it is a part of the path of URLs
            agent_id=agent_id,
            started_by=owner,
            workspace=workspace,
            state=OPEN,
            started_at=now().wall,
            user=details.user,
            tenant=details.tenant,
            metadata=details.metadata,
        )
        self._has_started = False

    def begin(self, requests: Iterable[str] = ()) -> None:
        """Start the run at the server if it has details, and record the requests of the person."""
        run = self._run
        about = {"user": run.user, "tenant": run.tenant, "metadata": dict(run.metadata) or None}
        if any(about.values()):
            about |= {"runId": run.run_id, "agentId": run.agent_id, "workspace": run.workspace}
            given = {name: value for name, value in about.items() if value is not None}
            try:
                self._api.send("POST", "/v1/runs", given, _StateAnswer)
            except ServerError as error:
                if error.status is not None and not error.again:
                    raise
                raise ActionRefused(f"the run could not begin: {error}", None, RETRY_ADVICE) from None
            self._has_started = True
        wanted = [*requests, *([self._details.request] if self._details.request else [])]
        known = self.person_requests if wanted else ()
        for text in wanted:
            if text not in known:
                self.add_person_request(text)

    def __repr__(self) -> str:
        return f"<run {self.run_id} at {self._api.address.url}>"

    @property
    def run(self) -> Run:
        """The run, as it began in this process."""
        return self._run

    @property
    def details(self) -> RunDetails:
        """The user, tenant and metadata of the run."""
        return self._details

    @property
    def run_id(self) -> str:
        """The id of the run."""
        return self._run.run_id

    # deciding

    def decide(self, action: Action) -> Decision:
        """Decide and record, without opening a request."""
        return self.submit(action, opens=False).decision

    def check(self, action: Action, stop: threading.Event | None = None) -> Outcome:
        """Return once the action may run, waiting for its approval; else raise. Setting `stop` cancels the request."""
        from interlock.gate.remote.checks import check_in

        return check_in((self,), action, stop)

    def submit(
        self,
        action: Action,
        *,
        asks: bool = False,
        opens: bool = True,
        hold: float | None = None,
    ) -> RemoteSubmission:
        """Decide and record; open a request if an approval is needed, but do not wait for it.

        With `asks`, the program can ask its own user. With `hold`, the server holds the action for so many seconds
        while its agent is paused, and this raises `ActionHeld` if it is still paused then.
        """
        forms, declared, holds = self.forms(action), find_declaration(action), hold is not None
        message = CheckMessage(forms=forms, declared=declared, once=new_id(), asks=asks, opens=opens, holds=holds)
        return check_not_held(self.send(action, message, wait=hold or 0))

    def resume(
        self,
        action: Action,
        decision_id: str,
        *,
        asks: bool = False,
        hold: float | None = None,
    ) -> RemoteSubmission:
        """Continue with a recorded action; it is recorded again only if the verdict is stricter now.

        With `hold`, do as `submit` does.
        """
        return check_not_held(self.wait_for(action, decision_id, asks=asks, wait=hold or 0, holds=hold is not None))

    def wait_for(
        self,
        action: Action,
        decision_id: str,
        *,
        asks: bool = False,
        wait: float = 0,
        holds: bool = False,
        stop: threading.Event | None = None,
    ) -> RemoteSubmission:
        """Wait for the answer to the request of a recorded action. If its approval was granted, it is used up."""
        forms, declared = self.forms(action), find_declaration(action)
        message = CheckMessage(forms=forms, declared=declared, decision_id=decision_id, asks=asks, holds=holds)
        return self.send(action, message, wait=wait, stop=stop)

    def forms(self, action: Action) -> list[Action]:
        """Return the forms of an action to send: completed with the fields of the run, as claimed and as pinned."""
        run = self._run
        mine = msgspec.structs.replace(
            action,
            run_id=self.run_id,
            agent_id=action.agent_id or run.agent_id,
            cwd=action.cwd or run.workspace,
        )
        pinned = apply_pins(portable(mine), self._pins)
        return [pinned.action, *(view.action for view in pinned.others)]

    def find_overruled(self, action: Action) -> tuple[str, ...]:
        """Return the claims of an action that this run ignores."""
        return apply_pins(action, self._pins).overruled

    def send(
        self, action: Action, message: CheckMessage, *, wait: float = 0, stop: threading.Event | None = None
    ) -> RemoteSubmission:
        """Send an action to be checked; raise `ActionRefused` if there is no valid answer."""
        self._has_started = True
        try:
            found = self._api.send("POST", "/v1/check", message, CheckAnswer, wait=wait, stop=stop)
        except ServerError as error:
            if error.status is not None and not error.again:
                raise
            raise ActionRefused(f"the decision failed: {error}", None, RETRY_ADVICE) from None
        if found.run_id not in {form.run_id for form in message.forms}:
            raise ActionRefused("the server answered for another run", None, RETRY_ADVICE)
        return self._submission(action, found)

    def _submission(self, action: Action, found: CheckAnswer) -> RemoteSubmission:
        """Return the server's answer about an action; raise if the answer contradicts itself."""
        overruled = (*self.find_overruled(action), *found.decision.overruled)
        decision = msgspec.structs.replace(found.decision, overruled=tuple(dict.fromkeys(overruled)))
        unapproved = not decision.allowed and found.by in ("decision", ASKED_BY_AGENT)
        blocked = decision.verdict is Verdict.BLOCK or unapproved
        if (found.allowed and blocked) or (decision.allowed and not found.allowed):
            raise ActionRefused("the server's answer contradicts itself", decision, RETRY_ADVICE)
        digest, asked = digest_at(self._api.address.url, action), found.approval
        run = msgspec.structs.replace(self._run, run_id=found.run_id, agent_id=found.agent_id)
        return RemoteSubmission(
            record=DecisionRecord(action, decision, digest, run),
            by="" if found.by in ("decision", "approval") and not found.allowed else found.by,
            approval=None if asked is None else asked.to_approval(digest),
            record_id=found.decision_id,
            agent_id=found.agent_id,
            allowed=found.allowed,
            waits=found.waits,
            held=found.held,
            url="" if asked is None else asked.url,
        )

    # approvals

    def wait_for_answer(self, submission: RemoteSubmission, seconds: float, *, holds: bool = False) -> Approval:
        """Return the request of a submission once it ends, or its current state after `seconds`.

        A request that was approved is used up; raise if it cannot be. With `holds`, raise `ActionHeld` if the agent is
        paused then.
        """
        deadline, action = time.monotonic() + seconds, submission.record.action
        while True:
            left = max(deadline - time.monotonic(), 0.0)
            wait, held = min(left, POLL_SECONDS), holds or left > 0
            step = self.wait_for(action, submission.record_id, wait=wait, holds=held)
            if step.held and not holds:
                time.sleep(min(left, AGAIN_SECONDS))
                continue
            approval = check_not_held(step).approval
            if approval is None or (approval.state is ApprovalState.APPROVED and not step.allowed):
                raise refuse(step)
            if approval.state is not ApprovalState.PENDING or time.monotonic() >= deadline:
                return approval

    def is_pending(self, submission: RemoteSubmission) -> bool:
        """Whether the request of a submission is pending."""
        return submission.approval is not None and self._is_pending(submission.approval)

    def _is_pending(self, approval: Approval) -> bool:
        return (
            self._api.get(path_of("approvals", approval.approval_id), _StateAnswer).state == ApprovalState.PENDING.value
        )

    def waits_unattended(self, submission: RemoteSubmission) -> bool:
        """Whether the server's configuration lets this request wait when no person is available."""
        return submission.waits

    def cancel(self, step: RemoteSubmission) -> None:
        """Cancel the request of a submission. If the server does not answer, the request expires later."""
        if step.approval is not None:
            path = path_of("approvals", step.approval.approval_id, "cancel")
            try:
                self._api.send("POST", path, {}, _StateAnswer, total_timeout=CANCEL_SECONDS)
            except ServerError:
                return

    # people

    @property
    def person_requests(self) -> tuple[str, ...]:
        """The requests of the person behind the run, as recorded."""
        return self.requests_of(self.run_id)

    def requests_of(self, run_id: str) -> tuple[str, ...]:
        """Return the requests of the person behind a run of this key."""
        try:
            found = self._api.get(path_of("runs", run_id, "requests"), _RequestTexts)
        except ServerError as error:
            if error.status != 404:
                raise
            return ()
        return tuple(item.text for item in found.items)

    def add_person_request(self, text: str) -> str:
        """Record a request of the person behind the run; return the recorded text, empty if none is recorded."""
        self._has_started = True
        body = {"text": text, "once": new_id()}
        return self._api.send("POST", path_of("runs", self.run_id, "requests"), body, _RequestText).text

    def end(self) -> None:
        """Record that the run has ended, if it began. If that fails, the server ends it once it is idle."""
        if not self._has_started:
            return
        try:
            self._api.send(
                "POST", path_of("runs", self.run_id, "complete"), {}, _StateAnswer, total_timeout=CANCEL_SECONDS
            )
        except ServerError:
            return


def check_not_held(step: RemoteSubmission) -> RemoteSubmission:
    """Return a submission, or raise `ActionHeld` if the server holds it."""
    if step.held:
        raise ActionHeld(step)
    return step
