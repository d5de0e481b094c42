"""`interlock config` and `trust`: the settings in force, their origins, errors in the files, and trusted files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

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


def trust(file: Path = Path("interlock.toml"), *, revoke: Annotated[bool, Parameter(negative="")] = False) -> int:
    """Trust a configuration inside the workspace, with exactly its current content, so that it may also loosen.

    Parameters
    ----------
    file
        The file to trust. Read it first: an agent may have written it.
    revoke
        Trust the file no longer.
    """
    from interlock.cli import trust as command

    return command.run(file, revoke=revoke)
