"""Where the instructions of a container come from: builds of somebody else's context, compose files off the network."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise

from interlock.analyse.addresses.hosts import is_url
from interlock.analyse.loading import report_loading
from interlock.analyse.shell.build_settings import is_usual_place
from interlock.analyse.shell.call import ShellCall

_PUBLISHED = ("http://", "https://", "oci://", "git@", "git://")
_STARTING = frozenset({"up", "run", "create", "start", "deploy", "play"})
#: Folders in which anybody can put a file.
_SCRATCH = ("/tmp/", "/var/tmp/", "/dev/shm/")
# Options that give the instructions of a build more than a container has.
_EXPORTS = frozenset({"-o", "--output", "--cache-to"})
_POWERS = frozenset({"--allow", "--secret", "--ssh", "--cap-add", "--isolation"})


def report_build(
    call: ShellCall, options: Iterable[tuple[str, str]], access: Callable[[ShellCall, str, str], set[str]]
) -> None:
    """Report a build whose instructions get parts of this machine, or come from elsewhere and get its secrets."""
    flags: set[str] = set()
    powers: set[str] = set()
    for option, value in options:
        flags |= access(call, option, value)
        if option in _POWERS:
            powers.add(option)
        elif option in _EXPORTS and "save" not in call.words:
            _report_exported(call, value)
        if option == "--allow" and value == "security.insecure":
            flags.add("privileged")
    context = call.words[-1]
    if flags - {"host_network"}:
        call.scope.reading.emit("container.run", call.site, context, frozenset(flags))
    published = (is_url(context) or context.startswith(_PUBLISHED)) and not context.startswith("tcp:")
    if published and (powers or flags or not (is_usual_place(context) or context.startswith("git@"))):
        call.scope.reading.emit("code.remote", call.site, context)
    elif "download" in call.stdin.marks and not {"-", "-f-", "--file=-"}.isdisjoint(call.words):
        call.scope.reading.emit("code.remote", call.site, call.stdin.url or "a download")


def _report_exported(call: ShellCall, value: str) -> None:
    """Report the file or folder that a build is exported to: `dist`, `type=local,dest=dist`."""
    parts = dict(part.partition("=")[::2] for part in value.split(","))
    path = parts.get("dest") or parts.get("destination") or ("" if "=" in value else value)
    if path and path != "-":
        call.scope.reading.file("fs.write", call.site, path)


def report_instructions(call: ShellCall) -> None:
    """Report containers that are started by a file from the network: `curl … | docker compose -f - up`."""
    words = call.words
    if not {"load", "import"}.isdisjoint(words[1:3]):
        address = next((word for word in words if word.startswith(("http://", "https://"))), "")
        if address or "download" in call.stdin.marks:
            call.scope.reading.emit("code.remote", call.site, address or call.stdin.url or "a download")
    if _STARTING.isdisjoint(words):
        return
    if "-" in words and "download" in call.stdin.marks:
        call.scope.reading.emit("code.remote", call.site, call.stdin.url or "a download")
    for option, path in pairwise(words):
        if option in ("-f", "--file") and path.startswith(_SCRATCH):
            report_loading(call.scope.reading, call.site, path)
    if "play" in words and words[-1].startswith(_PUBLISHED):
        call.scope.reading.emit("code.remote", call.site, words[-1])
