"""Package installs: what a `setup.py` makes run on the machine of whoever installs it."""

from __future__ import annotations

from typing import Any

import msgspec

from interlock.analyse.python.state import State
from interlock.analyse.reading import Reading, Site

_SETUPS = frozenset(
    {"setup", "setuptools.setup", "distutils.core.setup", "skbuild.setup", "numpy.distutils.core.setup"}
)
#: Commands that run when somebody installs; `build_ext` and the like are how packages are built.
_HOOKED = frozenset(
    {"install", "develop", "egg_info", "install_lib", "install_scripts", "install_data", "easy_install"}
)
_INSTALL_TIME = frozenset({"install_time"})
_REACHING = frozenset({"net.fetch", "net.send", "net.connect"})


def read_setup(reading: Reading, state: State, site: Site, name: str, keywords: dict[str, Any]) -> None:
    """Note a call that describes a package, and the commands of the installer that it replaces."""
    if name not in _SETUPS:
        return
    state.setup = True
    hooks = keywords.get("cmdclass")
    if isinstance(hooks, dict):
        for command in sorted(_HOOKED & {key for key in hooks if isinstance(key, str)}):
            reading.emit("code.opaque", site, f"cmdclass {command}", frozenset({"install_hook"}))


def flag_effects(reading: Reading, first: int) -> None:
    """Say of what reaches the network that it does so while a package is installed."""
    for index in range(first, len(reading.effects)):
        effect = reading.effects[index]
        if effect.kind in _REACHING:
            reading.effects[index] = msgspec.structs.replace(effect, flags=effect.flags | _INSTALL_TIME)
