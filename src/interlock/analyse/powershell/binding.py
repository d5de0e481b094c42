"""The arguments of a command: which value belongs to which parameter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from interlock.analyse.powershell.parameters import COMMON, Parameters
from interlock.analyse.powershell.values import items_of, text_of
from interlock.knowledge.cmdlet import Cmdlet


class CmdletArgument(NamedTuple):
    """One argument as it stands: a value, or the name of a parameter with the value that is attached to it."""

    value: Any = None
    parameter: str = ""
    attached: bool = False  # whether the value was given as `-Name:value`
    written: str = ""


class BoundArguments(NamedTuple):
    """Values by parameter, the switches that are on, and values that no parameter takes."""

    values: dict[str, Any]
    switches: set[str]
    unknown: list[str]

    def text(self, name: str) -> str:
        """Return the value of a parameter as a text."""
        return text_of(self.values.get(name))

    @property
    def is_rehearsal(self) -> bool:
        """Whether nothing is done, because of `-WhatIf`."""
        return "whatif" in self.switches or "wi" in self.switches


def complete(name: str, known: Iterable[str]) -> str:
    """Return the parameter that a name means, which may be cut short; nothing if there is none.

    >>> complete("rec", ["recurse", "path"]), complete("x", ["path"])
    ('recurse', '')
    """
    name = name.lower()
    names = list(known)
    if name in names:
        return name
    return next((one for one in names if one.startswith(name)), "") if name else ""


def bind(arguments: list[CmdletArgument], cmdlet: Cmdlet | Parameters) -> BoundArguments:
    """Bind the arguments of a cmdlet."""
    return bind_to(arguments, cmdlet.roles, cmdlet.toggles, cmdlet.order)


def bind_to(
    arguments: list[CmdletArgument], valued: Mapping[str, Any], toggles: Mapping[str, Any], order: list[str]
) -> BoundArguments:
    """Bind arguments to parameters with a value, to switches, and to positions."""
    bound = BoundArguments({}, set(), [])
    free: list[Any] = []
    waiting = ""
    for argument in _expand_splats(arguments):
        if not argument.parameter:
            if waiting:
                bound.values[waiting] = argument.value
                waiting = ""
            else:
                free.append(argument.value)
            continue
        waiting = ""
        name = complete(argument.parameter, [*toggles, *valued, *COMMON])  # cut too short, it is taken for a switch
        takes = name in valued or COMMON.get(name, False)
        if not name:
            bound.unknown.append(argument.parameter)
            if argument.attached:
                free.append(argument.value)
        elif takes and argument.attached:
            bound.values[name] = argument.value
        elif takes:
            waiting = name
        elif not argument.attached or argument.value is not False:
            bound.switches.add(name)
    _place(bound, free, order)
    return bound


def _place(bound: BoundArguments, free: list[Any], order: list[str]) -> None:
    """Give values without a name to the parameters that come next; the last one takes all that are left."""
    open_names = [name for name in order if name not in bound.values]
    for at, value in enumerate(free):
        if at < len(open_names):
            bound.values[open_names[at]] = value
        elif order:
            last = open_names[-1] if open_names else order[0]
            bound.values[last] = [*items_of(bound.values.get(last)), *items_of(value)]
        else:
            bound.values[""] = [*items_of(bound.values.get("")), *items_of(value)]


def _expand_splats(arguments: list[CmdletArgument]) -> Iterable[CmdletArgument]:
    """Return arguments with `@name` taken apart: a hash gives parameters, a list gives values."""
    for argument in arguments:
        if argument.parameter or not argument.written.startswith("@") or argument.written[1:2] in ("(", "{", "'", '"'):
            yield argument
        elif isinstance(argument.value, dict):
            for name, value in argument.value.items():
                yield CmdletArgument(value, name, True)
        else:
            for value in items_of(argument.value):
                yield CmdletArgument(value)
