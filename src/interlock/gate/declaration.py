"""Declarations: the author of a function states its effect, and the roles of its parameters.

    @declare(does="payment.send", amount="amount", recipient="to")
    def wire_transfer(to: str, amount: float) -> str: ...

A declaration is checked against the function's signature when it is made.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from interlock.errors import ConfigError, nearest
from interlock.gate.annotations import BYTES, LIST, NUMBER, TABLE, TEXT, TRUTH, RoleKinds, annotations_of, kinds_of
from interlock.knowledge.problems import declaration_problems
from interlock.knowledge.roles import ARGUMENT_ROLES
from interlock.knowledge.tool import Tool

AnyFunction = TypeVar("AnyFunction", bound=Callable[..., Any])
#: The roles that can be given as keywords; any other is given in `arguments`.
KEYWORDS = frozenset({"data", *ARGUMENT_ROLES})
#: The attribute of a function that holds its declaration.
_DECLARED = "__interlock_tool__"
_SWITCHING, _NAMING = frozenset({TRUTH, TEXT}), frozenset({TEXT, LIST, TABLE})
#: Role → the kinds of values that it accepts. Other roles accept any value.
_PLAYED_BY: dict[str, RoleKinds] = {
    "recipient": _NAMING | {NUMBER},
    "amount": frozenset({NUMBER, TEXT, TABLE}),
    "visibility": _SWITCHING | {LIST, TABLE},
    "private": _SWITCHING,
    "environment": frozenset({TEXT}),
    "rehearsal": _SWITCHING,
    "state": _SWITCHING,
    "final": _SWITCHING,
    "count": frozenset({NUMBER, TEXT}),
    "role": _NAMING | {TRUTH},
    "attachment": _NAMING | {BYTES},
    "switch": _SWITCHING,
    "filter": _NAMING | {NUMBER},
    "operation": frozenset({TEXT}),
}
_CODE, _EFFECT = frozenset({TEXT, LIST, BYTES}), _NAMING | {NUMBER}


class Declaration:
    """A declaration: the effect of a call, and the roles of parameters, in the form that `declare` takes."""

    def __init__(
        self, does: str, arguments: Mapping[str, str], flags: Iterable[str], roles: Mapping[str, str | Iterable[str]]
    ) -> None:
        self.does, self.flags = does, (flags,) if isinstance(flags, str) else tuple(flags)
        if not isinstance(arguments, Mapping):
            raise ConfigError(f"`arguments` must map parameters to roles, found `{arguments!r}`")
        self._arguments, self._roles = dict(arguments), roles

    def check(self, function: Callable[..., Any], signature: inspect.Signature) -> Tool:
        """Return the description of a function; raise for the first word that does not fit it."""
        if not self.does or not isinstance(self.does, str):
            raise declaration_error(function, '`does` is missing; say what it does, such as `does="payment.send"`')
        arguments = {**self._arguments, **self._by_parameter(function)}
        for problem in declaration_problems(self.does, self.flags, arguments.values()):
            raise declaration_error(function, problem.message)
        annotations = annotations_of(function, signature)
        for name, role in arguments.items():
            if name not in signature.parameters:
                hint = nearest(name, signature.parameters) if signature.parameters else "; it has no parameters"
                raise declaration_error(function, f"it has no parameter `{name}` for the role `{role}`{hint}")
            if name in annotations:
                _check_annotation(function, name, annotations[name], role)
        return Tool(does=self.does, flags=self.flags, arguments=arguments)

    def _by_parameter(self, function: Callable[..., Any]) -> dict[str, str]:
        """Return the roles that were given as keywords by their parameters."""
        found: dict[str, str] = {}
        for role, names in self._roles.items():
            if role not in KEYWORDS:
                raise declaration_error(function, f"unknown role `{role}`{nearest(role, sorted(KEYWORDS))}")
            listed = (names,) if isinstance(names, str) or not isinstance(names, Iterable) else tuple(names)
            for name in listed:
                if not isinstance(name, str):
                    raise declaration_error(function, f"`{role}` must name one or more parameters, found `{name!r}`")
                other = found.get(name) or self._arguments.get(name)
                if other:
                    raise declaration_error(function, f"`{name}` has two roles, `{other}` and `{role}`; choose one")
                found[name] = role
        return found


def declare(
    *, does: str, arguments: Mapping[str, str] = {}, flags: Iterable[str] = (), **roles: str | Iterable[str]
) -> Callable[[AnyFunction], AnyFunction]:
    """Declare what a function does, for the guards of all frameworks: `@declare(does="payment.send", amount="sum")`.

    A keyword is a role, and its value is one or more parameters. `arguments` maps parameters to roles:
    `{"query": "code:sql", "env": "environment"}`. This only adds the declaration; `gate.guard` also checks calls.
    """
    declaration = Declaration(does, arguments, flags, roles)

    def mark(function: AnyFunction) -> AnyFunction:
        plain = function.__func__ if isinstance(function, (classmethod, staticmethod)) else function
        found = declaration.check(plain, inspect.signature(plain))
        try:
            setattr(plain, _DECLARED, found)
        except AttributeError:
            raise declaration_error(plain, "it cannot hold a declaration; wrap it in a function") from None
        return function

    return mark


def find_declared_tool(function: Any) -> Tool | None:
    """Return the declaration of a function, or None."""
    found = getattr(function, _DECLARED, None)
    return found if isinstance(found, Tool) else None


def _check_annotation(function: Callable[..., Any], name: str, annotation: Any, role: str) -> None:
    """Raise if the role of a parameter accepts no value that its annotation allows."""
    kinds = kinds_of(annotation)
    allowed = _PLAYED_BY.get(role) or (_CODE if role.startswith("code:") else _EFFECT if "." in role else None)
    if kinds is None or allowed is None or kinds & allowed:
        return
    shown = inspect.formatannotation(annotation)
    *others, last = [kind for kind in (NUMBER, TEXT, TRUTH, LIST, TABLE, BYTES) if kind in allowed]
    wanted = f"{', '.join(others)} or {last}" if others else last
    raise declaration_error(function, f"`{name}` is annotated `{shown}`, but the role `{role}` takes {wanted}")


def declaration_error(function: Callable[..., Any], message: str) -> ConfigError:
    """Return the error of a declaration, with the name, file and line of its function."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    name = getattr(function, "__qualname__", type(function).__qualname__)
    file, line = (code.co_filename, code.co_firstlineno) if code is not None else (None, None)
    return ConfigError(f"the declaration of `{name}`: {message}", file=file, line=line)
