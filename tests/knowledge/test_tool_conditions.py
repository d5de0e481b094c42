"""Effects that a call has by its arguments, as the description of its tool says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from interlock import Action, Engine
from interlock.config.load import load
from interlock.errors import InterlockError

CONFIG = """
[tools.update_invoice]
does = "record.change"
when = [
    { arguments = ["status"], values = ["VOID*", "deleted"], does = "record.delete" },
    { arguments = ["bank.account_number", "iban"], does = "payment.send", flags = ["payout"] },
    { arguments = ["all"], without = ["filter"], does = "data.export" },
]

[tools.move_server]
does = "infra.change"
when = [{ arguments = ["wipe"], does = "infra.destroy" }]

[tools.link_tool]
does = "document.share"

[tools.link_tool.operations]
"steps.do" = { "rename tag" = "record.change" }
"link.scope" = { users = "record.change" }
enabled = { false = "tool.read" }
"""


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    file = tmp_path / "interlock.toml"
    file.write_text(CONFIG)
    return load(file).engine()


def effects(engine: Engine, tool: str, payload: dict[str, Any], schema: dict[str, Any] | None = None) -> set[str]:
    action = Action(tool_name=tool, input_payload=payload, input_schema=schema or {})
    return {effect.kind for effect in engine.decide(action).assessment.effects}


@pytest.mark.parametrize(
    ("payload", "kind"),
    [
        ({"status": "VOIDED"}, "record.delete"),
        ({"invoice": {"status": "Deleted"}}, "record.delete"),
        ({"invoices": [{"status": "open"}, {"status": "void"}]}, "record.delete"),
        ({"bank": {"account_number": "12345678"}}, "payment.send"),
        ({"vendor": {"bank": {"accountNumber": 12345678}}}, "payment.send"),
        ({"iban": "x"}, "payment.send"),
        ({"all": True}, "data.export"),
    ],
)
def test_a_call_has_the_effects_of_its_conditions_besides_its_own(
    engine: Engine, payload: dict[str, Any], kind: str
) -> None:
    assert effects(engine, "update_invoice", payload) == {"record.change", kind}


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"status": "draft"},
        {"status": "avoid"},
        {"account_number": "12345678"},
        {"bank": {"account_number": ""}},
        {"iban": None},
        {"all": True, "filter": "id = 7"},
    ],
)
def test_a_call_without_them_does_not(engine: Engine, payload: dict[str, Any]) -> None:
    assert effects(engine, "update_invoice", payload) == {"record.change"}


def test_a_condition_holds_for_a_tool_of_any_kind(engine: Engine) -> None:
    assert effects(engine, "move_server", {"wipe": True}) == {"infra.change", "infra.destroy"}
    assert effects(engine, "move_server", {"wipe": False}) == {"infra.change"}


@pytest.mark.parametrize(
    ("payload", "kind"),
    [
        ({"link": {"scope": "users"}}, "record.change"),
        ({"enabled": False}, "tool.read"),
        ({"steps": [{"do": "rename"}, {"do": "tag"}]}, "record.change"),
        ({"steps": [{"do": "rename"}, {"do": "open"}]}, "document.share"),
        ({"steps": [{"do": "rename"}, {"to": "all"}]}, "document.share"),
        ({"steps": []}, "document.share"),
        ({"link": {"scope": "anonymous"}}, "document.share"),
        ({"link": {"scope": "users", "Scope": "anonymous"}}, "document.share"),
        ({"link": {"scope": "users"}, "Link": {"scope": "anonymous"}}, "document.share"),
        ({"link": {"scope": ["users"]}}, "document.share"),
        ({"scope": "users"}, "document.share"),
        ({"enabled": True}, "document.share"),
        ({"enabled": 0}, "document.share"),
    ],
)
def test_an_argument_in_others_chooses_an_operation(engine: Engine, payload: dict[str, Any], kind: str) -> None:
    assert kind in effects(engine, "link_tool", payload)
    assert (kind == "document.share") is ("document.share" in effects(engine, "link_tool", payload))


def test_a_nested_argument_that_the_tool_does_not_have_chooses_nothing(engine: Engine) -> None:
    payload = {"link": {"scope": "users"}}
    assert effects(engine, "link_tool", payload, {"properties": {"link": {"type": "object"}}}) == {"record.change"}
    assert "document.share" in effects(engine, "link_tool", payload, {"properties": {"name": {"type": "string"}}})


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ('{ does = "record.deleted", arguments = ["a"] }', "unknown kind of effect `record.deleted`"),
        ('{ does = "record.delete", arguments = ["a"], flags = ["finally"] }', "unknown flag `finally`"),
        ('{ does = "record.delete", values = ["a"] }', "`values` are those of `arguments`"),
        ('{ does = "record.delete" }', "a condition needs `arguments` or `without`"),
        ('{ does = "record.delete", argument = ["a"] }', "unknown key `argument`"),
    ],
)
def test_a_condition_that_says_nothing_is_a_mistake(tmp_path: Path, condition: str, said: str) -> None:
    file = tmp_path / "interlock.toml"
    file.write_text(f'[tools.a]\ndoes = "record.change"\nwhen = [{condition}]\n')
    with pytest.raises(InterlockError, match=said.replace("`", ".")):
        load(file)
