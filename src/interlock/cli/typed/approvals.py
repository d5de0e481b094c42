"""`interlock approvals`: who waits for an answer, and the answer."""

from __future__ import annotations

from cyclopts import App

from interlock.cli.typed.options import USUAL, Count, Flag, Store

group = App(name="approvals", help="See who waits for an answer, and answer.")


@group.default
def approvals_list(*, state: str | None = None, limit: Count = 50, json: Flag = False, store: Store = USUAL) -> int:
    """List the requests that wait for an answer.

    Parameters
    ----------
    state
        pending, approved, rejected, expired, cancelled, or all.
    limit
        At most this many, the newest first.
    json
        Write one JSON object a line.
    """
    from interlock.cli import approvals as command

    return command.list_all(store, state, limit, as_json=json)


@group.command(name="show")
def approvals_show(id: str, *, json: Flag = False, store: Store = USUAL) -> int:  # noqa: A002
    """Show one request: what, why, what it touches, and its answers.

    Parameters
    ----------
    id
        Its id, or how that begins.
    json
        Write JSON.
    """
    from interlock.cli import approvals as command

    return command.show(store, id, as_json=json)


@group.command(name="approve")
def approvals_approve(id: str, *, store: Store = USUAL) -> int:  # noqa: A002
    """Read a request, take its challenge, and answer it. This takes a terminal.

    Parameters
    ----------
    id
        Its id, or how that begins.
    """
    from interlock.cli import approvals as command

    return command.approve(store, id)


@group.command(name="reject")
def approvals_reject(id: str, *, reason: str = "", instead: str = "", store: Store = USUAL) -> int:  # noqa: A002
    """Say no to a request.

    Parameters
    ----------
    id
        Its id, or how that begins.
    reason
        Why; whoever asked is told.
    instead
        What you would rather see. It is another action, and is decided anew when it is tried.
    """
    from interlock.cli import approvals as command

    return command.reject(store, id, reason, instead)


@group.command(name="cancel")
def approvals_cancel(id: str, *, store: Store = USUAL) -> int:  # noqa: A002
    """Take a request back, so that nobody can approve it any more.

    Parameters
    ----------
    id
        Its id, or how that begins.
    """
    from interlock.cli import approvals as command

    return command.cancel(store, id)


@group.command(name="watch")
def approvals_watch(*, store: Store = USUAL) -> int:
    """Print requests as they come and as they end."""
    from interlock.cli import approvals as command

    return command.watch(store)


@group.command(name="stamps")
def approvals_stamps(*, days: Count = 30, store: Store = USUAL) -> int:
    """List approvals that were given faster than anybody can read what they approve.

    Parameters
    ----------
    days
        How far back.
    """
    from interlock.cli import approvals as command

    return command.list_stamps(store, days)


@group.command(name="remembered")
def approvals_remembered(*, all: Flag = False, store: Store = USUAL) -> int:  # noqa: A002
    """List the approvals that are remembered.

    Parameters
    ----------
    all
        Those that no longer count as well.
    """
    from interlock.cli import approvals as command

    return command.remembered(store, everything=all)


@group.command(name="revoke")
def approvals_revoke(id: str, *, store: Store = USUAL) -> int:  # noqa: A002
    """Take a remembered approval back.

    Parameters
    ----------
    id
        Its id, or how that begins; `interlock approvals remembered` lists them.
    """
    from interlock.cli import approvals as command

    return command.revoke(store, id)
