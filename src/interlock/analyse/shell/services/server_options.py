"""Servers that options name: a client is led to one that is made to look like another."""

from __future__ import annotations

from interlock.analyse.addresses.hosts import host_flags, host_of
from interlock.analyse.files.paths import HOLE
from interlock.analyse.shell.call import ShellCall
from interlock.patterns import late

_SERVER = late(
    r"^--?(?:[\w-]+[-_])?(?:url|uri|host|hostname|server|endpoint|address|addr|registry|domain|instance|site|api|login"
    r"|authority|issuer|gateway|proxy)(?:[-_](?:url|uri|name|server|host))?$|^login$"
)
_NAME = late(r"^[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:/|$)")
_DECEPTIVE = frozenset({"deceptive"})


def read_server_options(call: ShellCall) -> None:
    """Report an address among the arguments of a client that is written to be taken for another one."""
    for at, word in enumerate(call.words[1:], 1):
        if "." not in word or HOLE in word:
            continue
        option, _, value = word.partition("=") if word[:1] == "-" else (call.words[at - 1], "", word)
        if "://" not in value and not (_SERVER.match(option) and _NAME.match(value)):
            continue
        address = value if "://" in value else f"https://{value}"
        if "deceptive" in host_flags(address) and not _is_number(host_of(address)):
            call.scope.reading.emit("net.connect", call.site, host_of(address), _DECEPTIVE)
            return


def _is_number(host: str) -> bool:
    return host.replace(".", "").isalnum() and host[-1:].isdigit()
