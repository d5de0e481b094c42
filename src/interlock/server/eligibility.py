"""Who can answer requests: the people of this server, and why the caller cannot."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from interlock.access.people import ACTIVE
from interlock.access.roles import Caller, Right
from interlock.approval.eligibility import describe_eligible, eligible_people, find_ineligibility
from interlock.approval.quiz_attempts import QuizAttempts
from interlock.approval.request import Approval, ApprovalState
from interlock.sanitise import plain
from interlock.server.service import Service


class Eligibility(msgspec.Struct, frozen=True):
    """The eligibility of a caller for a request: why they cannot approve it, if so, and the people who can.

    `sentence` says who can; it is empty if nobody can.
    """

    why_not: str
    people: tuple[str, ...]
    sentence: str

    @property
    def can_answer(self) -> bool:
        """Whether the caller can approve the request."""
        return not self.why_not


def list_approvers(service: Service) -> tuple[str, ...]:
    """Return the names of the people who may answer requests at all."""
    people = service.authenticator.people.list()
    return tuple(one.name for one in people if one.state == ACTIVE and Right.ANSWER in one.role.rights)


def find_eligibility(
    caller: Caller, approval: Approval, approvers: Sequence[str], attempts: QuizAttempts | None = None
) -> Eligibility:
    """Return the eligibility of a caller for a request; `attempts` are theirs at its quiz."""
    names = eligible_people(approval, approvers)
    if attempts is not None and attempts.tries_left <= 0:
        names = tuple(name for name in names if name != caller.name)
    return Eligibility(_find_ineligibility(caller, approval, attempts), names, describe_eligible(names, caller.name))


def _find_ineligibility(caller: Caller, approval: Approval, attempts: QuizAttempts | None) -> str:
    if approval.state is not ApprovalState.PENDING:
        return f"the request is {approval.state.value}"
    if not caller.may(Right.ANSWER):
        return f"the role `{caller.role.value}` cannot answer requests"
    if attempts is not None and attempts.tries_left <= 0:
        return f"`{plain(caller.name)}` failed the quiz {attempts.failures} times; another person has to approve this"
    return find_ineligibility(approval, caller.name)
