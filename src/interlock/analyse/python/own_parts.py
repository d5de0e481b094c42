"""Parts of Interlock that a program replaces: `interlock.decide = lambda action: "allow"`."""

from __future__ import annotations

from interlock.analyse.reading import Reading, Site

_GUARD = frozenset({"guard_config"})


def report_found_processes(reading: Reading) -> None:
    """Report signals to a process that this program looks for by its name: with `pgrep`, or in `/run/name.pid`."""
    signals = [effect for effect in reading.effects if effect.kind == "process.signal"]
    for effect in tuple(reading.effects) if signals else ():
        name = effect.resource.name if effect.resource is not None else ""
        if effect.kind == "fs.read" and name.endswith(".pid"):
            name = name.rpartition("/")[2].removesuffix(".pid")
        elif effect.kind != "system.read":
            continue
        if name:
            reading.emit("process.signal", Site(signals[0].span, signals[0].via), name)


def is_own(name: str) -> bool:
    """Whether a dotted name is that of Interlock or of a part of it.

    >>> is_own("interlock.engine.Engine"), is_own("interlock"), is_own("interlocking.doors")
    (True, True, False)
    """
    return name.partition(".")[0] == "interlock"


def report_replaced(reading: Reading, site: Site, name: str) -> None:
    """Report that a part of Interlock is replaced while it runs."""
    reading.emit("defence.disable", site, name, _GUARD)
