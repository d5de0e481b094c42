"""Processes that an action looks up by name before it ends them: with `pgrep`, or in `/run/name.pid`."""

from __future__ import annotations

from interlock.analyse.reading import Reading, Site
from interlock.patterns import late

MAX_NAMES = 16
_PICKED = late(r"\bgrep\s+(?:-\w+\s+)*['\"]?([\w.@/\[\]-]+)")


def report_process_lookups(reading: Reading, text: str) -> None:
    """Report signals to processes that are found by their names, where a signal itself names none."""
    signals = [effect for effect in reading.effects if effect.kind == "process.signal"]
    signal = next((one for one in signals if one.resource is None or one.resource.name[:1] == "$"), None)
    if signal is None:
        return
    names = [name.strip("[]").replace("]", "") for name in _PICKED.findall(text)] if "ps " in text else []
    for effect in reading.effects:
        name = effect.resource.name if effect.resource is not None else ""
        if effect.kind == "fs.read" and name.endswith(".pid"):
            names.append(name.rpartition("/")[2].removesuffix(".pid"))
        elif effect.kind == "system.read" and name:
            names.append(name)
    for name in names[:MAX_NAMES]:
        reading.emit("process.signal", Site(signal.span, signal.via), name)
