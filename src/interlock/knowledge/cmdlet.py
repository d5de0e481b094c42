"""How a cmdlet of PowerShell is described: by its parameters. It is the notation of the files in `cmdlets/`.

`docs/knowledge.md` explains every key with an example.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import msgspec

from interlock.knowledge.function import CallResult, FunctionExample

#: Role → the meaning of a parameter's value. Kinds of effects are roles too.
CMDLET_ROLES = {
    "code": "PowerShell, as a text or a block, which is run.",
    "command": "A command line of Windows, which is run.",
    "data": "Text of no interest: a number, a format, a name.",
    "pattern": "A search pattern. Searching for keys is told apart from any other search.",
    "subject": "The name of what the cmdlet is about: the resource of its effect.",
    "upload": "Data that is sent.",
}
#: Result → what it is, apart from classes.
CMDLET_RESULTS = {
    "input": "What came in through the pipe or as an argument.",
    "paths": "The paths that the cmdlet was given, or those of files that it found.",
}


class Cmdlet(msgspec.Struct, frozen=True, dict=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """The description of cmdlets that do the same."""

    names: tuple[str, ...]
    does: str = ""  # a kind of effect that the call has as a whole
    flags: tuple[str, ...] = ()  # on every effect
    positional: tuple[str, ...] = ()  # parameters of values without a name; the last one takes all that are left
    parameters: Mapping[str, str] = {}  # parameters with a value → the role of the value
    switches: Mapping[str, tuple[str, ...]] = {}  # parameters without a value → flags on every effect
    piped: str = ""  # the parameter that takes what comes through the pipe
    result: CallResult = CallResult()
    examples: tuple[FunctionExample, ...] = ()

    @cached_property
    def order(self) -> list[str]:
        """The parameters of values without a name, as they are compared."""
        return [name.lower() for name in self.positional]

    @cached_property
    def roles(self) -> dict[str, str]:
        """Every parameter with a value, as it is compared, and the role of the value."""
        found = {name.lower(): role for names, role in self.parameters.items() for name in names.split()}
        return found | {name: "data" for name in self.order if name not in found}

    @cached_property
    def toggles(self) -> dict[str, tuple[str, ...]]:
        """Every parameter without a value, as it is compared, and its flags."""
        return {name.lower(): flags for names, flags in self.switches.items() for name in names.split()}


class CmdletFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file that describes cmdlets."""

    cmdlets: tuple[Cmdlet, ...]
    docs: str = ""
