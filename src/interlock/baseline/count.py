"""Count the actions that ran, by agent and day. The counters are derived from the chain, in batches."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from interlock.audit.journal import Journal
from interlock.baseline.executed_actions import KINDS, find_executed_actions
from interlock.policy.used_places import FOLDER, HOST, UNKNOWN_PLACE, find_used_places
from interlock.sanitise import storable_name
from interlock.store.clock import MICROSECONDS, now_in
from interlock.store.connection import Connection, sql_list
from interlock.store.tables import cursors, usage

HOUR, DAY = 3_600 * MICROSECONDS, 86_400 * MICROSECONDS
#: How many previous days a baseline covers, and how active an agent must have been for it to be known.
DAYS, MIN_DAYS, MIN_ACTIONS = 28, 3, 50
RAN_TOOL, RAN_HOST, RAN_FOLDER, RAN_ACTIONS = "ran.tool", "ran.host", "ran.folder", "ran.actions"
RAN = (RAN_TOOL, RAN_HOST, RAN_FOLDER, RAN_ACTIONS)
_PLACES = {HOST: RAN_HOST, FOLDER: RAN_FOLDER}
#: How many records one transaction counts, and how many names of a kind an agent can add in a day.
BATCH, MAX_NAMES = 2_000, 2_000
CURSOR = "baseline"
_CURSOR_AT = "SELECT at FROM interlock_cursors WHERE name = :name"
_BEFORE = "SELECT min(seq) - 1 FROM interlock_records WHERE at >= :since"
_NEXT = f"""
    SELECT seq, kind, CASE WHEN kind IN {sql_list(KINDS)} THEN body END
    FROM interlock_records WHERE seq > :after ORDER BY seq LIMIT :most
"""
_NAMES = "SELECT name FROM interlock_usage WHERE agent_id = :agent_id AND what = :what AND at = :at"
_DELETE = f"DELETE FROM interlock_usage WHERE what IN {sql_list(RAN)} AND at < :oldest"
_ADD = """
    ON CONFLICT (what, at, name, agent_id) DO UPDATE
    SET count = interlock_usage.count + excluded.count, last_seq = excluded.last_seq
"""
_MOVE = "ON CONFLICT (name) DO UPDATE SET at = excluded.at"


class _UsedActionKey(NamedTuple):
    what: str
    at: int
    name: str
    agent_id: str


def count_executed_actions(journal: Journal, most: int | None = None) -> bool:
    """Count the actions that ran since the last time, in at most so many records; return whether none are left."""
    done = 0
    while most is None or done < most:
        read, is_last = journal.derive(CURSOR, _count_batch)
        if is_last:
            return True
        done += read
    return False


def forget_counts(connection: Connection) -> None:
    """Delete the counters, so that the next call counts the records of all days of a baseline."""
    connection.run(f"DELETE FROM interlock_usage WHERE what IN {sql_list(RAN)}")
    connection.run("DELETE FROM interlock_cursors WHERE name = :name", name=CURSOR)


def _count_batch(connection: Connection) -> tuple[int, bool]:
    """Count the next records; return how many, and whether they are the last."""
    at = now_in(connection).wall
    oldest = at - at % DAY - DAYS * DAY
    after = connection.value(_CURSOR_AT, name=CURSOR)
    if after is None:
        after = connection.value(_BEFORE, since=oldest) or 0
    rows = connection.tuples(_NEXT, after=after, most=BATCH)
    if rows:
        _add(connection, rows)
        connection.run(_DELETE, oldest=oldest)
        connection.insert(cursors, {"name": CURSOR, "at": rows[-1][0]}, otherwise=_MOVE)
    return len(rows), len(rows) < BATCH


def _add(connection: Connection, rows: list[tuple[int, str, str | None]]) -> None:
    counts: Counter[_UsedActionKey] = Counter()
    for ran in find_executed_actions(connection, rows):
        day = ran.at - ran.at % DAY
        counts[_UsedActionKey(RAN_ACTIONS, ran.at - ran.at % HOUR, "actions", ran.agent)] += 1
        counts[_UsedActionKey(RAN_TOOL, day, ran.tool, ran.agent)] += 1
        for what, name in dict.fromkeys(find_used_places(ran.resources)):
            if name != UNKNOWN_PLACE:
                counts[_UsedActionKey(_PLACES[what], day, storable_name(name), ran.agent)] += 1
    first, last = rows[0][0], rows[-1][0]
    kept = _limit_names(connection, counts)
    connection.append(usage, [(*key, number, first, last) for key, number in kept.items()], _ADD)


def _limit_names(connection: Connection, counts: Counter[_UsedActionKey]) -> dict[_UsedActionKey, int]:
    """Return the counts without the names beyond the limit of an agent and a day: these stay new."""
    kept: dict[_UsedActionKey, int] = {}
    known: dict[tuple[str, int, str], set[str]] = {}
    for key, number in counts.items():
        group = key.what, key.at, key.agent_id
        if group not in known:
            known[group] = set(connection.values(_NAMES, what=key.what, at=key.at, agent_id=key.agent_id))
        names = known[group]
        if key.name in names or len(names) < MAX_NAMES:
            names.add(key.name)
            kept[key] = number
    return kept
