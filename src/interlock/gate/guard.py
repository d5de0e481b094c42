"""Guards: a decorator that checks the calls of a function before they run."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any, Protocol, TypeVar

from interlock.audit.digest import canonical_form
from interlock.audit.record import digest_of
from interlock.errors import InterlockError
from interlock.gate.session import Outcome
from interlock.model import Action

Function = TypeVar("Function", bound=Callable[..., Any])
ActionOf = Callable[[tuple[Any, ...], dict[str, Any]], Action]


class Checker(Protocol):
    """Anything that checks an action before it runs."""

    def check(self, action: Action) -> Outcome:
        """Return once the action may run, or raise."""

    async def acheck(self, action: Action) -> Outcome:
        """Do as `check` does, while other tasks go on."""

    def confirm(self, outcome: Outcome, action: Action) -> None:
        """Raise unless the action that is about to run is the one that was checked."""


def make_guard(gate: Checker, fixed: dict[str, Any]) -> Callable[[Function], Function]:
    """Return a decorator that checks the calls of a function before they run."""
    unknown = set(fixed) - set(Action.__struct_fields__)
    if unknown:
        raise InterlockError(f"an action has no `{sorted(unknown)[0]}`; it has {', '.join(Action.__struct_fields__)}")

    def decorate(function: Function) -> Function:
        if isinstance(function, (classmethod, staticmethod)):
            return type(function)(decorate(function.__func__))
        if isinstance(function, type):
            raise InterlockError(f"`{function.__name__}` is a class; guard its methods")
        signature = inspect.signature(function)

        def action_of(arguments: tuple[Any, ...], named: dict[str, Any]) -> Action:
            return call_action(function, signature, arguments, named, fixed)

        if _is_async(function, inspect.isasyncgenfunction):
            return _guard_generator(gate, function, action_of)  # type: ignore[return-value]
        if _is_async(function, inspect.iscoroutinefunction):
            return _guard_coroutine(gate, function, action_of)  # type: ignore[return-value]

        @functools.wraps(function)
        def synchronous(*arguments: Any, **named: Any) -> Any:
            outcome = gate.check(action_of(arguments, named))
            gate.confirm(outcome, action_of(arguments, named))
            return function(*arguments, **named)

        return synchronous  # type: ignore[return-value]

    return decorate


def _is_async(function: Callable[..., Any], test: Callable[[Any], bool]) -> bool:
    """Whether a function, or the `__call__` of an object, is of an asynchronous kind."""
    return test(function) or test(getattr(function, "__call__", None))  # noqa: B004 - not a test for being callable


def _guard_coroutine(gate: Checker, function: Callable[..., Any], action_of: ActionOf) -> Callable[..., Any]:
    @functools.wraps(function)
    async def asynchronous(*arguments: Any, **named: Any) -> Any:
        outcome = await gate.acheck(action_of(arguments, named))
        gate.confirm(outcome, action_of(arguments, named))
        return await function(*arguments, **named)

    return asynchronous


def _guard_generator(gate: Checker, function: Callable[..., Any], action_of: ActionOf) -> Callable[..., Any]:
    """Guard an asynchronous generator: it is checked when its first value is asked for."""

    @functools.wraps(function)
    async def generated(*arguments: Any, **named: Any) -> AsyncGenerator[Any, Any]:
        outcome = await gate.acheck(action_of(arguments, named))
        gate.confirm(outcome, action_of(arguments, named))
        inner = function(*arguments, **named)
        step = inner.asend(None)
        try:
            while True:
                try:
                    value = await step
                except StopAsyncIteration:
                    return
                try:
                    step = inner.asend((yield value))
                except GeneratorExit:
                    raise
                except BaseException as error:  # thrown in from outside, so it is for the function
                    step = inner.athrow(error)
        finally:
            await inner.aclose()

    return generated


def call_action(
    function: Callable[..., Any],
    signature: inspect.Signature,
    arguments: tuple[Any, ...],
    named: dict[str, Any],
    fixed: dict[str, Any],
) -> Action:
    """Return the action of calling a function: which function, of which object, and a copy of its arguments."""
    bound = signature.bind(*arguments, **named)
    bound.apply_defaults()
    fields: dict[str, Any] = {
        "tool_name": getattr(function, "__name__", "call"),
        "input_payload": canonical_form(dict(bound.arguments)),
        "docstring": inspect.getdoc(function),
        "cwd": os.getcwd(),
        "home": str(Path.home()),
        "metadata": {"function": _identity(function)},
    }
    return Action(**{**fields, **fixed})


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
