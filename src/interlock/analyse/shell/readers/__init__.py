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
from interlock.analyse.shell.readers.editors import EDITORS
from interlock.analyse.shell.readers.fetchers import FETCHERS
from interlock.analyse.shell.readers.find import FINDERS
from interlock.analyse.shell.readers.fleets import FLEETS
from interlock.analyse.shell.readers.forges import FORGES
from interlock.analyse.shell.readers.inputs import INPUTS
from interlock.analyse.shell.readers.interpreters import INTERPRETERS
from interlock.analyse.shell.readers.makers import MAKERS
from interlock.analyse.shell.readers.managers import MANAGERS
from interlock.analyse.shell.readers.phrases import add_phrases
from interlock.analyse.shell.readers.powershell import POWERSHELLS
from interlock.analyse.shell.readers.runners import RUNNERS
from interlock.analyse.shell.readers.runtimes import RUNTIMES
from interlock.analyse.shell.readers.schedules import SCHEDULES
from interlock.analyse.shell.readers.sessions import SESSIONS
from interlock.analyse.shell.readers.signals import SIGNALS
from interlock.analyse.shell.readers.sockets import SOCKETS
from interlock.analyse.shell.readers.special import SPECIAL
from interlock.analyse.shell.readers.windows import WINDOWS

GROUPS = (
    WINDOWS,
    POWERSHELLS,
    BUILTINS,
    INTERPRETERS,
    CARRIERS,
    EDITORS,
    FETCHERS,
    FINDERS,
    INPUTS,
    MAKERS,
    MANAGERS,
    RUNNERS,
    RUNTIMES,
    SCHEDULES,
    SESSIONS,
    SIGNALS,
    SOCKETS,
    SPECIAL,
    CLIENTS,
    FORGES,
    FLEETS,
    CONTAINERS,
    DATABASES,
)

READERS: dict[str, Callable[[Call], Flow]] = {name: reader for group in GROUPS for name, reader in group.items()}
READERS |= add_phrases(READERS)
