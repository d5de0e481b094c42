"""Default values of parameters: `$PSDefaultParameterValues['Invoke-WebRequest:Proxy'] = '…'`."""

from __future__ import annotations

from fnmatch import fnmatchcase

from interlock.analyse.powershell.binding import CmdletArgument
from interlock.analyse.powershell.state import PowerShellState

_VARIABLE = "psdefaultparametervalues"


def add_defaults(state: PowerShellState, cmdlet: str, given: list[CmdletArgument]) -> list[CmdletArgument]:
    """Return the arguments of a cmdlet with the values that the text has set for parameters that are not given."""
    held = state.variables.get(_VARIABLE)
    if not isinstance(held, dict):
        return given
    names = {argument.parameter.lower() for argument in given if argument.parameter}
    found = []
    for key, value in held.items():
        pattern, colon, name = key.partition(":")
        if colon and name not in names and fnmatchcase(cmdlet, pattern):
            found.append(CmdletArgument(value, name, True))
    return [*given, *found] if found else given
