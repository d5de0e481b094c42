"""The approver protocol: a person who can be asked directly, such as the user at the terminal."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from interlock.approval.quiz_attempts import QuizAttempts
    from interlock.approval.request import Answer, Approval, ChallengeResult


class Approver(Protocol):
    """A person who can be asked in this process."""

    def available(self) -> bool:
        """Whether anyone can be asked."""

    def ask(
        self,
        approval: Approval,
        approver: str,
        *,
        poll: Callable[[], bool],
        seconds_left: Callable[[], float | None],
        attempts: QuizAttempts,
    ) -> Answer | ChallengeResult | None:
        """Ask until there is an answer or a failed quiz, and return that.

        Return None if `poll` says that the request has ended, or time runs out. `attempts` are the failed ones.
        """


class NoApprover:
    """An approver who is never available: a hook is called by a program, not by a person."""

    def available(self) -> bool:
        """Return False."""
        return False

    def ask(self, *_: object, **__: object) -> None:
        """Return no answer."""
