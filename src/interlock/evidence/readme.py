"""The first page of a pack: what it is, what each file shows, and how to verify it."""

from __future__ import annotations

from typing import Any

from interlock.audit.export import iso_time
from interlock.audit.verify import Proof
from interlock.evidence.files import FILES, MANIFEST
from interlock.evidence.period import Period

_HEAD = """# Evidence from Interlock

Store `{store}`, from {start} to {end} (UTC), packed {at} by Interlock {version}.

{verdict}

| | |
|---|---|
{figures}

## Files

Each file maps to lines of Interlock's page on compliance (`docs/compliance.md`). It is evidence for an assessment, not
the result of one.

| file | shows | maps to |
|---|---|---|
{files}
| `{manifest}` | The digest of every file, signed by the machine that packed them. | all of the above |

Files of records and requests show the period. `people.json`, `signing-keys.json`, `retention.json`, the versions in
`policies.json`, and keys, grants and stops in `exceptions.json` show the time of packing; the files
of changes tell what they were before. Times are microseconds since 1970, UTC.

## How to verify it

`interlock evidence verify FILE` checks the signature, every digest, and the chain of `records.jsonl`, without a store.
On another machine, name the key that you trust: `--key ed25519:…`, as `interlock audit key` prints it on the machine
that packed this. `interlock audit verify --checkpoint checkpoint.json` compares the store with this pack later.
"""


def readme(store_id: str, period: Period, at: int, version: str, proof: Proof, figures: dict[str, Any]) -> str:
    """Return the first page of a pack, as Markdown."""
    if proof.good:
        verdict = f"The store was **verified** when it was packed: records {proof.first:,} to {proof.last:,}, no fault."
    else:
        verdict = (
            f"The store was **not verified** when it was packed: {len(proof.faults)} faults, see `verification.json`."
        )
    rows = (f"| `{file.name}` | {file.shows} | {', '.join(file.serves)} |" for file in FILES)
    return _HEAD.format(
        store=store_id,
        start=iso_time(period.start)[:19],
        end=iso_time(period.end)[:19],
        at=iso_time(at)[:19],
        version=version,
        verdict=verdict,
        figures="\n".join(f"| {name} | {number:,} |" for name, number in figures.items()),
        files="\n".join(rows),
        manifest=MANIFEST,
    )
