"""A past for tests: an agent that asks, and people who answer, over days, in a real store."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

import msgspec
import pytest

from interlock import Action, Gate
from interlock.approval.request import Answer, AnswerVerdict, Approval, ApprovalState, ChallengeResult
from interlock.learning.suggestion import Suggestion
from interlock.learning.suggestion_search import find_suggestions
from interlock.metrics.action_index import index_new_actions
from interlock.policy.policies import Policy

SHOP = "/home/sam/shop"
DAY, MINUTE = 86_400, 60
#: Asks about everything that changes something, so that requests are opened for medium actions too.
ASK = Policy("ask-changes", when="effects.exists(effect, !(effect.kind in ['fs.read', 'out.print']))")


class Clock:
    """The wall clock, which a test moves; it begins a month ago."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._real = time.time_ns
        self.behind: float = 30 * DAY
        monkeypatch.setattr(time, "time_ns", lambda: self._real() - int(self.behind * 1e9))

    def pass_seconds(self, seconds: float) -> None:
        self.behind -= seconds

    def come_back(self) -> None:
        """Return to the present."""
        self.behind = 0


class Past:
    """What happened in a store: each method asks for an action, and answers the request."""

    def __init__(self, gate: Gate, clock: Clock) -> None:
        self.gate, self.clock, self._runs = gate, clock, 0

    def ask(
        self, command: str | Action, *, agent: str = "claude", owner: str = "sam", run: str = "", **more: Any
    ) -> Approval:
        """Ask for an action in a run of its own, and return the request."""
        place = {"cwd": SHOP, "workspace": SHOP, "home": "/home/sam", **more}
        action = Action.shell(command, **place) if isinstance(command, str) else command
        self._runs += 1
        session = self.gate.session_of(owner, run or f"run-{self._runs}", agent, SHOP)
        submission = session.submit(msgspec.structs.replace(action, agent_id=agent))
        assert submission.approval is not None, (submission.decision.verdict, submission.by)
        return submission.approval

    def answer(
        self,
        approval: Approval,
        person: str = "bob",
        *,
        seconds: float = 60,
        shown: float | None = None,
        verdict: AnswerVerdict = AnswerVerdict.APPROVE,
    ) -> None:
        """Answer a request after so many seconds. It may be `shown` for longer, such as in another tab."""
        self.clock.pass_seconds(seconds)
        taken = ChallengeResult(kind="multi_party", passed=True, seconds=seconds if shown is None else shown)
        challenge = taken if verdict is AnswerVerdict.APPROVE else None
        self.gate.approvals.answer(
            approval.approval_id,
            Answer(approver=person, verdict=verdict, challenge=challenge, at=time.time_ns() // 1_000),
        )

    def approve(self, commands: Iterable[str | Action], people: tuple[str, ...] = ("bob", "eve"), **more: Any) -> None:
        """Ask for one action a day and have it approved, by one person after the other."""
        for number, command in enumerate(commands):
            self.answer(self.ask(command, **more), people[number % len(people)])
            self.clock.pass_seconds(DAY - 60)

    def reject(self, commands: Iterable[str | Action], people: tuple[str, ...] = ("bob", "eve"), **more: Any) -> None:
        """Ask for one action a day and have it rejected."""
        for number, command in enumerate(commands):
            self.answer(self.ask(command, **more), people[number % len(people)], verdict=AnswerVerdict.REJECT)
            self.clock.pass_seconds(DAY - 60)

    def suggestions(self) -> list[Suggestion]:
        """Return what is suggested today."""
        self.clock.come_back()
        index_new_actions(self.gate.journal)
        config = self.gate.config
        return find_suggestions(self.gate.journal.database, self.gate.engine.policies, config)

    def expire(self, approval: Approval) -> None:
        """End a request without an answer."""
        self.gate.approvals.end(approval.approval_id, ApprovalState.EXPIRED, "no answer in time")
