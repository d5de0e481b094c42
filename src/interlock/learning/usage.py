"""The usage counters: names that actions used on each day, causes of stops in each hour, and gaps in the analysis.

They are derived from the chain in batches, like the index of actions, so they never delay a decision.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from interlock.audit.journal import Journal
from interlock.baseline.count import forget_counts
from interlock.learning.action_usage import (
    ACTIVITY,
    BY_AGENT,
    DRIFT,
    KINDS,
    STOPPED,
    UNKNOWN_PROGRAM,
    UNKNOWN_TOOL,
    UNREAD,
    UsedData,
    list_used,
)
from interlock.metrics.derivation import RecordRow, RecordSpan, count_left, derive_new, discard_derived, read_rows
from interlock.sanitise import storable_name
from interlock.store.clock import MICROSECONDS
from interlock.store.connection import Connection, sql_list
from interlock.store.tables import usage

HOUR, DAY = 3_600 * MICROSECONDS, 86_400 * MICROSECONDS
#: How many records one transaction counts: in SQLite, writers wait no longer than that takes.
BATCH = 500
#: How many records a page counts before it answers; the server counts the rest in the background.
MAX_FOR_A_PAGE = 400
#: How many counters of one kind a day or hour may have; names beyond that are counted together.
MAX_PER_DAY = 20_000
MAX_UNKNOWN = {UNKNOWN_PROGRAM: 300, UNKNOWN_TOOL: 300, UNREAD: 100}
OTHERS = "…others"
#: How many days usage is kept: for each agent as long as it is compared, and all of it together for more than a year.
DAYS_OF_AGENTS, DAYS_KEPT = 35, 400
_CURSOR = "usage"
_DECISION = "decision"
_KINDS = (_DECISION, "risk", "observed.policy")
_NEXT = f"""
    SELECT seq, kind, CASE WHEN kind IN {sql_list(_KINDS)} THEN body END
    FROM interlock_records WHERE seq > :after ORDER BY seq LIMIT :most
"""
_NUMBER = "SELECT count(*) FROM interlock_usage WHERE what = :what AND at = :at"
_KNOWN = "SELECT name, agent_id FROM interlock_usage WHERE what = :what AND at = :at"
_ADD = """
    ON CONFLICT (what, at, name, agent_id) DO UPDATE
    SET count = interlock_usage.count + excluded.count, last_seq = excluded.last_seq
"""


class UsageKey(NamedTuple):
    """The key of a counter. `agent_id` is empty where it does not matter which agent it was."""

    what: str
    at: int
    name: str
    agent_id: str


class _UsageCount(msgspec.Struct):
    number: int
    first: int
    last: int


class _UsageRecord(msgspec.Struct, rename="camel"):
    at: int
    name: str | None = None
    run_id: str | None = None
    agent_id: str | None = None
    digest: str | None = None
    outcome: str | None = None
    data: UsedData = UsedData()


_DECODER = msgspec.json.Decoder(_UsageRecord)


def count_new_usage(journal: Journal, most: int | None = None) -> int:
    """Count the usage of the records since the last time, of at most so many; return how many records are left."""
    return derive_new(journal, _CURSOR, _next_batch, most)


def count_unread(journal: Journal) -> int:
    """Return how many records are not counted yet."""
    return count_left(journal, _CURSOR)


def recount_usage(journal: Journal) -> None:
    """Rebuild the usage counters from the records in the store. Notes of drift stay: they are made once."""

    def clear(connection: Connection) -> None:
        connection.run("DELETE FROM interlock_usage WHERE what <> :kept", kept=DRIFT)
        forget_counts(connection)

    discard_derived(journal, _CURSOR, clear)
    count_new_usage(journal)


class _UsageBatch(NamedTuple):
    """The usage of some records."""

    span: RecordSpan
    counts: dict[UsageKey, _UsageCount]

    def store(self, connection: Connection) -> bool:
        """Add the counts, and return True; or False if another process has done so already."""
        if not self.span.claim(connection, _CURSOR):
            return False
        counts = _limit_names(connection, self.counts)
        connection.append(usage, [(*key, one.number, one.first, one.last) for key, one in counts.items()], _ADD)
        _delete_old(connection, max((key.at for key in counts), default=0))
        return True


def _next_batch(connection: Connection) -> _UsageBatch | None:
    """Return the next batch of records that are not counted yet, if there are any."""
    found = read_rows(connection, _CURSOR, _NEXT, BATCH)
    return None if found is None else _UsageBatch(found[0], _tally(found[1]))


def _tally(rows: Iterable[RecordRow]) -> dict[UsageKey, _UsageCount]:
    """Return how often each thing was used, and the first and the last record of it."""
    counts: dict[UsageKey, _UsageCount] = {}
    for seq, record, policies in _decisions(rows):
        agent = record.agent_id or ""
        for what, name, by_agent in list_used(record.name or "", record.outcome or "", record.data, policies):
            grain = HOUR if what in (STOPPED, ACTIVITY) else DAY
            key = UsageKey(what, record.at - record.at % grain, storable_name(name), agent if by_agent else "")
            known = counts.get(key)
            if known is None:
                counts[key] = _UsageCount(1, seq, seq)
            else:
                known.number, known.last = known.number + 1, seq
    return counts


def _decisions(rows: Iterable[RecordRow]) -> Iterable[tuple[int, _UsageRecord, list[tuple[str, str]]]]:
    """Return each decision, with the policies that matched it and what each of them demanded."""
    found: list[tuple[int, _UsageRecord, list[tuple[str, str]]]] = []
    for seq, kind, body in rows:
        if body is None:
            continue
        try:
            record = _DECODER.decode(body)
        except (msgspec.DecodeError, UnicodeEncodeError):
            continue  # not written by Interlock; `interlock audit verify` reports it
        if kind == _DECISION:
            found.append((seq, record, []))
        elif found and (found[-1][1].digest, found[-1][1].run_id) == (record.digest, record.run_id):
            found[-1][2].append((record.name or "", record.outcome or ""))
    return found


def _delete_old(connection: Connection, newest: int) -> None:
    for what in KINDS:
        oldest = newest - (DAYS_OF_AGENTS if what in BY_AGENT else DAYS_KEPT) * DAY
        connection.run("DELETE FROM interlock_usage WHERE what = :what AND at < :oldest", what=what, oldest=oldest)


def _limit_names(connection: Connection, counts: dict[UsageKey, _UsageCount]) -> dict[UsageKey, _UsageCount]:
    """Return the counts with new names beyond the limit of their day counted together."""
    by_time: dict[tuple[str, int], list[UsageKey]] = {}
    for key in counts:
        by_time.setdefault((key.what, key.at), []).append(key)
    kept: dict[UsageKey, _UsageCount] = {}
    for (what, at), keys in by_time.items():
        limit = min(MAX_PER_DAY, MAX_UNKNOWN.get(what, MAX_PER_DAY))
        if int(connection.value(_NUMBER, what=what, at=at)) + len(keys) <= limit:
            kept.update((key, counts[key]) for key in keys)
            continue
        known = {UsageKey(what, at, *row) for row in connection.tuples(_KNOWN, what=what, at=at)}
        room = limit - len(known)
        for key in keys:
            room -= key not in known
            folded = key if key in known or room >= 0 else UsageKey(what, at, OTHERS, OTHERS)
            one, same = counts[key], kept.get(folded)
            kept[folded] = one if same is None else _UsageCount(same.number + one.number, same.first, one.last)
    return kept
