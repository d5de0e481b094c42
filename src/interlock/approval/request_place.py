"""The place where the action of a request would run: its folder, and the host or database in its decision."""

from __future__ import annotations

from interlock.approval.challenge.targets import list_targets
from interlock.approval.request import Approval
from interlock.model import Struct

#: The types of resource that name a system, rather than something in it.
_SYSTEMS = ("host", "url", "database", "cluster", "bucket", "server", "remote")


class Place(Struct, frozen=True, kw_only=True):
    """A place: `folder` is the last part of `path`; `system` is a host or a database. Empty texts are unknown."""

    folder: str = ""
    path: str = ""
    system: str = ""


def request_place(approval: Approval) -> Place:
    """Return the place of a request."""
    path = str(approval.action.get("cwd") or approval.action.get("workspace") or "")
    systems = (target.host for target in list_targets(approval) if target.type in _SYSTEMS and target.name.strip())
    return Place(folder=_last_part(path), path=path, system=next(systems, ""))


def _last_part(path: str) -> str:
    r"""Return the name of a folder.

    >>> _last_part("/home/sam/shop/"), _last_part("C:\\work\\shop"), _last_part("/")
    ('shop', 'shop', '/')
    """
    parts = [part for part in path.replace("\\", "/").split("/") if part]
    return parts[-1] if parts else path
