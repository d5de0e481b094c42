"""`interlock audit verify DEST`: an exported history, verified without the store."""

from __future__ import annotations

from pathlib import Path

import msgspec
from rich.text import Text

from interlock.audit.anchor import ChainPoint
from interlock.audit.keys import KeyRing
from interlock.config.home import own_folder
from interlock.errors import InterlockError
from interlock.history.extra import require_extra
from interlock.sanitise import plain
from interlock.show import console

MAX_FAULTS = 20


def is_history(text: str) -> bool:
    """Whether an argument of `audit verify` names an exported history: a folder or a URL."""
    if text.endswith(".parquet"):
        raise InterlockError(f"`{text}` is part of an exported history; name its folder: `interlock audit verify DEST`")
    return "://" in text or Path(text).is_dir()


def verify_history(url: str, ring: KeyRing, kept: ChainPoint | None, *, as_json: bool) -> bool:
    """Verify an exported history, print the result, and return whether it is good."""
    require_extra()
    from interlock.history.export_place import ExportPlace
    from interlock.history.export_verify import verify_export

    out, place = console(), ExportPlace(url)
    with out.status("reading") as status:
        report = verify_export(
            place,
            ring,
            folder=own_folder(),
            kept=kept,
            progress=lambda done, all_: status.update(f"{done:,} of {all_:,} records"),
        )
    if as_json:
        print(msgspec.json.encode({**msgspec.to_builtins(report), "good": report.good}).decode())
        return report.good
    if report.good:
        held = f"{report.records:,} records, {report.first} to {report.last}, files: {report.files:,}"
        out.print(Text("verified", "bold green") + Text(f"  {place.shown}  {held}"))
        out.print(Text(f"  the last is {report.hash}", "dim"))
        return True
    out.print(Text("not verified", "bold red") + Text(f"  {place.shown}"))
    for fault in report.faults[:MAX_FAULTS]:
        out.print(Text(f"  {plain(fault)}"))
    if len(report.faults) > MAX_FAULTS:
        out.print(Text(f"  … and {len(report.faults) - MAX_FAULTS} more"))
    return False
