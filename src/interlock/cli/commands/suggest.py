"""`interlock suggest`: grants and policies that past answers suggest."""

from __future__ import annotations

from typing import Annotated

from cyclopts import App, Parameter, validators

from interlock.cli.commands.options import USUAL, Flag, Store

group = App(
    name="suggest",
    help="List what past answers suggest: grants for what is always approved, policies for what is always rejected.\n\n"
    "Nothing is changed until a person accepts a suggestion.\n\n"
    "Try `interlock suggest`, then `interlock suggest show ID` to read everything that it would have let through, "
    "and `interlock suggest accept ID --for 7` to grant it for a week.",
)
Days = Annotated[int | None, Parameter(name="--for", validator=validators.Number(gte=1, lte=3_650))]


@group.default
def suggest_list(*, dismissed: Flag = False, json: Flag = False, store: Store = USUAL) -> int:
    """List the suggestions with their evidence.

    Parameters
    ----------
    dismissed
        List those that were dismissed instead.
    json
        Write one JSON object per line.
    """
    from interlock.cli import suggest as command

    return command.list_all(store, dismissed=dismissed, as_json=json)


@group.command(name="show")
def suggest_show(id: str, *, json: Flag = False, store: Store = USUAL) -> int:  # noqa: A002
    """Show one suggestion: its evidence, and everything else that it would have let through or stopped.

    Parameters
    ----------
    id
        Its id, or the beginning of it.
    json
        Write JSON.
    """
    from interlock.cli import suggest as command

    return command.show(store, id, as_json=json)


@group.command(name="accept")
def suggest_accept(id: str, *, days: Days = None, folder: str | None = None, store: Store = USUAL) -> int:  # noqa: A002
    """Accept a suggestion, as it is or narrowed. Needs a terminal.

    A grant needs the same challenge as the request that it rests on, by a person who could approve that request.

    Parameters
    ----------
    id
        Its id, or the beginning of it.
    days
        Grant it for this many days; by default as long as approvals are remembered.
    folder
        Grant it only for files in this folder, which must be inside the suggested one.
    """
    from interlock.cli import suggest as command

    return command.accept(store, id, days, folder)


@group.command(name="dismiss")
def suggest_dismiss(id: str, *, why: str = "", store: Store = USUAL) -> int:  # noqa: A002
    """Dismiss a suggestion. It comes back when twice as many answers support it. Needs a terminal.

    Parameters
    ----------
    id
        Its id, or the beginning of it.
    why
        The reason, for the record.
    """
    from interlock.cli import suggest as command

    return command.dismiss_one(store, id, why)


@group.command(name="restore")
def suggest_restore(id: str, *, store: Store = USUAL) -> int:  # noqa: A002
    """Undo the dismissal of a suggestion. Needs a terminal.

    Parameters
    ----------
    id
        Its id, or the beginning of it; `interlock suggest --dismissed` lists them.
    """
    from interlock.cli import suggest as command

    return command.restore_one(store, id)
