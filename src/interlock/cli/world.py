"""The commands about what was asked and what was recorded: `approvals`, `runs`, `audit`, `store`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import App, Group, Parameter, validators

WHICH = Group("Which store", sort_key=9)
Flag = Annotated[bool, Parameter(negative="")]
Count = Annotated[int, Parameter(validator=validators.Number(gte=1, lte=100_000))]
Place = Annotated[int, Parameter(validator=validators.Number(gte=0, lt=2**62))]


@Parameter(name="*")
@dataclass(frozen=True)
class Store:
    """Which store."""

    store: Annotated[str | None, Parameter(group=WHICH)] = None
    "its URL: sqlite:///path or postgresql://…; else INTERLOCK_STORE, the configuration, or the usual one"
    config: Annotated[Path | None, Parameter(group=WHICH)] = None
    "an interlock.toml; else the nearest one in this folder or above"


approvals = App(name="approvals", help="See who waits for an answer, and answer.")
runs = App(name="runs", help="Look at the sessions of agents, each as a timeline.")
audit = App(name="audit", help="Show, follow, prove and export the record of everything that was decided.")
store_app = App(name="store", help="Make, migrate, look at, prune and back up the store.")


@approvals.default
def approvals_list(
    *, state: str | None = None, limit: Count = 50, json: Flag = False, store: Store | None = None
) -> int:
    """List the requests that wait for an answer.

    Parameters
    ----------
    state
        pending, approved, rejected, expired, cancelled, or all.
    limit
        At most this many, the newest first.
    json
        Write one JSON object a line.
    """
    from interlock.cli import approvals as command

    return command.list_all(store or Store(), state, limit, as_json=json)


@approvals.command(name="show")
def approvals_show(id: str, *, json: Flag = False, store: Store | None = None) -> int:  # noqa: A002
    """Show one request: what, why, what it touches, and its answers.

    Parameters
    ----------
    id
        Its id, or how that begins.
    json
        Write JSON.
    """
    from interlock.cli import approvals as command

    return command.show(store or Store(), id, as_json=json)


@approvals.command(name="approve")
def approvals_approve(id: str, *, store: Store | None = None) -> int:  # noqa: A002
    """Read a request, take its challenge, and answer it. This takes a terminal.

    Parameters
    ----------
    id
        Its id, or how that begins.
    """
    from interlock.cli import approvals as command

    return command.approve(store or Store(), id)


@approvals.command(name="reject")
def approvals_reject(id: str, *, reason: str = "", instead: str = "", store: Store | None = None) -> int:  # noqa: A002
    """Say no to a request.

    Parameters
    ----------
    id
        Its id, or how that begins.
    reason
        Why; whoever asked is told.
    instead
        What you would rather see. It is another action, and is decided anew when it is tried.
    """
    from interlock.cli import approvals as command

    return command.reject(store or Store(), id, reason, instead)


@approvals.command(name="cancel")
def approvals_cancel(id: str, *, store: Store | None = None) -> int:  # noqa: A002
    """Take a request back, so that nobody can approve it any more.

    Parameters
    ----------
    id
        Its id, or how that begins.
    """
    from interlock.cli import approvals as command

    return command.cancel(store or Store(), id)


@approvals.command(name="watch")
def approvals_watch(*, store: Store | None = None) -> int:
    """Print requests as they come and as they end."""
    from interlock.cli import approvals as command

    return command.watch(store or Store())


@approvals.command(name="stamps")
def approvals_stamps(*, days: Count = 30, store: Store | None = None) -> int:
    """List approvals that were given faster than anybody can read what they approve.

    Parameters
    ----------
    days
        How far back.
    """
    from interlock.cli import approvals as command

    return command.list_stamps(store or Store(), days)


@approvals.command(name="remembered")
def approvals_remembered(*, all: Flag = False, store: Store | None = None) -> int:  # noqa: A002
    """List the approvals that are remembered.

    Parameters
    ----------
    all
        Those that no longer count as well.
    """
    from interlock.cli import approvals as command

    return command.remembered(store or Store(), everything=all)


@approvals.command(name="revoke")
def approvals_revoke(id: str, *, store: Store | None = None) -> int:  # noqa: A002
    """Take a remembered approval back.

    Parameters
    ----------
    id
        Its id, or how that begins; `interlock approvals remembered` lists them.
    """
    from interlock.cli import approvals as command

    return command.revoke(store or Store(), id)


@runs.default
def runs_list(*, limit: Count = 30, json: Flag = False, store: Store | None = None) -> int:
    """List the runs, the newest first.

    Parameters
    ----------
    limit
        At most this many.
    json
        Write one JSON object a line.
    """
    from interlock.cli import runs as command

    return command.list_all(store or Store(), limit, as_json=json)


@runs.command(name="show")
def runs_show(id: str, *, after: Place = 0, limit: Count = 200, json: Flag = False, store: Store | None = None) -> int:  # noqa: A002
    """Show a run as a timeline: what it wanted, what was decided, who answered.

    Parameters
    ----------
    id
        Its id, or how that begins.
    after
        Begin after this record, for the next page.
    limit
        At most this many records.
    json
        Write one JSON object a line.
    """
    from interlock.cli import runs as command

    return command.show(store or Store(), id, after, limit, as_json=json)


@runs.command(name="resume")
def runs_resume(id: str, *, store: Store | None = None) -> int:  # noqa: A002
    """Let a paused run go on.

    Parameters
    ----------
    id
        Its id, or how that begins.
    """
    from interlock.cli import runs as command

    return command.resume(store or Store(), id)


@Parameter(name="*")
@dataclass(frozen=True)
class Which:
    """Which records."""

    run: str | None = None
    "only of this run"
    kind: str | None = None
    "only of this kind: decision, risk, approval, grant, run, configuration, …"
    approval: str | None = None
    "only about this request"
    since: str | None = None
    "only of this time: 2h, 7d, 4w"


@audit.default
@audit.command(name="show")
def audit_show(
    *,
    which: Which | None = None,
    limit: Count = 20,
    before: Place | None = None,
    json: Flag = False,
    store: Store | None = None,
) -> int:
    """Show the newest records.

    Parameters
    ----------
    limit
        At most this many.
    before
        Those before this record, for the page before.
    json
        Write one JSON object a line.
    """
    from interlock.cli import audit as command

    return command.show(store or Store(), which or Which(), limit, before, as_json=json)


@audit.command(name="follow")
def audit_follow(*, which: Which | None = None, json: Flag = False, store: Store | None = None) -> int:
    """Print records as they are written.

    Parameters
    ----------
    json
        Write one JSON object a line.
    """
    from interlock.cli import audit as command

    return command.follow_all(store or Store(), which or Which(), as_json=json)


@audit.command(name="verify")
def audit_verify(
    *,
    key: Annotated[tuple[str, ...], Parameter(negative="")] = (),
    checkpoint: Path | None = None,
    json: Flag = False,
    store: Store | None = None,
) -> int:
    """Prove that nothing was changed, removed, put in, reordered or cut off; or name the first record that is wrong.

    Exit status: 0 proved, 2 not proved.

    Parameters
    ----------
    key
        One more public key whose signatures count: `ed25519:…`, as `interlock audit key` prints it.
    checkpoint
        A file that `interlock audit checkpoint` wrote, and that was kept elsewhere.
    json
        Write JSON.
    """
    from interlock.cli import audit as command

    return command.prove(store or Store(), key, checkpoint, as_json=json)


@audit.command(name="export")
def audit_export(
    *,
    format: str = "jsonl",  # noqa: A002
    out: Path | None = None,
    which: Which | None = None,
    store: Store | None = None,
) -> int:
    """Write the records for others to read.

    Parameters
    ----------
    format
        jsonl (with hashes, so that anybody can prove it), csv, or ocsf.
    out
        The file to write; else standard output.
    """
    from interlock.cli import audit as command

    return command.export(store or Store(), which or Which(), format, out)


@audit.command(name="checkpoint")
def audit_checkpoint(*, out: Path | None = None, store: Store | None = None) -> int:
    """Sign where the chain ends now. Kept elsewhere, it proves later that nothing before it was cut off.

    Parameters
    ----------
    out
        The file to write; else standard output.
    """
    from interlock.cli import audit as command

    return command.write_checkpoint(store or Store(), out)


@audit.command(name="key")
def audit_key() -> int:
    """Print the public half of the key that signs on this machine."""
    from interlock.cli import audit as command

    return command.show_key()


@store_app.command(name="init")
def store_init(*, store: Store | None = None) -> int:
    """Make an empty store."""
    from interlock.cli import store as command

    return command.init(store or Store())


@store_app.command(name="migrate")
def store_migrate(*, store: Store | None = None) -> int:
    """Bring the schema of a store up to date. Nothing that it holds is lost."""
    from interlock.cli import store as command

    return command.bring_up(store or Store())


@store_app.command(name="status")
def store_status(*, store: Store | None = None) -> int:
    """Say where the store is, and what it holds."""
    from interlock.cli import store as command

    return command.status(store or Store())


@store_app.command(name="prune")
def store_prune(*, older_than: str, yes: Flag = False, store: Store | None = None) -> int:
    """Remove old records. A signed checkpoint speaks for them, so that the rest stays provable.

    Parameters
    ----------
    older_than
        An age: 90d, 12w, 1y.
    yes
        Do not ask.
    """
    from interlock.cli import store as command

    return command.remove_old(store or Store(), older_than, yes=yes)


@store_app.command(name="backup")
def store_backup(file: Path, *, store: Store | None = None) -> int:
    """Copy everything, as it is at this moment, into a SQLite file that can be proved and read like any store.

    Parameters
    ----------
    file
        The file to write; it must not be there yet.
    """
    from interlock.cli import store as command

    return command.copy(store or Store(), file)
