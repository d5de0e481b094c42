"""`socat`: two addresses joined; one may be a program, the other one a network."""

from __future__ import annotations

import re
from collections.abc import Callable

from interlock.analyse.reading import NONE, UNKNOWN, Flow
from interlock.analyse.shell.call import Call

_PROGRAMS = frozenset({"exec", "system", "shell"})
_FILES = frozenset({"open", "create", "file", "gopen"})
_QUIET = frozenset({"-", "stdio", "stdin", "stdout", "stderr", "fd", "pty", "pipe", "readline", "unix-connect", "tun"})
_OPTIONS_WITH_VALUES = frozenset({"-b", "-t", "-T", "-L", "-W", "-x", "-lf", "-r", "-R"})
_SHELL = re.compile(
    r"(?:\S*/)?(?:ba|da|z|k|a|fi|c|tc)?sh(?:\s.*)?|.*(?:cmd|powershell)(?:\.exe)?(?:\s.*)?", re.IGNORECASE
)


def _socat(call: Call) -> Flow:
    """Read both addresses; a shell on one end and a network on the other give the machine away."""
    reading, site = call.scope.reading, call.site
    addresses, skip = [], False
    for word in call.words[1:]:
        if not skip and (not word.startswith("-") or word == "-"):
            addresses.append(word)
        skip = word in _OPTIONS_WITH_VALUES
    parts = [_address(address) for address in addresses]
    shell = any(kind in _PROGRAMS and _SHELL.fullmatch(rest) for kind, rest in parts)
    for kind, rest in parts:
        if kind in _PROGRAMS:
            reading.nest("shell", rest, site.behind("socat"))
        elif kind in _FILES:
            reading.file("fs.write", site, rest)
        elif kind not in _QUIET:
            listens = "listen" in kind or kind.endswith(("-l", "-recv", "-recvfrom"))
            reading.url("net.listen" if listens else "net.connect", site, rest, frozenset({"shell"}) if shell else NONE)
    return Flow(None, frozenset({"download"})) if parts else UNKNOWN


def _address(text: str) -> tuple[str, str]:
    """Return an address's type and what it names, without its options."""
    kind, colon, rest = text.partition(":")
    if not colon:
        return kind.partition(",")[0].lower(), ""
    quoted = re.match(r"""(["'])(.*?)\1""", rest)
    return kind.lower(), quoted[2] if quoted else rest.partition(",")[0]


SOCKETS: dict[str, Callable[[Call], Flow]] = {"socat": _socat}
