"""Work through requests as a team: list them for a caller, assign and comment on them."""

from __future__ import annotations

from interlock.access.people import ACTIVE, Person
from interlock.access.roles import Caller, Right
from interlock.approval.assignments import Assignments
from interlock.approval.comments import Comment, Comments
from interlock.approval.eligibility import find_ineligibility
from interlock.approval.request import Approval
from interlock.approval.request_list import RequestInbox
from interlock.errors import ApprovalError, MissingApprovalError
from interlock.sanitise import plain
from interlock.server.service import Service


def request_list(service: Service, caller: Caller) -> RequestInbox:
    """Return the lists of requests as a caller sees them."""
    return RequestInbox(service.journal, service.gate.approvals, caller.name, may_answer=caller.may(Right.ANSWER))


def possible_assignees(service: Service, approval: Approval | None = None) -> list[str]:
    """Return the people who can answer requests, or one of them, by name."""
    people = [person.name for person in service.authenticator.people.list() if _may_answer(person)]
    return people if approval is None else [name for name in people if not find_ineligibility(approval, name)]


def assign(service: Service, caller: Caller, approval_id: str, assignee: str | None) -> bool:
    """Assign a request to a person who may approve it, or unassign it; return whether that is a change."""
    if assignee is not None and assignee not in possible_assignees(service):
        raise ApprovalError(f"`{plain(assignee)[:80]}` cannot answer requests; assign it to a reviewer or an admin")
    rules = service.gate.approvals.rules
    return Assignments(service.journal).assign(approval_id, assignee, caller.name, rules)


def comment(service: Service, caller: Caller, approval_id: str, text: str) -> Comment:
    """Add a comment to a request."""
    return Comments(service.journal).add(approval_id, caller.name, text)


def get_exactly(service: Service, approval_id: str) -> Approval:
    """Return the request with exactly this id, or raise."""
    approval = service.current_approval(approval_id)
    if approval.approval_id != approval_id:
        raise MissingApprovalError("there is no such request")
    return approval


def _may_answer(person: Person) -> bool:
    return person.state == ACTIVE and Right.ANSWER in person.role.rights
