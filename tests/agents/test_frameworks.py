"""Each framework, in its own release and with a fake model: refuses, approves and edits as its users expect."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import msgspec
import pytest
from agents.testing import ScriptedModel, assistant_message, function_call
from anthropic import Anthropic, AsyncAnthropic, beta_async_tool, beta_tool
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolCall
from langchain_core.tools import tool as langchain_tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from pydantic import BaseModel, Field, SecretStr, field_serializer
from pydantic_ai import Agent as PydanticAgent
from pydantic_ai import (
    DeferredToolRequests,
    DeferredToolResults,
    FunctionToolset,
    ToolApproved,
    ToolDenied,
    UnexpectedModelBehavior,
)
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel

import agents as openai_agents
from interlock.access.people import People
from interlock.access.roles import Role
from interlock.agents import anthropic, langchain, pydantic_ai
from interlock.agents import openai_agents as oai
from interlock.audit.identity import user_name
from interlock.audit.read import RecordFilter, read_all
from interlock.audit.sentences import describe_record
from interlock.gate import Gate
from interlock.model import NO_DETAILS, RunDetails
from tests.agents.hook_calls import PUSH, WIPE, approve

RAN: list[str] = []
OTHER = "git push --force-with-lease origin topic"


@pytest.fixture(autouse=True)
def nothing_ran() -> None:
    RAN.clear()


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    with Gate(store=f"sqlite:///{tmp_path / 'store.db'}") as gate:
        yield gate


def run(command: str) -> str:
    """Say that a command was run."""
    RAN.append(command)
    return f"ran {command}"


# LangChain


@langchain_tool
def shell(command: str) -> str:
    """Run a command."""
    return run(command)


class Scripted(GenericFakeChatModel):
    """Says what it was told to, whatever it is asked."""

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self


def graph(gate: Gate, *commands: str, guard: Any = None, **more: Any) -> Any:
    calls = [
        ToolCall(name="shell", args={"command": one}, id=f"c{at}", type="tool_call") for at, one in enumerate(commands)
    ]
    model = Scripted(messages=iter([AIMessage(content="", tool_calls=calls), AIMessage("done")]))
    more.setdefault("checkpointer", InMemorySaver())
    return create_agent(model, tools=[shell], middleware=[guard or langchain.Guard(gate)], **more)


THREAD: Any = {"configurable": {"thread_id": "t1"}}
GO: Any = {"messages": [("user", "go")]}


def tools_said(result: Any) -> list[tuple[str, str]]:
    return [(message.status, message.content) for message in result["messages"] if message.type == "tool"]


def decision(kind: str, **more: Any) -> Any:
    return Command(resume={"decisions": [{"type": kind, **more}]})


def test_langchain_runs_what_may_run_and_tells_the_model_why_not(gate: Gate) -> None:
    assert tools_said(graph(gate, "ls").invoke(GO, THREAD)) == [("success", "ran ls")]
    [(status, why)] = tools_said(graph(gate, WIPE).invoke(GO, {"configurable": {"thread_id": "t2"}}))
    assert status == "error"
    assert "Interlock blocked this" in why
    assert RAN == ["ls"]


def test_langchain_interrupts_for_a_person_who_approves(gate: Gate) -> None:
    built = graph(gate, PUSH)
    paused = built.invoke(GO, THREAD)
    [question] = paused["__interrupt__"]
    asked = question.value
    assert (asked["type"], asked["name"], asked["args"]) == ("tool_approval", "shell", {"command": PUSH})
    assert "Interlock needs your approval" in asked["description"]
    assert RAN == []
    assert tools_said(built.invoke(decision("approve"), THREAD)) == [("success", f"ran {PUSH}")]
    assert RAN == [PUSH]


def test_langchain_an_own_answer_does_not_count_once_there_are_two_people(gate: Gate) -> None:
    built = graph(gate, PUSH)
    assert built.invoke(GO, THREAD)["__interrupt__"]
    for name in (user_name(), "ann"):
        People(gate.journal).add(name, Role.REVIEWER, "test")
    [(status, why)] = tools_said(built.invoke(decision("approve"), THREAD))
    assert (status, RAN) == ("error", [])
    assert "`ann` can approve this with `interlock approvals approve" in why
    assert [one.state.value for one in gate.approvals.list()] == ["pending"]


def recorded(gate: Gate, kind: str) -> list[Any]:
    return [line.record for line in read_all(gate.journal.database, RecordFilter(kind=kind))]


@pytest.mark.parametrize("approver", ["ann", lambda: "ann"])
def test_langchain_one_action_is_one_decision_and_the_person_is_named(gate: Gate, approver: Any) -> None:
    built = graph(gate, PUSH, guard=langchain.Guard(gate, approver=approver))
    built.invoke(GO, THREAD)
    built.invoke(decision("approve"), THREAD)
    assert RAN == [PUSH]
    assert [record.name for record in recorded(gate, "decision")] == ["shell"]
    asked, approved = recorded(gate, "event")[:2]
    assert (asked.name, asked.actor) == ("question.asked", "langchain")
    assert (approved.name, approved.actor) == ("question.approved", "ann")
    assert describe_record(approved) == "question approved by ann: shell"
    assert describe_record(asked) == "question asked: shell"


def test_langchain_without_an_approver_the_user_of_the_account_is_named(gate: Gate) -> None:
    built = graph(gate, PUSH)
    built.invoke(GO, THREAD)
    built.invoke(decision("reject"), THREAD)
    assert [(record.name, record.actor) for record in recorded(gate, "event")][1] == ("question.rejected", user_name())


def test_langchain_an_agent_within_a_tool_of_another_has_a_run_of_its_own(gate: Gate) -> None:
    inner = graph(gate, "ls", guard=langchain.Guard(gate, agent_id="helper"))

    @langchain_tool
    def get_listing(task: str) -> str:
        """Have a helper do something."""
        return str(tools_said(inner.invoke(GO, THREAD)))

    call = ToolCall(name="get_listing", args={"task": "list"}, id="c0", type="tool_call")
    model = Scripted(messages=iter([AIMessage(content="", tool_calls=[call]), AIMessage("done")]))
    details = RunDetails(user="ann", tenant="acme", metadata={"ticket": "T-1"})
    asked = msgspec.structs.replace(details, request="list the files")
    guard = langchain.Guard(gate, agent_id="lead", details=lambda thread: asked if thread == "t1" else NO_DETAILS)
    outer = create_agent(model, tools=[get_listing], middleware=[guard], checkpointer=InMemorySaver())
    [(status, said)] = tools_said(outer.invoke(GO, THREAD))
    assert (status, "ran ls" in said) == ("success", True), said
    runs = {run.run_id: run.agent_id for run, _ in gate.runs.list()}
    assert runs == {"t1": "lead", "t1/helper": "helper"}
    assert gate.runs.state("t1/helper").requests == ("list the files",)
    assert gate.runs.get("t1/helper").details == details


def test_langchain_tells_the_model_that_a_person_rejected(gate: Gate) -> None:
    built = graph(gate, PUSH)
    built.invoke(GO, THREAD)
    [(status, why)] = tools_said(built.invoke(decision("reject", message="not today"), THREAD))
    assert (status, RAN) == ("error", [])
    assert "not today" in why


def test_langchain_decides_again_what_a_person_changed(gate: Gate) -> None:
    built = graph(gate, PUSH)
    built.invoke(GO, THREAD)
    edited = {"name": "shell", "args": {"command": OTHER}}
    [(_, said)] = tools_said(built.invoke(decision("edit", edited_action=edited), THREAD))
    assert RAN == [OTHER]
    assert "The person changed this call" in said
    other: Any = {"configurable": {"thread_id": "t2"}}
    built = graph(gate, PUSH)
    built.invoke(GO, other)
    worse = {"name": "shell", "args": {"command": WIPE}}
    [(status, why)] = tools_said(built.invoke(decision("edit", edited_action=worse), other))
    assert status == "error"
    assert "blocked" in why
    assert RAN == [OTHER]


@pytest.mark.parametrize("answer", ["yes", {"type": "maybe"}, {"decisions": []}, {"x": 1}, {"type": "respond"}])
def test_langchain_asks_again_where_an_answer_is_none(gate: Gate, answer: Any) -> None:
    built = graph(gate, PUSH)
    built.invoke(GO, THREAD)
    again = built.invoke(Command(resume=answer), THREAD)
    assert "__interrupt__" in again
    assert RAN == []
    assert tools_said(built.invoke(Command(resume={"type": "approve"}), THREAD)) == [("success", f"ran {PUSH}")]


def test_langchain_goes_by_the_answer_even_if_the_gate_has_changed_its_mind(gate: Gate, own: Path) -> None:
    built = graph(gate, PUSH)
    built.invoke(GO, THREAD)
    (own / "interlock.toml").write_text('mode = "off"\n')
    [(status, _)] = tools_said(built.invoke(decision("reject"), THREAD))
    assert (status, RAN) == ("error", [])


def test_langchain_a_tool_that_fails_after_it_was_approved_may_be_tried_again(gate: Gate) -> None:
    failing = [True]

    @langchain_tool("shell")
    def fails_once(command: str) -> str:
        """Run a command."""
        if failing.pop() if failing else False:
            raise OSError("no network")
        return run(command)

    call = ToolCall(name="shell", args={"command": PUSH}, id="c0", type="tool_call")
    model = Scripted(messages=iter([AIMessage(content="", tool_calls=[call]), AIMessage("done")]))
    built = create_agent(model, tools=[fails_once], middleware=[langchain.Guard(gate)], checkpointer=InMemorySaver())
    built.invoke(GO, THREAD)
    with pytest.raises(OSError, match="no network"):
        built.invoke(decision("approve"), THREAD)
    assert tools_said(built.invoke(None, THREAD)) == [("success", f"ran {PUSH}")]


def test_langchain_parallel_calls_are_each_asked_about(gate: Gate) -> None:
    built = graph(gate, "ls", PUSH, "git push --force origin release")
    questions = built.invoke(GO, THREAD)["__interrupt__"]
    assert RAN == ["ls"]
    ids = {question.value["args"]["command"]: question.id for question in questions}
    assert len(ids) == 2
    resume = {one: {"type": "approve" if command == PUSH else "reject"} for command, one in ids.items()}
    said = tools_said(built.invoke(Command(resume=resume), THREAD))
    assert [status for status, _ in said] == ["success", "success", "error"]
    assert RAN == ["ls", PUSH]


def test_langchain_async(gate: Gate) -> None:
    async def test() -> None:
        built = graph(gate, PUSH)
        assert "__interrupt__" in await built.ainvoke(GO, THREAD)
        assert tools_said(await built.ainvoke(decision("approve"), THREAD)) == [("success", f"ran {PUSH}")]
        blocked = await graph(gate, WIPE).ainvoke(GO, {"configurable": {"thread_id": "t9"}})
        assert tools_said(blocked)[0][0] == "error"

    asyncio.run(test())
    assert RAN == [PUSH]


def test_langchain_what_one_question_is_not_enough_for_waits_elsewhere(gate: Gate, own: Path) -> None:
    policy = '[[policies]]\npolicy_id = "two"\naction = "require_approval"\nconditions = ["toolName=shell"]\n'
    (own / "interlock.toml").write_text(policy + "approval = { approvers = 2 }\n")
    [(status, why)] = tools_said(graph(gate, "ls").invoke(GO, THREAD))
    assert status == "error"
    assert "interlock approvals approve" in why


# OpenAI Agents SDK


@openai_agents.function_tool(name_override="shell")
def openai_shell(command: str, times: int = 1) -> str:
    """Run a command."""
    return run(command)


CONFIG = openai_agents.RunConfig(tracing_disabled=True)


class Openai:
    """A conversation with a scripted model."""

    def __init__(self, gate: Gate, *commands: str) -> None:
        calls = [function_call("shell", {"command": one}, call_id=f"c{at}") for at, one in enumerate(commands)]
        self.model = ScriptedModel([calls, [assistant_message("done")]])
        self.guard = oai.Guard(gate, conversation="talk")
        self.agent = openai_agents.Agent(name="ops", model=self.model, tools=self.guard.tools([openai_shell]))

    async def run(self, given: Any = "go") -> Any:
        return await openai_agents.Runner.run(self.agent, given, run_config=CONFIG)


def outputs(result: Any) -> list[str]:
    return [str(item.output) for item in result.new_items if item.type == "tool_call_output_item"]


def test_openai_runs_what_may_run_and_tells_the_model_why_not(gate: Gate) -> None:
    async def test() -> None:
        result = await Openai(gate, "ls", WIPE).run()
        allowed, refused = outputs(result)
        assert allowed == "ran ls"
        assert "Interlock blocked this" in refused
        assert result.final_output == "done"

    asyncio.run(test())
    assert RAN == ["ls"]


def test_openai_interrupts_for_a_person(gate: Gate) -> None:
    async def test() -> None:
        talk = Openai(gate, "ls", PUSH)
        paused = await talk.run()
        [item] = paused.interruptions
        assert (item.tool_name, json.loads(item.arguments), RAN) == ("shell", {"command": PUSH}, ["ls"])
        text = paused.to_state().to_string()
        state = await openai_agents.RunState.from_string(talk.agent, text)
        state.approve(state.get_interruptions()[0])
        assert f"ran {PUSH}" in outputs(await talk.run(state))
        assert RAN == ["ls", PUSH]

        talk.agent.model = ScriptedModel([[assistant_message("done")]])
        again = await openai_agents.RunState.from_string(talk.agent, text)
        again.approve(again.get_interruptions()[0])
        said = outputs(await talk.run(again))
        assert "and has run" in said[-1], "an approval is for once"
        assert RAN == ["ls", PUSH]

    asyncio.run(test())


def test_openai_a_person_rejects_or_changes_a_call(gate: Gate) -> None:
    async def test() -> None:
        talk = Openai(gate, PUSH)
        paused = await talk.run()
        state = paused.to_state()
        state.reject(paused.interruptions[0], rejection_message="not today")
        assert outputs(await talk.run(state)) == ["not today"]
        assert RAN == []

        talk = Openai(gate, PUSH + " again")
        paused = await talk.run()
        state = paused.to_state()
        talk.guard.edit(paused.interruptions[0], {"command": OTHER})
        state.approve(paused.interruptions[0])
        assert outputs(await talk.run(state)) == [f"ran {OTHER}"]

        talk = Openai(gate, PUSH + " and again")
        paused = await talk.run()
        state = paused.to_state()
        talk.guard.edit(paused.interruptions[0], {"command": WIPE})
        state.approve(paused.interruptions[0])
        [why] = outputs(await talk.run(state))
        assert "blocked" in why
        assert RAN == [OTHER]

    asyncio.run(test())


def test_openai_an_edit_is_kept_where_every_worker_finds_it(gate: Gate) -> None:
    async def test() -> None:
        talk = Openai(gate, PUSH)
        paused = await talk.run()
        talk.guard.edit(paused.interruptions[0], {"command": OTHER})
        text = paused.to_state().to_string()
        other = Openai(gate, PUSH)  # another worker, with a guard of its own
        other.agent.model = ScriptedModel([[assistant_message("done")]])
        state = await openai_agents.RunState.from_string(other.agent, text)
        state.approve(state.get_interruptions()[0])
        assert outputs(await other.run(state)) == [f"ran {OTHER}"]
        assert RAN == [OTHER]

    asyncio.run(test())


def test_openai_what_is_blocked_meanwhile_is_blocked_whoever_approved(gate: Gate, own: Path) -> None:
    async def test() -> None:
        guard = oai.Guard(gate)
        asking = dataclasses.replace(openai_shell, needs_approval=True)
        model = ScriptedModel([[function_call("shell", {"command": "ls"}, call_id="c0")], [assistant_message("done")]])
        agent = openai_agents.Agent(name="ops", model=model, tools=guard.tools([asking]))
        paused = await openai_agents.Runner.run(agent, "go", run_config=CONFIG)
        (own / "interlock.toml").write_text(
            '[[policies]]\npolicy_id = "no"\naction = "block"\nconditions = ["toolName=shell"]\n'
        )
        gate.configuration.expire()  # as a moment later: files are not looked at again at once
        state = paused.to_state()
        state.approve(paused.interruptions[0])
        said = outputs(await openai_agents.Runner.run(agent, state, run_config=CONFIG))
        assert "blocked" in said[-1]
        assert RAN == []

    asyncio.run(test())


def test_openai_guardrails_that_run_early_do_not_refuse_what_will_be_asked_about(gate: Gate) -> None:
    async def test() -> None:
        talk = Openai(gate, PUSH)
        early = openai_agents.ToolExecutionConfig(pre_approval_tool_input_guardrails=True)
        config = openai_agents.RunConfig(tracing_disabled=True, tool_execution=early)
        paused = await openai_agents.Runner.run(talk.agent, "go", run_config=config)
        state = paused.to_state()
        state.approve(paused.interruptions[0])
        assert outputs(await openai_agents.Runner.run(talk.agent, state, run_config=config)) == [f"ran {PUSH}"]

    asyncio.run(test())


def test_openai_nothing_runs_that_was_asked_about_whatever_was_decided_a_moment_before(
    gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def nobody(*_: Any) -> bool:
        return False

    async def test() -> None:
        talk = Openai(gate, PUSH)
        monkeypatch.setattr(talk.guard._checker, "needs_answer_async", nobody)  # as if it had been harmless then
        early = openai_agents.ToolExecutionConfig(pre_approval_tool_input_guardrails=True)
        config = openai_agents.RunConfig(tracing_disabled=True, tool_execution=early)
        said = outputs(await openai_agents.Runner.run(talk.agent, "go", run_config=config))
        assert "a person has to approve" in said[-1]
        assert RAN == []

    asyncio.run(test())


def test_openai_who_approves_a_tool_for_good_approves_one_call(gate: Gate) -> None:
    async def test() -> None:
        talk = Openai(gate, PUSH)
        paused = await talk.run()
        state = paused.to_state()
        state.approve(paused.interruptions[0], always_approve=True)
        again = [function_call("shell", {"command": f"{PUSH} --all"}, call_id="c9")]
        talk.agent.model = ScriptedModel([again, [assistant_message("done")]])
        said = outputs(await talk.run(state))
        assert "this one was not approved" in said[-1]
        assert RAN == [PUSH]

    asyncio.run(test())


def test_openai_what_cannot_be_guarded_is_refused(gate: Gate) -> None:
    with pytest.raises(TypeError, match="cannot be guarded"):
        oai.Guard(gate).tools([openai_agents.WebSearchTool()])


def test_openai_a_person_who_always_approves_does_not_approve_what_is_blocked(gate: Gate) -> None:
    async def test() -> None:
        talk = Openai(gate, PUSH, WIPE)
        paused = await talk.run()
        state = paused.to_state()
        for item in paused.interruptions:
            state.approve(item, always_approve=True)
        said = outputs(await talk.run(state))
        assert f"ran {PUSH}" in said
        assert RAN == [PUSH]

    asyncio.run(test())


# Pydantic AI


def pydantic_shell(command: str) -> str:
    """Run a command."""
    return run(command)


def scripted(*commands: str) -> FunctionModel:
    def respond(messages: Any, _info: Any) -> ModelResponse:
        parts = [part for message in messages for part in message.parts]
        if not any(isinstance(part, ToolCallPart) for part in parts):
            calls = [ToolCallPart("shell", {"command": one}, tool_call_id=f"c{at}") for at, one in enumerate(commands)]
            return ModelResponse(parts=calls)
        said = [f"{part.outcome}: {part.content}" for part in parts if isinstance(part, ToolReturnPart)]
        return ModelResponse(parts=[TextPart(" | ".join(said))])

    return FunctionModel(respond)


def pydantic_agent(gate: Gate, *commands: str, alone: bool = False) -> Any:
    output: Any = [str, DeferredToolRequests]
    if alone:
        tools = FunctionToolset([])
        tools.add_function(pydantic_shell, name="shell")
        return PydanticAgent(
            scripted(*commands), output_type=output, toolsets=[pydantic_ai.GuardedToolset(tools, gate=gate)]
        )
    agent = PydanticAgent(scripted(*commands), output_type=output, capabilities=[pydantic_ai.Guard(gate)])
    agent.tool_plain(name="shell")(pydantic_shell)
    return agent


@pytest.mark.parametrize("alone", [False, True])
def test_pydantic_runs_what_may_run_and_tells_the_model_why_not(gate: Gate, alone: bool) -> None:
    said = asyncio.run(pydantic_agent(gate, "ls", WIPE, alone=alone).run("go")).output
    assert said.startswith("success: ran ls | denied: Interlock blocked this")
    assert RAN == ["ls"]


@pytest.mark.parametrize("alone", [False, True])
def test_pydantic_defers_to_a_person(gate: Gate, alone: bool) -> None:
    agent = pydantic_agent(gate, "ls", PUSH, alone=alone)
    paused = asyncio.run(agent.run("go"))
    [asked] = paused.output.approvals
    assert "Interlock needs your approval" in paused.output.metadata[asked.tool_call_id]["reason"]
    assert RAN == ["ls"]

    def goes_on(answer: Any) -> str:
        results = DeferredToolResults(approvals={asked.tool_call_id: answer})
        going = agent.run(message_history=paused.all_messages(), deferred_tool_results=results)
        return str(asyncio.run(going).output)

    assert "denied: Sam said no" in goes_on(ToolDenied("Sam said no"))
    assert "blocked" in goes_on(ToolApproved(override_args={"command": WIPE}))
    assert RAN == ["ls"]
    assert f"success: ran {OTHER}" in goes_on(ToolApproved(override_args={"command": OTHER}))
    assert "and has run" in goes_on(True), "an approval is for once"
    assert RAN == ["ls", OTHER]


class Hidden(BaseModel):
    """Says something else of itself than it holds."""

    command: str

    @field_serializer("command")
    def _nothing(self, _value: str) -> str:
        return "ls"


class Excluded(BaseModel):
    command: str = Field(exclude=True)


class Secret(BaseModel):
    command: SecretStr


@pytest.mark.parametrize("shape", [Hidden, Excluded, Secret])
def test_pydantic_judges_what_the_tool_sees_and_not_what_its_arguments_say_of_themselves(
    gate: Gate, shape: Any
) -> None:
    def respond(messages: Any, _info: Any) -> ModelResponse:
        if len(messages) == 1:
            return ModelResponse(parts=[ToolCallPart("shell", {"given": {"command": WIPE}}, tool_call_id="c0")])
        return ModelResponse(parts=[TextPart("done")])

    def shell_of(given: Any) -> str:
        return run(str(given.command))

    shell_of.__annotations__["given"] = shape
    agent = PydanticAgent(FunctionModel(respond), capabilities=[pydantic_ai.Guard(gate)])
    agent.tool_plain(name="shell")(shell_of)
    asyncio.run(agent.run("go"))
    assert RAN == []


def test_pydantic_functions_that_make_the_output_are_decided_too(gate: Gate) -> None:
    def respond(_messages: Any, info: Any) -> ModelResponse:
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, {"command": WIPE})])

    agent: Any = PydanticAgent(
        FunctionModel(respond), output_type=pydantic_shell, capabilities=[pydantic_ai.Guard(gate)]
    )
    with pytest.raises(UnexpectedModelBehavior):
        asyncio.run(agent.run("go"))
    assert RAN == []


# Anthropic


def client(commands: list[str], kind: Any = Anthropic) -> Any:
    """Return a client whose model calls the tool with each command, and then says what came of that."""

    def respond(request: httpx2.Request) -> httpx2.Response:
        body = json.loads(request.content)
        found = [
            block
            for message in body["messages"]
            if isinstance(message["content"], list)
            for block in message["content"]
        ]
        results = [block for block in found if block["type"] == "tool_result"]
        message = {"id": "m", "type": "message", "role": "assistant", "model": "claude-x", "stop_sequence": None}
        usage = {"input_tokens": 1, "output_tokens": 1}
        if results:
            text = json.dumps([[bool(one.get("is_error")), one["content"]] for one in results])
            content: Any = [{"type": "text", "text": text}]
        else:
            content = [
                {"type": "tool_use", "id": f"toolu_{at}", "name": "shell", "input": {"command": one}}
                for at, one in enumerate(commands)
            ]
        stop = "end_turn" if results else "tool_use"
        return httpx2.Response(200, json={**message, "usage": usage, "stop_reason": stop, "content": content})

    transport: Any = httpx2.MockTransport(respond)
    http = httpx2.Client(transport=transport) if kind is Anthropic else httpx2.AsyncClient(transport=transport)
    return kind(api_key="x", http_client=http, max_retries=0)


HELLO: Any = {"model": "claude-x", "max_tokens": 99, "messages": [{"role": "user", "content": "go"}]}


@beta_tool(name="shell")
def anthropic_shell(command: str) -> str:
    """Run a command."""
    return run(command)


@beta_async_tool(name="shell")
async def anthropic_async_shell(command: str) -> str:
    """Run a command."""
    return run(command)


def test_anthropic_in_a_loop_of_ones_own(gate: Gate) -> None:
    guard = anthropic.Guard(gate)
    message = client(["ls", WIPE, PUSH]).messages.create(**HELLO)
    allowed, blocked, asked = [guard.check(block) for block in message.content]
    assert allowed is None
    assert blocked == {
        "type": "tool_result",
        "tool_use_id": "toolu_1",
        "content": blocked["content"] if blocked else "",
        "is_error": True,
    }
    assert "Interlock blocked this" in blocked["content"]
    assert asked is not None
    assert "interlock approvals approve" in asked["content"]
    [waiting] = gate.approvals.list()
    approve(gate, waiting)
    assert guard.check(message.content[2]) is None, "it was approved"
    assert guard.check(message.content[2]) is not None, "once"


def test_anthropic_takes_a_block_as_json(gate: Gate) -> None:
    guard = anthropic.Guard(gate)
    block = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": WIPE}}
    refused = guard.check(block)
    assert refused is not None
    assert refused["tool_use_id"] == "toolu_1"
    assert guard.check({**block, "input": {"command": "ls"}}) is None
    with pytest.raises(TypeError, match="has `id`, `name` and `input`"):
        guard.check({"type": "text"})


def test_anthropic_in_the_runner(gate: Gate) -> None:
    tools = anthropic.Guard(gate).tools([anthropic_shell])
    runner = client(["ls", WIPE, PUSH]).beta.messages.tool_runner(tools=tools, **HELLO)
    (ran, allowed), (failed, blocked), (unasked, asked) = json.loads(runner.until_done().content[0].text)
    assert (ran, allowed, failed, unasked) == (False, "ran ls", True, True)
    assert "Interlock blocked this" in blocked
    assert "interlock approvals approve" in asked
    assert RAN == ["ls"]


def test_anthropic_in_the_asynchronous_runner(gate: Gate) -> None:
    async def test() -> None:
        guard = anthropic.Guard(gate)
        tools = guard.tools([anthropic_async_shell])
        runner = client(["ls", WIPE], AsyncAnthropic).beta.messages.tool_runner(tools=tools, **HELLO)
        done = await runner.until_done()
        assert [failed for failed, _ in json.loads(done.content[0].text)] == [False, True]
        message = await client([WIPE], AsyncAnthropic).messages.create(**HELLO)
        assert await guard.acheck(message.content[0]) is not None

    asyncio.run(test())
    assert RAN == ["ls"]


def test_anthropic_what_cannot_be_guarded_is_refused(gate: Gate) -> None:
    with pytest.raises(TypeError, match="cannot be guarded"):
        anthropic.Guard(gate).tools([{"name": "shell", "input_schema": {}}])


# all of them


def test_nothing_runs_because_the_store_failed(gate: Gate) -> None:
    gate.journal.close()
    gate.journal.database.close()
    with pytest.MonkeyPatch.context() as patch:

        def broken(*_: Any, **__: Any) -> Any:
            from interlock.errors import StoreError

            raise StoreError("gone")

        patch.setattr(gate.journal, "commit", broken)
        [(status, why)] = tools_said(graph(gate, "ls").invoke(GO, THREAD))
        assert status == "error"
        assert "could not be" in why
        assert asyncio.run(pydantic_agent(gate, "ls").run("go")).output.startswith("denied")
    assert RAN == []


def test_a_conversation_is_one_run(gate: Gate) -> None:
    graph(gate, "ls", "pwd", WIPE).invoke(GO, THREAD)
    [(run_, actions)] = gate.runs.list()
    assert (run_.run_id, run_.agent_id, actions) == ("t1", "langchain", 3)


def test_a_conversation_is_for_one_tenant(gate: Gate) -> None:
    for guard in (
        anthropic.Guard(gate, conversation="c1", details=RunDetails(tenant="acme")),
        anthropic.Guard(gate, conversation="c2", agent_id="other", details=RunDetails(tenant="globex")),
    ):
        assert guard.check({"id": "1", "name": "shell", "input": {"command": "ls"}}) is None
    other = anthropic.Guard(gate, conversation="c1", details=RunDetails(tenant="globex"))
    refused = other.check({"id": "2", "name": "shell", "input": {"command": "ls"}})
    assert refused is not None
    assert "began with another `tenant`" in refused["content"]


def test_agents_inside_tools_of_every_framework_have_the_tenant_of_the_outer_one(gate: Gate) -> None:
    def inner() -> str:
        with gate.run("inner") as session:
            RAN.append(str(session.details.tenant))
        return "done"

    details = RunDetails(tenant="acme")

    def shell(command: str) -> str:
        """Run a command."""
        return inner()

    built = openai_agents.Agent(
        name="a",
        model=ScriptedModel([[function_call("shell", {"command": "ls"}, call_id="c1")], [assistant_message("done")]]),
        tools=oai.Guard(gate, details=details).tools([openai_agents.function_tool(shell)]),
    )
    asyncio.run(openai_agents.Runner.run(built, "go"))
    toolset = FunctionToolset([shell])
    calls = iter([ModelResponse([ToolCallPart("shell", {"command": "ls"}, "c1")]), ModelResponse([TextPart("done")])])
    agent = PydanticAgent(
        FunctionModel(lambda *_: next(calls)),
        toolsets=[toolset],
        capabilities=[pydantic_ai.Guard(gate, details=details)],
    )
    asyncio.run(agent.run("go"))
    [tool] = anthropic.Guard(gate, details=details).tools([beta_tool(shell)])
    tool.call({"command": "ls"})
    assert RAN == ["acme"] * 3
