"""Explain to the user of an agent who can approve a request, and where."""

from __future__ import annotations

from interlock.approval.eligibility import describe_eligible, eligible_people
from interlock.approval.one_person import list_approvers
from interlock.approval.request import Approval
from interlock.audit.running_servers import list_urls
from interlock.store.connection import Connection


def explain_how_to_approve(connection: Connection, approval: Approval, url: str | None = None) -> str:
    """Return who can approve a request if its user cannot, and where: at a URL, on a server, or on the command line."""
    names = () if approval.one_person else eligible_people(approval, list_approvers(connection))
    running = (f"{server}/approvals/{approval.approval_id}" for server in list_urls(connection))
    page = url or next(running, None)
    where = f"with `interlock approvals approve {approval.approval_id[:8]}`" if page is None else f"at {page}"
    return f"{describe_eligible(names) or 'Approve it'} {where}"
