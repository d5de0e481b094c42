"""`interlock central`: take policies and settings from a server."""

from __future__ import annotations

from cyclopts import App

from interlock.cli.commands.options import Flag

group = App(
    name="central", help="Take policies and settings from the server that `[central]` in your interlock.toml names."
)


@group.command
def pull(*, quiet: Flag = False) -> int:
    """Fetch the bundle now, and print what it changes. Hooks and their daemon do this automatically.

    Parameters
    ----------
    quiet
        Print only errors.
    """
    from interlock.cli import central as command

    return command.pull_now(quiet=quiet)


@group.default
@group.command
def status(*, json: Flag = False) -> int:
    """Show the server, the bundle in force, its age and its signature. Exit status: 1 if anything is wrong.

    Parameters
    ----------
    json
        Write JSON.
    """
    from interlock.cli import central as command

    return command.show_status(as_json=json)


@group.command
def forget() -> int:
    """Forget the bundle and the server's key, so that the next pull trusts the key that it finds.

    Needed when the server has a new key or a new store. Every action needs an approval until the next pull.
    """
    from interlock.cli import central as command

    return command.forget_server()
