"""Counters: records counted by minute, hour, day and week, in batches.

Counting runs beside decisions and never delays them. The counters are derived from the chain, and can be rebuilt.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from interlock.audit.journal import Journal
from interlock.metrics.derivation import RecordSpan, derive_new, discard_derived, empty_tables, read_rows
from interlock.rules.standards.rule_ids import owasp_ids_of
from interlock.sanitise import storable_name
from interlock.store.clock import MICROSECONDS, now_in
from interlock.store.connection import Connection, sql_list
from interlock.store.tables import counts, levels

MINUTE, HOUR, DAY, WEEK = 60, 3_600, 86_400, 604_800
#: How long counters by the minute are kept; all others are kept forever. Weeks begin on Thursdays, as 1970 did.
MINUTES_KEPT = 48 * HOUR
#: How many records one transaction counts: in SQLite, writers wait no longer than that takes.
BATCH = 2_000
#: How many records a page counts before it answers; the server counts the rest in the background.
MAX_FOR_A_PAGE = 2_000
#: How many different counters an hour may have; names beyond that are counted together.
MAX_PER_HOUR = 2_000
OTHERS = "…others"
ACTION, POLICY = "action", "policy"
#: Observed actions by the verdict that they would have had, and those that were stopped anyway.
OBSERVED, ENFORCED = "observed", "enforced"
#: Actions by the risks of OWASP's list that the rules which matched them stand for.
OWASP = "owasp"
_CURSOR = "counts"
_RUNS = frozenset({"allow", "warn"})
_KINDS = ("decision", "risk", "observed.policy")


class _WouldHave(msgspec.Struct, frozen=True):
    verdict: str = ""
    source: str = ""


class _CountedData(msgspec.Struct, frozen=True):
    level: str | None = None
    severity: str | None = None
    score: int = 0
    rules: tuple[str, ...] = ()
    would_have: _WouldHave | None = msgspec.field(name="wouldHave", default=None)


class _CountedRecord(msgspec.Struct, rename="camel"):
    at: int
    kind: str
    name: str | None = None
    agent_id: str | None = None
    outcome: str | None = None
    data: _CountedData = _CountedData()


class CounterKey(NamedTuple):
    """The key of a counter: records with the same key are counted together."""

    at: int
    what: str
    name: str
    agent_id: str
    level: str
    outcome: str


_DECODER = msgspec.json.Decoder(_CountedRecord)


def count_new_records(journal: Journal, most: int | None = None) -> int:
    """Count the records since the last time, at most so many; return how many records are left."""
    return derive_new(journal, _CURSOR, _next_batch, most)


class _CounterBatch(NamedTuple):
    """The counts of some records."""

    span: RecordSpan
    times: Counter[CounterKey]
    points: Counter[CounterKey]

    def store(self, connection: Connection) -> bool:
        """Add the counts to the counters, and return True; or False if another server has done so already."""
        if not self.span.claim(connection, _CURSOR):
            return False
        times, points = _limit_names(connection, self.times, self.points)
        for grain in (HOUR, DAY, WEEK):
            _add(connection, grain, times, points)
        oldest = now_in(connection).wall - MINUTES_KEPT * MICROSECONDS
        _add(connection, MINUTE, {key: number for key, number in times.items() if key.at >= oldest}, points)
        for table in ("counts", "levels"):
            connection.run(f"DELETE FROM interlock_{table} WHERE grain = :grain AND at < :at", grain=MINUTE, at=oldest)
        return True


_NEXT_RECORDS = f"""
    SELECT seq, kind, CASE WHEN kind IN {sql_list(_KINDS)} THEN body END
    FROM interlock_records WHERE seq > :after ORDER BY seq LIMIT :most
"""
_KEYS_OF_HOUR = f"SELECT {', '.join(CounterKey._fields)} FROM interlock_counts WHERE grain = :grain AND at = :at"
_ADD_TO_EXISTING = f"""
    ON CONFLICT ({", ".join(counts.columns[:-2])}) DO UPDATE
    SET count = interlock_counts.count + excluded.count, points = interlock_counts.points + excluded.points
"""
_ADD_TO_LEVELS = """
    ON CONFLICT (grain, at, level, verdict) DO UPDATE SET count = interlock_levels.count + excluded.count
"""


def _next_batch(connection: Connection) -> _CounterBatch | None:
    """Return the next batch of records that are not counted yet, if there are any."""
    found = read_rows(connection, _CURSOR, _NEXT_RECORDS, BATCH)
    return (
        None if found is None else _CounterBatch(found[0], *_tally(body for _, _, body in found[1] if body is not None))
    )


def _tally(bodies: Iterable[str]) -> tuple[Counter[CounterKey], Counter[CounterKey]]:
    """Return how many records each key has, by the minute, and the sum of their scores."""
    times: Counter[CounterKey] = Counter()
    points: Counter[CounterKey] = Counter()
    for body in bodies:
        try:
            record = _DECODER.decode(body)
        except (msgspec.DecodeError, UnicodeEncodeError):
            continue  # not written by Interlock; `interlock audit verify` reports it
        data = record.data
        what, level = (ACTION, data.level) if record.kind == "decision" else (POLICY, data.severity)
        at = record.at - record.at % (MINUTE * MICROSECONDS)
        outcome = (record.outcome or "").removeprefix("would_")
        key = CounterKey(at, what, record.name or "", record.agent_id or "", level or "safe", outcome)
        times[key] += 1
        points[key] += data.score
        for risk in owasp_ids_of(data.rules):
            times[key._replace(what=OWASP, name=risk, agent_id="", level="")] += 1
        if data.would_have is not None:
            what = OBSERVED if outcome in _RUNS else ENFORCED
            key = key._replace(what=what, name=storable_name(data.would_have.source), outcome=data.would_have.verdict)
            times[key] += 1
            points[key] += data.score
    return times, points


def _limit_names(
    connection: Connection, times: Counter[CounterKey], points: Counter[CounterKey]
) -> tuple[Counter[CounterKey], Counter[CounterKey]]:
    """Return the counts with new names beyond the limit of their hour counted together."""
    hours: dict[int, set[CounterKey]] = {}
    for key in times:
        hours.setdefault(_floor(key.at, HOUR), set()).add(key._replace(at=_floor(key.at, HOUR)))
    excess: set[CounterKey] = set()
    for hour, keys in hours.items():
        known = {CounterKey(*row) for row in connection.tuples(_KEYS_OF_HOUR, grain=HOUR, at=hour)}
        room = max(0, MAX_PER_HOUR - len(known))
        excess.update(sorted(keys - known)[room:])
    if not excess:
        return times, points
    new_times: Counter[CounterKey] = Counter()
    new_points: Counter[CounterKey] = Counter()
    for key, number in times.items():
        folded = key._replace(at=_floor(key.at, HOUR)) in excess
        one = key._replace(name=OTHERS, agent_id=OTHERS) if folded else key
        new_times[one] += number
        new_points[one] += points[key]
    return new_times, new_points


def _floor(at: int, grain: int) -> int:
    return at - at % (grain * MICROSECONDS)


def _add(
    connection: Connection, grain: int, times: dict[CounterKey, int] | Counter[CounterKey], points: Counter[CounterKey]
) -> None:
    folded: dict[CounterKey, list[int]] = {}
    for key, number in times.items():
        sums = folded.setdefault(key._replace(at=_floor(key.at, grain)), [0, 0])
        sums[0] += number
        sums[1] += points[key]
    rows = [(grain, *key, number, total) for key, (number, total) in folded.items()]
    connection.append(counts, rows, _ADD_TO_EXISTING)
    by_level: Counter[tuple[int, int, str, str]] = Counter()
    for key, (number, _) in folded.items():
        if key.what == ACTION:
            by_level[grain, key.at, key.level, key.outcome] += number
    connection.append(levels, [(*at, number) for at, number in by_level.items()], _ADD_TO_LEVELS)


def recount(journal: Journal) -> int:
    """Rebuild the counters from the records in the store; return how many records there were."""
    discard_derived(journal, _CURSOR, lambda connection: empty_tables(connection, "counts", "levels"))
    count_new_records(journal)
    with journal.database.read() as connection:
        return int(connection.value("SELECT count(*) FROM interlock_records"))
