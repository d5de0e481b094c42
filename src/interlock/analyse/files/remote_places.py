"""Files on another machine that a copy reads or writes: its secrets, and the files that control it."""

from __future__ import annotations

from interlock.analyse.files.traits import traits
from interlock.analyse.reading import Reading, Site

_CONTROLLING = frozenset(
    {"authorized", "startup", "privileges", "accounts", "password_hash", "kernel_load", "guard_config"}
)
_SECRET = frozenset({"secret"})


def remote_path(target: str) -> str:
    """Return the path in the spelling of a remote file.

    >>> remote_path("me@web1:/etc/shadow"), remote_path("rsync://web1/etc/x"), remote_path("web1:.ssh/config")
    ('/etc/shadow', '/etc/x', '.ssh/config')
    """
    if "://" in target:
        return "/" + target.partition("://")[2].partition("/")[2]
    return target.partition(":")[2].lstrip(":")


def report_fetched_place(reading: Reading, site: Site, source: str) -> None:
    """Report a secret of another machine that is copied here: `scp web1:/etc/shadow .`."""
    if "secret" in traits(remote_path(source)):
        reading.emit("secret.read", site, source, _SECRET)


def report_written_place(reading: Reading, site: Site, target: str) -> None:
    """Report a file that controls another machine, as if it were on this machine."""
    path = remote_path(target)
    if not _CONTROLLING.isdisjoint(traits(path)):
        reading.file("fs.write", site, path if path[:1] in ("/", "~") else f"~/{path}")
