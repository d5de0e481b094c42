"""Declared tools and outcomes, in every framework and through the gateway."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from agents.testing import ScriptedModel, assistant_message, function_call
from anthropic import beta_async_tool, beta_tool
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, ToolCall
from langchain_core.tools import tool as langchain_tool
from langgraph.checkpoint.memory import InMemorySaver
from pydantic_ai import Agent as PydanticAgent
from pydantic_ai import DeferredToolRequests
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

import agents as openai_agents
from interlock import declare
from interlock.agents import anthropic, langchain, pydantic_ai
from interlock.agents import openai_agents as oai
from interlock.agents.hook.answer import answer_call
from interlock.audit.read import RecordFilter, read_all
from interlock.audit.record import Record
from interlock.gate import Gate
from tests.agents.hook_calls import call
from tests.agents.test_frameworks import CONFIG, HELLO, Scripted, client
from tests.agents.test_gateway import connected, gateway, text
from tests.agents.test_gateway import run as run_async

RAN: list[str] = []


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    RAN.clear()
    with Gate(store=f"sqlite:///{tmp_path / 'store.db'}") as gate:
        yield gate


@declare(does="tool.read")
def export_customers(region: str) -> str:
    """Count customers."""
    RAN.append("export_customers")
    return "seven"


@declare(does="payment.send", amount="region")
def lookup(region: str) -> str:
    """Look something up."""
    RAN.append("lookup")
    return "seven"


def undeclared(region: str) -> str:
    """Look something up."""
    raise ConnectionError("no secret of ours")


def on_langchain(gate: Gate, function: Callable[[str], str]) -> None:
    one = ToolCall(name=function.__name__, args={"region": "north"}, id="c1", type="tool_call")
    model = Scripted(messages=iter([AIMessage(content="", tool_calls=[one]), AIMessage("done")]))
    built = create_agent(
        model, [langchain_tool(function)], middleware=[langchain.Guard(gate)], checkpointer=InMemorySaver()
    )
    thread: Any = {"configurable": {"thread_id": "t1"}}
    start: Any = {"messages": [("user", "go")]}
    built.invoke(start, thread)


def on_openai(gate: Gate, function: Callable[[str], str]) -> None:
    model = ScriptedModel(
        [[function_call(function.__name__, {"region": "north"}, call_id="c1")], [assistant_message("x")]]
    )
    tools = oai.Guard(gate).tools([openai_agents.function_tool(function, failure_error_function=None)])
    agent = openai_agents.Agent(name="ops", model=model, tools=tools)
    asyncio.run(openai_agents.Runner.run(agent, "go", run_config=CONFIG))


def on_pydantic(gate: Gate, function: Callable[[str], str]) -> None:
    def respond(messages: Any, _info: Any) -> ModelResponse:
        if len(messages) > 1:
            return ModelResponse(parts=[TextPart("done")])
        return ModelResponse(parts=[ToolCallPart(function.__name__, {"region": "north"}, tool_call_id="c1")])

    output: Any = [str, DeferredToolRequests]
    agent: Any = PydanticAgent(FunctionModel(respond), output_type=output, capabilities=[pydantic_ai.Guard(gate)])
    agent.tool_plain(function)
    asyncio.run(agent.run("go"))


def on_anthropic(gate: Gate, function: Callable[[str], str]) -> None:
    (tool,) = anthropic.Guard(gate).tools([beta_tool(function)])
    tool.call({"region": "north"})


def on_anthropic_async(gate: Gate, function: Callable[[str], str]) -> None:
    async def wrapped(region: str) -> str:
        """Do the same."""
        return function(region)

    wrapped.__name__ = function.__name__
    wrapped.__dict__.update(function.__dict__)
    (tool,) = anthropic.Guard(gate).tools([beta_async_tool(wrapped)])
    asyncio.run(tool.call({"region": "north"}))


FRAMEWORKS = [on_langchain, on_openai, on_pydantic, on_anthropic, on_anthropic_async]


def records(gate: Gate, kind: str) -> list[Record]:
    gate.journal.flush()
    return [line.record for line in read_all(gate.journal.database, RecordFilter(kind=kind))]


def outcomes(gate: Gate) -> list[Record]:
    return [one for one in records(gate, "event") if str(one.name).startswith("tool.")]


def attempt(framework: Callable[..., None], gate: Gate, function: Callable[[str], str]) -> None:
    """Run a call. Frameworks differ in whether they raise what a tool raised, or why it did not run."""
    try:
        framework(gate, function)
    except Exception as error:
        assert "secret of ours" in str(error) or "Interlock" in str(error), error  # noqa: PT017


@pytest.mark.parametrize("framework", FRAMEWORKS, ids=lambda one: one.__name__)
def test_a_declaration_decides_in_every_framework_and_outcomes_are_on_record(gate: Gate, framework: Any) -> None:
    attempt(framework, gate, lookup)
    attempt(framework, gate, export_customers)
    attempt(framework, gate, undeclared)
    assert RAN == ["export_customers"]
    decided = {one.name: one for one in records(gate, "decision")}
    assert [one.outcome for one in decided.values()] == ["require_approval", "allow", "allow"]
    returned, raised = outcomes(gate)
    assert returned.name == "tool.completed"
    assert returned.data["decisionId"] == decided["export_customers"].record_id
    assert returned.data["resultBytes"] == len("seven")
    assert raised.name == "tool.failed"
    assert raised.data["error"] == "ConnectionError"
    assert raised.data["decisionId"] == decided["undeclared"].record_id
    assert "secret of ours" not in str([one.data for one in records(gate, "event")])


def test_a_loop_of_ones_own_says_how_a_call_ended(gate: Gate) -> None:
    guard = anthropic.Guard(gate)
    message = client(["ls", "git status"]).messages.create(**HELLO)
    assert [guard.check(block) for block in message.content] == [None, None]
    guard.record({"type": "tool_result", "tool_use_id": "toolu_0", "content": "a.txt"})
    guard.record({"type": "tool_result", "tool_use_id": "toolu_1", "content": "no repository", "is_error": True})
    guard.record({"type": "tool_result", "tool_use_id": "unknown"})
    assert [(one.name, one.data["resultBytes"]) for one in outcomes(gate)] == [
        ("tool.completed", 5),
        ("tool.failed", 13),
    ]


def test_a_configuration_declares_tools_behind_the_gateway(own: Path) -> None:
    own.mkdir()
    (own / "interlock.toml").write_text(
        '[tools.delete_everything]\ndoes = "tool.read"\n\n[tools.mcp__notes__news]\ndoes = "payment.send"\n'
    )

    async def test() -> None:
        async with connected(gateway("stdio")) as mcp:
            assert (await text(mcp, "news"))[0], "it asks"
            assert await text(mcp, "delete_everything") == (False, "ran None")
            assert (await text(mcp, "nothing"))[0], "the server has no such tool"

    run_async(test)
    with Gate() as gate:
        decided = {one.name: one for one in records(gate, "decision")}
        deleted, failed = outcomes(gate)
        assert (deleted.name, deleted.data["text"]) == ("tool.completed", "delete_everything")
        assert deleted.data["decisionId"] == decided["mcp__notes__delete_everything"].record_id
        assert deleted.data["durationMs"] > 0
        assert failed.name == "tool.failed"


def test_the_outcome_of_a_hook_stands_beside_its_decision(gate: Gate) -> None:
    def opened() -> nullcontext[Gate]:
        return nullcontext(gate)

    answer_call("claude-code", call("claude-code", "git status"), opened)
    done = json.loads(call("claude-code", "git status"))
    done |= {"hook_event_name": "PostToolUse", "tool_response": {"stdout": "clean"}, "duration_ms": 12}
    answer_call("claude-code", json.dumps(done).encode(), opened)
    (decision,), (outcome,) = records(gate, "decision"), outcomes(gate)
    assert outcome.data["decisionId"] == decision.record_id
    assert (outcome.data["durationMs"], outcome.data["resultBytes"]) == (12, len("stdoutclean"))
