"""`interlock approvals`: list and answer approval requests."""

from __future__ import annotations

from cyclopts import App

from interlock.cli.commands.options import USUAL, Count, Flag, Store

group = App(name="approvals", help="List and answer approval requests.")


@group.default
def approvals_list(*, state: str | None = None, limit: Count = 50, json: Flag = False, store: Store = USUAL) -> int:
    """List the pending requests.

    Parameters
    ----------
    state
        pending, approved, rejected, expired, cancelled, or all.
    limit
        At most this many, the newest first.
    json
        Write one JSON object per line.
    """
    from interlock.cli import approvals as command

    return command.list_all(store, state, limit, as_json=json)


@group.command(name="show")
def approvals_show(id: str, *, json: Flag = False, store: Store = USUAL) -> int:  # noqa: A002
    """Show one request: the action, the reasons, what it touches, and the answers.

    Parameters
    ----------
    id
        Its id, or the beginning of it.
    json
        Write JSON.
    """
    from interlock.cli import approvals as command

    return command.show(store, id, as_json=json)


@group.command(name="approve")
def approvals_approve(id: str, *, store: Store = USUAL) -> int:  # noqa: A002
    """Read a request, take its challenge, and answer it. Needs a terminal.

    Parameters
    ----------
    id
        Its id, or the beginning of it.
    """
    from interlock.cli import approvals as command

    return command.approve(store, id)


@group.command(name="override")
def approvals_override(id: str, *, store: Store = USUAL) -> int:  # noqa: A002
    """Reopen a request that a model rejected, and answer it yourself. Works once per request. Needs a terminal.

    Parameters
    ----------
    id
        Its id, or the beginning of it.
    """
    from interlock.cli import approvals as command

    return command.override(store, id)


@group.command(name="reject")
def approvals_reject(id: str, *, reason: str = "", instead: str = "", store: Store = USUAL) -> int:  # noqa: A002
    """Reject a request.

    Parameters
    ----------
    id
        Its id, or the beginning of it.
    reason
        The reason, which the agent sees.
    instead
        What the agent should do instead. Interlock decides that action separately.
    """
    from interlock.cli import approvals as command

    return command.reject(store, id, reason, instead)


@group.command(name="extend")
def approvals_extend(id: str, *, store: Store = USUAL) -> int:  # noqa: A002
    """Keep a request open for another `approvals.expire_hours`.

    Parameters
    ----------
    id
        Its id, or the beginning of it.
    """
    from interlock.cli import approvals as command

    return command.extend(store, id)


@group.command(name="cancel")
def approvals_cancel(id: str, *, store: Store = USUAL) -> int:  # noqa: A002
    """Cancel a request, so that it can no longer be approved.

    Parameters
    ----------
    id
        Its id, or the beginning of it.
    """
    from interlock.cli import approvals as command

    return command.cancel(store, id)


@group.command(name="watch")
def approvals_watch(*, store: Store = USUAL) -> int:
    """Print requests as they are opened and as they end."""
    from interlock.cli import approvals as command

    return command.watch(store)


@group.command(name="stamps")
def approvals_stamps(*, days: Count = 30, store: Store = USUAL) -> int:
    """List approvals that were given faster than the request can be read.

    Parameters
    ----------
    days
        How many days to look back.
    """
    from interlock.cli import approvals as command

    return command.list_stamps(store, days)
