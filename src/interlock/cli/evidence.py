"""`interlock evidence`: pack the evidence of a period, and verify a pack."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from rich.text import Text

from interlock.audit.export import iso_time
from interlock.audit.keys import KeyRing, SigningKey, parse_key
from interlock.cli.open_store import open_store
from interlock.config.home import own_folder
from interlock.config.load import load
from interlock.evidence.check import verify_evidence
from interlock.evidence.pack import EvidenceSource, pack_evidence
from interlock.evidence.period import Period, parse_period
from interlock.sanitise import plain
from interlock.show import console
from interlock.store.clock import now

if TYPE_CHECKING:
    from interlock.cli.commands.options import Store


def pack(store: Store, since: str, until: str | None, out: Path | None, *, as_json: bool) -> int:
    """Pack the evidence of a period, and print the path of the pack."""
    at = now().wall
    period = parse_period(since, until, at)
    target = out if out is not None else Path(f"interlock-evidence-{_dates(period)}.zip")
    screen = console()
    with open_store(store.store, store.config) as found, screen.status("reading") as status:
        source = EvidenceSource(found.journal, found.config, found.key, found.key_ring(), found.folder)
        manifest = pack_evidence(
            source, period, target, at, lambda done, whole: status.update(f"{done:,} of {whole:,} records")
        )
    if as_json:
        print(msgspec.json.encode(manifest).decode())
    else:
        print(f"{manifest.records:,} records and {len(manifest.files)} files in {plain(str(target))}")
        print(f"`interlock evidence verify {plain(str(target))}` checks it")
    if not manifest.verified:
        screen.print(Text("the store does not verify; `interlock audit verify` shows why, and the pack says so", "red"))
    return 0 if manifest.verified else 2


def _dates(period: Period) -> str:
    """Return the first and the last day of a period."""
    return f"{iso_time(period.start)[:10]}-{iso_time(period.end - 1)[:10]}"


def verify_pack(store: Store, file: Path, keys: tuple[str, ...], *, as_json: bool) -> int:
    """Verify a pack, and print the result or the faults."""
    config = load(store.config)
    ring = KeyRing([SigningKey.at(own_folder()).public, *map(parse_key, (*config.audit.keys, *keys))])
    manifest, faults = verify_evidence(file, ring)
    if as_json:
        print(msgspec.json.encode({"good": not faults, "faults": faults, "manifest": manifest}).decode())
        return 2 if faults else 0
    out = console()
    start, end = (iso_time(at)[:19].replace("T", " ") for at in (manifest.period.start, manifest.period.end))
    word = Text("not verified", "bold red") if faults else Text("verified", "bold green")
    out.print(word + Text(f"  {manifest.records:,} records, {len(manifest.files)} files, {start} to {end} UTC"))
    out.print(Text(f"  store {plain(manifest.store_id)}, signed by {plain(manifest.key_id)}", "dim"))
    for fault in faults:
        out.print(Text(f"  {plain(fault)}"))
    return 2 if faults else 0
