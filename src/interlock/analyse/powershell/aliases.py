"""The aliases that PowerShell has from the start, from the table `powershell-aliases`."""

from __future__ import annotations

from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.texts import PowerShellAliases

_TABLE = read_table("powershell-aliases", PowerShellAliases)

#: Alias → the cmdlet that it stands for, in lower case.
ALIASES: dict[str, str] = {alias: name.lower() for name, aliases in _TABLE.aliases.items() for alias in aliases}

#: Aliases that are also programs, which PowerShell on other systems runs instead.
PROGRAMS = frozenset(_TABLE.programs)
