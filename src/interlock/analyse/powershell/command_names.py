"""Commands by their names: `Get-Command i?x`."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

from interlock.analyse.powershell.aliases import ALIASES
from interlock.analyse.powershell.cmdlets import CMDLETS
from interlock.analyse.powershell.state import PowerShellState
from interlock.analyse.scripts.values import MAX_CHOICES, Choice


def find_command(state: PowerShellState, name: str) -> Any:
    """Return the name of a command; a pattern stands for each that it matches, unless these are too many."""
    pattern = name.lower()
    if not any(sign in pattern for sign in "*?["):
        return name
    known = sorted({*ALIASES, *ALIASES.values(), *CMDLETS, *state.functions, *state.aliases})
    found = [one for one in known if fnmatchcase(one, pattern)]
    return Choice(tuple(found)) if 0 < len(found) <= MAX_CHOICES else state.result("command")
