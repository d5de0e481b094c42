"""Laws of tool calls: what reaches more people, or is more public, larger or wrapped, never scores lower."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock import Action, Engine

ENGINE = Engine()
TOOLS = [
    "send_email",
    "share_document",
    "add_member",
    "update_page",
    "create_repository",
    "set_permissions",
    "export_report",
    "delete_record",
    "post_message",
    "frobnicate",
    "create_event",
]
tools = st.sampled_from(TOOLS)
VALUES: dict[str, list[Any]] = {
    "subject": ["Notes", "Salaries 2025"],
    "body": ["See you at lunch", "Salaries: Anna Holt 214,000", "We hereby offer a binding price"],
    "role": ["viewer", "admin", "editor"],
    "visibility": ["private", "public"],
    "count": [1, 5000],
    "file": ["notes.pdf", "customers.csv"],
    "enforce": [True, False],
    "title": ["Plan"],
}
payloads = st.fixed_dictionaries({}, optional={key: st.sampled_from(values) for key, values in VALUES.items()})


def score(tool: str, payload: dict[str, Any]) -> float:
    return ENGINE.decide(Action(tool_name=tool, input_payload=payload)).assessment.score


def is_stopped(tool: str, payload: dict[str, Any]) -> bool:
    return ENGINE.decide(Action(tool_name=tool, input_payload=payload)).verdict.value in ("require_approval", "block")


@given(tools, payloads)
def test_an_outsider_never_scores_below_an_insider(tool: str, payload: dict[str, Any]) -> None:
    inside = {**payload, "from": "me@brindle.co", "to": "jo@brindle.co"}
    assert score(tool, {**inside, "to": "jo@gmail.com"}) >= score(tool, inside)
    assert score(tool, {**inside, "to": "jo@brind1e.co"}) >= score(tool, inside)


@given(tools, payloads)
@pytest.mark.parametrize("key", ["public", "is_public", "allow_anonymous", "allowExternalMembers"])
def test_public_never_scores_below_private(key: str, tool: str, payload: dict[str, Any]) -> None:
    assert score(tool, {**payload, key: True}) >= score(tool, {**payload, key: False})


@given(tools, payloads, st.integers(1, 10_000), st.integers(1, 10_000))
def test_a_larger_count_never_scores_below_a_smaller_one(
    tool: str, payload: dict[str, Any], one: int, other: int
) -> None:
    low, high = sorted((one, other))
    assert score(tool, {**payload, "count": high}) >= score(tool, {**payload, "count": low})


@given(tools, payloads, st.sampled_from(["data", "params", "environment", "dry_run", "draft", "note", "sandbox"]))
def test_wrapping_never_lets_a_call_pass(tool: str, payload: dict[str, Any], wrapper: str) -> None:
    if is_stopped(tool, payload):
        assert is_stopped(tool, {wrapper: payload})
        assert is_stopped(tool, {wrapper: json.dumps(payload)})
        assert is_stopped(tool, {wrapper: [payload]})


READS = [f"{verb}_{thing}" for verb in ("get", "list", "search", "draft", "find") for thing in ("email", "page")]


@given(payloads, st.sampled_from(READS))
def test_reading_and_drafting_never_ask(payload: dict[str, Any], tool: str) -> None:
    assert not is_stopped(tool, payload)


@given(tools, payloads, st.sampled_from(["dry_run", "draft", "sandbox", "test mode", "status: draft"]))
def test_free_text_switches_nothing_off(tool: str, payload: dict[str, Any], word: str) -> None:
    if is_stopped(tool, payload):
        assert is_stopped(tool, {**payload, "text": f"{word} true"})
        assert is_stopped(tool, {**payload, "comment": word})


@pytest.mark.parametrize(
    ("stopped", "passed"),
    [
        (("garage_door_control", {"action": "open"}), ("garage_door_control", {"action": "status"})),
        (("appliance_control", {"appliance": "Stove", "state": "on"}), ("camera_rename", {"camera": "c", "name": "x"})),
        (("ads_update_campaign", {"id": 1, "daily_budget": 9000}), ("ads_rename_adgroup", {"id": 1, "name": "x"})),
        (("invoice_update", {"id": 1, "status": "paid"}), ("invoice_update", {"id": 1, "memo": "Thanks"})),
        (("swap", {"token_in": "A", "token_out": "B", "amount": 9}), ("swap_rooms", {"a": "R1", "b": "R2"})),
        (("dose_planner", {"drug": "x", "write_to_chart": True}), ("dose_planner", {"drug": "x"})),
        (("break_glass_open_chart", {"mrn": "1"}), ("ehr_open_manual", {"chapter": "1"})),
        (("hotelBooking", {"offer": "o1"}), ("give_booking_count", {"day": "Monday"})),
        (("bulk_update_records", {"file": "all.csv"}), ("batch_update_tasks", {"inputs": [{"id": 1, "done": True}]})),
    ],
)
def test_what_is_done_decides_not_what_it_is_about(
    stopped: tuple[str, dict[str, Any]], passed: tuple[str, dict[str, Any]]
) -> None:
    assert is_stopped(*stopped)
    assert not is_stopped(*passed)
