"""Tools that do several things: an argument chooses what, and the description says what each choice does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from interlock import Action, Engine
from interlock.config.load import load

CONFIG = """
[tools.manage_backup]
does = "infra.change"
operations = { action = { "list get" = "tool.read", remove = "record.delete", note = "record.change" } }

[tools.save_envelope]
does = "contract.sign"

[tools.save_envelope.operations]
"envelope.status" = { created = "tool.draft", "" = "record.change" }
"draft.status" = { created = "tool.draft" }
owner = { "*" = "tool.read" }
paused = { true = "tool.read" }

[[tools.save_envelope.when]]
arguments = ["deleteSheet", "clear_all"]
does = "record.delete"
flags = ["final"]

[[tools.save_envelope.when]]
arguments = ["requests"]
values = ["deleteSheet", "clear_all"]
does = "record.delete"
flags = ["final"]

[[tools.save_envelope.when]]
arguments = ["webhook"]
does = "automation.install"
"""
SCHEMA = {"properties": {"action": {"type": "string"}, "name": {"type": "string"}}}


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    file = tmp_path / "interlock.toml"
    file.write_text(CONFIG)
    return load(file).engine()


def effects(
    engine: Engine, payload: dict[str, Any], schema: dict[str, Any] | None = None, tool: str = "manage_backup"
) -> set[str]:
    action = Action(tool_name=tool, input_payload=payload, input_schema=schema or {})
    return {effect.kind for effect in engine.decide(action).assessment.effects}


@pytest.mark.parametrize(
    ("operation", "kind"),
    [
        ("list", "tool.read"),
        ("get", "tool.read"),
        ("remove", "record.delete"),
        ("note", "record.change"),
        ("restore", "infra.change"),
        ("list get", "infra.change"),
    ],
)
def test_a_call_does_what_its_operation_does(engine: Engine, operation: str, kind: str) -> None:
    assert effects(engine, {"action": operation, "name": "nightly"}) == {kind}


@pytest.mark.parametrize(
    "payload",
    [{}, {"action": ["list"]}, {"action": None}, {"Action": "list"}, {"action": "list", "ACTION": "restore"}],
)
def test_an_operation_that_is_not_plainly_chosen_does_what_the_tool_does(
    engine: Engine, payload: dict[str, Any]
) -> None:
    assert "infra.change" in effects(engine, payload)


def test_an_argument_that_the_tool_does_not_have_chooses_nothing(engine: Engine) -> None:
    assert effects(engine, {"action": "list"}, SCHEMA) == {"tool.read"}
    assert effects(engine, {"action": "list"}, {"properties": {"name": {"type": "string"}}}) == {"infra.change"}


@pytest.mark.parametrize(
    ("payload", "kind"),
    [
        ({"envelope": {"status": "created"}}, "tool.draft"),
        ({"envelope": {"subject": "Offer"}}, "record.change"),
        ({}, "record.change"),
        ({"envelope": {"status": "sent"}}, "contract.sign"),
        ({"envelope": {"status": None}}, "contract.sign"),
        ({"envelope": {"status": "created", "Status": "sent"}}, "contract.sign"),
        ({"envelope": '{"status": "sent"}'}, "contract.sign"),
        ({"body": {"status": "sent"}}, "contract.sign"),
        ({"note": {"status": "created"}, "envelope": {"status": "sent"}}, "contract.sign"),
        ({"status": "created"}, "contract.sign"),
        ({"draft": {"status": "created"}}, "tool.draft"),
        ({"draft": {"status": "created"}, "envelope": {"status": "sent"}}, "contract.sign"),
        ({"envelope": {"status": "created"}, "draft": {"status": "sent"}}, "contract.sign"),
        ({"body": {"status": "sent"}, "owner": "ann"}, "tool.read"),
        ({"body": {"status": "sent"}, "owner": "*"}, "contract.sign"),
        ({"body": {"status": "sent"}, "owner": "all"}, "contract.sign"),
        ({"body": {"status": "sent"}, "owner": " "}, "contract.sign"),
        ({"body": {"status": "sent"}, "owner": ["ann", "bob"]}, "tool.read"),
        ({"body": {"status": "sent"}, "owner": ["ann", "*"]}, "contract.sign"),
        ({"body": {"status": "sent"}, "owner": []}, "contract.sign"),
        ({"envelope": {"status": ["created"]}}, "contract.sign"),
        ({"body": {"status": "sent"}, "paused": True}, "tool.read"),
        ({"body": {"status": "sent"}, "paused": False}, "contract.sign"),
    ],
)
def test_an_operation_can_be_chosen_inside_a_table_or_by_leaving_it_out(
    engine: Engine, payload: dict[str, Any], kind: str
) -> None:
    assert effects(engine, payload, tool="save_envelope") == {kind}


@pytest.mark.parametrize(
    ("more", "kind"),
    [
        ({"requests": [{"insertText": {}}, {"deleteSheet": {"id": 1}}]}, "record.delete"),
        ({"requests": ["clear_all"]}, "record.delete"),
        ({"requests": "DELETESHEET"}, "record.delete"),
        ({"body": {"requests": {"clear_all": True}}}, "record.delete"),
        ({"webhook": "x"}, "automation.install"),
    ],
)
def test_what_an_argument_adds_counts_wherever_it_is_given(engine: Engine, more: dict[str, Any], kind: str) -> None:
    plain = effects(engine, {"paused": True}, tool="save_envelope")
    schema = {"properties": {"paused": {"type": "boolean"}}}
    assert plain == {"tool.read"}
    assert effects(engine, {"paused": True, **more}, tool="save_envelope") == {"tool.read", kind}
    assert kind in effects(engine, {"paused": True, **more}, schema, tool="save_envelope")


@pytest.mark.parametrize("more", [{"requests": ["deleteRow"]}, {"webhook": None}, {"webhook": False}, {"webhook": ""}])
def test_other_values_add_nothing(engine: Engine, more: dict[str, Any]) -> None:
    assert effects(engine, {"paused": True, **more}, tool="save_envelope") == {"tool.read"}
