"""Cmdlets of PowerShell 5.1, PowerShell 7 and Windows: their descriptions, and code for those that need it."""

from __future__ import annotations

from interlock.knowledge.catalogue import read_cmdlets

#: Name in lower case → its description, which stands in `knowledge/cmdlets`.
CMDLETS = read_cmdlets()
