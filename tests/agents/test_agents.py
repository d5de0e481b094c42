"""Each coding agent is one module: it says everything about the agent, and nothing else names the agent."""

from __future__ import annotations

import importlib
import json
import re
from functools import cache
from pathlib import Path

import pytest

from interlock import Action, Engine
from interlock.agents import VARIABLE_SUFFIXES
from interlock.agents.coding import AGENTS, NAMES
from interlock.agents.coding.agent import Agent, Stage
from interlock.agents.settings.command import InstallOptions, entries, settings_file
from interlock.analyse.files.traits import traits
from interlock.analyse.other_agents.answers import names_agent
from interlock.analyse.payloads.tools import reader_of
from interlock.analyse.variables import find_variable
from interlock.knowledge.catalogue import PROGRAMS

ROOT = Path(__file__).parent.parent.parent
SOURCE = ROOT / "src" / "interlock"
CODING = SOURCE / "agents" / "coding"
EVERY_AGENT = pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
#: Code that knows agents as programs and files on a machine, which actions are about: not as callers.
ABOUT_ACTIONS = ("analyse/", "rules/")
#: Names that are words with another meaning, too: lists come in pages, by a cursor.
AMBIGUOUS = ("cursor",)
#: Other places that name something of an agent's, and why.
ALLOWED = {
    **dict.fromkeys(
        (
            "agents/channel/__init__.py",
            "agents/channel/messages.py",
            "agents/channel/relay.py",
            "cli/channel.py",
            "cli/commands/agents.py",
        ),
        "only Claude Code has channels",
    ),
    "agents/continuation.py": "its example is a command for Codex",
}


def module_of(agent: Agent) -> str:
    return agent.name.replace("-", "_")


def mentions(text: str, agent: Agent) -> bool:
    """Whether a text names an agent: as a string, by its title or module, or by what only that agent has."""
    own = (*agent.environment.project, *agent.environment.unattended, agent.settings.project)
    words = [rf"(?<!\w){re.escape(one)}\b" for one in (*own, *agent.events)]
    words.append(rf"coding(?:\.| import .*\b){module_of(agent)}\b")
    if agent.name not in AMBIGUOUS:
        words += [rf"""["'`]{re.escape(agent.name)}["'`]""", rf"\b{re.escape(agent.title)}\b"]
    return re.search("|".join(words), text) is not None


@cache
def sources() -> list[tuple[str, str]]:
    paths = sorted([*SOURCE.rglob("*.py"), *SOURCE.rglob("*.html")])
    return [(path.relative_to(SOURCE).as_posix(), path.read_text()) for path in paths]


@EVERY_AGENT
def test_an_agent_is_named_in_its_own_module_alone(agent: Agent) -> None:
    own = (f"agents/coding/{module_of(agent)}", "agents/coding/__init__.py")
    found = [path for path, text in sources() if not path.startswith((*own, *ABOUT_ACTIONS)) and mentions(text, agent)]
    # Other agents' modules may name one whose hooks they run, or whose dialect they speak.
    assert [path for path in found if path not in ALLOWED and not path.startswith("agents/coding/")] == []


SEEDED = [
    'if agent.name == "{agent.name}":',
    "type /hooks in {agent.title}",
    "from interlock.agents.coding import agent, {module}",
    'if event == "{agent.before}":',
    'Path("{agent.settings.project}")',
]


@EVERY_AGENT
@pytest.mark.parametrize("seeded", SEEDED)
def test_a_name_elsewhere_would_be_found(agent: Agent, seeded: str) -> None:
    names = agent.name in AMBIGUOUS and ("agent.name" in seeded or "agent.title" in seeded)
    assert mentions(seeded.format(agent=agent, module=module_of(agent)), agent) is not names


def test_what_is_allowed_is_needed() -> None:
    texts = dict(sources())
    for path, why in ALLOWED.items():
        assert any(mentions(texts[path], agent) for agent in AGENTS), why


def test_every_module_of_an_agent_is_in_the_tuple() -> None:
    modules = [importlib.import_module(f"interlock.agents.coding.{path.stem}") for path in sorted(CODING.glob("*.py"))]
    declared = [module.AGENT for module in modules if hasattr(module, "AGENT")]
    assert sorted(agent.name for agent in declared) == sorted(NAMES)
    assert all(other in NAMES for agent in AGENTS for other in agent.runs_hooks_of)


@EVERY_AGENT
def test_what_actions_do_with_it_as_a_program_is_known(agent: Agent) -> None:
    """A row in the tables of knowledge; its settings, instructions and options follow from there."""
    program = agent.resume[0]
    assert program in PROGRAMS
    assert names_agent(program)
    assert "agent_config" in traits(f"/home/u/{agent.settings.folder}/{agent.settings.file}")
    if agent.settings.variable:
        moved = find_variable(agent.settings.variable)
        assert moved is not None
        assert moved.means == "agent_settings"


@EVERY_AGENT
def test_its_variables_reach_the_daemon(agent: Agent) -> None:
    for name in (*agent.environment.project, *agent.environment.unattended):
        assert name.endswith(VARIABLE_SUFFIXES)


@EVERY_AGENT
def test_its_tools_are_read_as_it_says(agent: Agent) -> None:
    assert "shell" in agent.tools.values()
    assert {tool: reader_of(tool, {}) for tool in agent.tools} == dict(agent.tools)


@EVERY_AGENT
def test_its_hook_is_entered_where_tools_are_decided(agent: Agent) -> None:
    entered = entries(agent, InstallOptions(), shared=False).hooks
    assert set(entered) <= set(agent.events)
    assert agent.before in entered
    assert {agent.events[event].stage for event in entered} >= {Stage.BEFORE, Stage.AFTER}


@EVERY_AGENT
def test_every_event_that_decides_was_recorded(agent: Agent) -> None:
    lines = (Path(__file__).parent / "recorded" / f"{agent.name}.jsonl").read_text().splitlines()
    calls = [json.loads(line)["in"] for line in lines]
    entered = entries(agent, InstallOptions(), shared=False).hooks
    deciding = {event for event in entered if agent.events[event].stage in (Stage.BEFORE, Stage.PROMPT)}
    if not agent.names_event:  # else its calls do not tell
        assert deciding <= {call["hook_event_name"] for call in calls}


@EVERY_AGENT
@pytest.mark.parametrize("project", [None, Path("/w/app")])
def test_it_does_not_change_its_own_settings_unasked(agent: Agent, project: Path | None) -> None:
    given = {"file_path": str(settings_file(agent, project)), "content": "{}"}
    action = Action(tool_name="write_file", input_payload=given, cwd="/w/app", workspace="/w/app", home="/home/u")
    assert "agent_settings_change" in [finding.rule for finding in Engine().decide(action).assessment.findings]


@EVERY_AGENT
def test_its_page_says_what_the_module_says(agent: Agent) -> None:
    page = " ".join((ROOT / "docs" / agent.advice.page).read_text().split())
    folder = f"~/{agent.settings.folder}/{agent.settings.file}"
    for part in (f"# {agent.title}", f"interlock install {agent.name}", folder, agent.settings.project):
        assert part in page
    for event in entries(agent, InstallOptions(), shared=False).hooks:
        assert f"`{event}`" in page
    listed = re.split(r" - (?=[^ ])", page.partition("## What is not protected")[2])
    assert [one.strip() for one in listed[1:]] == list(agent.advice.unprotected)
    for index in ("docs/agents.md", "README.md"):
        assert agent.title.removeprefix("GitHub ") in (ROOT / index).read_text()
        assert agent.name in (ROOT / index).read_text()
