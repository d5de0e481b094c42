"""The answer to an agent about an action that may not run: why, what to do instead, and where to approve it."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Protocol

import msgspec

from interlock.agents.permission import Permission, PermissionText
from interlock.approval.request import Approval, ApprovalState
from interlock.errors import ActionRefused
from interlock.event_loops import run_in_thread, sleep
from interlock.gate import refusals
from interlock.gate.approval_flow import ActionHeld, Submission
from interlock.levels import Level
from interlock.model import Cause, Decision, Needs
from interlock.sanitise import plain

#: Challenges that an agent's own question replaces. An explanation in the person's own words is asked for by us.
ENOUGH = frozenset({"auto_approve", "confirm", "quiz"})
MAX_WORDS = 600
_MEANWHILE = "Continue with something else, or try again once it is approved"


class AnswerOptions(msgspec.Struct, frozen=True):
    """Options for answers to an agent: the highest level that is allowed without asking, and how long to wait."""

    auto_approve: Level | None = None
    wait: float = 0.0
    max_wait: float = 0.0  # how long to wait where the configuration says to (`approvals.unattended`)
    link: Callable[[Approval], str] | None = None  # where a request is answered, if not on the command line


class AnswerSource(Protocol):
    """The approvals of a run, in a local store or at a server, which a person gives elsewhere."""

    @property
    def run_id(self) -> str:
        """The id of the run."""

    @property
    def poll_seconds(self) -> float:
        """The seconds between two polls of a request."""

    def wait_for_answer(self, submission: Submission, seconds: float, *, holds: bool = False) -> Approval:
        """Return a request once it ends, or its current state after `seconds`; use it up if it was approved.

        With `holds`, raise `ActionHeld` if it was approved and the agent is paused.
        """

    def is_pending(self, submission: Submission) -> bool:
        """Whether the request of a submission is pending."""

    def waits_unattended(self, submission: Submission) -> bool:
        """Whether the configuration lets this request wait when no person is available."""

    def explain_how_to_approve(self, approval: Approval, url: str | None = None) -> str:
        """Return who can approve a request, and where: at a URL, or on the command line."""


def is_enough(needs: Needs) -> bool:
    """Whether the agent's own prompt to its user is enough for an approval."""
    return needs.approvers <= 1 and not needs.who and not needs.reason and needs.challenge in ENOUGH


def submit_with_hold(
    submit: Callable[[float | None], Submission], find_seconds: Callable[[Submission], float]
) -> Submission:
    """Submit an action. While its agent is paused, hold it for as long as `find_seconds` says."""
    try:
        return submit(0.0)
    except ActionHeld as held:
        from interlock.gate.holds import hold  # few agents are paused

        return hold(submit, find_seconds(held.submission))


async def submit_with_hold_async(
    submit: Callable[[float | None], Submission], find_seconds: Callable[[Submission], float]
) -> Submission:
    """Do as `submit_with_hold` does, without blocking the event loop."""
    try:
        return await run_in_thread(submit, 0.0)
    except ActionHeld as held:
        from interlock.gate.holds import hold_async  # few agents are paused

        seconds = await run_in_thread(find_seconds, held.submission)
        return await hold_async(lambda left: run_in_thread(submit, left), seconds)


def await_approval(
    session: AnswerSource, step: Submission, approval: Approval, options: AnswerOptions, *, holds: bool = False
) -> tuple[Permission, PermissionText]:
    """Wait for a request to be answered, as long as the options say, and return the answer to the agent.

    With `holds`, raise `ActionHeld` if it was approved and the agent is paused.
    """
    try:
        found = session.wait_for_answer(step, waiting_seconds(session, options, step), holds=holds)
    except ActionRefused as refused:  # it was used or has expired meanwhile, or the agent was stopped
        if refused.decision is not None and refused.decision.cause in refusals.STOP_ADVICE:
            return Permission.DENY, explain_block(refused.decision, session.run_id)
        return _explain_request(session, step, approval, options)
    if found.state is ApprovalState.APPROVED:
        return Permission.NO_OBJECTION, PermissionText("Interlock: approved")
    return _explain_request(session, step, found, options)


async def await_approval_async(
    session: AnswerSource, step: Submission, approval: Approval, options: AnswerOptions
) -> tuple[Permission, PermissionText]:
    """Do as `await_approval` does without blocking a thread. A caller that stops waiting uses up no approval."""
    deadline = time.monotonic() + await run_in_thread(waiting_seconds, session, options, step)
    once = msgspec.structs.replace(options, wait=0, max_wait=0)
    while True:
        is_late = time.monotonic() >= deadline
        has_ended = not await run_in_thread(session.is_pending, step)  # before the attempt, which then sees the end too
        try:
            attempt = functools.partial(await_approval, session, step, approval, once, holds=not is_late)
            permission, words = await run_in_thread(attempt)
            if is_late or has_ended or permission is Permission.NO_OBJECTION:
                return permission, words
        except ActionHeld:
            pass  # it was approved, and goes on once the agent is resumed
        await sleep(session.poll_seconds)


def waiting_seconds(session: AnswerSource, options: AnswerOptions, step: Submission) -> float:
    """Return how long to wait: `--wait`, or the value of `approvals.unattended` if no person is available."""
    return options.wait or (options.max_wait if session.waits_unattended(step) else 0.0)


def _explain_request(
    session: AnswerSource, step: Submission, approval: Approval, options: AnswerOptions
) -> tuple[Permission, PermissionText]:
    """Return the answer to an agent about a request that is pending, rejected or expired."""
    why = refusals.describe_reason(step.decision)
    if approval.state is not ApprovalState.PENDING:
        wished = [answer.instead for answer in approval.answers if answer.instead]
        instead = f"; try instead: {wished[-1]}" if wished else ""
        return Permission.DENY, PermissionText(one_line(f"Interlock: {approval.why or approval.state.value}{instead}"))
    how = session.explain_how_to_approve(approval, None if options.link is None else options.link(approval))
    told = f"Interlock: {why}. A person has to approve this first. {_MEANWHILE}"
    return Permission.DENY, PermissionText(
        one_line(told), one_line(f"Interlock is waiting for approval: {why}. {how}.")
    )


def explain_block(decision: Decision, run_id: str) -> PermissionText:
    """Return why an action is blocked, and what to do instead."""
    if decision.cause is Cause.PAUSED_RUN:
        import shlex

        resume = one_line(f"interlock runs resume {shlex.quote(run_id)}")
        return PermissionText(
            "Interlock: this run is paused until a person resumes it; stop here", f"Resume it with `{resume}`"
        )
    why, how = refusals.explain_block(decision)
    if decision.cause is Cause.PAUSED:
        return PermissionText(one_line(f"Interlock: {why}; {how}"))
    instead = next((finding.instead for finding in decision.assessment.findings if finding.instead), "")
    return PermissionText(one_line(f"Interlock blocked this: {why}. {f'Instead: {instead}' if instead else how}"))


def one_line(text: str) -> str:
    """Return a text on one line that an agent can act on, with nothing in it that does not print."""
    whole = plain(" ".join(text.split()))
    return whole if len(whole) <= MAX_WORDS else f"{whole[: MAX_WORDS - 1]}…"
