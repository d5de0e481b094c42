"""Commands that hand out rights act for a person at a terminal, unless the owner of the account permits automation."""

from __future__ import annotations

import os
import stat
import sys
import tomllib
from pathlib import Path

from interlock.errors import InterlockError


def require_person(command: str) -> None:
    """Raise unless a person runs a command at a real terminal, or the account's own configuration permits automation.

    Neither an option nor a variable replaces that: an agent could set both.
    """
    if is_at_terminal() or permits_automation(account_configuration()):
        return
    raise InterlockError(
        f"`interlock {command}` acts for a person, so a person has to run it at a terminal. Automation can use the API "
        "with an admin's key, or set `automation = true` in `~/.interlock/interlock.toml`"
    )


def is_at_terminal() -> bool:
    """Whether standard input is the terminal that controls this process, and the process is in its foreground."""
    try:
        if not sys.stdin.isatty():
            return False
        descriptor = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
    except (AttributeError, ValueError, OSError):  # closed, none at all, or a terminal of another session
        return False
    try:
        return os.tcgetpgrp(descriptor) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(descriptor)


def account_configuration() -> Path:
    """Return the configuration in the home folder of the account, which no variable can replace."""
    import pwd

    return Path(pwd.getpwuid(os.getuid()).pw_dir) / ".interlock" / "interlock.toml"


def permits_automation(file: Path) -> bool:
    """Whether a configuration that only its owner can change sets `automation = true`."""
    try:
        status = file.stat()
        if status.st_uid != os.getuid() or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            return False
        return tomllib.loads(file.read_text("utf-8")).get("automation") is True
    except (OSError, ValueError):
        return False
