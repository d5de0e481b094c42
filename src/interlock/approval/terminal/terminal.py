"""Asking at the terminal: the request, its challenge, and then once, for this run, always, or no."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable

import msgspec

from interlock.approval.challenge.challenge import Challenge, Question, challenge_for, judge
from interlock.approval.request import Answer, Approval, Reply, Scope, Taken
from interlock.approval.terminal import tty
from interlock.approval.terminal.prompt import render
from interlock.approval.terminal.talk import INDENT, NO_ANSWER, Over, Refused, Talk
from interlock.sanitise import plain

REFUSALS = ("n", "no")
SCOPES = {
    "o": Scope.ONCE,
    "once": Scope.ONCE,
    "y": Scope.ONCE,
    "yes": Scope.ONCE,
    "r": Scope.RUN,
    "run": Scope.RUN,
    "a": Scope.ALWAYS,
    "always": Scope.ALWAYS,
}
OFFERED = (("o", "once"), ("r", "for this run"), ("a", "always, for exactly this"), ("n", "no"))


class Terminal:
    """Asks whoever sits at the terminal. `reading_seconds` stands in for the challenge's own reading time."""

    def __init__(self, *, reading_seconds: float | None = None) -> None:
        self._reading_seconds = reading_seconds

    @staticmethod
    def available() -> bool:
        """Whether somebody can be asked here."""
        return tty.available()

    def ask(
        self,
        approval: Approval,
        approver: str,
        *,
        poll: Callable[[], bool],
        seconds_left: Callable[[], float | None],
        remember: bool = True,
    ) -> Answer | None:
        """Return the answer, or None where somebody else was faster or the time ran out.

        `poll` says whether the request has ended meanwhile. Giving up (Ctrl-C, end of input) is a rejection.
        Without `remember` an approval counts once.
        """
        challenge = challenge_for(approval)
        if self._reading_seconds is not None and challenge.seconds:
            challenge = msgspec.structs.replace(challenge, seconds=self._reading_seconds)
        if not _take_turn(poll, seconds_left):
            return None
        try:
            with tty.Tty() as opened:
                prompt = Prompt(Talk(opened, poll, seconds_left), approval, approver)
                return prompt.run(challenge, remember)
        finally:
            _ONE_AT_A_TIME.release()


#: Two prompts at once would take each other's keys.
_ONE_AT_A_TIME = threading.Lock()


def _take_turn(poll: Callable[[], bool], seconds_left: Callable[[], float | None]) -> bool:
    """Wait until nobody else is asked at this terminal; return False where the request ends before."""
    while not _ONE_AT_A_TIME.acquire(timeout=0.2):
        left = seconds_left()
        if poll() or (left is not None and left <= 0):
            return False
    return True


class Prompt:
    """One prompt, from the request to the answer."""

    def __init__(self, talk: Talk, approval: Approval, approver: str) -> None:
        self._talk = talk
        self._approval = approval
        self._approver = approver

    def run(self, challenge: Challenge, remember: bool) -> Answer | None:
        """Return the answer, or None where there is nothing left to answer."""
        taken = None
        try:
            taken = self._challenge(challenge)
            if not taken.passed:
                return self._answer(Reply.REJECT, f"the challenge was not passed: {taken.why}", taken)
            scope = self._scope(remember)
            return self._answer(Reply.APPROVE, self._reason(self._approval.needs.reason), taken, scope)
        except Over as over:
            self._talk.say(f"\n{INDENT}{over}\n", "yellow")
            return None
        except Refused as refused:
            return self._answer(Reply.REJECT, str(refused), taken)
        except (KeyboardInterrupt, OSError):  # an interrupt from elsewhere, or a line that was hung up
            return self._answer(Reply.REJECT, NO_ANSWER, taken)

    def _answer(self, verdict: Reply, reason: str, taken: Taken | None, scope: Scope = Scope.ONCE) -> Answer:
        said = ("Approved" if verdict is Reply.APPROVE else "Rejected") + (f": {plain(reason)}" if reason else "")
        with contextlib.suppress(OSError):  # with nobody left to read it, the answer counts all the same
            self._talk.say(f"{said}\n", "green" if verdict is Reply.APPROVE else "red")
        at = time.time_ns() // 1_000
        return Answer(approver=self._approver, verdict=verdict, reason=reason, scope=scope, challenge=taken, at=at)

    def _challenge(self, challenge: Challenge) -> Taken:
        """Show the request, leave time to read it, and put its questions."""
        started = time.monotonic()
        self._talk.show(render(self._approval, time.time_ns() // 1_000))
        if challenge.seconds:
            self._talk.say(f"Please read this. You can answer in {challenge.seconds:g} seconds.\n", "dim")
            self._talk.wait(challenge.seconds)
        if challenge.words:
            return self._teach_back(challenge, started)
        answers = [self._choose(question) for question in challenge.questions]
        return judge(challenge, answers, time.monotonic() - started)

    def _choose(self, question: Question) -> str:
        self._talk.say(question.text, "bold")
        for number, choice in enumerate(question.choices, 1):
            self._talk.say(f"{INDENT}{number}  {plain(choice)}")
        while True:
            said = self._said(f"1–{len(question.choices)}, or n to refuse")
            if said.isascii() and said.isdigit() and 1 <= int(said) <= len(question.choices):
                self._talk.say("")
                return question.choices[int(said) - 1]

    def _teach_back(self, challenge: Challenge, started: float) -> Taken:
        """Ask until it is explained; unlike a quiz this cannot be guessed."""
        while True:
            self._talk.say("In your own words: what would this do, and to what?", "bold")
            said = self._said(f"{challenge.words} words or more, or n to refuse")
            taken = judge(challenge, [said], time.monotonic() - started)
            if taken.passed:
                return taken
            self._talk.say(f"Not yet: {taken.why}.\n", "yellow")

    def _scope(self, remember: bool) -> Scope:
        """Return how long the approval counts, or raise for a no."""
        offered = [(key, text) for key, text in OFFERED if remember or key in "on"]
        self._talk.say("May it run?", "bold")
        self._talk.say(INDENT + "    ".join(f"{key}  {text}" for key, text in offered))
        while True:
            scope = SCOPES.get(self._said(", ".join(key for key, _ in offered[:-1]) + " or n").lower())
            if scope is Scope.ONCE or (remember and scope is not None):
                return scope

    def _said(self, label: str) -> str:
        """Return what somebody types, or raise for a no."""
        said = self._talk.line(label)
        if said.lower() in REFUSALS:
            raise Refused(self._reason(required=False))
        return said

    def _reason(self, required: bool) -> str:
        while True:
            said = self._talk.line("why (needed)" if required else "why (or just Enter)", pastable=True)
            if said or not required:
                return said
