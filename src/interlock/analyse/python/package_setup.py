"""`setup.py`: the commands of the installer that it replaces, and requests made while a package is installed."""

from __future__ import annotations

from typing import Any

import msgspec

from interlock.analyse.reading import Reading, Site

#: Calls that describe a package.
SETUPS = frozenset({"setup", "setuptools.setup", "distutils.core.setup", "skbuild.setup"})
#: Commands that run when somebody installs; `build_ext` and the like are how packages are built.
_HOOKED = frozenset("install develop egg_info install_lib install_scripts install_data easy_install".split())
_INSTALL_TIME = frozenset({"install_time"})
_REACHING = frozenset({"net.fetch", "net.send", "net.connect"})


def read_setup(reading: Reading, site: Site, keywords: dict[str, Any]) -> None:
    """Emit an install hook for each command of the installer that `setup()` replaces."""
    hooks = keywords.get("cmdclass")
    if isinstance(hooks, dict):
        for command in sorted(_HOOKED & {key for key in hooks if isinstance(key, str)}):
            reading.emit("code.opaque", site, f"cmdclass {command}", frozenset({"install_hook"}))


def flag_effects(reading: Reading, first: int) -> None:
    """Add the flag `install_time` to every network effect from `first` on."""
    for index in range(first, len(reading.effects)):
        effect = reading.effects[index]
        if effect.kind in _REACHING:
            reading.effects[index] = msgspec.structs.replace(effect, flags=effect.flags | _INSTALL_TIME)
