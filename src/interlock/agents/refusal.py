"""What an agent is told of what it may not do: why, what to do instead, and where a person can let it."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable
from typing import NamedTuple

from interlock.agents.agent import Reply, Words
from interlock.approval.request import Approval, ApprovalState
from interlock.errors import ActionRefused
from interlock.gate.approval_flow import Submission
from interlock.gate.refusals import explain_block
from interlock.gate.session import POLL_SECONDS, Session
from interlock.levels import Level
from interlock.loops import sleep, threaded
from interlock.model import Cause, Decision, Needs
from interlock.sanitise import plain

#: What an agent's own question is as good as. Who must write in their own words, or be two, is asked by us.
ENOUGH = frozenset({"auto_approve", "confirm", "quiz"})
MAX_WORDS = 600


class Terms(NamedTuple):
    """How an agent is answered: up to which level it is approved in the person's place, and how long that waits."""

    auto_approve: Level | None = None
    wait: float = 0.0
    patience: float = 0.0  # how long it can wait at most, where the configuration says that it does
    link: Callable[[Approval], str] | None = None  # where a request is answered, if not on the command line


def is_enough(needs: Needs) -> bool:
    """Whether an agent's own question to its person is all that an approval takes."""
    return needs.approvers <= 1 and not needs.who and not needs.reason and needs.challenge in ENOUGH


def waited(session: Session, step: Submission, approval: Approval, terms: Terms) -> tuple[Reply, Words]:
    """Wait for somebody to answer a request, as long as the terms say, and return what the agent is told then."""
    try:
        found = session.wait_for_answer(step, _seconds(session, step, terms))
    except ActionRefused:  # it was used or ran out meanwhile
        return _answered(step, approval, terms)
    if found.state is ApprovalState.APPROVED:
        return Reply.SILENT, Words("Interlock: somebody approved this")
    return _answered(step, found, terms)


async def await_answer(session: Session, step: Submission, approval: Approval, terms: Terms) -> tuple[Reply, Words]:
    """Do as `waited` does, while others go on: no thread waits, and whoever stops waiting uses nothing up."""
    deadline = time.monotonic() + await threaded(_seconds, session, step, terms)
    while True:
        once = terms._replace(wait=0, patience=0)
        reply, words = await threaded(waited, session, step, approval, once)
        pending = await threaded(session.is_pending, step)
        if not pending or time.monotonic() >= deadline:
            return reply, words
        await sleep(POLL_SECONDS)


def _seconds(session: Session, step: Submission, terms: Terms) -> float:
    """Return how long to wait: as was typed, or as `approvals.unattended` says for where nobody is there to ask."""
    return terms.wait or (terms.patience if session.waits_unattended(step) else 0.0)


def _answered(step: Submission, approval: Approval, terms: Terms) -> tuple[Reply, Words]:
    """Return what an agent is told of a request that nobody has approved."""
    why = why_of(step.decision)
    if approval.state is not ApprovalState.PENDING:
        wished = [answer.instead for answer in approval.answers if answer.instead]
        instead = f"; try instead: {wished[-1]}" if wished else ""
        return Reply.DENY, Words(line(f"Interlock: {approval.why or approval.state.value}{instead}"))
    how = f"`interlock approvals approve {approval.approval_id[:8]}` approves it"
    if terms.link is not None:
        how = f"{terms.link(approval)} is where to approve it"
    told = f"Interlock: {why}. A person has to approve this first; go on with something else, or try again then"
    return Reply.DENY, Words(line(told), line(f"Interlock holds something back: {why}. {how}."))


def refusal_of(decision: Decision, session: Session) -> Words:
    """Return why something is blocked, and what could be done instead."""
    if decision.cause is Cause.PAUSED_RUN:
        resume = line(f"interlock runs resume {shlex.quote(session.run_id)}")
        return Words(
            "Interlock: this run is paused until a person lets it go on; stop here", f"`{resume}` lets it go on"
        )
    why, how = explain_block(decision)
    instead = next((finding.instead for finding in decision.assessment.findings if finding.instead), "")
    return Words(line(f"Interlock blocked this: {why}. {f'Instead: {instead}' if instead else how}"))


def why_of(decision: Decision) -> str:
    """Return the first reason of a decision."""
    reasons = decision.assessment.reasons
    return reasons[0] if reasons else decision.because


def line(text: str) -> str:
    """Return a text on one line that an agent can act on, with nothing in it that does not print."""
    whole = plain(" ".join(text.split()))
    return whole if len(whole) <= MAX_WORDS else f"{whole[: MAX_WORDS - 1]}…"
