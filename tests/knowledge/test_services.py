"""The tools of services: every description has calls that must be stopped or must pass, and they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from interlock import Action, Engine
from interlock.knowledge import artefact, services_page
from interlock.knowledge.services import find_tool, index_tools
from interlock.knowledge.sources import read_service, read_text
from interlock.knowledge.tool import ToolFile

FOLDER = Path(artefact.FOLDER) / "services"
FILES = sorted(FOLDER.rglob("*.toml"))
WHERE: dict[str, Any] = {"cwd": "/home/u/project", "workspace": "/home/u/project", "home": "/home/u"}
ENGINE = Engine()


def service(file: Path) -> ToolFile:
    return read_service(read_text(file), str(file))


def is_stopped(name: str, arguments: dict[str, Any]) -> bool:
    return not ENGINE.decide(Action(tool_name=name, input_payload=arguments, **WHERE)).allowed


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_calls_of_a_description_are_judged_as_it_says(file: Path) -> None:
    found = service(file)
    for name, tool in found.tools.items():
        called = f"mcp__{found.names[0]}__{name}"
        assert tool.asks or tool.passes or tool.examples, f"{name} has no calls"
        for asked, calls in ((True, tool.asks), (False, tool.passes)):
            for arguments in calls:
                assert is_stopped(called, arguments) is asked, f"{called} {arguments}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_tool_is_found_by_each_of_its_names(file: Path) -> None:
    found = service(file)
    named = [(server, tool) for server in found.names for tool in index_tools(found)]
    assert [f"{server}_{tool}" for server, tool in named if find_tool(f"{server}_{tool}") is None] == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_no_tool_is_listed_twice(file: Path) -> None:
    found = service(file)
    names = [*found.reads, *found.drafts, *(name for key, tool in found.tools.items() for name in (key, *tool.also))]
    assert len(names) == len(set(names)), sorted(name for name in names if names.count(name) > 1)


def test_the_page_is_up_to_date() -> None:
    committed = Path(__file__).parent.parent.parent / "docs" / "services.md"
    assert committed.read_text("utf-8") == services_page.page(), "run `make docs`"
