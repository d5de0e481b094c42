"""`interlock audit`: the record of all decisions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from interlock.cli.commands.options import USUAL, Count, Flag, RecordNumber, Store

group = App(name="audit", help="Show, follow, verify and export the record of all decisions.")


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
    "only of the last 2h, 7d, 4w, …"


ALL = Which()


@group.default
@group.command(name="show")
def audit_show(
    *,
    which: Which = ALL,
    limit: Count = 20,
    before: RecordNumber | None = None,
    json: Flag = False,
    store: Store = USUAL,
) -> int:
    """Show the newest records.

    Parameters
    ----------
    limit
        At most this many.
    before
        End before this record, for the previous page.
    json
        Write one JSON object per line.
    """
    from interlock.cli import audit as command

    return command.show(store, which, limit, before, as_json=json)


@group.command(name="follow")
def audit_follow(*, which: Which = ALL, json: Flag = False, store: Store = USUAL) -> int:
    """Print records as they are written.

    Parameters
    ----------
    json
        Write one JSON object per line.
    """
    from interlock.cli import audit as command

    return command.follow_all(store, which, as_json=json)


@group.command(name="verify")
def audit_verify(
    *files: str,
    key: Annotated[tuple[str, ...], Parameter(negative="")] = (),
    checkpoint: Path | None = None,
    json: Flag = False,
    store: Store = USUAL,
) -> int:
    """Verify that no record was changed, removed, inserted, reordered or cut off; name the first wrong one.

    Exit status: 0 verified, 2 not verified.

    Parameters
    ----------
    files
        Files that `interlock audit export --out` wrote, or places (folders or URLs) that `interlock history export`
        wrote to. They are verified without the store.
    key
        An additional public key whose signatures are valid: `ed25519:…`, as `interlock audit key` prints it.
    checkpoint
        A file that `interlock audit checkpoint` wrote, and that was stored elsewhere.
    json
        Write JSON.
    """
    from interlock.cli import audit as command

    if files:
        return command.verify_exports(store, files, key, checkpoint, as_json=json)
    return command.prove(store, key, checkpoint, as_json=json)


@group.command(name="export")
def audit_export(
    *,
    format: str = "jsonl",  # noqa: A002
    out: Path | None = None,
    after: RecordNumber = 0,
    which: Which = ALL,
    store: Store = USUAL,
) -> int:
    """Export the records. With `--out`, also write a proof, so that `interlock audit verify FILE` can check the file.

    Parameters
    ----------
    after
        Only the records after this number: `--after 1200` continues an export that ended with 1200.
    format
        jsonl (with hashes, so that anyone can verify it), csv, or ocsf.
    out
        The file to write; by default standard output.
    """
    from interlock.cli import audit as command

    return command.export(store, which, format, out, after)


@group.command(name="checkpoint")
def audit_checkpoint(*, out: Path | None = None, store: Store = USUAL) -> int:
    """Sign the current end of the chain. Stored elsewhere, it proves later that no record before it was cut off.

    Parameters
    ----------
    out
        The file to write; by default standard output.
    """
    from interlock.cli import audit as command

    return command.write_checkpoint(store, out)


@group.command(name="accept")
def audit_accept(*, yes: Flag = False, store: Store = USUAL) -> int:
    """Accept a store that was restored from a backup. Newer records are lost, and that is recorded.

    Parameters
    ----------
    yes
        Do not ask for confirmation.
    """
    from interlock.cli import audit as command

    return command.accept(store, yes=yes)


@group.command(name="key")
def audit_key() -> int:
    """Print the public key of this machine."""
    from interlock.cli import audit as command

    return command.show_key()
