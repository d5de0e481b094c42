"""`interlock store`: where everything is kept."""

from __future__ import annotations

from pathlib import Path

from cyclopts import App

from interlock.cli.typed.options import USUAL, Flag, Store

group = App(name="store", help="Make, migrate, look at, prune and back up the store.")


@group.command(name="init")
def store_init(*, store: Store = USUAL) -> int:
    """Make an empty store."""
    from interlock.cli import store as command

    return command.init(store)


@group.command(name="migrate")
def store_migrate(*, store: Store = USUAL) -> int:
    """Bring the schema of a store up to date. Nothing that it holds is lost."""
    from interlock.cli import store as command

    return command.bring_up(store)


@group.command(name="status")
def store_status(*, store: Store = USUAL) -> int:
    """Say where the store is, and what it holds."""
    from interlock.cli import store as command

    return command.status(store)


@group.command(name="prune")
def store_prune(*, older_than: str, yes: Flag = False, store: Store = USUAL) -> int:
    """Remove old records. A signed checkpoint speaks for them, so that the rest stays provable.

    Parameters
    ----------
    older_than
        An age: 90d, 12w, 1y.
    yes
        Do not ask.
    """
    from interlock.cli import store as command

    return command.remove_old(store, older_than, yes=yes)


@group.command(name="backup")
def store_backup(file: Path, *, store: Store = USUAL) -> int:
    """Copy everything, as it is at this moment, into a SQLite file that can be proved and read like any store.

    Parameters
    ----------
    file
        The file to write; it must not be there yet.
    """
    from interlock.cli import store as command

    return command.copy(store, file)


@group.command(name="recount")
def store_recount(*, store: Store = USUAL) -> int:
    """Draw the server's figures anew from the record. Of records that were pruned, the figures go."""
    from interlock.cli import store as command

    return command.draw_figures(store)
