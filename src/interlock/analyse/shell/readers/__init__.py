"""Readers of programs whose arguments the catalogue alone cannot describe. A reader takes precedence over it."""

from __future__ import annotations

from collections.abc import Callable

from interlock.analyse.reading import Flow
from interlock.analyse.shell.call import Call
from interlock.analyse.shell.readers.build_tools import BUILD_TOOLS
from interlock.analyse.shell.readers.builtins import BUILTINS
from interlock.analyse.shell.readers.clipboards import CLIPBOARDS
from interlock.analyse.shell.readers.coding_agents import CODING_AGENTS
from interlock.analyse.shell.readers.containers import CONTAINERS
from interlock.analyse.shell.readers.databases import DATABASES
from interlock.analyse.shell.readers.editors import EDITORS
from interlock.analyse.shell.readers.find import FINDERS
from interlock.analyse.shell.readers.forges import FORGES
from interlock.analyse.shell.readers.git import GIT
from interlock.analyse.shell.readers.interpreters import INTERPRETERS
from interlock.analyse.shell.readers.javascript_runtimes import JAVASCRIPT_RUNTIMES
from interlock.analyse.shell.readers.network_tools import NETWORK_TOOLS
from interlock.analyse.shell.readers.orchestration import ORCHESTRATION
from interlock.analyse.shell.readers.package_managers import PACKAGE_MANAGERS
from interlock.analyse.shell.readers.package_runners import PACKAGE_RUNNERS
from interlock.analyse.shell.readers.phrases import add_phrases
from interlock.analyse.shell.readers.powershell import POWERSHELLS
from interlock.analyse.shell.readers.process_views import PROCESS_VIEWS
from interlock.analyse.shell.readers.schedules import SCHEDULES
from interlock.analyse.shell.readers.service_clients import SERVICE_CLIENTS
from interlock.analyse.shell.readers.signals import SIGNALS
from interlock.analyse.shell.readers.system_tools import SYSTEM_TOOLS
from interlock.analyse.shell.readers.tmux import TMUX
from interlock.analyse.shell.readers.transfers import TRANSFERS
from interlock.analyse.shell.readers.windows import WINDOWS
from interlock.analyse.shell.readers.wrappers import WRAPPERS
from interlock.analyse.shell.readers.xargs import XARGS

GROUPS = (
    WINDOWS,
    POWERSHELLS,
    BUILTINS,
    INTERPRETERS,
    WRAPPERS,
    EDITORS,
    TRANSFERS,
    FINDERS,
    XARGS,
    BUILD_TOOLS,
    PACKAGE_MANAGERS,
    CODING_AGENTS,
    PACKAGE_RUNNERS,
    JAVASCRIPT_RUNTIMES,
    SCHEDULES,
    TMUX,
    SIGNALS,
    PROCESS_VIEWS,
    CLIPBOARDS,
    NETWORK_TOOLS,
    SYSTEM_TOOLS,
    GIT,
    SERVICE_CLIENTS,
    FORGES,
    ORCHESTRATION,
    CONTAINERS,
    DATABASES,
)

READERS: dict[str, Callable[[Call], Flow]] = {name: reader for group in GROUPS for name, reader in group.items()}
READERS |= add_phrases(READERS)
