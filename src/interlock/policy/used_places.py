"""The hosts and folders that an action uses, from its resources; baselines and the usage report share these names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from interlock.analyse.addresses.hosts import host_of
from interlock.patterns import late

HOST, FOLDER = "host", "folder"
#: The name of an unknown place, such as the host of `curl $URL`. No baseline has it.
UNKNOWN_PLACE = "?"
#: How many folders of a path are kept: `/home/ann/project`, `/var/log/nginx`.
MAX_DEPTH = 3
_HOST_NAME = late(r"[\w.:%-]+")
_DRIVE = late(r"[A-Za-z]:[\\/]")


def find_used_places(resources: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the hosts and folders among the resources of an action.

    >>> list(find_used_places(["url:https://A.example.com/x", "url:$URL", "file:/etc/hosts", "tool:deploy"]))
    [('host', 'a.example.com'), ('host', '?'), ('folder', '/etc')]
    """
    for resource in resources:
        kind, _, name = resource.partition(":")
        if kind in ("url", "host") and name:
            yield HOST, find_used_host(name)
        elif kind == "file" and (folder := _find_used_folder(name)):
            yield FOLDER, folder


def find_used_host(address: str) -> str:
    """Return the host of an address, or `UNKNOWN_PLACE` if it does not name one.

    >>> find_used_host("https://good.com@evil.com./x"), find_used_host("evil.com:80/x"), find_used_host("https://$HOST/")
    ('evil.com', 'evil.com', '?')
    """
    found = host_of(address).lower().strip("[]").rstrip(".")
    return found if _HOST_NAME.fullmatch(found) else UNKNOWN_PLACE


def _find_used_folder(path: str) -> str:
    """Return the folder of a file; an empty text for a file in the working folder."""
    path = path.replace("\\", "/") if _DRIVE.match(path) else path
    is_absolute = path.startswith(("/", "~")) or _DRIVE.match(path) is not None
    if not is_absolute:
        return UNKNOWN_PLACE if path.startswith(("..", "$", "`", "%")) else ""
    folder = folder_of(path)
    return UNKNOWN_PLACE if "$" in folder or "`" in folder or "/../" in f"{folder}/" else folder


def folder_of(path: str) -> str:
    """Return the folder of a file, as far as it says where an agent works.

    >>> folder_of("/home/ann/project/src/a.py"), folder_of("/etc/hosts"), folder_of("~/.ssh/id"), folder_of("~")
    ('/home/ann/project', '/etc', '~/.ssh', '~')
    """
    parts = path.rstrip("/").split("/")
    parts = parts[:-1] if len(parts) > 1 else parts
    return "/".join(parts[: MAX_DEPTH + 1]) or "/"
