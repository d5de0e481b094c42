"""Approval at the terminal: show the request, run its challenge, and read the answer."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from math import ceil

import msgspec

from interlock.approval.challenge.challenge import Challenge, challenge_for, judge_challenge
from interlock.approval.challenge.questions import QuizQuestion
from interlock.approval.quiz_attempts import FIRST_ATTEMPT, QuizAttempts
from interlock.approval.request import Answer, AnswerVerdict, Approval, ChallengeResult, GrantScope
from interlock.approval.terminal import tty
from interlock.approval.terminal.dialog import INDENT, NO_ANSWER, Dialog, RequestDeclined, RequestEnded
from interlock.approval.terminal.render import render_request
from interlock.sanitise import plain

REJECTIONS = ("n", "no")
SCOPES = {
    "o": GrantScope.ONCE,
    "once": GrantScope.ONCE,
    "y": GrantScope.ONCE,
    "yes": GrantScope.ONCE,
    "r": GrantScope.RUN,
    "run": GrantScope.RUN,
    "a": GrantScope.ALWAYS,
    "always": GrantScope.ALWAYS,
}
OFFERED = (("o", "once"), ("r", "for this run"), ("a", "always, for exactly this"), ("n", "no"))
#: Added to a pause, so that its end is not too early by the clock of the store.
CLOCK_SLACK = 0.2


class Terminal:
    """The approver at the terminal. `reading_seconds` replaces the reading time of the challenge."""

    def __init__(self, *, reading_seconds: float | None = None) -> None:
        self._reading_seconds = reading_seconds

    @staticmethod
    def available() -> bool:
        """Whether a person can be asked at this terminal."""
        return tty.available()

    def ask(
        self,
        approval: Approval,
        approver: str,
        *,
        poll: Callable[[], bool],
        seconds_left: Callable[[], float | None],
        attempts: QuizAttempts = FIRST_ATTEMPT,
        remember: bool = True,
    ) -> Answer | ChallengeResult | None:
        """Return the answer, the result of a failed quiz, or None if the request was answered elsewhere or has expired.

        `poll` says whether the request has ended. Ctrl-C and the end of input are rejections. Without `remember`, the
        approval can only be given once.
        """
        challenge = challenge_for(approval, attempt=attempts.failures)
        if self._reading_seconds is not None and challenge.seconds:
            challenge = msgspec.structs.replace(challenge, seconds=self._reading_seconds)
        if not _take_turn(poll, seconds_left):
            return None
        try:
            with tty.Tty() as opened:
                prompt = Prompt(Dialog(opened, poll, seconds_left), approval, approver)
                return prompt.run(challenge, attempts, remember)
        finally:
            _ONE_AT_A_TIME.release()


#: Two prompts at the same terminal would read each other's keys.
_ONE_AT_A_TIME = threading.Lock()


def _take_turn(poll: Callable[[], bool], seconds_left: Callable[[], float | None]) -> bool:
    """Wait until no other prompt is open; return False if the request ends before that."""
    while not _ONE_AT_A_TIME.acquire(timeout=0.2):
        left = seconds_left()
        if poll() or (left is not None and left <= 0):
            return False
    return True


class Prompt:
    """One prompt, from the request to the answer."""

    def __init__(self, dialog: Dialog, approval: Approval, approver: str) -> None:
        self._dialog = dialog
        self._approval = approval
        self._approver = approver

    def run(self, challenge: Challenge, attempts: QuizAttempts, remember: bool) -> Answer | ChallengeResult | None:
        """Return the answer, the result of a failed quiz, or None if the request has ended."""
        result = None
        try:
            self._pause(attempts)
            result = self._take_challenge(challenge)
            if not result.passed:
                self._dialog.say(f"Not approved: {result.why}.\n", "yellow")
                return result
            scope, shape = self._choose_grant(remember)
            reason = self._read_reason(self._approval.needs.reason)
            given = self._answer(AnswerVerdict.APPROVE, reason, result)
            return msgspec.structs.replace(given, scope=scope, shape=shape)
        except RequestEnded as ended:
            self._dialog.say(f"\n{INDENT}{ended}\n", "yellow")
            return None
        except RequestDeclined as declined:
            return self._answer(AnswerVerdict.REJECT, str(declined), result)
        except (KeyboardInterrupt, OSError):  # an interrupt from outside, or a closed terminal
            return self._answer(AnswerVerdict.REJECT, NO_ANSWER, result)

    def _pause(self, attempts: QuizAttempts) -> None:
        """Wait until the quiz can be taken again."""
        if attempts.pause > 0:
            tries = f"{attempts.tries_left} {'try' if attempts.tries_left == 1 else 'tries'} left"
            self._dialog.say(f"You can take the quiz again in {ceil(attempts.pause)} seconds; {tries}.", "dim")
            self._dialog.wait(attempts.pause + CLOCK_SLACK)

    def _answer(self, verdict: AnswerVerdict, reason: str, result: ChallengeResult | None) -> Answer:
        text = ("Approved" if verdict is AnswerVerdict.APPROVE else "Rejected") + (
            f": {plain(reason)}" if reason else ""
        )
        with contextlib.suppress(OSError):  # the answer counts even if the terminal is gone
            self._dialog.say(f"{text}\n", "green" if verdict is AnswerVerdict.APPROVE else "red")
        at = time.time_ns() // 1_000
        return Answer(approver=self._approver, verdict=verdict, reason=reason, challenge=result, at=at)

    def _take_challenge(self, challenge: Challenge) -> ChallengeResult:
        """Show the request, wait for the reading time, and ask its questions."""
        started = time.monotonic()
        self._dialog.show(render_request(self._approval, time.time_ns() // 1_000))
        if challenge.seconds:
            self._dialog.say(f"Please read this. You can answer in {challenge.seconds:g} seconds.\n", "dim")
            self._dialog.wait(challenge.seconds)
        if challenge.words:
            return self._teach_back(challenge, started)
        answers = [self._choose(question) for question in challenge.questions]
        return judge_challenge(challenge, answers, time.monotonic() - started)

    def _choose(self, question: QuizQuestion) -> str:
        self._dialog.say(question.text, "bold")
        for number, choice in enumerate(question.choices, 1):
            self._dialog.say(f"{INDENT}{number}  {plain(choice)}")
        while True:
            said = self._read(f"1–{len(question.choices)}, or n to reject")
            if said.isascii() and said.isdigit() and 1 <= int(said) <= len(question.choices):
                self._dialog.say("")
                return question.choices[int(said) - 1]

    def _teach_back(self, challenge: Challenge, started: float) -> ChallengeResult:
        """Ask for an explanation until it is good enough; unlike a quiz, it cannot be guessed."""
        while True:
            self._dialog.say("In your own words: what would this do, and to what?", "bold")
            said = self._read(f"{challenge.words} words or more, or n to reject")
            result = judge_challenge(challenge, [said], time.monotonic() - started)
            if result.passed:
                return result
            self._dialog.say(f"Not yet: {result.why}.\n", "yellow")

    def _choose_grant(self, remember: bool) -> tuple[GrantScope, str]:
        """Return how long the approval counts and the id of the shape that it covers, or raise `RequestDeclined`."""
        offered = [(key, text) for key, text in OFFERED if remember or key in "on"]
        shapes = {str(at): shape for at, shape in enumerate(self._approval.shapes, 1)} if remember else {}
        self._dialog.say("May it run?", "bold")
        self._dialog.say(INDENT + "    ".join(f"{key}  {text}" for key, text in offered))
        for number, shape in shapes.items():
            self._dialog.say(f"{INDENT}{number}  for a day: {plain(shape.text)}")
        while True:
            said = self._read(", ".join([*(key for key, _ in offered[:-1]), *shapes]) + " or n").lower()
            if said in shapes:
                return GrantScope.DAY, shapes[said].shape_id
            scope = SCOPES.get(said)
            if scope is GrantScope.ONCE or (remember and scope is not None):
                return scope, ""

    def _read(self, label: str) -> str:
        """Return what is typed, or raise `RequestDeclined` for a no."""
        said = self._dialog.line(label)
        if said.lower() in REJECTIONS:
            raise RequestDeclined(self._read_reason(required=False))
        return said

    def _read_reason(self, required: bool) -> str:
        while True:
            said = self._dialog.line("reason (required)" if required else "reason (or just Enter)", pastable=True)
            if said or not required:
                return said
