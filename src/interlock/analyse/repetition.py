"""Effects that become worse in a loop: one screenshot becomes surveillance, one container a thousand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from interlock.patterns import late

if TYPE_CHECKING:
    from interlock.analyse.reading import Reading
    from interlock.model import Effect

#: The number of rounds from which a loop creates a crowd.
CROWD = 100

#: The number from which requests are a flood, and files more than a file system holds.
FLOOD = 5_000
MASS = 1_000_000

_GLANCE = frozenset({"glance"})
_REPEATED = frozenset({"repeated"})
#: Kinds of effects of which a crowd costs money, space or time.
_CREATING = frozenset({"container.run", "infra.change", "cluster.change", "message.send", "payment.send"})
_REQUESTS = frozenset({"net.fetch", "net.send", "net.connect"})
_NEAR = frozenset({"local", "private", "trusted", "loopback"})
#: Messages at a forge are notes beside the work, and those of this machine stay on it.
_NO_MAIL = frozenset({"forge", "repeated", "broadcast", "local"})
_TWICE = late(r"(?m)(?:^|[;&|{]) *\"?\$0\"? *(?:&|\|) *\"?\$0\"? *(?:&|$|;)")
_COUNTED = late(r"\bseq\s+(?:-\S+\s+)*(?:\d+\s+){0,2}(\d+)|<=?\s*(\d+)\s*;|\{\d+\.\.(\d+)")


def starts_itself_twice(text: str) -> bool:
    """Whether a script starts itself twice, so that its processes multiply endlessly (a fork bomb).

    >>> starts_itself_twice("$0 & $0 &"), starts_itself_twice('exec "$0" "$@"')
    (True, False)
    """
    return "$0" in text and _TWICE.search(text) is not None


def _find_created_file(effects: list[Effect]) -> Effect | None:
    """Return the first file that a loop writes, if its name differs in each iteration."""
    return next((effect for effect in effects if effect.kind == "fs.write" and "append" not in effect.flags), None)


def report_repeated(reading: Reading, first: int) -> None:
    """Report effects since the `first` one again, as repeated, if one read is harmless and repeated reads are not."""
    for effect in reading.effects[first:]:
        if "glance" in effect.flags:
            reading.effects.append(replace(effect, flags=(effect.flags - _GLANCE) | _REPEATED))


def report_mailing(reading: Reading, first: int) -> None:
    """Report messages to each recipient of a list that is not known: `while read -r to; do mail "$to"; done`."""
    for effect in reading.effects[first:]:
        named = effect.resource is not None and "$" in effect.resource.name
        if effect.kind == "message.send" and named and _NO_MAIL.isdisjoint(effect.flags):
            reading.effects.append(replace(effect, flags=effect.flags | _REPEATED))
            return


def report_crowd(reading: Reading, first: int, header: str, rounds: int) -> None:
    """Report the things that a loop creates with very many iterations. `header` is the text before its body."""
    found = _COUNTED.search(header)
    if found is not None:
        rounds = max(rounds, int(next(filter(None, found.groups()))[:9]))
    if rounds < CROWD:
        return
    report_repeated(reading, first)
    if rounds >= MASS and (made := _find_created_file(reading.effects[first:])) is not None:
        reading.effects.append(replace(made, kind="disk.fill"))
        return
    for effect in reading.effects[first:]:
        if rounds >= FLOOD and effect.kind in _REQUESTS and _NEAR.isdisjoint(effect.flags):
            reading.effects.append(replace(effect, flags=effect.flags | _REPEATED))
            return
        if effect.kind in _CREATING and "repeated" not in effect.flags:
            reading.effects.append(replace(effect, flags=effect.flags | _REPEATED))
            return
