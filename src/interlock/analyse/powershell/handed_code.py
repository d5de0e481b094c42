"""Texts that are handed to something that is not known, and that it may run: `& $command 'Remove-Item …'`."""

from __future__ import annotations

from typing import Any

from interlock.analyse.files.paths import HOLE
from interlock.analyse.powershell.aliases import ALIASES
from interlock.analyse.powershell.cmdlets import CMDLETS
from interlock.knowledge.catalogue import PROGRAMS
from interlock.patterns import late

#: A command with a word behind it, or a text that only code begins like.
_COMMAND = late(r"\s*(?:&\s*)?([A-Za-z%?][\w.-]*)\s+\S")
_CODE = late(r"\s*(?:[$&(\[{]\S|\.\s+\S)")
MAX_TEXT = 8_000


def may_be_code(value: Any) -> bool:
    """Whether a value is a text that reads as PowerShell or as a command.

    >>> may_be_code("rm ~ -r"), may_be_code("Some words"), may_be_code("C:\\\\a b")
    (True, False, False)
    """
    if not isinstance(value, str) or len(value) > MAX_TEXT or value.startswith(HOLE):
        return False
    found = _COMMAND.match(value)
    if found is None:
        return _CODE.match(value) is not None
    name = found[1].lower()
    return name in ALIASES or name in CMDLETS or name in ALIASES.values() or PROGRAMS.find(name) is not None
