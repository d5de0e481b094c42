"""Calls that do harm only together with what earlier calls of the run have set at a service."""

from __future__ import annotations

import msgspec
import pytest

from interlock import Action, Engine, RunState
from interlock.audit.run_state import encode_changes
from interlock.memory.additions import MAX_DEFINITIONS
from interlock.memory.definitions import MAX_LENGTH
from interlock.memory.model import JOINT_RULE, Definition, MemoryChanges
from interlock.model import Decision
from tests.run_calls import tool

ENGINE = Engine()

HARMFUL: dict[str, list[Action]] = {
    "a template that pays": [
        tool("bank_save_template", name="Kantine", payee="P. Novak", iban="DE02120300000000202051", amount_eur=80),
        tool("bank_template_activate", name="Kantine"),
    ],
    "a contact that a drafted rule forwards to": [
        tool("contacts_create", name="Receipts", email="receipts.2025@post-box.top"),
        tool("gmail_draft_filter", id="f-3", criteria={"from": "bank"}, actions={"copy_to": "Receipts"}),
        tool("gmail_apply_filter", id="f-3"),
    ],
    "a note with a bank account that a supplier is updated from": [
        tool("notes.save", title="Brandt Ltd", text="New account: LT601010012345678901"),
        tool("erp.update_supplier_from_note", supplier="Brandt Ltd", note="Brandt Ltd"),
    ],
}
HARMLESS: dict[str, list[Action]] = {
    "a list for a task": [
        tool("tasks_save_template", name="Onboarding", items=["laptop", "badge"]),
        tool("tasks_template_activate", name="Onboarding"),
    ],
    "another template": [
        tool("bank_save_template", name="Kantine", payee="P. Novak", iban="DE02120300000000202051", amount_eur=80),
        tool("tasks_complete", name="Kitchen"),
    ],
    "a look at it": [
        tool("bank_save_template", name="Kantine", payee="P. Novak", iban="DE02120300000000202051", amount_eur=80),
        tool("bank_get_template", name="Kantine"),
    ],
}


def play(calls: list[Action]) -> tuple[RunState, list[Decision]]:
    """Return the state of a run and its decisions; each call runs, whatever was decided."""
    state, decisions = RunState(), []
    for call in calls:
        decisions.append(ENGINE.decide(call, state))
        state = state.after(call, decisions[-1])
    return state, decisions


@pytest.mark.parametrize("name", HARMFUL)
def test_a_call_is_judged_with_what_it_names(name: str) -> None:
    *earlier, last = play(HARMFUL[name])[1]
    assert all(decision.allowed for decision in earlier)
    assert not last.allowed
    finding = last.assessment.findings[0]
    assert finding.rule == JOINT_RULE
    assert finding.calls == tuple(range(1, len(earlier) + 1))
    assert finding.reason.startswith("Together with what was set in call 1")


@pytest.mark.parametrize("name", HARMLESS)
def test_harmless_calls_pass_together(name: str) -> None:
    assert all(decision.allowed for decision in play(HARMLESS[name])[1])


def test_a_later_change_hides_nothing() -> None:
    saved, activated = HARMFUL["a template that pays"]
    corrected = tool("bank_draft_template", name="Kantine", payee="Canteen", iban="none", amount_eur=0)
    assert not play([saved, corrected, activated])[1][-1].allowed


def test_what_was_agreed_to_is_not_asked_about_again() -> None:
    calls = HARMFUL["a template that pays"]
    decisions = play([*calls, calls[-1]])[1]
    assert [decision.allowed for decision in decisions] == [True, False, True]


def test_secrets_are_not_remembered() -> None:
    call = tool("mail_save_account", name="Archive", password="hunter2-long-one", host="mail.example")
    state = play([call])[0]
    assert state.definitions
    assert "hunter2" not in str(state.definitions)
    noted = Definition("notes_save", {"title": "x", "text": "ghp_0123456789abcdefghijABCDEFGHIJ012345"}, ("x",))
    assert "ghp_0123456789" not in str(encode_changes(MemoryChanges(definition=noted)))


def test_definitions_are_few_and_short() -> None:
    state = play([tool("notes_save", title=f"Note {number}", text="x" * 200) for number in range(60)])[0]
    assert len(state.definitions) == MAX_DEFINITIONS
    assert state.definitions[-1].names == ("note 59",)
    long = tool("notes_save", title="Long", text="x" * MAX_LENGTH, parts={str(n): "y" * 150 for n in range(20)})
    (kept,) = play([long])[0].definitions
    assert len(msgspec.json.encode(kept.arguments)) <= MAX_LENGTH
    assert kept.names == ("long",)


def wrap(call: Action) -> Action:
    """Return a call with its arguments as JSON in a text."""
    text = msgspec.json.encode(call.input_payload).decode()
    return msgspec.structs.replace(call, input_payload={"body": text})


def test_json_in_texts_hides_nothing() -> None:
    saved, activated = HARMFUL["a template that pays"]
    for calls in ([wrap(saved), activated], [saved, wrap(activated)], [wrap(saved), wrap(activated)]):
        assert not play(calls)[1][-1].allowed


def test_many_calls_of_one_tool_hide_nothing() -> None:
    saved, activated = HARMFUL["a template that pays"]
    others = [tool("notes_save", title=f"Note {number}", text="x") for number in range(40)]
    assert not play([saved, *others, activated])[1][-1].allowed


def test_a_long_text_hides_nothing() -> None:
    saved, activated = HARMFUL["a template that pays"]
    padded = msgspec.structs.replace(saved, input_payload={**saved.input_payload, "note": "n" * 20_000})
    assert not play([padded, activated])[1][-1].allowed


def test_definitions_survive_a_restart() -> None:
    calls = HARMFUL["a contact that a drafted rule forwards to"]
    state = play(calls[:-1])[0]
    kept = msgspec.json.decode(msgspec.json.encode(state.definitions), type=tuple[Definition, ...])
    again = msgspec.structs.replace(RunState(calls=state.calls), definitions=kept)
    assert not ENGINE.decide(calls[-1], again).allowed
