"""Parts of Interlock that a program replaces: `interlock.decide = lambda action: "allow"`."""

from __future__ import annotations

from interlock.analyse.reading import Reading, Site

_GUARD = frozenset({"guard_config"})


def is_own(name: str) -> bool:
    """Whether a dotted name is that of Interlock or of a part of it.

    >>> is_own("interlock.engine.Engine"), is_own("interlock"), is_own("interlocking.doors")
    (True, True, False)
    """
    return name.partition(".")[0] == "interlock"


def report_replaced(reading: Reading, site: Site, name: str) -> None:
    """Report that a part of Interlock is replaced while it runs."""
    reading.emit("defence.disable", site, name, _GUARD)
