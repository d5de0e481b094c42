"""Commands of Windows: case does not matter, options may be cut short, and paths have backslashes."""

from __future__ import annotations

from collections.abc import Callable

from interlock.analyse.reading import Flow
from interlock.analyse.shell.call import Call

WINDOWS: dict[str, Callable[[Call], Flow]] = {}
