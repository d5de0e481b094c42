"""Cmdlets that a description alone cannot tell about. What stands here comes before the table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from interlock.analyse.powershell.cmdlets.objects import OBJECTS
from interlock.analyse.powershell.cmdlets.running import RUNNING
from interlock.analyse.powershell.cmdlets.session import SESSION
from interlock.analyse.powershell.cmdlets.web import WEB
from interlock.analyse.powershell.cmdlets.writing import WRITING
from interlock.analyse.powershell.invocation import Invocation

SPECIAL: dict[str, Callable[[Invocation], Any]] = {**OBJECTS, **RUNNING, **SESSION, **WEB, **WRITING}
