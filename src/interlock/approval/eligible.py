"""Who can answer a request, and why a person cannot; and how many pending requests a person can answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from interlock.approval.request import Approval
from interlock.approval.requirement import check_approver
from interlock.approval.rows import find_row, has_expired, read_approval
from interlock.approval.rules import ApprovalRules
from interlock.audit.journal import Journal
from interlock.audit.record import canonical
from interlock.errors import ApprovalError
from interlock.sanitise import plain
from interlock.store.clock import now_in
from interlock.store.connection import Connection, Row

#: How many requests that only some people may answer are looked at one by one, for a count.
MAX_RESTRICTED = 1_000
#: How many requests are looked at to find the next one that a person can answer.
MAX_TRIED = 50
MAX_NAMED = 5


def eligible_column(approval: Approval) -> str:
    """Return who may answer a request, for its row: JSON of the groups of names, or empty if anyone may alone."""
    groups = [_members(group, approval.roles) for group in approval.needs.who]
    return canonical(groups).decode() if groups or approval.needs.approvers > 1 else ""


def _members(group: Iterable[str], roles: Mapping[str, Iterable[str]]) -> list[str]:
    named = (roles.get(item[1:], ()) if item.startswith("@") else (item,) for item in group)
    return sorted({name for names in named for name in names})


def why_not(approval: Approval, person: str) -> str:
    """Return why a person cannot approve a request; an empty text if they can."""
    try:
        check_approver(approval, person)
    except ApprovalError as error:
        return str(error)
    return ""


def eligible_people(approval: Approval, people: Iterable[str]) -> tuple[str, ...]:
    """Return those of some people who can approve a request."""
    return tuple(name for name in people if not why_not(approval, name))


def describe_eligible(names: Iterable[str], reader: str = "") -> str:
    """Return who can approve a request, as a sentence; empty if nobody can. The reader comes first, as `you`.

    >>> describe_eligible(["ann", "bob"]), describe_eligible(["ann", "bob"], "bob"), describe_eligible([])
    ('`ann` or `bob` can approve this', 'You or `ann` can approve this', '')
    """
    found = list(names)
    shown = ["You"] * (reader in found) + [f"`{plain(name)}`" for name in found if name != reader]
    if not shown:
        return ""
    if len(shown) > MAX_NAMED:
        return f"{', '.join(shown[:MAX_NAMED])} or {len(shown) - MAX_NAMED} others can approve this"
    *before, last = shown
    return f"{', '.join(before)} or {last} can approve this" if before else f"{last} can approve this"


_ANYONE = """
    state = 'pending' AND eligible = '' AND (started_by <> :person OR (one_person = 1 AND :alone = 1))
    AND (agent_id IS NULL OR agent_id <> :person)
"""
#: The plus keeps databases from reading whole rows in the order of time: an index has all that is needed here.
_OLDEST = f"""
    SELECT approval_id FROM interlock_approvals
    WHERE state = 'pending' AND approval_id <> :besides AND (eligible IS NULL OR eligible <> '' OR ({_ANYONE}))
    ORDER BY +created_at, approval_id LIMIT :most
"""
#: Those that only some people may answer, and those that an older version opened; each by a range of the index.
_RESTRICTED = """
    SELECT * FROM (
        SELECT approval_id, started_by, agent_id, one_person, eligible FROM interlock_approvals
        WHERE state = 'pending' AND eligible > ''
        UNION ALL
        SELECT approval_id, started_by, agent_id, one_person, eligible FROM interlock_approvals
        WHERE state = 'pending' AND eligible IS NULL
    ) AS restricted LIMIT :most
"""
_ANSWERED = """
    SELECT approval_id FROM interlock_approvals JOIN interlock_answers USING (approval_id)
    WHERE state = 'pending' AND eligible > '' AND approver = :person
"""
_LOCKED = """
    SELECT approval_id FROM interlock_quiz_attempts JOIN interlock_approvals USING (approval_id)
    WHERE person = :person AND failures >= :tries AND state = 'pending'
"""


def count_answerable(connection: Connection, rules: ApprovalRules, person: str) -> int:
    """Return how many pending requests a person can approve."""
    alone = int(rules.one_person)
    query = f"SELECT count(*) FROM interlock_approvals WHERE {_ANYONE}"
    anyone = int(connection.value(query, person=person, alone=alone))
    locked = locked_requests(connection, rules, person)
    left_out = locked | set(connection.values(_ANSWERED, person=person))
    rows = connection.rows(_RESTRICTED, most=MAX_RESTRICTED)
    some = [row["approval_id"] for row in rows if _may_answer(connection, row, rules, person)]
    restricted = {row["approval_id"] for row in rows}
    lost = sum(_is_anyones(connection, one, rules, person) for one in locked - restricted)
    return anyone - lost + sum(one not in left_out for one in some)


def locked_requests(connection: Connection, rules: ApprovalRules, person: str) -> set[str]:
    """Return the pending requests whose quiz a person has failed too often."""
    return set(connection.values(_LOCKED, person=person, tries=rules.settings.quiz_tries))


def _is_anyones(connection: Connection, approval_id: str, rules: ApprovalRules, person: str) -> bool:
    query = f"SELECT 1 FROM interlock_approvals WHERE {_ANYONE} AND approval_id = :approval_id"
    return bool(connection.values(query, person=person, alone=int(rules.one_person), approval_id=approval_id))


def _may_answer(connection: Connection, row: Row, rules: ApprovalRules, person: str) -> bool:
    """Whether a person is among those who may answer a request, by the columns of its row alone."""
    if row["eligible"] is None:  # an older version opened it
        approval = read_approval(connection, find_row(connection, row["approval_id"]))
        return not why_not(rules.apply_to(approval), person)
    own = row["started_by"] == person and not (row["one_person"] and rules.one_person)
    groups: list[list[str]] = msgspec.json.decode(row["eligible"])
    return not own and row["agent_id"] != person and all(person in group for group in groups)


def find_next(journal: Journal, rules: ApprovalRules, person: str, besides: str = "") -> str | None:
    """Return the id of the pending request that a person can approve and that waits longest, besides one."""
    given: dict[str, Any] = {"person": person, "alone": int(rules.one_person), "besides": besides, "most": MAX_TRIED}
    with journal.database.read() as connection:
        locked, at = locked_requests(connection, rules, person), now_in(connection)
        for approval_id in connection.values(_OLDEST, **given):
            row = find_row(connection, approval_id)
            if approval_id in locked or has_expired(row, at):
                continue
            if not why_not(rules.apply_to(read_approval(connection, row)), person):
                return str(approval_id)
    return None
