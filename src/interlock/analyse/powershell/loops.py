"""What a loop makes of its commands: one connection becomes a scan, one message a mailing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.analyse.repetition import report_repeated
from interlock.patterns import late

if TYPE_CHECKING:
    from interlock.analyse.powershell.state import PowerShellState
    from interlock.analyse.reading import Site

#: From so many rounds on, attempts to connect are a scan, and messages a mailing.
SCAN, MAILING = 16, 5
_PROBES = late(
    r"(?i)test-(?:net)?connection|tcpclient|udpclient|\.(?:begin)?connect(?:async)?\s*\(|\.send(?:ping)?async?\("
)
_HERE = late(r"(?i)localhost|127\.0\.0\.1|\[?::1\]?")


def report_loop(state: PowerShellState, site: Site, text: str, rounds: int, first: int) -> None:
    """Report what a loop does since the effect `first`. `rounds` is 0 if it is not known how many there are."""
    reading = state.reading
    report_repeated(reading, first)
    if rounds >= SCAN and _PROBES.search(text) and not _HERE.search(text):
        reading.emit("net.connect", site, "many ports", frozenset({"scan"}))
    if (not rounds or rounds >= MAILING) and any(one.kind == "message.send" for one in reading.effects[first:]):
        reading.mark_effects(first, "message.send", frozenset({"many"}))
