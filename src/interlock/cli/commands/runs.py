"""`interlock runs`: the runs of agents."""

from __future__ import annotations

from cyclopts import App

from interlock.cli.commands.options import USUAL, Count, Flag, RecordNumber, Store

group = App(name="runs", help="Show the runs of agents, each as a timeline.")


@group.default
def runs_list(*, limit: Count = 30, json: Flag = False, store: Store = USUAL) -> int:
    """List the runs, the newest first.

    Parameters
    ----------
    limit
        At most this many.
    json
        Write one JSON object per line.
    """
    from interlock.cli import runs as command

    return command.list_all(store, limit, as_json=json)


@group.command(name="show")
def runs_show(id: str, *, after: RecordNumber = 0, limit: Count = 200, json: Flag = False, store: Store = USUAL) -> int:  # noqa: A002
    """Show a run as a timeline: its actions, the decisions on them, and the answers.

    Parameters
    ----------
    id
        Its id, or the beginning of it.
    after
        Start after this record, for the next page.
    limit
        At most this many records.
    json
        Write one JSON object per line.
    """
    from interlock.cli import runs as command

    return command.show(store, id, after, limit, as_json=json)


@group.command(name="resume")
def runs_resume(id: str, *, store: Store = USUAL) -> int:  # noqa: A002
    """Resume a paused run.

    Parameters
    ----------
    id
        Its id, or the beginning of it.
    """
    from interlock.cli import runs as command

    return command.resume(store, id)
