"""The names of the people who can approve requests, as shown to the user at this terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from interlock.access.people import ACTIVE, People
from interlock.access.roles import Right
from interlock.approval.eligibility import eligible_people
from interlock.approval.groups import apply_current_rules
from interlock.approval.request import Approval
from interlock.cli.open_store import OpenStore
from interlock.sanitise import plain

YOU, NOT_YOU = "you", "not you"
MAX_NAMED = 3


def name_approvers(found: OpenStore, approvals: Iterable[Approval], user: str) -> Mapping[str, str]:
    """Return who can approve each request: its id, and names."""
    people = People(found.journal).list()
    known = [one.name for one in people if one.state == ACTIVE and Right.ANSWER in one.role.rights]
    with found.database.read() as connection:
        current = [apply_current_rules(connection, one, found.register.rules) for one in approvals]
    return {one.approval_id: _names(one, known, user) for one in current}


def _names(approval: Approval, known: Iterable[str], user: str) -> str:
    """Return the user as `you`, and others by name: the people of the store, and members of the roles it needs."""
    members = {name for names in approval.roles.values() for name in names}
    members |= {item for group in approval.needs.who for item in group if not item.startswith("@")}
    everyone = dict.fromkeys([user, *known, *sorted(members)])
    names = [YOU if name == user else plain(name) for name in eligible_people(approval, everyone)]
    if not names:
        return NOT_YOU
    more = [f"{len(names) - MAX_NAMED} more"] if len(names) > MAX_NAMED else []
    return ", ".join([*names[:MAX_NAMED], *more])
