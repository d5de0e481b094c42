"""The names under which this process writes records: its user account and its machine."""

from __future__ import annotations

import os
import pwd
from functools import cache


@cache
def machine_name() -> str:
    """Return the user and the host that write: `ann@laptop`."""
    return f"{user_name()}@{os.uname().nodename or 'localhost'}"[:200]


@cache
def user_name() -> str:
    """Return the name of the account that this process runs under, whatever its environment variables say."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name[:100]
    except KeyError:
        return f"user {os.getuid()}"
