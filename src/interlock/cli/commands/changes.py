"""`interlock changes`: list changes and undo one."""

from __future__ import annotations

from cyclopts import App

from interlock.cli.commands.options import USUAL, Count, Flag, Store

group = App(name="changes", help="List changes of people, keys, webhooks, channels, grants and settings, and undo one.")


@group.default
def changes_list(
    of: str | None = None,
    /,
    *,
    limit: Count = 20,
    json: Flag = False,
    store: Store = USUAL,
) -> int:
    """List the newest changes, and whether each can be undone.

    Parameters
    ----------
    of
        Only changes of people, keys, webhooks, channels, grants or retention.
    limit
        At most this many, the newest first.
    json
        Write one JSON object per line.
    """
    from interlock.cli import changes as command

    return command.list_all(store, of, limit=limit, as_json=json)


@group.command(name="undo")
def changes_undo(record: str, *, yes: Flag = False, store: Store = USUAL) -> int:
    """Undo a change, after saying what that does. It is recorded as a new change.

    Parameters
    ----------
    record
        The number or the id of its record; `interlock changes` lists them.
    yes
        Do not ask.
    """
    from interlock.cli import changes as command

    return command.undo_change(store, record, yes=yes)
