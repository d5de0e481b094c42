"""Programs that a description alone cannot tell about. What stands here comes before the catalogue."""

from __future__ import annotations

from collections.abc import Callable

from interlock.analyse.reading import Flow
from interlock.analyse.shell.call import Call
from interlock.analyse.shell.readers.builtins import BUILTINS
from interlock.analyse.shell.readers.carriers import CARRIERS
from interlock.analyse.shell.readers.clients import CLIENTS
from interlock.analyse.shell.readers.containers import CONTAINERS
from interlock.analyse.shell.readers.databases import DATABASES
from interlock.analyse.shell.readers.fetchers import FETCHERS
from interlock.analyse.shell.readers.fleets import FLEETS
from interlock.analyse.shell.readers.forges import FORGES
from interlock.analyse.shell.readers.interpreters import INTERPRETERS
from interlock.analyse.shell.readers.special import SPECIAL

READERS: dict[str, Callable[[Call], Flow]] = {
    **BUILTINS,
    **CARRIERS,
    **INTERPRETERS,
    **FETCHERS,
    **SPECIAL,
    **CLIENTS,
    **FORGES,
    **FLEETS,
    **CONTAINERS,
    **DATABASES,
}
