"""Check an action at a server: send it, then wait for its approval or cancel the request."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import partial

import msgspec

from interlock.approval.request import ApprovalState
from interlock.errors import ActionRefused, InterlockError, ServerError
from interlock.gate.approval_flow import Outcome
from interlock.gate.holds import MAX_HOLD, hold
from interlock.gate.remote.messages import CheckMessage, RemoteSubmission, find_declaration
from interlock.gate.remote.refusals import refuse
from interlock.gate.remote.session import POLL_SECONDS, RemoteSession, check_not_held
from interlock.ids import new_id
from interlock.model import Action, Decision

#: How many forms of one action a server accepts.
MAX_FORMS = 16


def decide_in(sessions: Sequence[RemoteSession], action: Action) -> Decision:
    """Decide and record an action in the run that judges it most strictly, without opening a request."""
    return sessions[0].send(action, _message(sessions, action, opens=False)).decision


def check_in(sessions: Sequence[RemoteSession], action: Action, stop: threading.Event | None = None) -> Outcome:
    """Return once an action may run in the run that judges it most strictly; else raise.

    Setting `stop` cancels its request.
    """
    stop = stop or threading.Event()
    message = msgspec.structs.replace(_message(sessions, action), holds=True)
    try:
        step = sessions[0].send(action, message, stop=stop)
        if step.held:
            step = hold(partial(_send_again, sessions[0], action, message, stop), MAX_HOLD, stop)
    except BaseException as error:
        if stop.is_set() or not isinstance(error, InterlockError):
            _abandon(sessions[0], action, message)
        raise
    step = _await_answer(sessions, action, step, stop)
    if not step.allowed:
        raise refuse(step)
    return Outcome(
        decision=step.decision,
        run_id=step.record.run.run_id,
        agent_id=step.agent_id,
        decision_id=step.record_id,
        digest=step.record.digest,
        by=step.by or "decision",
        approval=step.approval,
    )


def _send_again(
    session: RemoteSession, action: Action, message: CheckMessage, stop: threading.Event, left: float | None
) -> RemoteSubmission:
    """Resend an action that the server held; the last attempt gets the refusal."""
    message = msgspec.structs.replace(message, holds=left is not None)
    return check_not_held(session.send(action, message, wait=left or 0, stop=stop))


def _message(sessions: Sequence[RemoteSession], action: Action, *, opens: bool = True) -> CheckMessage:
    forms = [form for session in sessions for form in session.forms(action)]
    if len(forms) > MAX_FORMS:
        raise ActionRefused(
            "it does not say which run it belongs to, and too many are open",
            None,
            "carry the run into the thread with `carry_run` or `RunExecutor`",
        )
    return CheckMessage(forms=forms, declared=find_declaration(action), once=new_id(), opens=opens)


def _await_answer(
    sessions: Sequence[RemoteSession], action: Action, step: RemoteSubmission, stop: threading.Event
) -> RemoteSubmission:
    """Return a submission once its request ends. If the caller stops waiting, the request is cancelled."""
    session = next(one for one in sessions if one.run_id == step.record.run.run_id)
    while (asked := step.approval) is not None and not step.allowed:
        if asked.state is not ApprovalState.PENDING and not step.held:
            break
        try:
            step = session.wait_for(action, step.record_id, wait=POLL_SECONDS, holds=True, stop=stop)
        except BaseException as error:
            session.cancel(step)
            if isinstance(error, ActionRefused) and error.decision is None:
                raise ActionRefused(error.reason, step.decision, error.how, asked.approval_id) from None
            raise
    return step


def _abandon(session: RemoteSession, action: Action, message: CheckMessage) -> None:
    """Cancel the request of an action whose caller stopped waiting before the server replied."""
    try:
        session.cancel(session.send(action, message))
    except (ActionRefused, ServerError):
        return  # then it stays pending until it expires
