"""`interlock suggest`: list, show, accept, narrow and dismiss suggestions."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import msgspec
from rich.padding import Padding
from rich.text import Text

from interlock.approval.quiz_attempts import QuizAttempts
from interlock.approval.request import Answer, AnswerVerdict, Approval
from interlock.approval.requirement import check_approver
from interlock.approval.terminal.terminal import Terminal
from interlock.audit.identity import user_name
from interlock.cli.local_time import local_time
from interlock.cli.open_store import OpenStore, open_store
from interlock.cli.person import require_person
from interlock.errors import ApprovalError, MissingError
from interlock.learning.suggestion import PastUse, Suggestion
from interlock.learning.suggestion_responses import (
    MAX_FAILURES,
    Narrowing,
    accept_grant,
    accept_policy,
    count_failures,
    dismiss,
    fail_quiz,
    find_governing_request,
    list_dismissed,
    narrow_shape,
    restore,
)
from interlock.learning.suggestion_search import find_suggestions
from interlock.levels import Level
from interlock.metrics.action_index import index_new_actions
from interlock.policies.policy_input import compile_policy
from interlock.policies.repository import PolicyRepository
from interlock.policy.policies import Policy
from interlock.policy.stored_policies import merge_policies
from interlock.sanitise import plain
from interlock.show import columns, console, level_text, print_json_lines
from interlock.store.clock import now

if TYPE_CHECKING:
    from interlock.cli.commands.options import Store


def list_all(store: Store, *, dismissed: bool, as_json: bool) -> int:
    """Print the suggestions, or those that were dismissed."""
    with open_store(store.store, store.config) as found:
        if dismissed:
            return _list_dismissed(found, as_json=as_json)
        suggestions = find_open_suggestions(found)
    if as_json:
        print_json_lines(suggestions)
        return 0
    if not suggestions:
        print("no suggestions: they need several answers to similar actions, on different days")
        return 0
    out = console()
    for one in suggestions:
        out.print(Text(f"{one.suggestion_id[:8]}  ", "bold") + Text(_headline(one)))
        out.print(Padding(Text(plain(one.text), "cyan"), (0, 0, 1, 10)))
    print("`interlock suggest show ID` shows all that one covers, `accept ID` and `dismiss ID` answer it")
    return 0


def _headline(one: Suggestion) -> str:
    """Return the evidence of a suggestion and its past effect, on one line."""
    evidence, people = one.evidence, ", ".join(plain(name) for name in one.evidence.people)
    answered, would = ("approved", "let through") if one.kind == "grant" else ("rejected", "stopped")
    given = f"{one.kind}: {answered} {evidence.answers} times on {evidence.days} days by {people}"
    saved = f"; {one.covered} questions saved" if one.kind == "grant" else f"; {one.covered} actions stopped"
    return given + saved + (f"; {one.also_count} other {_actions(one)} {would}" if one.also_count else "")


def _actions(one: Suggestion) -> str:
    return "action" if one.also_count == 1 else "actions"


def _list_dismissed(found: OpenStore, *, as_json: bool) -> int:
    responses, at = list_dismissed(found.database), now().wall
    if as_json:
        print_json_lines(responses)
        return 0
    if not responses:
        print("no dismissed suggestions")
        return 0
    table = columns("id", "dismissed", "by", "reason", "what")
    for one in responses:
        when = local_time(one.decided_at, at)
        table.add_row(one.suggestion_id[:8], when, plain(one.decided_by), plain(one.why), plain(one.text))
    console().print(table)
    return 0


def show(store: Store, suggestion_id: str, *, as_json: bool) -> int:
    """Print a suggestion with its evidence and everything that it covers."""
    with open_store(store.store, store.config) as found:
        one = _get(found, suggestion_id)
    if as_json:
        print(msgspec.json.encode(one).decode())
        return 0
    _print(one)
    return 0


def _print(one: Suggestion) -> None:
    out, at, evidence = console(), now().wall, one.evidence
    out.print(Text(f"{one.suggestion_id}  suggests a {one.kind}", "bold"))
    out.print(Text(f"  {plain(one.text)}"))
    answered = "approved" if one.kind == "grant" else "rejected"
    people = ", ".join(f"{plain(name)} ({count})" for name, count in evidence.people.items())
    since, until = local_time(evidence.first_at, at), local_time(evidence.last_at, at)
    out.print(Text(f"\n  {answered} {evidence.answers} times on {evidence.days} days, by {people}"))
    out.print(Text(f"  from {since} to {until}, in {len(evidence.runs)} runs"))
    if one.kind == "grant":
        out.print(Text("  never rejected or blocked"))
    for why, count in evidence.uncounted.items():
        out.print(Text(f"  {count} more {'is' if count == 1 else 'are'} no evidence: {why}", "dim"))
    if one.kind == "grant":
        out.print(Text(f"  {one.covered} questions would have been saved"))
    else:
        out.print(Text(f"  {one.covered} past actions would have been stopped"))
    _print_also(one)
    if not one.is_complete:
        out.print(Text("\n  The history is too long to be read in full: older actions are not listed.", "yellow"))


def _print_also(one: Suggestion) -> None:
    out, at = console(), now().wall
    would = "let through" if one.kind == "grant" else "stopped, although allowed"
    if not one.also_count:
        out.print(Text(f"\n  Nothing else in the history would have been {would}."))
        return
    out.print(
        Text(f"\n  {one.also_count} other past {_actions(one)} would have been {would}, the riskiest first:", "bold")
    )
    table = columns("when", "level", "request", "action")
    for use in one.also:
        table.add_row(local_time(use.at, at), level_text(Level(use.level)), _state(use), plain(use.text)[:120])
    out.print(table)
    if one.also_count > len(one.also):
        out.print(Text(f"  … and {one.also_count - len(one.also)} more", "dim"))


def _state(use: PastUse) -> str:
    return use.state.replace("_", " ") + ("" if use.is_certain else " (may be another action)")


def accept(store: Store, suggestion_id: str, days: int | None, folder: str | None) -> int:
    """Show a suggestion to the user at this terminal, run the challenge, and create the grant or the policy."""
    require_person("suggest accept")
    with open_store(store.store, store.config) as found:
        one, narrowing = _get(found, suggestion_id), Narrowing(days=days, folder=folder)
        _print(one)
        if one.policy is not None and narrowing == Narrowing():
            policy = compile_policy(one.policy, found.config)
            _confirm(f"Block this from now on, as policy `{policy.policy_id}`?")
            accept_policy(found.journal, one, policy, user_name())
            print(f"policy {policy.policy_id} is in force; `interlock policy show` shows it")
            return 0
        print(f"\n  This will be granted: {plain(narrow_shape(one, narrowing).text)}")
        print("  To accept it, approve the newest of its actions below once more. That action does not run now.")
        answer = _ask(found, one, find_governing_request(found.journal, one))
        grant = accept_grant(found.journal, one, answer, narrowing, found.register.rules)
    until = local_time(grant.expires_at or 0, now().wall)
    print(f"granted until {until}; `interlock grants revoke {grant.grant_id[:8]}` revokes it")
    return 0


def _ask(found: OpenStore, one: Suggestion, approval: Approval) -> Answer:
    """Return the approval of the user at this terminal, after the challenge of the newest request."""
    check_approver(approval, user_name())
    failures = count_failures(found.database, one.suggestion_id)
    terminal = Terminal()
    if not terminal.available():
        raise ApprovalError(f"accepting needs the challenge `{approval.needs.challenge}`, which needs a terminal")
    given = terminal.ask(
        approval,
        user_name(),
        poll=lambda: False,
        seconds_left=lambda: None,
        attempts=QuizAttempts(failures, MAX_FAILURES - failures),
        remember=False,
    )
    if isinstance(given, Answer) and given.verdict is AnswerVerdict.APPROVE:
        return given
    if given is not None and not isinstance(given, Answer) and given.wrong:
        fail_quiz(found.journal, one, user_name())
    raise ApprovalError("not accepted; nothing was changed")


def _confirm(question: str) -> None:
    if input(f"\n  {question} [y/N] ").strip().lower() not in ("y", "yes"):
        raise ApprovalError("not accepted; nothing was changed")


def dismiss_one(store: Store, suggestion_id: str, why: str) -> int:
    """Dismiss a suggestion."""
    require_person("suggest dismiss")
    with open_store(store.store, store.config) as found:
        one = _get(found, suggestion_id)
        dismiss(found.journal, one, user_name(), why)
    print(f"{one.suggestion_id[:8]} is dismissed; `interlock suggest restore {one.suggestion_id[:8]}` undoes that")
    return 0


def restore_one(store: Store, suggestion_id: str) -> int:
    """Undo the dismissal of a suggestion."""
    require_person("suggest restore")
    with open_store(store.store, store.config) as found:
        one = restore(found.journal, suggestion_id, user_name())
    print(f"{one.suggestion_id[:8]} is listed again if there is enough evidence for it")
    return 0


def find_open_suggestions(found: OpenStore) -> list[Suggestion]:
    """Return the open suggestions of a store, and show the progress."""
    _show_progress("indexing actions")
    index_new_actions(found.journal)
    try:
        return find_suggestions(found.database, _policies(found), found.config, progress=_show_progress)
    finally:
        _show_progress("")


def _policies(found: OpenStore) -> tuple[Policy, ...]:
    stored = PolicyRepository(found.journal).load()
    return merge_policies(found.config.shipped_policies, found.config.policies, stored)


def _get(found: OpenStore, suggestion_id: str) -> Suggestion:
    """Return a suggestion by the beginning of its id, or raise."""
    those = [
        one for one in find_open_suggestions(found) if suggestion_id and one.suggestion_id.startswith(suggestion_id)
    ]
    if len(those) != 1:
        what = "there are several suggestions" if those else "there is no suggestion"
        raise MissingError(f"{what} `{plain(suggestion_id)[:40]}`; `interlock suggest` lists them")
    return those[0]


def _show_progress(what: str) -> None:
    """Show the progress on a line that is overwritten, if the output is a terminal."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{what}", end="", file=sys.stderr, flush=True)
