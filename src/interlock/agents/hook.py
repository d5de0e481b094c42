"""The hook: what an agent says goes in, what it is answered comes out. Nothing runs because something went wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager

import msgspec

from interlock.agents.agent import Reply, Said, Stage, Words, failed
from interlock.agents.heard import Heard, agent_of, hear
from interlock.agents.outcome import note_outcome
from interlock.agents.refusal import Terms, is_enough, line, refusal_of, waited, why_of
from interlock.audit.identity import user_name
from interlock.errors import InterlockError
from interlock.gate.approval_flow import ASKED_BY_AGENT
from interlock.gate.gate import Gate
from interlock.gate.session import Session
from interlock.levels import Verdict
from interlock.model import Action, Decision, Needs


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
            _log(name, error)
        return refused(name, event, f"it could not be decided: {error if ours else type(error).__name__}")


def _log(name: str, error: Exception) -> None:
    import logging  # by those alone who have something to say

    logging.getLogger("interlock.agents").error("the hook of %s failed", name, exc_info=error)


def refused(name: str, event: str | None, why: str) -> Said:
    """Return a refusal in an agent's own language, or in the one that all of them know."""
    try:
        agent = agent_of(name)
    except InterlockError as error:
        return failed(str(error))
    known = event if event and event in agent.events else next(iter(agent.events))
    words = Words(line(f"Interlock does not let this run: {why}"))
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
    action = heard.action
    session = gate.session_of(user_name(), heard.run_id, action.agent_id, action.workspace, heard.agent.name)
    return reply_in(session, heard, terms)


def reply_in(session: Session, heard: Heard, terms: Terms) -> tuple[Reply, Words]:
    """Decide what an agent is about to do in a run, and return what it is told."""
    if heard.stage is Stage.ASKING:
        passed = session.find_recent_pass(heard.action, _bare(heard.action))
        if passed is not None and _still_passes(heard, *passed):
            return _unasked(heard, passed[0], terms), Words(line(f"Interlock: {passed[0].because}"))
    step = session.submit(heard.action, _asks_itself(heard))
    decision = step.decision
    if decision.verdict is Verdict.BLOCK:
        return Reply.DENY, refusal_of(decision, session)
    if step.by == ASKED_BY_AGENT:
        return Reply.ASK, Words(line(f"Interlock asks: {why_of(decision)}"))
    if step.approval is not None:
        return waited(session, step, step.approval, terms)
    return _unasked(heard, decision, terms), Words(line(f"Interlock: {decision.because}"))


def _still_passes(heard: Heard, decision: Decision, way: str) -> bool:
    """Whether what was let through a moment ago is so now: where a person was to be asked, they must still be there."""
    asks = _asks_itself(heard)
    asked = way == ASKED_BY_AGENT and asks is not None and decision.needs is not None and asks(decision.needs)
    return decision.allowed or asked or way in ("approval.used", "grant.used")


def _bare(action: Action) -> Action:
    """Return an action without the words that an agent adds for its person when it asks."""
    given = {name: value for name, value in action.input_payload.items() if name != "description"}
    return msgspec.structs.replace(action, input_payload=given)


def _asks_itself(heard: Heard) -> Callable[[Needs], bool] | None:
    """Return when an agent's own question is enough: where it has one, and somebody is there to be asked."""
    if heard.unattended or heard.agent.expressed(heard.event, Reply.ASK) is not Reply.ASK:
        return None
    return is_enough


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
