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
"""
SCHEMA = {"properties": {"action": {"type": "string"}, "name": {"type": "string"}}}


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    file = tmp_path / "interlock.toml"
    file.write_text(CONFIG)
    return load(file).engine()


def effects(engine: Engine, payload: dict[str, Any], schema: dict[str, Any] | None = None) -> set[str]:
    action = Action(tool_name="manage_backup", input_payload=payload, input_schema=schema or {})
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
