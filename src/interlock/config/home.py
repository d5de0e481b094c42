"""Interlock's own folder: `~/.interlock`, or what `INTERLOCK_HOME` says."""

from __future__ import annotations

import os
from pathlib import Path

from interlock.errors import ConfigError


def own_folder() -> Path:
    """Return the folder that holds the user's own configuration, keys and default store."""
    named = os.environ.get("INTERLOCK_HOME")
    if named and not os.path.isabs(named):
        raise ConfigError(f"`INTERLOCK_HOME` must be an absolute path, found `{named}`")
    return Path(named) if named else Path.home() / ".interlock"
