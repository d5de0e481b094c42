"""The tools of services: every description has calls that must be stopped or must pass, and they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from interlock import Action, Engine
from interlock.analyse.action import NOWHERE
from interlock.analyse.examples import find_broken_examples
from interlock.cli.tool_examples import find_misjudged_calls
from interlock.knowledge import artefact, services_page
from interlock.knowledge.services import find_chosen_tool, find_tool, index_tools
from interlock.knowledge.sources import read_service, read_text
from interlock.knowledge.tool import ToolFile
from tests.knowledge.service_mutants import tool_entries, tool_survivors

FOLDER = Path(artefact.FOLDER) / "services"
FILES = sorted(FOLDER.rglob("*.toml"))


def service(file: Path) -> ToolFile:
    return read_service(read_text(file), str(file))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_calls_of_a_description_are_judged_as_it_says_under_each_name(file: Path) -> None:
    found = service(file)
    assert [name for name, tool in found.tools.items() if not (tool.asks or tool.passes or tool.examples)] == []
    assert list(find_misjudged_calls(found, NOWHERE)) == []
    assert [str(broken) for broken in find_broken_examples(found)] == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_entry_of_a_tool_has_a_call_that_misses_it(file: Path) -> None:
    assert [str(entry) for entry in tool_survivors(service(file))] == []


def test_an_entry_without_a_call_is_found() -> None:
    whole = service(FOLDER / "slack.toml")
    bare = {name: replace(tool, asks=(), passes=(), examples=()) for name, tool in whole.tools.items()}
    bare_file = replace(whole, tools=bare)
    assert list(tool_survivors(bare_file)) == list(tool_entries(bare_file)) != []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_tool_is_found_by_each_of_its_names(file: Path) -> None:
    found = service(file)
    named = [(server, tool) for server in found.names for tool in index_tools(found)]
    assert [f"{server}_{tool}" for server, tool in named if find_tool(f"{server}_{tool}") is None] == []


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("mcp__slack__slack_post_message", "message.send"),
        ("mcp__linear-server__linear_delete_project", "record.delete"),
        ("mcp__home-assistant__ha_restart", "infra.change"),
        ("mcp__n8n-mcp__n8n_delete_workflow", "record.delete"),
    ],
)
def test_a_tool_is_found_by_the_name_of_its_service_in_front(name: str, kind: str) -> None:
    found = find_tool(name)
    assert found is not None
    assert found.tool.does == kind


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_no_tool_is_listed_twice(file: Path) -> None:
    found = service(file)
    names = [*found.reads, *found.drafts, *(name for key, tool in found.tools.items() for name in (key, *tool.also))]
    assert len(names) == len(set(names)), sorted(name for name in names if names.count(name) > 1)


@pytest.mark.parametrize(
    "name",
    [
        "mcp__github__merge_pull_request",
        "mcp__github-mcp-server__merge_pull_request",
        "mcp__mcp-server-github__merge_pr",
    ],
)
def test_words_that_tell_nothing_do_not_hide_a_service(name: str) -> None:
    known = find_tool(name)
    assert known is not None
    assert known.service == "GitHub"


def test_a_call_of_a_group_of_tools_is_judged_as_the_tool_that_it_chooses() -> None:
    chosen = find_chosen_tool(
        "mcp__azure__sql", {"intent": "x", "command": "sql_db_delete", "parameters": {"server": "orders"}}
    )
    assert chosen is not None
    assert (chosen.name, chosen.tool.does) == ("sql_db_delete", "infra.destroy")
    assert chosen.arguments == {"intent": "x", "server": "orders"}
    delete = {"command": "sql_db_delete", "parameters": {"server": "orders"}}
    get = {"command": "sql_db_get", "parameters": {"server": "orders"}}
    engine = Engine()
    assert not engine.decide(Action(tool_name="mcp__azure__sql", input_payload=delete)).allowed
    assert engine.decide(Action(tool_name="mcp__azure__sql", input_payload=get)).allowed


@pytest.mark.parametrize(
    ("name", "payload"),
    [
        ("mcp__azure__sql_db_delete", {"command": "sql_db_get"}),  # a tool of its own
        ("mcp__azure__storage", {"command": "sql_db_get"}),  # of another group
        ("mcp__github__sql", {"command": "sql_db_get"}),  # of a service without groups
        ("mcp__azure__sql", {"command": ["sql_db_get"]}),
        ("mcp__azure__sql", {}),
    ],
)
def test_no_argument_makes_a_call_look_like_another(name: str, payload: dict[str, object]) -> None:
    assert find_chosen_tool(name, payload) is None


def test_the_page_is_up_to_date() -> None:
    committed = Path(__file__).parent.parent.parent / "docs" / "services.md"
    assert committed.read_text("utf-8") == services_page.page(), "run `make docs`"
