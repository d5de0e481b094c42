"""Guards: a decorator that checks the calls of a function before they run, and records their outcomes."""

from __future__ import annotations

import contextlib
import functools
import inspect
import os
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from interlock.analyse.declared_action import DeclaredAction
from interlock.audit.digest import canonical_form
from interlock.audit.record import digest_of
from interlock.errors import InterlockError, nearest
from interlock.gate.annotations import schema_of
from interlock.gate.approval_flow import Outcome
from interlock.gate.call_outcome import CallOutcome, WatchedCall
from interlock.gate.declaration import KEYWORDS, Declaration, declaration_error, find_declared_tool
from interlock.knowledge.tool import Tool
from interlock.model import Action

AnyFunction = TypeVar("AnyFunction", bound=Callable[..., Any])
_DECLARING = ("does", "arguments", "flags")


class ActionChecker(Protocol):
    """Anything that checks an action before it runs."""

    def check(self, action: Action) -> Outcome:
        """Return once the action may run, or raise."""

    async def acheck(self, action: Action) -> Outcome:
        """Like `check`, without blocking the event loop."""

    def confirm(self, outcome: Outcome, action: Action) -> None:
        """Raise unless the action that is about to run is the one that was checked."""

    def record_outcome(self, outcome: Outcome, tool: str, ended: CallOutcome) -> None:
        """Record the outcome of an action's call, without waiting for the store."""


class GuardedFunction(NamedTuple):
    """A function whose calls are checked, with its signature, schema and declaration."""

    gate: ActionChecker
    function: Callable[..., Any]
    signature: inspect.Signature
    schema: dict[str, Any]
    declared: Tool | None
    fixed: Mapping[str, Any]

    def action(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> Action:
        """Return the action of a call: the function, its object, and a copy of its arguments."""
        bound = self.signature.bind(*arguments, **named)
        bound.apply_defaults()
        fields: dict[str, Any] = {
            "tool_name": getattr(self.function, "__name__", "call"),
            "input_payload": canonical_form(dict(bound.arguments)),
            "docstring": inspect.getdoc(self.function),
            "input_schema": self.schema,
            "cwd": os.getcwd(),
            "home": str(Path.home()),
            "metadata": {"function": _identity(self.function)},
            **self.fixed,
        }
        return Action(**fields) if self.declared is None else DeclaredAction(**fields, declared=self.declared)

    def watch(self, outcome: Outcome, action: Action) -> WatchedCall:
        """Return a context manager that records the outcome of a call; raise unless it is the call that was checked."""
        self.gate.confirm(outcome, action)
        return WatchedCall(functools.partial(self.gate.record_outcome, outcome, action.tool_name))


def make_guard(gate: ActionChecker, given: Mapping[str, Any]) -> Callable[[AnyFunction], AnyFunction]:
    """Return a decorator that checks the calls of a function before they run.

    `given` are fields of the action, or a declaration: what the function does, and roles of its parameters.
    """
    fixed = {name: value for name, value in given.items() if name in Action.__struct_fields__}

    def decorate(function: AnyFunction) -> AnyFunction:
        if isinstance(function, (classmethod, staticmethod)):
            return type(function)(decorate(function.__func__))
        if isinstance(function, type):
            raise InterlockError(f"`{function.__name__}` is a class; guard its methods")
        signature = inspect.signature(function)
        declared = (
            _make_declaration(function, signature, given) if given.keys() - fixed else find_declared_tool(function)
        )
        guarded = GuardedFunction(gate, function, signature, schema_of(function, signature), declared, fixed)
        wrapped: AnyFunction = _wrap(guarded)  # type: ignore[assignment]
        return wrapped

    return decorate


def _make_declaration(function: Callable[..., Any], signature: inspect.Signature, given: Mapping[str, Any]) -> Tool:
    """Return the declaration in the keywords of a guard; raise for a keyword that does not fit the function."""
    roles = {name: given[name] for name in given if name not in _DECLARING and name not in Action.__struct_fields__}
    for name in roles:
        if name not in KEYWORDS:
            hint = nearest(name, [*_DECLARING, *sorted(KEYWORDS), *Action.__struct_fields__])
            raise declaration_error(function, f"`{name}` is neither a field of an action nor a role{hint}")
    place = given.get("environment")  # the one word that is a field of an action, and a role
    if isinstance(place, str) and place in signature.parameters:
        instead = f'arguments={{"{place}": "environment"}}'
        message = f"`environment` sets where the action runs; for the role of the parameter `{place}`, write {instead}"
        raise declaration_error(function, message)
    declaration = Declaration(given.get("does", ""), given.get("arguments", {}), given.get("flags", ()), roles)
    return declaration.check(function, signature)


def _wrap(guarded: GuardedFunction) -> Callable[..., Any]:
    function = guarded.function
    if _is_kind(function, inspect.isasyncgenfunction):
        return _guard_async_generator(guarded)
    if _is_kind(function, inspect.iscoroutinefunction):
        return _guard_coroutine(guarded)
    if _is_kind(function, inspect.isgeneratorfunction):
        return _guard_generator(guarded)

    @functools.wraps(function)
    def wrapper(*arguments: Any, **named: Any) -> Any:
        outcome = guarded.gate.check(guarded.action(arguments, named))
        with guarded.watch(outcome, guarded.action(arguments, named)) as call:
            return call.measure_result(function(*arguments, **named))

    return wrapper


def _is_kind(function: Callable[..., Any], test: Callable[[Any], bool]) -> bool:
    """Whether a test is true for a function or for the `__call__` of an object."""
    return test(function) or test(getattr(function, "__call__", None))  # noqa: B004 - not a test for being callable


def _guard_coroutine(guarded: GuardedFunction) -> Callable[..., Any]:
    function = guarded.function

    @functools.wraps(function)
    async def wrapper(*arguments: Any, **named: Any) -> Any:
        outcome = await guarded.gate.acheck(guarded.action(arguments, named))
        with guarded.watch(outcome, guarded.action(arguments, named)) as call:
            return call.measure_result(await function(*arguments, **named))

    return wrapper


def _guard_generator(guarded: GuardedFunction) -> Callable[..., Any]:
    """Guard a generator: it is checked when it is called, and ends with its last value or when it is closed."""
    function = guarded.function

    @functools.wraps(function)
    def wrapper(*arguments: Any, **named: Any) -> Generator[Any, Any, Any]:
        outcome = guarded.gate.check(guarded.action(arguments, named))
        call = guarded.watch(outcome, guarded.action(arguments, named))
        return _watch_generator(function(*arguments, **named), call)

    return wrapper


def _watch_generator(inner: Generator[Any, Any, Any], call: WatchedCall) -> Generator[Any, Any, Any]:
    with call, contextlib.closing(inner):
        step: Callable[[], Any] = functools.partial(inner.send, None)
        while True:
            try:
                value = step()
            except StopIteration as end:
                return end.value
            try:
                step = functools.partial(inner.send, (yield call.measure_result(value)))
            except GeneratorExit:
                call.stop()
                raise
            except BaseException as error:  # thrown in from outside, so it is for the function
                step = functools.partial(inner.throw, error)


def _guard_async_generator(guarded: GuardedFunction) -> Callable[..., Any]:
    """Guard an asynchronous generator: it is checked when its first value is requested."""
    function = guarded.function

    @functools.wraps(function)
    async def wrapper(*arguments: Any, **named: Any) -> AsyncGenerator[Any, Any]:
        outcome = await guarded.gate.acheck(guarded.action(arguments, named))
        with guarded.watch(outcome, guarded.action(arguments, named)) as call:
            inner = function(*arguments, **named)
            step = inner.asend(None)
            try:
                while True:
                    try:
                        value = await step
                    except StopAsyncIteration:
                        return
                    try:
                        step = inner.asend((yield call.measure_result(value)))
                    except GeneratorExit:
                        call.stop()
                        raise
                    except BaseException as error:  # thrown in from outside, so it is for the function
                        step = inner.athrow(error)
            finally:
                await inner.aclose()

    return wrapper


def _identity(function: Callable[..., Any]) -> str:
    """Return which function this is: its qualified name, and a digest of the values that it closes over."""
    kind = type(function).__qualname__
    where = f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', kind)}"
    cells = [_content(cell) for cell in getattr(function, "__closure__", None) or ()]
    return f"{where} {digest_of(cells)}" if cells else where


def _content(cell: Any) -> Any:
    try:
        return canonical_form(cell.cell_contents)
    except ValueError:  # the cell is empty
        return None
