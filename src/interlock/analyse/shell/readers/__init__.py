"""Programs that a description alone cannot tell about. What stands here comes before the catalogue."""

from __future__ import annotations

from collections.abc import Callable

from interlock.analyse.reading import Flow
from interlock.analyse.shell.call import Call
from interlock.analyse.shell.readers.builtins import BUILTINS
from interlock.analyse.shell.readers.carriers import CARRIERS
from interlock.analyse.shell.readers.editors import EDITORS
from interlock.analyse.shell.readers.fetchers import FETCHERS
from interlock.analyse.shell.readers.interpreters import INTERPRETERS
from interlock.analyse.shell.readers.powershell import POWERSHELLS
from interlock.analyse.shell.readers.sockets import SOCKETS
from interlock.analyse.shell.readers.special import SPECIAL
from interlock.analyse.shell.readers.windows import WINDOWS

READERS: dict[str, Callable[[Call], Flow]] = {
    **WINDOWS,
    **POWERSHELLS,
    **BUILTINS,
    **CARRIERS,
    **INTERPRETERS,
    **EDITORS,
    **FETCHERS,
    **SOCKETS,
    **SPECIAL,
}
