"""`interlock policy apply`, `rollback`, `history`, `show` and `restore`: the policies of a store or a server."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import App, Group, Parameter, validators

from interlock.cli.commands.options import USUAL, WHICH, Flag, Store
from interlock.errors import InterlockError

_SAFETY = Group("Allowed changes", sort_key=2)
_ORIGIN = Group("Where the policies come from (by default, taken from git)", sort_key=3)
Number = Annotated[int, Parameter(validator=validators.Number(gte=1, lte=2**31))]
Actions = Annotated[int, Parameter(validator=validators.Number(gte=0, lte=1_000_000))]


@Parameter(name="*")
@dataclass(frozen=True)
class ServerOptions:
    """The server to use."""

    server: Annotated[str | None, Parameter(group=WHICH)] = None
    "use a server instead of a store, such as https://interlock.example.com; INTERLOCK_KEY holds the API key"
    insecure_http: Annotated[Flag, Parameter(group=WHICH)] = False
    "send the key to a server on another machine without TLS"


HERE = ServerOptions()


@Parameter(name="*")
@dataclass(frozen=True)
class Apply:
    """How policies are applied."""

    dry_run: Flag = False
    "show the changes and their effect on past actions; nothing is written"
    last: Actions = 1_000
    "with `--dry-run`, test against this many past actions; 0 tests against none"
    note: str = ""
    "a note to store with every new version"
    overwrite: Annotated[Flag, Parameter(group=_SAFETY)] = False
    "also change policies that were written or edited by hand, or that belong to another origin"
    prune: Annotated[Flag, Parameter(group=_SAFETY)] = False
    "also remove stored policies that are not in the folder, wherever they come from"
    allow_empty: Annotated[Flag, Parameter(group=_SAFETY)] = False
    "apply a folder without policies, which removes every policy that it added earlier"
    allow_dirty: Annotated[Flag, Parameter(group=_SAFETY)] = False
    "apply uncommitted files, and record that"
    origin: Annotated[str | None, Parameter(group=_ORIGIN)] = None
    "the name of the origin, whose policies are replaced as a whole; by default repository and path"
    commit: Annotated[str | None, Parameter(group=_ORIGIN)] = None
    "the commit"
    author: Annotated[str | None, Parameter(group=_ORIGIN)] = None
    "the author of the commit"


_USUAL_APPLY = Apply()


def apply(
    folder: Path, *, given: Apply = _USUAL_APPLY, json: Flag = False, store: Store = USUAL, server: ServerOptions = HERE
) -> int:
    """Make the stored policies equal to those in the TOML files of a folder, all or nothing.

    Adds and changes policies, and removes policies that an earlier apply of this folder added. Policies that were
    written or edited by hand, or applied from another folder, are reported as conflicts and not changed. Every change
    is stored as a new version with its commit, and `interlock policy rollback` undoes it.

    Examples: `interlock policy apply policies --dry-run`,
    `interlock policy apply policies --server https://interlock.example.com`.

    Exit status: 0 applied, or nothing to change; 3 there are changes (with `--dry-run`); 2 errors or conflicts, and
    nothing was changed; 1 invalid command line.

    Parameters
    ----------
    folder
        A folder with `[[policies]]` in TOML files, including its subfolders. Files with `[[cases]]` are skipped.
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
    server: ServerOptions = HERE,
) -> int:
    """Restore the policies of an origin to a revision, as a new revision.

    The next `interlock policy apply` applies the repository again, so revert the change there as well. Exit statuses
    are those of `apply`.

    Parameters
    ----------
    revision
        The number of the revision, from `interlock policy history`.
    dry_run
        Show the changes and their effect on past actions; nothing is written.
    last
        With `--dry-run`, test against this many past actions.
    note
        A note to store with every new version.
    overwrite
        Also change policies that were edited by hand since.
    json
        Write JSON, as `apply` does.
    """
    from interlock.cli import policy_apply as command

    given = Apply(dry_run=dry_run, last=last, note=note, overwrite=overwrite)
    return command.roll_back(revision, given, store, server, as_json=json)


def history(
    policy: str | None = None,
    *,
    old: Number | None = None,
    new: Number | None = None,
    json: Flag = False,
    store: Store = USUAL,
    server: ServerOptions = HERE,
) -> int:
    """List the applied revisions and their commits, or every version of one policy, newest first.

    Parameters
    ----------
    policy
        The id of a policy.
    old
        Show how this version of the policy differs from `--new` instead.
    new
        The version to compare with; by default the newest.
    json
        Write one JSON object per line.
    """
    from interlock.cli import policy_history as command

    if policy is not None and old is not None:
        return command.compare(policy, old, new, store, server)
    if old is not None or new is not None:
        raise InterlockError("name a policy and `--old`: `interlock policy history no-deploys --old 2`")
    return command.show_history(policy, store, server, as_json=json)


def show(
    policy: str,
    *,
    version: Number | None = None,
    json: Flag = False,
    store: Store = USUAL,
    server: ServerOptions = HERE,
) -> int:
    """Show a stored policy, its author and its commit.

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


def restore(policy: str, version: Number, *, store: Store = USUAL, server: ServerOptions = HERE) -> int:
    """Restore an older version of a policy, as a new version.

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
