"""Counting: what was recorded is counted by minute, hour and day, once, a batch at a time.

The figures are drawn from the chain and can be drawn anew. Whoever decides does not wait for them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.store.clock import MICROSECONDS
from interlock.store.connection import Connection
from interlock.store.tables import counts, cursors

MINUTE, HOUR, DAY = 60, 3_600, 86_400
#: Minutes are kept for so long; hours and days for good.
MINUTES_KEPT = 48 * HOUR
BATCH = 5_000
#: So many different things are told apart in an hour; whoever invents names beyond that is counted together.
MAX_IN_AN_HOUR = 2_000
OTHERS = "…others"
ACTION, POLICY = "action", "policy"
_CURSOR = "counts"
_KINDS = ("decision", "risk")


class _Data(msgspec.Struct, frozen=True):
    level: str | None = None
    severity: str | None = None
    score: int = 0


class _Counted(msgspec.Struct, rename="camel"):
    at: int
    kind: str
    name: str | None = None
    agent_id: str | None = None
    outcome: str | None = None
    data: _Data = _Data()


class Key(NamedTuple):
    """What is counted together."""

    at: int
    what: str
    name: str
    agent_id: str
    level: str
    outcome: str


_DECODER = msgspec.json.Decoder(_Counted)


def count_new(journal: Journal) -> int:
    """Count what was recorded since the last time; return how many records that were."""
    total = 0
    while True:
        with journal.database.read() as connection:  # nobody who writes waits while it is read and added up
            found = _new(connection)
        if found is None:
            return total
        if journal.commit(found.keep):
            total += found.number
            if found.number < BATCH:
                return total  # under load there is always something new


class _New(NamedTuple):
    """What was recorded between two records, added up."""

    after: int | None
    upto: int
    number: int
    times: Counter[Key]
    points: Counter[Key]

    def keep(self, transaction: Transaction) -> bool:
        """Add it to the figures, and return True; or False where another server has done so meanwhile."""
        connection = transaction.connection
        if connection.value(_COUNTED, name=_CURSOR) != self.after:
            return False
        times, points = _bounded(connection, self.times, self.points)
        for grain in (HOUR, DAY):
            _add(connection, grain, times, points)
        newest = max((key.at for key in times), default=0) - MINUTES_KEPT * MICROSECONDS
        recent = {key: number for key, number in times.items() if key.at >= newest}
        _add(connection, MINUTE, recent, points)
        connection.run("DELETE FROM interlock_counts WHERE grain = :grain AND at < :at", grain=MINUTE, at=newest)
        if self.after is None:
            connection.insert(cursors, {"name": _CURSOR, "at": self.upto})
        else:
            connection.update(cursors, {"name": _CURSOR}, at=self.upto)
        return True


_COUNTED = "SELECT at FROM interlock_cursors WHERE name = :name"
_NEW = "SELECT seq, kind, body FROM interlock_records WHERE seq > :after ORDER BY seq LIMIT :most"
_KNOWN = f"SELECT {', '.join(Key._fields)} FROM interlock_counts WHERE grain = :grain AND at = :at"
_MORE = f"""
    ON CONFLICT ({", ".join(counts.columns[:-2])}) DO UPDATE
    SET count = interlock_counts.count + excluded.count, points = interlock_counts.points + excluded.points
"""


def _new(connection: Connection) -> _New | None:
    """Return the next batch of what was recorded since the last time, if there is something."""
    after = connection.value(_COUNTED, name=_CURSOR)
    rows = connection.tuples(_NEW, after=after or 0, most=BATCH)
    if not rows:
        return None
    return _New(after, rows[-1][0], len(rows), *_tally(row[2] for row in rows if row[1] in _KINDS))


def _tally(bodies: Iterable[str]) -> tuple[Counter[Key], Counter[Key]]:
    """Return how often each thing was recorded, by the minute, and the sum of its scores."""
    times: Counter[Key] = Counter()
    points: Counter[Key] = Counter()
    for body in bodies:
        try:
            found = _DECODER.decode(body)
        except (msgspec.DecodeError, UnicodeEncodeError):
            continue  # nobody of us wrote that; `interlock audit verify` tells of it
        data = found.data
        what, level = (ACTION, data.level) if found.kind == "decision" else (POLICY, data.severity)
        at = found.at - found.at % (MINUTE * MICROSECONDS)
        key = Key(at, what, found.name or "", found.agent_id or "", level or "safe", found.outcome or "")
        times[key] += 1
        points[key] += data.score
    return times, points


def _bounded(connection: Connection, times: Counter[Key], points: Counter[Key]) -> tuple[Counter[Key], Counter[Key]]:
    """Return the tally with new names beyond what an hour may hold counted together."""
    hours: dict[int, set[Key]] = {}
    for key in times:
        hours.setdefault(_floor(key.at, HOUR), set()).add(key._replace(at=_floor(key.at, HOUR)))
    beyond: set[Key] = set()
    for hour, keys in hours.items():
        known = {Key(*row) for row in connection.tuples(_KNOWN, grain=HOUR, at=hour)}
        room = max(0, MAX_IN_AN_HOUR - len(known))
        beyond.update(sorted(keys - known)[room:])
    if not beyond:
        return times, points
    new_times: Counter[Key] = Counter()
    new_points: Counter[Key] = Counter()
    for key, number in times.items():
        folded = key._replace(at=_floor(key.at, HOUR)) in beyond
        one = key._replace(name=OTHERS, agent_id=OTHERS) if folded else key
        new_times[one] += number
        new_points[one] += points[key]
    return new_times, new_points


def _floor(at: int, grain: int) -> int:
    return at - at % (grain * MICROSECONDS)


def _add(connection: Connection, grain: int, times: dict[Key, int] | Counter[Key], points: Counter[Key]) -> None:
    folded: dict[Key, list[int]] = {}
    for key, number in times.items():
        sums = folded.setdefault(key._replace(at=_floor(key.at, grain)), [0, 0])
        sums[0] += number
        sums[1] += points[key]
    rows = [(grain, *key, number, total) for key, (number, total) in folded.items()]
    connection.append(counts, rows, _MORE)


def recount(journal: Journal) -> int:
    """Draw the figures anew from the records that are there; return how many those were."""

    def forget(transaction: Transaction) -> None:
        transaction.connection.run("DELETE FROM interlock_counts")
        transaction.connection.run("DELETE FROM interlock_cursors WHERE name = :name", name=_CURSOR)

    journal.commit(forget)
    return count_new(journal)
