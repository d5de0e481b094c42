"""`interlock runs`: the sessions of agents."""

from __future__ import annotations

from cyclopts import App

from interlock.cli.typed.options import USUAL, Count, Flag, Place, Store

group = App(name="runs", help="Look at the sessions of agents, each as a timeline.")


@group.default
def runs_list(*, limit: Count = 30, json: Flag = False, store: Store = USUAL) -> int:
    """List the runs, the newest first.

    Parameters
    ----------
    limit
        At most this many.
    json
        Write one JSON object a line.
    """
    from interlock.cli import runs as command

    return command.list_all(store, limit, as_json=json)


@group.command(name="show")
def runs_show(id: str, *, after: Place = 0, limit: Count = 200, json: Flag = False, store: Store = USUAL) -> int:  # noqa: A002
    """Show a run as a timeline: what it wanted, what was decided, who answered.

    Parameters
    ----------
    id
        Its id, or how that begins.
    after
        Begin after this record, for the next page.
    limit
        At most this many records.
    json
        Write one JSON object a line.
    """
    from interlock.cli import runs as command

    return command.show(store, id, after, limit, as_json=json)


@group.command(name="resume")
def runs_resume(id: str, *, store: Store = USUAL) -> int:  # noqa: A002
    """Let a paused run go on.

    Parameters
    ----------
    id
        Its id, or how that begins.
    """
    from interlock.cli import runs as command

    return command.resume(store, id)
