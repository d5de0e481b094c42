"""Ask an available person until they answer, with a pause after each failed quiz."""

from __future__ import annotations

from collections.abc import Callable

from interlock.approval.approver import Approver
from interlock.approval.repository import ApprovalRepository
from interlock.approval.request import Answer, Approval


def ask_person(
    approver: Approver,
    repository: ApprovalRepository,
    approval: Approval,
    person: str,
    *,
    poll: Callable[[], bool],
    seconds_left: Callable[[], float | None],
) -> Answer | None:
    """Return the answer of a person, or None if the request has ended. Raise if they have failed the quiz too often."""
    while True:
        attempts = repository.attempts(approval.approval_id, person)
        attempts.check_tries(person)
        answer = approver.ask(approval, person, poll=poll, seconds_left=seconds_left, attempts=attempts)
        if answer is None or isinstance(answer, Answer):
            return answer
        repository.fail_quiz(approval.approval_id, person, answer)
