"""An approver for tests, which gives scripted answers in order."""

from __future__ import annotations

from collections.abc import Iterable

from interlock.approval.challenge.challenge import challenge_for, judge_challenge
from interlock.approval.request import Answer, AnswerVerdict, Approval

READING_SECONDS = 60.0  # how long it seems to have read a request


class ScriptedApprover:
    """Answers each request with the next of `answers`, or with `then` when none are left.

    `asked` lists the requests so far. An answer is `True`, `False`, or the reason for a rejection.
    """

    def __init__(self, answers: Iterable[bool | str] = (), *, then: bool | str = False) -> None:
        self._answers, self._then = list(answers), then
        self.asked: list[Approval] = []

    def available(self) -> bool:
        """Return True: it can always be asked."""
        return True

    def ask(self, approval: Approval, approver: str, **_: object) -> Answer:
        """Return the next answer, with the right answers to the challenge."""
        self.asked.append(approval)
        given = self._answers.pop(0) if self._answers else self._then
        challenge = challenge_for(approval)
        taken = judge_challenge(challenge, [question.right for question in challenge.questions], READING_SECONDS)
        verdict = AnswerVerdict.APPROVE if given is True else AnswerVerdict.REJECT
        reason = given if isinstance(given, str) else "a scripted answer of a test"
        return Answer(approver=approver, verdict=verdict, reason=reason, challenge=taken)
