"""A bare verb after the name of a thing is what is done to that thing, and no tool for files or commands."""

from __future__ import annotations

from typing import Any

import pytest

from interlock import Action, Engine
from interlock.analyse.payloads.tools import reader_of

ENGINE = Engine(second_opinion=False)


@pytest.mark.parametrize(
    "name",
    ["acme.zones.edit", "crm.roles.write", "boiler.read", "crane.command", "mcp__vehicle__command", "pages/replace"],
)
def test_a_bare_verb_of_a_service_has_no_reader_for_files(name: str) -> None:
    assert reader_of(name, {}) is None


@pytest.mark.parametrize(
    ("name", "reader"),
    [
        ("edit", "write"),
        ("functions.Edit", "write"),
        ("fs.write", "write"),
        ("repo.files.edit", "write"),
        ("mcp__filesystem__edit", "write"),
        ("mcp__acp__Read", "read"),
        ("server.command", "shell"),
        ("sandbox.bash", "shell"),
        ("crane.bash", "shell"),
        ("crm.edit_file", "write"),
    ],
)
def test_a_tool_for_files_or_commands_keeps_its_reader(name: str, reader: str) -> None:
    assert reader_of(name, {}) == reader


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        (
            "registrar.dns.records.edit",
            {"record_id": "r1", "type": "NS", "name": "shop.example", "content": "ns1.x.net"},
        ),
        ("crm.roles.edit", {"role": "Interns", "permissions": ["admin"]}),
        ("crane.command", {"command": "release_brake"}),
        ("vault.secrets.read", {"path": "prod/db"}),
    ],
)
def test_what_is_done_to_a_thing_is_judged_by_the_thing(name: str, arguments: dict[str, Any]) -> None:
    assert not ENGINE.decide(Action(tool_name=name, input_payload=arguments)).allowed


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("crm.notes.edit", {"id": "n1", "content": "Called back on Monday"}),
        ("boiler.read", {"point": "flow_temperature"}),
        ("functions.edit", {"file_path": "src/app.py", "old_string": "a", "new_string": "b"}),
    ],
)
def test_what_is_harmless_still_passes(name: str, arguments: dict[str, Any]) -> None:
    assert ENGINE.decide(Action(tool_name=name, input_payload=arguments)).allowed
