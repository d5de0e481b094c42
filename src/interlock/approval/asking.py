"""Asking: a request is brought to whoever can answer it, and waits until somebody has, or its time is up."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from typing import NamedTuple, Protocol

import msgspec

from interlock.approval.register import Register
from interlock.approval.request import Answer, Approval, Reply, State
from interlock.approval.requirement import check_approver
from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.record import Entry
from interlock.audit.runs import pause_run
from interlock.errors import ApprovalError, StoreError
from interlock.levels import Level
from interlock.store.clock import now

#: How often a waiting process looks whether somebody has answered, in seconds: often at first, then less so.
LOOKS = (0.05, 0.5)
#: How many refusals of a model in a row pause a run.
MAX_REFUSALS = 3


class Nobody:
    """A desk at which nobody sits: a hook is called by a program, whatever it was started from."""

    def available(self) -> bool:
        """Nobody is there."""
        return False

    def ask(self, *_: object, **__: object) -> None:
        """Nobody answers."""


class Desk(Protocol):
    """A person who can be asked here and now."""

    def available(self) -> bool:
        """Whether anybody is there."""

    def ask(
        self,
        approval: Approval,
        approver: str,
        *,
        poll: Callable[[], bool],
        seconds_left: Callable[[], float | None],
    ) -> Answer | None:
        """Ask, until there is an answer, somebody else has given one, or the time is up."""


class Asked(NamedTuple):
    """What became of a request, and what could be done where it was refused."""

    approval: Approval
    how: str = ""

    @property
    def advice(self) -> str:
        """What could be done: what somebody would rather see, or how to be asked at all."""
        wished = [answer.instead for answer in self.approval.answers if answer.instead]
        return f"try instead: {wished[-1]}" if wished else self.how


class Asking:
    """Brings requests to a model, to a person at this terminal, or to whoever answers from elsewhere."""

    def __init__(
        self,
        journal: Journal,
        register: Register,
        *,
        review: Callable[[Approval, float | None], Answer] | None = None,
        desk: Desk | None = None,
        person: str = "",
    ) -> None:
        self._journal, self._register = journal, register
        self._review, self._desk, self._person = review, desk, person

    def ask(self, approval: Approval, stop: threading.Event) -> Asked:
        """Return what became of a request. `stop` takes it back."""
        try:
            approval = self.ask_model(approval)
            if approval.state is State.PENDING:
                return self._ask_person(approval, stop)
        except BaseException:
            with contextlib.suppress(StoreError):  # then it ends when its time is up
                self._register.end(approval.approval_id, State.CANCELLED, "whoever asked went away")
            raise
        return Asked(approval)

    def ask_model(self, approval: Approval) -> Approval:
        """Let the model take its part, where it has one and has not taken it; return the request as it then stands."""
        if self._review is None or not approval.needs.model or any(answer.model for answer in approval.answers):
            return approval
        answer = self._review(approval, self._register.look(approval.approval_id)[1])
        try:
            approval = self._register.answer(approval.approval_id, answer)
        except ApprovalError:  # it ended meanwhile
            return self._register.get(approval.approval_id)
        if answer.verdict is Reply.REJECT:
            self._journal.commit(lambda transaction: _pause_if_refused(transaction, approval.run_id))
        return approval

    def _ask_person(self, approval: Approval, stop: threading.Event) -> Asked:
        level = Level(approval.decision["level"])
        unattended = self._register.terms.settings.without_anyone(level)
        attended, why = self._attended(approval)
        if not attended and unattended == "refuse":
            how = f'set `approvals.unattended = "wait"` (or "queue") for level {level.value}, and answer elsewhere'
            if not self._desk_available():
                how = f"run it at a terminal, or {how} with `interlock approvals`"
            return Asked(self._register.end(approval.approval_id, State.CANCELLED, why), how)
        if not attended and unattended == "queue":
            return Asked(approval, f"`interlock approvals approve {approval.approval_id[:8]}`, then try again")
        if attended:
            self._at_desk(approval, stop)
        return Asked(self._wait(approval, stop))

    def _desk_available(self) -> bool:
        """Whether a person can be asked at this terminal."""
        return self._desk is not None and self._desk.available()

    def _attended(self, approval: Approval) -> tuple[bool, str]:
        """Whether somebody is there who may approve this, and if not, why."""
        if not self._desk_available():
            return False, "nobody is there to ask"
        try:
            check_approver(approval, self._person)
        except ApprovalError as error:
            return False, str(error)
        return True, ""

    def _at_desk(self, approval: Approval, stop: threading.Event) -> None:
        """Ask the person who is there; an answer that cannot be taken leaves the request to others, and to its time."""
        assert self._desk is not None  # noqa: S101 - for the type checker
        answer = self._desk.ask(
            approval,
            self._person,
            poll=lambda: stop.is_set() or self._look(approval)[0] is not State.PENDING,
            seconds_left=lambda: self._look(approval)[1],
        )
        if answer is None:
            return
        with contextlib.suppress(ApprovalError):
            self._register.answer(approval.approval_id, answer)

    def _look(self, approval: Approval) -> tuple[State, float | None]:
        """Return where a request stands and what it has left; a server that restarts is waited for."""
        try:
            return self._register.look(approval.approval_id)
        except StoreError as error:
            if not error.again:
                raise
            return State.PENDING, 1.0

    def _wait(self, approval: Approval, stop: threading.Event) -> Approval:
        pause, longest = LOOKS
        while True:
            state, left = self._look(approval)
            if state is not State.PENDING:
                return self._register.get(approval.approval_id)
            if left is not None and left <= 0:
                return self._register.end(approval.approval_id, State.EXPIRED, "nobody answered in time")
            if stop.wait(pause if left is None else min(pause, left)):
                return self._register.end(approval.approval_id, State.CANCELLED, "whoever asked took it back")
            pause = min(pause * 1.5, longest)


_BY_A_MODEL = """
    SELECT given.answer FROM interlock_answers given JOIN interlock_approvals asked USING (approval_id)
    WHERE asked.run_id = :run_id AND given.approver LIKE 'model:%' ORDER BY given.seq DESC LIMIT :most
"""


def _pause_if_refused(transaction: Transaction, run_id: str) -> None:
    """Pause a run whose last requests the model has all refused: the agent is stuck, or tries its luck."""
    given = transaction.connection.values(_BY_A_MODEL, run_id=run_id, most=MAX_REFUSALS)
    found = [msgspec.json.decode(text, type=Answer).verdict for text in given]
    if found == [Reply.REJECT] * MAX_REFUSALS:
        pause_run(transaction, run_id, f"a model has refused {MAX_REFUSALS} requests in a row")


def not_reviewed(approval: Approval) -> Entry:
    """Return the record of a request whose model's part nobody can take."""
    return Entry(
        kind="approval.reviewed",
        at=now().wall,
        actor="interlock",
        run_id=approval.run_id,
        agent_id=approval.agent_id,
        approval_id=approval.approval_id,
        digest=approval.digest,
        outcome="not configured",
    )
