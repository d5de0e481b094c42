"""`interlock policy apply` and its relatives: the policies of a store or a server."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import App, Group, Parameter, validators

from interlock.cli.commands.options import USUAL, WHICH, Flag, Store

_SAFETY = Group("What may be changed", sort_key=2)
_ORIGIN = Group("Where the policies come from (by default, what git says)", sort_key=3)
Number = Annotated[int, Parameter(validator=validators.Number(gte=1, lte=2**31))]
Actions = Annotated[int, Parameter(validator=validators.Number(gte=0, lte=1_000_000))]


@Parameter(name="*")
@dataclass(frozen=True)
class Server:
    """Which server."""

    server: Annotated[str | None, Parameter(group=WHICH)] = None
    "a server instead of a store, https://interlock.example.com; INTERLOCK_KEY holds the API key"
    insecure_http: Annotated[Flag, Parameter(group=WHICH)] = False
    "send the key to a server on another machine without TLS"


HERE = Server()


@Parameter(name="*")
@dataclass(frozen=True)
class Apply:
    """How policies are applied."""

    dry_run: Flag = False
    "show what would change, and what would have changed for past actions; nothing is written"
    last: Actions = 1_000
    "with `--dry-run`, test against this many past actions; 0 tests against none"
    note: str = ""
    "why; it is kept with every version"
    overwrite: Annotated[Flag, Parameter(group=_SAFETY)] = False
    "also change policies that were written or edited by hand, or that belong to another origin"
    prune: Annotated[Flag, Parameter(group=_SAFETY)] = False
    "also remove stored policies that are not in the folder, wherever they come from"
    allow_empty: Annotated[Flag, Parameter(group=_SAFETY)] = False
    "apply a folder without policies: all that it brought earlier are removed"
    allow_dirty: Annotated[Flag, Parameter(group=_SAFETY)] = False
    "apply files that are not committed, and record that"
    origin: Annotated[str | None, Parameter(group=_ORIGIN)] = None
    "which policies belong together: those of one origin are replaced as a whole; by default repository and path"
    commit: Annotated[str | None, Parameter(group=_ORIGIN)] = None
    "the commit"
    author: Annotated[str | None, Parameter(group=_ORIGIN)] = None
    "the author of the commit"


_USUAL_APPLY = Apply()


def apply(
    folder: Path, *, given: Apply = _USUAL_APPLY, json: Flag = False, store: Store = USUAL, server: Server = HERE
) -> int:
    """Make the stored policies equal to those in the TOML files of a folder, all or nothing.

    Adds, changes, and removes those that an earlier apply of this folder brought. Policies that were written or edited
    by hand, or that another folder brought, are conflicts: shown, and not changed. Every change is a new version with
    the commit that it comes from, and `interlock policy rollback` undoes it.

    Examples: `interlock policy apply policies --dry-run`,
    `interlock policy apply policies --server https://interlock.example.com`.

    Exit status: 0 applied, or nothing to change; 3 there are changes (with `--dry-run`); 2 errors or conflicts, and
    nothing was changed; 1 the command line was not understood.

    Parameters
    ----------
    folder
        A folder with `[[policies]]` in TOML files, also in folders below it. Files with `[[cases]]` are left out.
    json
        Write the plan, the simulation and the errors as one JSON object.
    """
    from interlock.cli import policy_apply as command

    return command.apply(folder, given, store, server, as_json=json)


def rollback(
    revision: Number,
    *,
    dry_run: Flag = False,
    last: Actions = 1_000,
    note: str = "",
    overwrite: Annotated[Flag, Parameter(group=_SAFETY)] = False,
    json: Flag = False,
    store: Store = USUAL,
    server: Server = HERE,
) -> int:
    """Make the policies of an origin what they were at a revision, as a new revision.

    The next `interlock policy apply` brings back what the repository says, so revert it there as well. Exit statuses
    are those of `apply`.

    Parameters
    ----------
    revision
        Its number, from `interlock policy history`.
    dry_run
        Show what would change, and what would have changed for past actions; nothing is written.
    last
        With `--dry-run`, test against this many past actions.
    note
        Why; it is kept with every version.
    overwrite
        Also change policies that were edited by hand since.
    json
        Write JSON, as `apply` does.
    """
    from interlock.cli import policy_apply as command

    given = Apply(dry_run=dry_run, last=last, note=note, overwrite=overwrite)
    return command.roll_back(revision, given, store, server, as_json=json)


def history(policy: str | None = None, *, json: Flag = False, store: Store = USUAL, server: Server = HERE) -> int:
    """List what was applied and from which commit, or every version of one policy, the newest first.

    Parameters
    ----------
    policy
        The id of a policy.
    json
        Write one JSON object per line.
    """
    from interlock.cli import policy_history as command

    return command.show_history(policy, store, server, as_json=json)


def show(
    policy: str, *, version: Number | None = None, json: Flag = False, store: Store = USUAL, server: Server = HERE
) -> int:
    """Show a stored policy, who changed it, and the commit that it comes from.

    Parameters
    ----------
    policy
        Its id.
    version
        An older version.
    json
        Write JSON.
    """
    from interlock.cli import policy_history as command

    return command.show_policy(policy, version, store, server, as_json=json)


def restore(policy: str, version: Number, *, store: Store = USUAL, server: Server = HERE) -> int:
    """Bring an older version of one policy back, as a new version.

    Parameters
    ----------
    policy
        Its id.
    version
        The version, from `interlock policy history POLICY`.
    """
    from interlock.cli import policy_history as command

    return command.restore(policy, version, store, server)


def register(group: App) -> None:
    """Add the commands to those of `interlock policy`."""
    for command in (apply, rollback, history, show, restore):
        group.command(command)
