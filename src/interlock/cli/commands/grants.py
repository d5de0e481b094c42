"""`interlock grants`: list and revoke grants."""

from __future__ import annotations

from cyclopts import App

from interlock.cli.commands.options import USUAL, Count, Flag, Store

group = App(name="grants", help="List and revoke grants: approvals that cover later actions too.")


@group.default
def grants_list(*, all: Flag = False, limit: Count = 50, json: Flag = False, store: Store = USUAL) -> int:  # noqa: A002
    """List the grants that are in force.

    Parameters
    ----------
    all
        Include those that expired or were revoked.
    limit
        At most this many, the newest first.
    json
        Write one JSON object per line.
    """
    from interlock.cli import grants as command

    return command.list_all(store, everything=all, limit=limit, as_json=json)


@group.command(name="revoke")
def grants_revoke(id: str, *, store: Store = USUAL) -> int:  # noqa: A002
    """Revoke a grant. The actions that it covered need approval again.

    Parameters
    ----------
    id
        Its id, or the beginning of it; `interlock grants` lists them.
    """
    from interlock.cli import grants as command

    return command.revoke(store, id)
