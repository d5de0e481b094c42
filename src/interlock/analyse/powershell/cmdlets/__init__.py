"""The cmdlets that come with Windows PowerShell 5.1, PowerShell 7 and Windows itself, as data."""

from __future__ import annotations

from interlock.analyse.powershell.cmdlets import files, network, security, system, text
from interlock.analyse.powershell.cmdlets.cmdlet import Cmdlet

#: Name in lower case → its description.
CMDLETS: dict[str, Cmdlet] = {
    name.lower(): cmdlet
    for module in (files, network, security, system, text)
    for cmdlet in module.CMDLETS
    for name in cmdlet.names.split()
}
