"""The Claude Code channel: a real process on standard input and output, with the hook and an approver beside it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from interlock.agents.hook.answer import answer_call
from interlock.approval.request import AnswerVerdict, ApprovalState
from interlock.gate import Gate
from tests.agents.hook_calls import approve

COMMAND = "git push --force origin main"
PERMISSION = "notifications/claude/channel/permission"


class Channel:
    """A channel as Claude Code starts it."""

    def __init__(self, session: str | None) -> None:
        environment = {**os.environ, **({"CLAUDE_CODE_SESSION_ID": session} if session else {})}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "interlock", "channel"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
        )
        self.send(method="initialize", id=1, params={"protocolVersion": "2025-06-18", "capabilities": {}})
        self.hello = self.receive()
        self.send(method="notifications/initialized")

    def send(self, **message: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        return dict(json.loads(self._process.stdout.readline()))

    def prompt(self, request_id: str, preview: str, tool: str = "Bash") -> None:
        given = {"request_id": request_id, "tool_name": tool, "description": "d", "input_preview": preview}
        self.send(method="notifications/claude/channel/permission_request", params=given)

    def close(self) -> bytes:
        return self._process.communicate(timeout=30)[0]


@pytest.fixture
def gate(own: Path) -> Iterator[Gate]:
    with Gate() as gate:
        yield gate


@pytest.fixture
def open_channel() -> Iterator[Callable[..., Channel]]:
    opened: list[Channel] = []

    def make(session: str | None = "s-1") -> Channel:
        opened.append(Channel(session))
        return opened[-1]

    yield make
    for one in opened:
        one.close()


def call_hook(gate: Gate, event: str, command: str, session: str = "s-1") -> bytes:
    """Call the hook as Claude Code does, before a tool runs and afterwards."""
    call = {
        "session_id": session,
        "cwd": "/home/u/shop",
        "hook_event_name": event,
        "permission_mode": "default",
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "tool_use_id": "t-1",
        **({"tool_response": {"stdout": ""}} if event == "PostToolUse" else {}),
    }
    return answer_call("claude-code", json.dumps(call).encode(), lambda: nullcontext(gate)).stdout


def ask(gate: Gate, command: str = COMMAND, session: str = "s-1") -> str:
    """Have the hook tell Claude Code to ask, and return the preview of its prompt."""
    assert b'"ask"' in call_hook(gate, "PreToolUse", command, session)
    return json.dumps({"command": command})


def wait_for_request(gate: Gate) -> str:
    for _ in range(300):
        found = gate.approvals.list()
        if found:
            return found[0].approval_id
        time.sleep(0.05)
    raise AssertionError("no request was opened")


def test_it_introduces_itself_as_a_channel_without_tools(open_channel: Callable[..., Channel]) -> None:
    channel = open_channel()
    capabilities = channel.hello["result"]["capabilities"]
    assert capabilities == {"experimental": {"claude/channel": {}, "claude/channel/permission": {}}}
    channel.send(method="ping", id=2)
    assert channel.receive() == {"jsonrpc": "2.0", "id": 2, "result": {}}
    channel.send(method="tools/call", id=3, params={})
    assert channel.receive()["error"]["code"] == -32601


@pytest.mark.parametrize(("verdict", "behavior"), [(AnswerVerdict.APPROVE, "allow"), (AnswerVerdict.REJECT, "deny")])
def test_an_answer_given_elsewhere_closes_the_prompt(
    gate: Gate, open_channel: Callable[..., Channel], verdict: AnswerVerdict, behavior: str
) -> None:
    channel = open_channel()
    channel.prompt("abcde", ask(gate))
    approval_id = wait_for_request(gate)
    approve(gate, gate.approvals.get(approval_id), verdict)
    assert channel.receive() == {
        "jsonrpc": "2.0",
        "method": PERMISSION,
        "params": {"request_id": "abcde", "behavior": behavior},
    }
    used = gate.approvals.get(approval_id).used_at
    assert (used is not None) == (verdict is AnswerVerdict.APPROVE), "an approval covers one prompt"


def test_a_prompt_that_was_answered_in_the_terminal_needs_no_answer(
    gate: Gate, open_channel: Callable[..., Channel]
) -> None:
    channel = open_channel()
    channel.prompt("abcde", ask(gate))
    approval_id = wait_for_request(gate)
    call_hook(gate, "PostToolUse", COMMAND)
    for _ in range(300):
        if gate.approvals.get(approval_id).state is not ApprovalState.PENDING:
            break
        time.sleep(0.05)
    assert gate.approvals.get(approval_id).state is ApprovalState.CANCELLED


def test_a_prompt_whose_action_is_not_known_exactly_stays_in_the_terminal(
    gate: Gate, open_channel: Callable[..., Channel]
) -> None:
    channel = open_channel()
    preview = ask(gate)
    channel.prompt("cut", preview[:-4] + "…")
    channel.prompt("other", json.dumps({"command": COMMAND + " "}))
    channel.prompt("more", json.dumps({"command": COMMAND, "run_in_background": True}))
    channel.prompt("tool", preview, tool="Write")
    stranger = open_channel("s-2")
    stranger.prompt("session", preview)
    unknown = open_channel(None)
    ask(gate, session="s-3")
    unknown.prompt("two", preview)
    assert [one.close() for one in (channel, stranger, unknown)] == [b"", b"", b""]
    assert gate.approvals.list() == []
