"""`interlock evidence`: what a store shows of a period, packed for auditors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from interlock.cli.commands.options import USUAL, Flag, Store

group = App(
    name="evidence",
    help="Pack the evidence of a period for auditors, and verify such a pack.\n\n"
    "`interlock evidence --from 2026-07-01 --to 2026-09-30` writes a ZIP file: records with their proof, approvals, "
    "policies, people, exceptions, counts, and a signed manifest. Nothing is written to the store.\n\n"
    "`interlock evidence verify FILE` checks it without the store.",
)


@group.default
def evidence_pack(
    *,
    since: Annotated[str, Parameter(name="--from")],
    until: Annotated[str | None, Parameter(name="--to")] = None,
    out: Path | None = None,
    json: Flag = False,
    store: Store = USUAL,
) -> int:
    """Pack the evidence of a period. Exit status: 0 packed, 2 packed from a store that does not verify.

    Parameters
    ----------
    since
        The first day or time of the period, in UTC: `2026-07-01`, `2026-07-01T08:00:00Z`.
    until
        The last day, which is included, or the time at which the period ends; by default now.
    out
        The folder or ZIP file to write; by default `interlock-evidence-FROM-TO.zip` here. It must not exist.
    json
        Write the manifest as JSON.
    """
    from interlock.cli import evidence as command

    return command.pack(store, since, until, out, as_json=json)


@group.command(name="verify")
def evidence_verify(
    file: Path,
    *,
    key: Annotated[tuple[str, ...], Parameter(negative="")] = (),
    json: Flag = False,
    store: Store = USUAL,
) -> int:
    """Verify a pack: its signature, every file, and the chain of its records. The store is not needed.

    Exit status: 0 verified, 2 not verified. Example: `interlock evidence verify quarter.zip --key ed25519:…`.

    Parameters
    ----------
    file
        The folder or ZIP file.
    key
        An additional public key whose signatures are valid: `ed25519:…`, as `interlock audit key` prints it.
    json
        Write JSON.
    """
    from interlock.cli import evidence as command

    return command.verify_pack(store, file, key, as_json=json)
