"""The hook: what an agent says goes in, what it is answered comes out. Nothing runs because something went wrong."""

from __future__ import annotations

import contextlib
import logging
import shlex
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import NamedTuple

from interlock.agents.agent import Reply, Said, Stage, Words, failed
from interlock.agents.heard import Heard, agent_of, hear
from interlock.agents.outcome import note_outcome
from interlock.approval.request import Approval, State
from interlock.audit.anchor import user
from interlock.errors import ActionRefused, InterlockError
from interlock.gate.gate import Gate
from interlock.gate.passage import ASKED, Step
from interlock.gate.session import PAUSED_RUN, Session, blocked
from interlock.levels import Level, Verdict
from interlock.model import Decision, Needs
from interlock.policy.tiers import plain

#: What an agent's own question is as good as. Who must write in their own words, or be two, is asked by us.
ENOUGH = frozenset({"auto_approve", "confirm", "quiz"})
MAX_WORDS = 600
_LOG = logging.getLogger("interlock.agents")


class Terms(NamedTuple):
    """How a hook answers: up to which level it approves in the person's place, and how long it waits for an answer."""

    auto_approve: Level | None = None
    wait: float = 0.0
    where: str = "interlock approvals"


def answered(
    name: str,
    raw: bytes,
    opened: Callable[[], AbstractContextManager[Gate]],
    *,
    event: str | None = None,
    environment: Mapping[str, str] | None = None,
    terms: Terms = Terms(),  # noqa: B008 - it never changes
) -> Said:
    """Return what a hook prints for a call of an agent."""
    try:
        heard = hear(name, raw, event, environment)
        name, event = heard.agent.name, heard.event  # whatever happens now, it is said in the language of who calls
        with opened() as gate:
            return _answer(gate, heard, terms)
    except Exception as error:  # an agent takes most ways in which a program can fail for leave to go on
        ours = isinstance(error, InterlockError)
        if not ours:
            _LOG.error("the hook of %s failed", name, exc_info=error)
        return refused(name, event, f"it could not be decided: {error if ours else type(error).__name__}")


def refused(name: str, event: str | None, why: str) -> Said:
    """Return a refusal in an agent's own language, or in the one that all of them know."""
    try:
        agent = agent_of(name)
    except InterlockError as error:
        return failed(str(error))
    known = event if event and event in agent.events else next(iter(agent.events))
    words = Words(_line(f"Interlock does not let this run: {why}"))
    return Said(agent.write(known, Reply.DENY, words), f"{words.why}\n".encode())


def _answer(gate: Gate, heard: Heard, terms: Terms) -> Said:
    agent, event = heard.agent, heard.event
    if heard.stage is Stage.AFTER:
        note_outcome(gate, heard)
    if heard.stage in (Stage.AFTER, Stage.OTHER):
        return Said(agent.write(event, Reply.SILENT, Words()))
    reply, words = reply_to(gate, heard, terms)
    return Said(agent.write(event, agent.expressed(event, reply), words))


def reply_to(gate: Gate, heard: Heard, terms: Terms) -> tuple[Reply, Words]:
    """Decide what an agent is about to do, and return what it is told."""
    run_id, action = heard.session or f"{heard.agent.name} without a session", heard.action
    session = gate.session_of(user(), run_id, action.agent_id, action.workspace, heard.agent.name)
    step = session.submit(action, _asks_itself(heard))
    decision = step.case.decision
    if decision.verdict is Verdict.BLOCK:
        return Reply.DENY, _blocked(decision, session)
    if step.by == ASKED:
        return Reply.ASK, Words(_line(f"Interlock asks: {_why(decision)}"))
    if step.approval is not None:
        return _waited(session, step, step.approval, terms)
    return _unasked(heard, decision, terms), Words(_line(f"Interlock: {decision.because}"))


def _asks_itself(heard: Heard) -> Callable[[Needs], bool] | None:
    """Return when an agent's own question is enough: where it has one, and somebody is there to be asked."""
    if heard.unattended or heard.agent.expressed(heard.event, Reply.ASK) is not Reply.ASK:
        return None
    return lambda needs: needs.approvers <= 1 and not needs.who and not needs.reason and needs.challenge in ENOUGH


#: What is approved in a person's place: what was read to the end. No code that runs elsewhere, no tools of others.
_READ = ("fs.", "vcs.", "out.", "net.fetch", "system.read", "env.read", "db.read", "process.read")
#: Ways in which a tool leaves what was agreed on.
_BEYOND = ("dangerouslyDisableSandbox", "run_in_background", "additional_permissions", "is_background")


def _unasked(heard: Heard, decision: Decision, terms: Terms) -> Reply:
    """Return what is said of what may run: nothing, unless the person wants to be asked less."""
    assessed = decision.assessment
    if terms.auto_approve is None or decision.verdict is not Verdict.ALLOW or assessed.level > terms.auto_approve:
        return Reply.SILENT
    read = assessed.coverage.full and assessed.effects and all(e.kind.startswith(_READ) for e in assessed.effects)
    beyond = any(heard.action.input_payload.get(name) for name in _BEYOND)
    return Reply.ALLOW if read and not beyond else Reply.SILENT


def _waited(session: Session, step: Step, approval: Approval, terms: Terms) -> tuple[Reply, Words]:
    with contextlib.suppress(ActionRefused):  # it was used or ran out meanwhile
        approval = session.awaited(step, terms.wait)
        if approval.state is State.APPROVED:
            return Reply.SILENT, Words("Interlock: somebody approved this")
    why = _why(step.case.decision)
    number = approval.approval_id[:8]
    if approval.state is not State.PENDING:
        wished = [answer.instead for answer in approval.answers if answer.instead]
        instead = f"; try instead: {wished[-1]}" if wished else ""
        return Reply.DENY, Words(_line(f"Interlock: {approval.why or approval.state.value}{instead}"))
    how = f"`{terms.where} approve {number}` approves it"
    told = f"Interlock: {why}. A person has to approve this first; go on with something else, or try again then"
    return Reply.DENY, Words(_line(told), _line(f"Interlock holds something back: {why}. {how}."))


def _blocked(decision: Decision, session: Session) -> Words:
    if decision.because == PAUSED_RUN:
        resume = _line(f"interlock runs resume {shlex.quote(session.run_id)}")
        return Words(
            "Interlock: this run is paused until a person lets it go on; stop here", f"`{resume}` lets it go on"
        )
    why, _, how = blocked(decision)
    instead = next((finding.instead for finding in decision.assessment.findings if finding.instead), "")
    return Words(_line(f"Interlock blocked this: {why}. {f'Instead: {instead}' if instead else how}"))


def _why(decision: Decision) -> str:
    reasons = decision.assessment.reasons
    return reasons[0] if reasons else decision.because


def _line(text: str) -> str:
    """Return a text on one line that an agent can act on, with nothing in it that does not print."""
    whole = plain(" ".join(text.split()))
    return whole if len(whole) <= MAX_WORDS else f"{whole[: MAX_WORDS - 1]}…"
