"""A shell that is started without anything to do: it waits for somebody to steer it."""

from __future__ import annotations

import re

from interlock.patterns import late

_SHELL = late(
    r"\s*(?:exec\s+)?(?:\S*/)?(?:(?:ba|da|z|k|c|tc|a|fi)?sh|cmd(?:\.exe)?|powershell(?:\.exe)?|pwsh)"
    r"(?:\s+(?:-[abefhiklmnpqrstuvx]+|--(?:norc|noprofile|login|posix|restricted|noediting)|[-+]o\s+\w+|-|-No\w+|/[qkd]"
    r"|-(?i:c|command|file)\s+-))*\s*(?:[<>&0-9].*)?",
    re.DOTALL,
)
MAX_CHARS = 400


def opens_shell(text: str) -> bool:
    """Whether a command starts a shell and gives it nothing to do.

    >>> opens_shell("/bin/sh -i <&3 >&3"), opens_shell("sh -c ls"), opens_shell("exec bash")
    (True, False, True)
    >>> opens_shell("bash -s"), opens_shell("bash -e build.sh"), opens_shell("pwsh -NoLogo -Command -")
    (True, False, True)
    """
    return len(text) <= MAX_CHARS and _SHELL.fullmatch(text) is not None
