"""Answer a hook call: decide, and write the answer in the agent's dialect. Every failure is a refusal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager

import msgspec

from interlock.agents.coding import find_agent
from interlock.agents.coding.agent import HookOutput, Stage
from interlock.agents.hook.call import HookCall, parse_call
from interlock.agents.permission import Permission, PermissionText
from interlock.agents.reply import (
    AnswerOptions,
    await_approval,
    explain_block,
    is_enough,
    one_line,
    submit_with_hold,
    waiting_seconds,
)
from interlock.audit.identity import user_name
from interlock.errors import InterlockError
from interlock.gate.approval_flow import ASKED_BY_AGENT
from interlock.gate.gate import Gate
from interlock.gate.refusals import describe_reason
from interlock.gate.session import Session
from interlock.levels import Verdict
from interlock.model import Action, Cause, Decision, Needs


def answer_call(
    name: str,
    raw: bytes,
    open_gate: Callable[[], AbstractContextManager[Gate]],
    *,
    event: str | None = None,
    environment: Mapping[str, str] | None = None,
    options: AnswerOptions = AnswerOptions(),  # noqa: B008 - it never changes
) -> HookOutput:
    """Return what a hook prints for a call of an agent."""
    try:
        call = parse_call(name, raw, event, environment)
        name, event = call.agent.name, call.event  # from here on, failures are reported in the caller's dialect
        with open_gate() as gate:
            return _answer(gate, call, options)
    except Exception as error:  # an agent lets the action run in most ways in which a hook can fail
        ours = isinstance(error, InterlockError)
        if not ours:
            _log(name, error)
        return refuse(name, event, f"the decision failed: {error if ours else type(error).__name__}")


def _log(name: str, error: Exception) -> None:
    import logging  # slow to load, and rarely needed

    logging.getLogger("interlock.agents").error("the hook of %s failed", name, exc_info=error)


def refuse(name: str, event: str | None, why: str) -> HookOutput:
    """Return a refusal in the format of an agent, or in the one that all agents understand."""
    try:
        agent = find_agent(name)
    except InterlockError as error:
        return HookOutput(b"", f"Interlock refused this, because the decision failed: {error}\n".encode(), 2)
    known = event if event and event in agent.events else next(iter(agent.events))
    words = PermissionText(one_line(f"Interlock refused this: {why}"))
    return HookOutput(agent.write(known, Permission.DENY, words), f"{words.reason}\n".encode())


def _answer(gate: Gate, call: HookCall, options: AnswerOptions) -> HookOutput:
    agent, event = call.agent, call.event
    if call.stage is Stage.AFTER:
        from interlock.agents.hook.outcome import record_outcome

        record_outcome(gate, call, _session_of(gate, call))
    if call.stage is Stage.REQUEST:
        from interlock.agents.hook.person_request import record_person_request

        record_person_request(gate, call)
    if call.stage in (Stage.AFTER, Stage.REQUEST, Stage.OTHER):
        return HookOutput(agent.write(event, Permission.NO_OBJECTION, PermissionText()))
    permission, words = decide_call(gate, call, options)
    return HookOutput(agent.write(event, agent.express(event, permission), words))


def decide_call(gate: Gate, call: HookCall, options: AnswerOptions) -> tuple[Permission, PermissionText]:
    """Decide a call of an agent, and return the permission and its explanation."""
    return decide_in_session(_session_of(gate, call), call, options)


def _session_of(gate: Gate, call: HookCall) -> Session:
    action = call.action
    return gate.session_of(user_name(), call.run_id, action.agent_id, action.workspace, call.agent.name)


def decide_in_session(session: Session, call: HookCall, options: AnswerOptions) -> tuple[Permission, PermissionText]:
    """Decide a call of an agent in a run, and return the permission and its explanation."""
    if call.stage is Stage.PROMPT:
        passed = session.find_recent_pass(call.action, _remove_description(call.action))
        if passed is not None and _may_still_run(session, call, *passed):
            return _permit(call, passed[0], options), PermissionText(one_line(f"Interlock: {passed[0].because}"))
    asks = _find_own_question(call)
    step = submit_with_hold(
        lambda left: session.submit(call.action, asks, holds=left is not None),
        lambda held: waiting_seconds(session.approvals, options, held),
    )
    decision = step.decision
    if decision.verdict is Verdict.BLOCK:
        return Permission.DENY, explain_block(decision, session.run_id)
    if step.by == ASKED_BY_AGENT:
        return Permission.ASK, PermissionText(one_line(f"Interlock needs your approval: {describe_reason(decision)}"))
    if step.approval is not None:
        return await_approval(session.approvals, step, step.approval, options)
    return _permit(call, decision, options), PermissionText(one_line(f"Interlock: {decision.because}"))


def _may_still_run(session: Session, call: HookCall, decision: Decision, way: str) -> bool:
    """Whether an action that passed a moment ago may run now: if it needs a person, one must be available."""
    asks = _find_own_question(call)
    asked = way == ASKED_BY_AGENT and asks is not None and decision.needs is not None and asks(decision.needs)
    return decision.allowed or (asked and session.user_may_answer()) or way in ("approval.used", "grant.used")


def _remove_description(action: Action) -> Action:
    """Return an action without the description that an agent adds to its permission prompt."""
    given = {name: value for name, value in action.input_payload.items() if name != "description"}
    return msgspec.structs.replace(action, input_payload=given)


def _find_own_question(call: HookCall) -> Callable[[Needs], bool] | None:
    """Return which approvals the agent's own prompt can give; None if it cannot ask, or is unattended."""
    if call.unattended or call.agent.express(call.event, Permission.ASK) is not Permission.ASK:
        return None
    return is_enough


#: Effects that `--auto-approve` covers, if the code was fully read. Not code that runs elsewhere, nor other tools.
_READ = ("fs.", "vcs.", "out.", "net.fetch", "system.read", "env.read", "db.read", "process.read")
#: Fields of a tool's input that lift the limits of its sandbox.
_BEYOND = ("dangerouslyDisableSandbox", "run_in_background", "additional_permissions", "is_background")


def _permit(call: HookCall, decision: Decision, options: AnswerOptions) -> Permission:
    """Return the permission for an action that may run: no objection, or allow where `--auto-approve` covers it."""
    assessed = decision.assessment
    if options.auto_approve is None or decision.verdict is not Verdict.ALLOW or assessed.level > options.auto_approve:
        return Permission.NO_OBJECTION
    if decision.cause is Cause.OBSERVED:
        return Permission.NO_OBJECTION  # the agent's own rules decide about an observed action
    read = assessed.coverage.full and assessed.effects and all(e.kind.startswith(_READ) for e in assessed.effects)
    beyond = any(call.action.input_payload.get(name) for name in _BEYOND)
    return Permission.ALLOW if read and not beyond else Permission.NO_OBJECTION
