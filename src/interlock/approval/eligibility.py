"""Who can answer a request, and why a person cannot; and how many pending requests a person can answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from interlock.approval.groups import apply_current_rules
from interlock.approval.one_person import APPROVERS, list_approvers
from interlock.approval.request import Approval
from interlock.approval.requirement import check_approver
from interlock.approval.rows import find_row, has_expired, read_approval
from interlock.approval.rules import ApprovalRules
from interlock.audit.journal import Journal
from interlock.errors import ApprovalError
from interlock.sanitise import plain
from interlock.store.clock import now_in
from interlock.store.connection import Connection
from interlock.store.where import Where

#: Surrounds each name in the column `eligible`; no name contains it.
_SEPARATOR = "\n"
#: How many requests are checked to find the next one that a person can answer.
MAX_TRIED = 50
MAX_NAMED = 5


def eligible_column(approval: Approval) -> str:
    """Return the names of eligible approvers, each between separators; an empty text if everyone is eligible."""
    groups = [_members(group, approval.roles) for group in approval.needs.who]
    if not groups:
        return ""
    names = sorted(set.intersection(*groups))
    return _SEPARATOR + "".join(f"{name}{_SEPARATOR}" for name in names)


def _members(group: Iterable[str], roles: Mapping[str, Iterable[str]]) -> set[str]:
    named = (roles.get(item[1:], ()) if item.startswith("@") else (item,) for item in group)
    return {name for names in named for name in names}


def find_ineligibility(approval: Approval, person: str) -> str:
    """Return why a person cannot approve a request; an empty text if they can."""
    try:
        check_approver(approval, person)
    except ApprovalError as error:
        return str(error)
    return ""


def eligible_people(approval: Approval, people: Iterable[str]) -> tuple[str, ...]:
    """Return the people who can approve a request, among the given ones."""
    return tuple(name for name in people if not find_ineligibility(approval, name))


def explain_ineligible(connection: Connection, approval: Approval, person: str) -> str:
    """Return why a person cannot approve a request, and who can or what to do; an empty text if they can."""
    why = find_ineligibility(approval, person)
    if not why:
        return ""
    who = describe_eligible(eligible_people(approval, list_approvers(connection)))
    if not who and person == approval.started_by and not approval.needs.who:
        who = "if there is nobody else, set `approvals.one_person = true`"
    return f"{why}; {who}" if who else why


def describe_eligible(names: Iterable[str], reader: str = "") -> str:
    """Return who can approve a request, as a sentence; empty if no person can. The reader comes first, as `you`.

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


def add_answerable(where: Where, rules: ApprovalRules, person: str) -> Where:
    """Restrict a query to requests that a person may approve as far as the columns show; `check_approver` decides."""
    where.add("(agent_id IS NULL OR agent_id <> :me)", me=person)
    where.add(_require_other_person(rules))
    named = "length(replace(eligible, :named, '')) < length(eligible)"
    where.add(f"(coalesce(eligible, '') = '' OR {named})", named=f"{_SEPARATOR}{person}{_SEPARATOR}")
    given = "SELECT 1 FROM interlock_answers given WHERE given.approver = :me"
    where.add(f"NOT EXISTS ({given} AND given.approval_id = interlock_approvals.approval_id)")
    failed = "SELECT 1 FROM interlock_quiz_attempts quiz WHERE quiz.person = :me AND quiz.failures >= :tries"
    same = "quiz.approval_id = interlock_approvals.approval_id"
    return where.add(f"NOT EXISTS ({failed} AND {same})", tries=rules.settings.quiz_tries)


def _require_other_person(rules: ApprovalRules) -> str:
    """Return the condition that another person started the run, or that one person may approve alone."""
    if not rules.one_person:
        return "started_by <> :me"
    is_alone = f" AND (SELECT count(*) FROM {APPROVERS}) <= 1" if rules.counts_people else ""
    return f"(started_by <> :me OR (one_person = 1{is_alone}))"


def count_answerable(connection: Connection, rules: ApprovalRules, person: str) -> int:
    """Return how many pending requests a person can approve."""
    where = add_answerable(Where().equals(state="pending"), rules, person)
    return int(connection.value(f"SELECT count(*) FROM interlock_approvals {where}", **where.given))


_LOCKED = """
    SELECT approval_id FROM interlock_quiz_attempts JOIN interlock_approvals USING (approval_id)
    WHERE person = :person AND failures >= :tries AND state = 'pending'
"""


def find_locked_requests(connection: Connection, rules: ApprovalRules, person: str) -> set[str]:
    """Return the pending requests whose quiz a person has failed too often."""
    return set(connection.values(_LOCKED, person=person, tries=rules.settings.quiz_tries))


_CREATED = "SELECT created_at FROM interlock_approvals WHERE approval_id = :besides"
#: Requests after the one that is left come first, then those before it, so that no two requests alternate.
#: The plus keeps databases from reading whole rows in the order of time: an index has all that is needed here.
_IN_TURN = """
    CASE WHEN created_at > :left_at OR (created_at = :left_at AND approval_id > :besides) THEN 0 ELSE 1 END,
    +created_at, approval_id
"""


def find_next(journal: Journal, rules: ApprovalRules, person: str, besides: str = "") -> str | None:
    """Return the id of the pending request that a person can approve and that follows one, by default the oldest."""
    where = add_answerable(Where().equals(state="pending"), rules, person)
    where.add("approval_id <> :besides", besides=besides)
    query = f"SELECT approval_id FROM interlock_approvals {where} ORDER BY {_IN_TURN} LIMIT :most"
    with journal.database.read() as connection:
        at = now_in(connection)
        left_at = connection.value(_CREATED, besides=besides) or 0
        for approval_id in connection.values(query, most=MAX_TRIED, left_at=left_at, **where.given):
            row = find_row(connection, approval_id)
            if has_expired(row, at):
                continue
            if not find_ineligibility(apply_current_rules(connection, read_approval(connection, row), rules), person):
                return str(row["approval_id"])
    return None
