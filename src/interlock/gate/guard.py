"""Guarding a function: a call of it is an action, and runs once that may."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, TypeVar

from interlock.audit.digest import canonical_form
from interlock.audit.record import digest_of
from interlock.errors import InterlockError
from interlock.gate.session import Outcome
from interlock.model import Action

Function = TypeVar("Function", bound=Callable[..., Any])


class Checker(Protocol):
    """What checks an action before it runs."""

    def check(self, action: Action) -> Outcome:
        """Return once it may run, or raise."""

    async def acheck(self, action: Action) -> Outcome:
        """Do the same, while others go on."""

    def confirm(self, outcome: Outcome, action: Action) -> None:
        """Raise unless what is about to run is what was checked."""


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
                outcome = await gate.acheck(call_action(function, signature, arguments, named, fixed))
                gate.confirm(outcome, call_action(function, signature, arguments, named, fixed))
                return await function(*arguments, **named)

            return asynchronous  # type: ignore[return-value]

        @functools.wraps(function)
        def synchronous(*arguments: Any, **named: Any) -> Any:
            outcome = gate.check(call_action(function, signature, arguments, named, fixed))
            gate.confirm(outcome, call_action(function, signature, arguments, named, fixed))
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
    """Return which function this is: where it stands, and what it has closed over."""
    kind = type(function).__qualname__
    where = f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', kind)}"
    cells = [_content(cell) for cell in getattr(function, "__closure__", None) or ()]
    return f"{where} {digest_of(cells)}" if cells else where


def _content(cell: Any) -> Any:
    try:
        return canonical_form(cell.cell_contents)
    except ValueError:  # nothing is in it yet
        return None
