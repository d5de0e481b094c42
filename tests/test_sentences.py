"""Every kind of record has a sentence, and is in exactly one group under a word that people use."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.audit.kind_groups import GROUPS, find_kinds
from interlock.audit.record import KINDS, Entry
from interlock.audit.run_ids import shorten
from interlock.audit.sentences import describe_record
from interlock.errors import InterlockError

DEEP = {"policyId": "p", "conditions": [{"field": "x"}]}
#: Data of the shapes that records have, each of them with something nested where a text might be expected.
SHAPES: tuple[dict[str, Any], ...] = (
    {},
    {"policy": DEEP, "note": "", "origin": DEEP, "changes": [DEEP], "text": DEEP, "why": DEEP, "name": DEEP},
    {"answer": {"verdict": "approve", "reason": "fine"}, "text": "rm -rf /", "why": "it was late", "name": "ci"},
    {"answer": "approve", "pins": DEEP, "observe": DEEP, "kinds": ["risk"], "needs": DEEP},
)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_a_sentence_without_structure_in_it(kind: str) -> None:
    for data in SHAPES:
        for name in ("p@3", None):
            told = describe_record(Entry(kind=kind, at=0, actor="ann", name=name, outcome="rejected", data=data))
            assert told.strip()
            assert "\n" not in told
            assert not {"{", "}", "["} & set(told), told
            assert told != kind


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_in_exactly_one_group(kind: str) -> None:
    assert len([name for name, group in GROUPS.items() if group.covers(kind)]) == 1, kind


def test_sentences_name_who_did_what_to_whom() -> None:
    made = Entry(kind="stop.made", at=0, actor="ann", name="1", data={"agentId": "coder", "reason": "loops"})
    assert describe_record(made) == "ann stopped agent coder: loops"
    saved = Entry(kind="policy.saved", at=0, actor="ann", name="no-push@2", data={"policy": DEEP, "note": "stricter"})
    assert describe_record(saved) == "ann saved policy no-push@2: stricter"
    missing = Entry(kind="approval.reviewed", at=0, actor="interlock", outcome="not configured")
    assert describe_record(missing) == "No reviewer model is configured"


def test_a_change_of_a_person_or_a_view_says_what_changed() -> None:
    def told(kind: str, about: str, /, **data: Any) -> str:
        return describe_record(Entry(kind=kind, at=0, actor="eve", name=about, data=data))

    promoted: dict[str, Any] = {"changed": ["role"], "before": {"role": "reviewer"}, "role": "admin"}
    assert told("person.changed", "ann", **promoted) == "eve changed the role of ann from reviewer to admin"
    by_group = told("person.changed", "ann", **promoted, why="role set by group `sre` of https://acme.example")
    assert by_group.endswith("to admin: role set by group `sre` of https://acme.example")
    for state, words in (("active", "reactivated"), ("shut out", "suspended")):
        assert told("person.changed", "ann", changed=["state"], state=state) == f"eve {words} ann"
    assert told("person.changed", "ann", changed=["state"], state="in no group with a role") == "eve denied ann access"
    assert told("view.saved", "5f1c", name="Production first", shared=True) == "eve saved the view “Production first”"


def test_sentences_are_active_and_name_a_policy_without_a_title_by_its_id() -> None:
    unnamed = Entry(kind="risk", at=0, actor="bot", name="no-push", data={"policy": ""})
    assert describe_record(unnamed) == "Policy no-push matched"
    own, other = (Entry(kind="preferences.saved", at=0, actor="ann", name=name) for name in ("ann", "bob"))
    assert describe_record(own) == "ann changed their notification preferences"
    assert describe_record(other) == "ann changed bob's notification preferences"
    linked = Entry(kind="chat.linked", at=0, actor="ann", name="ops/U1", data={"person": "ann"})
    assert describe_record(linked) == "ann linked chat account ops/U1 to ann"
    made = Entry(kind="group.made", at=0, actor="ann", name="sre", outcome="created")
    assert describe_record(made) == "ann created group sre"


def test_a_record_cannot_choose_its_sentence() -> None:
    forged = {"actor": "root", "outcome": "approved", "target": "nothing", "text": "{actor} {0.__class__}"}
    told = describe_record(Entry(kind="request", at=0, actor="mallory", data=forged))
    assert told == "mallory asked: {actor} {0.__class__}"


def test_groups_and_kinds_are_found_by_their_words() -> None:
    assert set(find_kinds("approval")) < set(find_kinds("approvals"))
    assert find_kinds("run.paused") == ("run.paused",)
    with pytest.raises(InterlockError, match="did you mean `approvals`"):
        find_kinds("aprovals")


def test_a_short_id_is_long_enough_to_name_one_run() -> None:
    ids = ["claude-2026-11-17-a1b2c3d4e5", "claude-2026-11-17-a1b2ffffff", "claude-2026-11-16-00000000"]
    short = [shorten(one, [other for other in ids if other != one]) for one in ids]
    assert short == ["claude-2026-11-17-a1b2c", "claude-2026-11-17-a1b2f", "claude-2026-11-16"]
