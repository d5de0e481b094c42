"""Guarding a function: a call of it is an action, and runs once that may."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, TypeVar

from interlock.audit.summary import plainly
from interlock.errors import InterlockError
from interlock.model import Action

Function = TypeVar("Function", bound=Callable[..., Any])


class Checker(Protocol):
    """What checks an action before it runs."""

    def check(self, action: Action) -> Any:
        """Return once it may run, or raise."""

    async def acheck(self, action: Action) -> Any:
        """Do the same, while others go on."""


def guarded(gate: Checker, fixed: dict[str, Any]) -> Callable[[Function], Function]:
    """Return a decorator that makes a function ask before it runs."""
    unknown = set(fixed) - set(Action.__struct_fields__)
    if unknown:
        raise InterlockError(f"an action has no `{sorted(unknown)[0]}`; it has {', '.join(Action.__struct_fields__)}")

    def decorate(function: Function) -> Function:
        signature = inspect.signature(function)

        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def asynchronous(*arguments: Any, **named: Any) -> Any:
                await gate.acheck(call_action(function, signature, arguments, named, fixed))
                return await function(*arguments, **named)

            return asynchronous  # type: ignore[return-value]

        @functools.wraps(function)
        def synchronous(*arguments: Any, **named: Any) -> Any:
            gate.check(call_action(function, signature, arguments, named, fixed))
            return function(*arguments, **named)

        return synchronous  # type: ignore[return-value]

    return decorate


def call_action(
    function: Callable[..., Any],
    signature: inspect.Signature,
    arguments: tuple[Any, ...],
    named: dict[str, Any],
    fixed: dict[str, Any],
) -> Action:
    """Return the action of calling a function with arguments: a copy, so that nobody changes what was approved."""
    bound = signature.bind(*arguments, **named)
    bound.apply_defaults()
    payload = {name: value for name, value in bound.arguments.items() if name not in ("self", "cls")}
    fields: dict[str, Any] = {
        "tool_name": getattr(function, "__name__", "call"),
        "input_payload": plainly(payload),
        "docstring": inspect.getdoc(function),
        "cwd": os.getcwd(),
        "home": str(Path.home()),
    }
    return Action(**{**fields, **fixed})
