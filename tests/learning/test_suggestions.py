"""Suggestions: found with their evidence, accepted, narrowed, dismissed and restored, and on record all the way."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest

from interlock.approval.request import Answer, AnswerVerdict
from interlock.approval.shape.shape import Shape
from interlock.audit.keys import KeyRing
from interlock.audit.verify import verify
from interlock.errors import ApprovalError, ConflictError, InterlockError, MissingError, NotYoursError
from interlock.learning.suggestion import Suggestion
from interlock.learning.suggestion_responses import (
    MAX_FAILURES,
    Narrowing,
    accept_grant,
    accept_policy,
    count_failures,
    dismiss,
    fail_quiz,
    list_dismissed,
    restore,
)
from interlock.policies.policy_input import compile_policy
from tests.learning.past import DAY, SHOP, Past
from tests.learning.test_training_attacks import OLD_FILES, TOPICS, YES

RESETS = ["git reset --hard HEAD~1", "git reset --hard HEAD~2", "git reset --hard HEAD~3", "git reset --hard HEAD~4"]


@pytest.fixture
def verified(past: Past) -> Iterator[Past]:
    """The past, whose record must be whole at the end."""
    yield past
    own = past.gate.journal.key
    assert verify(past.gate.journal.database, KeyRing([own.public])).good


def only(past: Past) -> Suggestion:
    (found,) = past.suggestions()
    return found


def test_a_grant_is_accepted_by_those_who_could_approve_the_request(verified: Past) -> None:
    past = verified
    past.approve(TOPICS)
    found, journal, rules = only(past), past.gate.journal, past.gate.approvals.rules
    for person, error in (("sam", NotYoursError), ("claude", NotYoursError)):
        with pytest.raises(error):
            accept_grant(journal, found, msgspec.structs.replace(YES, approver=person), Narrowing(), rules)
    with pytest.raises(ApprovalError, match="none was taken"):
        accept_grant(journal, found, Answer(approver="eve", verdict=AnswerVerdict.APPROVE), Narrowing(), rules)
    with pytest.raises(InterlockError, match="from 1 to"):
        accept_grant(journal, found, YES, Narrowing(days=1_000), rules)
    grant = accept_grant(journal, found, YES, Narrowing(days=2), rules)
    assert (grant.granted_by, grant.shown, grant.expires_at) == ("eve", found.text, grant.created_at + 2 * DAY * 10**6)
    assert past.suggestions() == []
    with pytest.raises(ConflictError, match="accepted by `eve`"):
        accept_grant(journal, found, YES, Narrowing(), rules)


def test_after_a_grant_is_revoked_earlier_answers_no_longer_count(verified: Past) -> None:
    past = verified
    past.approve(TOPICS)
    grant = accept_grant(past.gate.journal, only(past), YES, Narrowing(), past.gate.approvals.rules)
    past.gate.grants.revoke(grant.grant_id, "bob")
    assert past.suggestions() == []


def test_a_grant_is_narrowed_to_a_folder_inside(verified: Past) -> None:
    past = verified
    past.approve([command.replace("old/", "old/a/") for command in OLD_FILES[:3]])
    past.approve([command.replace("old/", "old/") for command in OLD_FILES])
    found = only(past)
    assert "in /home/sam/shop/src/old, except hidden ones (run in /home/sam/shop, " in found.text
    journal, rules = past.gate.journal, past.gate.approvals.rules
    for outside in ("/home/sam/shop/src", "/home/sam/shop/src/old/../new", "/home/sam/shop/src/older/x", "/"):
        with pytest.raises(InterlockError, match="is not a folder inside"):
            accept_grant(journal, found, YES, Narrowing(folder=outside), rules)
    grant = accept_grant(journal, found, YES, Narrowing(folder=f"{SHOP}/src/old/a"), rules)
    assert "in /home/sam/shop/src/old/a, except hidden ones (run in /home/sam/shop, " in grant.shown
    past.ask("rm src/old/part-1.py", run="later")
    assert isinstance(grant.shape, Shape)


def test_a_dismissed_suggestion_comes_back_when_its_evidence_has_doubled(verified: Past) -> None:
    past = verified
    past.approve(TOPICS)
    found, journal = only(past), past.gate.journal
    assert dismiss(journal, found, "bob", "not\tyet").why == "not yet"
    assert past.suggestions() == []
    assert [one.suggestion_id for one in list_dismissed(journal.database)] == [found.suggestion_id]
    with pytest.raises(ConflictError, match="dismissed by `bob`"):
        dismiss(journal, found, "eve")
    restore(journal, found.suggestion_id[:8], "eve")
    assert only(past).suggestion_id == found.suggestion_id
    with pytest.raises(MissingError):
        restore(journal, found.suggestion_id, "eve")
    dismiss(journal, found, "bob")
    past.clock.behind = 14 * DAY
    past.approve(TOPICS[:5])
    assert past.suggestions() == []
    past.clock.behind = 5 * DAY
    past.approve(TOPICS[5:])
    assert only(past).evidence.answers == 12


def test_a_quiz_can_be_failed_a_few_times_only(verified: Past) -> None:
    past = verified
    past.approve(TOPICS)
    found = only(past)
    for failures in range(MAX_FAILURES):
        assert count_failures(past.gate.journal.database, found.suggestion_id) == failures
        fail_quiz(past.gate.journal, found, "bob")
    with pytest.raises(ApprovalError, match="too often"):
        count_failures(past.gate.journal.database, found.suggestion_id)
    assert only(past) == found


def test_repeated_rejections_suggest_a_policy_with_what_else_it_would_stop(verified: Past) -> None:
    past = verified
    past.reject(RESETS)
    found = only(past)
    assert (found.kind, found.evidence.answers, found.evidence.people) == ("policy", 4, {"bob": 2, "eve": 2})
    assert (found.covered, found.also_count) == (4, 0)
    past.clock.behind = 20 * DAY
    past.approve(["git reset --hard HEAD~5"])
    found = only(past)
    assert [(use.text, use.state) for use in found.also] == [("git reset --hard HEAD~5", "approved")]
    assert found.policy is not None
    accept_policy(past.gate.journal, found, compile_policy(found.policy, past.gate.config), "bob")
    assert found.policy.policy_id in past.gate.policies.current()
    past.gate.configuration.reload_policies()
    assert past.suggestions() == []


def test_rejections_of_what_was_approved_as_often_suggest_nothing(verified: Past) -> None:
    past = verified
    past.reject(RESETS)
    past.approve([command.replace("HEAD", "topic") for command in RESETS])
    assert past.suggestions() == []
