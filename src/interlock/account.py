"""The operating-system account and the machine that this process runs as."""

from __future__ import annotations

import os
import platform
import pwd
from functools import cache


@cache
def user() -> str:
    """Return the name of the account that this process runs under, whatever its environment says."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name[:100]
    except KeyError:
        return f"user {os.getuid()}"


@cache
def machine() -> str:
    """Return the account and the host, such as `ann@laptop`."""
    return f"{user()}@{platform.node() or 'localhost'}"[:200]
