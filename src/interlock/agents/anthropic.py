"""The Anthropic SDK: calls of tools, decided in your own loop or in the SDK's runner.

    guard = Guard(gate)
    result = guard.check(block)          # in a loop: a `tool_result` that says why not, or None where it may run
    guard.record(result)                 # the `tool_result` of a call that ran, for the record
    tools = guard.tools([deploy])        # for `client.beta.messages.tool_runner(tools=…)`

The SDK cannot pause for a person, so a call that needs one waits `wait` seconds for an approval in Interlock. After
that, the answer says where it can be approved.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from interlock.agents.call_runs import ToolCall
from interlock.agents.framework import CallDecision, Checker, DetailsOf
from interlock.gate.call_outcome import WatchedCall
from interlock.gate.declaration import find_declared_tool
from interlock.gate.gate import Gate
from interlock.ids import new_id
from interlock.model import NO_DETAILS

try:
    from anthropic.lib.tools import (
        BetaAsyncBuiltinFunctionTool,
        BetaAsyncFunctionTool,
        BetaBuiltinFunctionTool,
        BetaFunctionTool,
        ToolError,
    )
except ModuleNotFoundError as error:
    raise ImportError(f"this needs `{error.name}`: pip install 'interlock[anthropic]'") from error


#: How many running calls a guard keeps until their outcome is recorded.
MAX_RUNNING = 1_000


class Guard:
    """Decides the calls of tools in one conversation."""

    def __init__(
        self,
        gate: Gate,
        *,
        agent_id: str = "anthropic",
        conversation: str | None = None,
        wait: float = 0.0,
        details: DetailsOf = NO_DETAILS,
    ) -> None:
        self._checker = Checker(gate, agent_id, wait=wait, asks=False, details=details)
        self._conversation = conversation or new_id()
        self._running: dict[str, WatchedCall] = {}

    def check(self, block: Any) -> dict[str, Any] | None:
        """Return the `tool_result` of a `tool_use` that may not run; None where it may."""
        call = self._call(block)
        return self._result(block, call, self._checker.check(call))

    async def acheck(self, block: Any) -> dict[str, Any] | None:
        """Do as `check` does, without blocking the event loop."""
        call = self._call(block)
        return self._result(block, call, await self._checker.acheck(call))

    def record(self, result: Mapping[str, Any]) -> None:
        """Record the outcome of a call that `check` allowed, from its `tool_result`."""
        watched = self._running.pop(str(result.get("tool_use_id")), None)
        if watched is not None:
            with watched:
                watched.measure_result(result.get("content"), failed=result.get("is_error") is True)

    def _result(self, block: Any, call: ToolCall, decision: CallDecision) -> dict[str, Any] | None:
        if decision.runs:
            self._running[call.call_id] = self._checker.watch(call, decision)
            while len(self._running) > MAX_RUNNING:  # a loop may never report the outcome of its calls
                del self._running[next(iter(self._running))]
            return None
        return _refusal(block, decision)

    def tools(self, tools: Iterable[Any]) -> list[Any]:
        """Return tools for the SDK's runner whose calls are decided first. A tool that it does not run raises."""
        return [self._guard(tool) for tool in tools]

    def _guard(self, tool: Any) -> Any:
        if isinstance(tool, BetaFunctionTool | BetaBuiltinFunctionTool):
            return _GuardedTool(self, tool)
        if isinstance(tool, BetaAsyncFunctionTool | BetaAsyncBuiltinFunctionTool):
            return _AsyncGuardedTool(self, tool)
        raise TypeError(f"a {type(tool).__name__} cannot be guarded: only tools of `@beta_tool` are run by the SDK")

    def _call(self, block: Any) -> ToolCall:
        """Return the call of a `tool_use` block, as the SDK gives it or as JSON."""
        try:
            return ToolCall(
                self._conversation, _field(block, "id"), _field(block, "name"), _object(_field(block, "input"))
            )
        except (KeyError, AttributeError):
            raise TypeError("a `tool_use` block has `id`, `name` and `input`") from None

    def runner_call(self, tool: Any, given: object) -> ToolCall:
        """Return a call of the SDK's runner, which gives it no id."""
        described = tool.to_dict()
        name, description = str(described.get("name", "")), described.get("description")
        schema = _object(described.get("input_schema") or {})
        call = ToolCall(self._conversation, new_id(), name, _object(given), description=description, schema=schema)
        return call._replace(declared=find_declared_tool(getattr(tool, "func", None)))

    @property
    def checker(self) -> Checker:
        """The checker that decides."""
        return self._checker


class _WrappedTool:
    """A tool of the SDK's runner, with a guard in front of it; everything but `call` is the tool's own."""

    def __init__(self, guard: Guard, inner: Any) -> None:
        self._guard, self._inner = guard, inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def to_dict(self) -> Any:
        return self._inner.to_dict()


class _GuardedTool(_WrappedTool, BetaBuiltinFunctionTool):
    def call(self, input: object) -> Any:  # noqa: A002 - the SDK's name
        call = self._guard.runner_call(self._inner, input)
        checker = self._guard.checker
        with _watch(checker, call, checker.check(call)) as watched, checker.mark_call(call):
            return watched.measure_result(self._inner.call(input))


class _AsyncGuardedTool(_WrappedTool, BetaAsyncBuiltinFunctionTool):
    async def call(self, input: object) -> Any:  # noqa: A002 - the SDK's name
        call = self._guard.runner_call(self._inner, input)
        checker = self._guard.checker
        with _watch(checker, call, await checker.acheck(call)) as watched, checker.mark_call(call):
            return watched.measure_result(await self._inner.call(input))


def _watch(checker: Checker, call: ToolCall, decision: CallDecision) -> WatchedCall:
    """Return a context manager that records the outcome of a call; raise if the call may not run."""
    if not decision.runs:
        raise ToolError(decision.why)
    return checker.watch(call, decision)


def _field(block: Any, name: str) -> Any:
    """Return a field of a block, which is an object of the SDK or JSON."""
    return block[name] if isinstance(block, Mapping) else getattr(block, name)


def _object(given: object) -> dict[str, Any]:
    return dict(given) if isinstance(given, dict) else {"input": given}


def _refusal(block: Any, decision: CallDecision) -> dict[str, Any]:
    result = {"type": "tool_result", "tool_use_id": _field(block, "id"), "content": decision.why, "is_error": True}
    toolset = getattr(block, "toolset_name", None)
    return {**result, "toolset_name": toolset} if toolset else result
