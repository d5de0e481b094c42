"""`interlock config`: the settings in force, where each comes from, and what is wrong with the files."""

from __future__ import annotations

from cyclopts import App

from interlock.cli.commands.options import USUAL, Flag, Store

group = App(name="config", help="Show the settings in force and where they come from; check the configuration files.")


@group.command(name="show")
def config_show(
    key: str | None = None, *, origin: Flag = False, every: Flag = False, json: Flag = False, store: Store = USUAL
) -> int:
    """Show the settings in force: those that are not defaults, or one of them.

    Examples: `interlock config show --origin`, `interlock config show approvals`, `interlock config show mode`.

    Parameters
    ----------
    key
        A setting, or a table such as `approvals`.
    origin
        Show where each value comes from: a file and a line, the store, a variable, or the defaults.
    every
        Show the defaults too.
    json
        Write JSON.
    """
    from interlock.cli import config as command

    return command.show(key, store, origin=origin, every=every, as_json=json)


@group.command(name="check")
def config_check(*, store: Store = USUAL) -> int:
    """Check the configuration files, and report every error with its file and line. Status 1 if there is one."""
    from interlock.cli import config as command

    return command.check(store)
