"""`interlock store`: create, migrate, inspect, prune and back up the store."""

from __future__ import annotations

from pathlib import Path

from cyclopts import App

from interlock.cli.commands.options import USUAL, Flag, Store

group = App(name="store", help="Create, migrate, inspect, prune and back up the store.")


@group.command(name="init")
def store_init(*, store: Store = USUAL) -> int:
    """Create an empty store."""
    from interlock.cli import store as command

    return command.init(store)


@group.command(name="migrate")
def store_migrate(*, store: Store = USUAL) -> int:
    """Migrate the schema of a store to the newest version. No data is lost."""
    from interlock.cli import store as command

    return command.migrate_store(store)


@group.command(name="status")
def store_status(*, store: Store = USUAL) -> int:
    """Show where the store is, and what it holds."""
    from interlock.cli import store as command

    return command.status(store)


@group.command(name="prune")
def store_prune(*, older_than: str, yes: Flag = False, store: Store = USUAL) -> int:
    """Remove old records. A signed checkpoint replaces them, so that the rest can still be verified.

    Parameters
    ----------
    older_than
        An age: 90d, 12w, 1y.
    yes
        Do not ask for confirmation.
    """
    from interlock.cli import store as command

    return command.remove_old(store, older_than, yes=yes)


@group.command(name="backup")
def store_backup(file: Path, *, store: Store = USUAL) -> int:
    """Copy the store as it is now into a SQLite file, which can be verified and read like any store.

    Parameters
    ----------
    file
        The file to write; it must not exist yet.
    """
    from interlock.cli import store as command

    return command.copy(store, file)


@group.command(name="recount")
def store_recount(*, store: Store = USUAL) -> int:
    """Compute the server's figures again from all records. The figures of pruned records are lost."""
    from interlock.cli import store as command

    return command.recount_figures(store)
