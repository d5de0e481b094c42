"""Responses to a suggestion: accept it as a grant or a policy, dismiss it, or restore a dismissed one.

Each is recorded. A grant is created by the rules of the newest request that it rests on: who may approve that request
may accept the suggestion, with the same challenge.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from interlock.approval.grants import Grant, grant_entry, grant_row
from interlock.approval.groups import apply_current_rules
from interlock.approval.request import Answer, Approval, GrantScope
from interlock.approval.requirement import check_answer
from interlock.approval.rows import check_against_chain, find_row, read_approval
from interlock.approval.rules import ApprovalRules
from interlock.approval.shape.shape import Shape
from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.record import Entry
from interlock.audit.rows import check_row, write_row
from interlock.errors import ApprovalError, ConflictError, InterlockError, MissingError
from interlock.ids import new_id
from interlock.learning.grant_coverage import find_coverage
from interlock.learning.narrower_shapes import limit_to_folder
from interlock.learning.shape_matching import ShapeFit
from interlock.learning.suggestion import Suggestion
from interlock.model import Struct
from interlock.policies.repository import PolicyVersion, write_version
from interlock.policy.policies import Policy
from interlock.sanitise import plain
from interlock.store.clock import MICROSECONDS, now_in
from interlock.store.database import Database
from interlock.store.tables import grants, suggestions
from interlock.store.where import Where

ResponseState = Literal["open", "dismissed", "accepted"]
#: A suggestion that was dismissed or accepted comes back when this many times as many answers support it.
GROWTH = 2
MAX_WHY = 500
MAX_FAILURES = 3
_DAY = 86_400 * MICROSECONDS


class Response(Struct, frozen=True, kw_only=True):
    """The response to a suggestion. `answers` is how many supported it then, `result` the grant or the policy."""

    suggestion_id: str
    state: ResponseState
    text: str
    answers: int
    failures: int
    decided_by: str
    decided_at: int
    why: str = ""
    result: str = ""


class Narrowing(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a suggested grant is narrowed: for fewer days, or for the files of one folder alone."""

    days: int | None = None
    folder: str | None = None


def find_hidden_suggestions(database: Database) -> dict[str, int]:
    """Return how many answers each suggestion needs that was dismissed or accepted, before it is made again.

    One that was accepted comes back if its grant has ended, or was narrowed, and people are asked as often again.
    """
    with database.read() as connection:
        rows = connection.rows("SELECT suggestion_id, state, answers FROM interlock_suggestions WHERE state <> 'open'")
    return {row["suggestion_id"]: row["answers"] * GROWTH for row in rows}


def list_dismissed(database: Database, limit: int = 100) -> list[Response]:
    """Return the dismissed suggestions, the newest first."""
    query = "SELECT * FROM interlock_suggestions WHERE state = 'dismissed' ORDER BY decided_at DESC LIMIT :most"
    with database.read() as connection:
        return [_response(row) for row in connection.rows(query, most=limit)]


def find_governing_request(journal: Journal, suggestion: Suggestion) -> Approval:
    """Return the request whose rules apply to accepting a suggestion, without its answers."""
    return journal.commit(lambda transaction: _request(transaction, suggestion))


def count_failures(database: Database, suggestion_id: str) -> int:
    """Return how often the quiz of a suggestion was failed, or raise if it cannot be taken again."""
    query = "SELECT failures FROM interlock_suggestions WHERE suggestion_id = :suggestion_id"
    with database.read() as connection:
        failures = int(connection.value(query, suggestion_id=suggestion_id) or 0)
    if failures >= MAX_FAILURES:
        raise ApprovalError("the quiz of this suggestion was failed too often; approve a request with a grant instead")
    return failures


def narrow_shape(suggestion: Suggestion, narrowing: Narrowing) -> Shape:
    """Return the shape of a suggested grant, narrowed; raise for a suggested policy."""
    if suggestion.shape is None:
        raise InterlockError("this suggestion is a policy; change it in the policy editor after accepting it")
    shape = msgspec.json.decode(suggestion.shape, type=Shape)
    return shape if narrowing.folder is None else limit_to_folder(shape, narrowing.folder)


def accept_grant(
    journal: Journal, suggestion: Suggestion, answer: Answer, narrowing: Narrowing, rules: ApprovalRules
) -> Grant:
    """Create the grant of a suggestion, or raise if the person may not approve it or the answer is not enough."""
    shape, days = narrow_shape(suggestion, narrowing), rules.settings.remember_days
    if narrowing.days is not None and not 1 <= narrowing.days <= days:
        raise InterlockError(f"a grant lasts from 1 to {days} days, found {narrowing.days}")

    _check_not_refused(journal, suggestion)

    def operation(transaction: Transaction) -> Grant:
        approval = apply_current_rules(transaction, _request(transaction, suggestion), rules)
        check_answer(approval, answer)
        at = now_in(transaction.connection).wall
        grant = Grant(
            grant_id=new_id(),
            scope=GrantScope.ALWAYS,
            digest=shape.frame,
            run_id=approval.run_id,
            agent_id=approval.agent_id,
            workspace=approval.action.get("workspace"),
            granted_by=answer.approver[:200],
            needs=approval.needs,
            shown=shape.text,
            created_at=at,
            expires_at=at + _DAY * (narrowing.days or days),
            shape=shape,
        )
        entry = grant_entry("grant.made", grant, answer.approver, at)
        entry = msgspec.structs.replace(entry, data={**entry.data, "suggestion": suggestion.suggestion_id})
        write_row(transaction, grants, grant_row(grant), entry, new=True)
        _respond(transaction, suggestion, "accepted", answer.approver, why=answer.reason, result=grant.grant_id)
        return grant

    return journal.commit(operation)


def _check_not_refused(journal: Journal, suggestion: Suggestion) -> None:
    """Raise if an action of a suggestion was rejected or blocked since the suggestion was found."""
    fit = ShapeFit(narrow_shape(suggestion, Narrowing()), find_governing_request(journal, suggestion))
    if find_coverage(journal.database, [fit])[0].is_refused:
        raise ConflictError("an action of this suggestion was rejected or blocked in the meantime; it is withdrawn")


def accept_policy(journal: Journal, suggestion: Suggestion, policy: Policy, person: str) -> PolicyVersion:
    """Write the policy of a suggestion, or raise if its id is taken."""

    def operation(transaction: Transaction) -> PolicyVersion:
        note = f"suggested by {suggestion.evidence.answers} rejections"
        version = write_version(transaction, policy, person, 0, note)
        _respond(transaction, suggestion, "accepted", person, result=policy.policy_id)
        return version

    return journal.commit(operation)


def dismiss(journal: Journal, suggestion: Suggestion, person: str, why: str = "") -> Response:
    """Dismiss a suggestion: it is not made again until twice as many answers support it."""
    why = plain(" ".join(why.split()))
    if len(why) > MAX_WHY:
        raise InterlockError(f"the reason has {len(why)} characters; the limit is {MAX_WHY}")
    return journal.commit(lambda transaction: _respond(transaction, suggestion, "dismissed", person, why=why))


def fail_quiz(journal: Journal, suggestion: Suggestion, person: str) -> Response:
    """Record that a person failed the quiz of a suggestion."""
    return journal.commit(lambda transaction: _respond(transaction, suggestion, "open", person, failed=1))


def restore(journal: Journal, suggestion_id: str, person: str) -> Response:
    """Undo the dismissal of a suggestion, by the beginning of its id, or raise."""

    def operation(transaction: Transaction) -> Response:
        where = Where("state = 'dismissed'").starts_with("suggestion_id", suggestion_id)
        rows = transaction.connection.rows(f"SELECT * FROM interlock_suggestions {where} LIMIT 2", **where.given)
        if len(rows) != 1 or not suggestion_id:
            raise MissingError(f"there is no dismissed suggestion `{plain(suggestion_id)[:80]}`")
        check_row(transaction, suggestions, rows[0])
        at = now_in(transaction.connection).wall
        restored = msgspec.structs.replace(
            _response(rows[0]), state="open", decided_by=person, decided_at=at, why="", answers=0
        )
        _write(transaction, restored, "suggestion.restored", new=False)
        return restored

    return journal.commit(operation)


def _request(transaction: Transaction, suggestion: Suggestion) -> Approval:
    row = find_row(transaction.connection, suggestion.request_id)
    check_against_chain(transaction, row)
    return msgspec.structs.replace(read_approval(transaction.connection, row), answers=())


def _respond(
    transaction: Transaction,
    suggestion: Suggestion,
    state: ResponseState,
    person: str,
    *,
    why: str = "",
    result: str = "",
    failed: int = 0,
) -> Response:
    query = "SELECT * FROM interlock_suggestions WHERE suggestion_id = :suggestion_id"
    row = transaction.connection.row(query, suggestion_id=suggestion.suggestion_id)
    if row is not None:
        check_row(transaction, suggestions, row)
        if row["state"] != "open" and suggestion.evidence.answers < row["answers"] * GROWTH:
            raise ConflictError(f"the suggestion was {row['state']} by `{plain(row['decided_by'])}` already")
    response = Response(
        suggestion_id=suggestion.suggestion_id,
        state=state,
        text=suggestion.text,
        answers=suggestion.evidence.answers,
        failures=(row["failures"] if row else 0) + failed,
        decided_by=person[:200],
        decided_at=now_in(transaction.connection).wall,
        why=why,
        result=result,
    )
    _write(transaction, response, "suggestion.quiz_failed" if failed else f"suggestion.{state}", new=row is None)
    return response


def _write(transaction: Transaction, response: Response, kind: str, *, new: bool) -> None:
    row = {name: getattr(response, name) for name in Response.__struct_fields__}
    data = {"text": response.text, "answers": response.answers, "why": response.why, "result": response.result}
    entry = Entry(
        kind=kind,
        at=response.decided_at,
        actor=response.decided_by,
        name=response.suggestion_id,
        outcome=response.state,
        data={key: value for key, value in data.items() if value != ""},
    )
    write_row(transaction, suggestions, row, entry, new=new)


def _response(row: Mapping[str, Any]) -> Response:
    return Response(**{name: row[name] for name in Response.__struct_fields__})
