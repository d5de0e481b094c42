"""Drift: a note when an agent uses something that it has not used before, or is far more active than before.

Notes follow the usage counters with a cursor, so each use is checked once, by one process. There is at most one note
for an agent, a kind of usage and a day.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import NamedTuple

from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.record import Entry, Record
from interlock.baseline.count import DAYS
from interlock.learning.action_usage import ACTIVITY, DRIFT, PROGRAM, TOOL
from interlock.learning.baseline import ActivityBaseline, read_activity_baseline
from interlock.learning.usage import DAY, HOUR, OTHERS
from interlock.policy.used_places import FOLDER, HOST
from interlock.sanitise import plain
from interlock.store.clock import now_in
from interlock.store.connection import Connection, sql_list
from interlock.store.tables import cursors, usage

#: An agent is far more active if an hour has this many times the actions of its busiest hour, and at least the minimum.
RATE_FACTOR, MIN_RATE = 3, 100
RATE = "rate"
BATCH, MAX_NAMES = 500, 5
_WORDS = {
    TOOL: ("used a tool", "used tools"),
    PROGRAM: ("ran a program", "ran programs"),
    HOST: ("contacted a host", "contacted hosts"),
    FOLDER: ("worked in a folder", "worked in folders"),
}
_CURSOR = "drift"
_CURSOR_AT = "SELECT at FROM interlock_cursors WHERE name = :name"
_USED_UP_TO = "SELECT at FROM interlock_cursors WHERE name = 'usage'"
_NEW = f"""
    SELECT first_seq, what, at, name, agent_id FROM interlock_usage
    WHERE first_seq > :after AND first_seq <= :upto AND what IN {sql_list(tuple(_WORDS))}
    ORDER BY first_seq LIMIT :most
"""
_BUSY = "SELECT agent_id, at, count FROM interlock_usage WHERE what = :what AND at >= :since AND count >= :least"
_NOTED = "SELECT 1 FROM interlock_usage WHERE what = :what AND at = :day AND name = :name AND agent_id = :agent_id"
_MOVE = "ON CONFLICT (name) DO UPDATE SET at = excluded.at"


class BehaviourChange(NamedTuple):
    """A change in the behaviour of an agent on a day; `names` are the new things, none for a rate."""

    agent_id: str
    what: str
    day: int
    text: str
    names: tuple[str, ...] = ()


#: Called with each note in its transaction.
NoteListener = Callable[[Transaction, Record], None]


def note_drift(journal: Journal, tell: NoteListener = lambda _transaction, _record: None) -> int:
    """Note what is new since the last time; return how many notes there are."""
    with journal.database.read() as connection:
        if not _has_work(connection):
            return 0
        after, reached, found = _find(connection)
    if not found:  # the usual case, which does not need the store alone
        journal.derive(_CURSOR, lambda connection: _move(connection, after, reached))
        return 0
    return journal.commit(lambda transaction: _note(transaction, tell))


def _bounds(connection: Connection) -> tuple[int | None, int]:
    after = connection.value(_CURSOR_AT, name=_CURSOR)
    return after, int(connection.value(_USED_UP_TO) or 0)


def _has_work(connection: Connection) -> bool:
    after, upto = _bounds(connection)
    return after is None or upto > after


def _note(transaction: Transaction, tell: NoteListener) -> int:
    connection = transaction.connection
    after, reached, found = _find(connection)
    _move(connection, after, reached)
    for drift in found:
        tell(transaction, _write(transaction, drift))
    return len(found)


def _find(connection: Connection) -> tuple[int | None, int, list[BehaviourChange]]:
    """Return the cursor, its next position, and the changes to record."""
    after, upto = _bounds(connection)
    rows = [] if after is None else connection.tuples(_NEW, after=after, upto=upto, most=BATCH)
    reached = rows[-1][0] if len(rows) == BATCH else upto
    found = (*_new_names(connection, rows), *_new_rates(connection))
    once = {(drift.agent_id, drift.what, drift.day): drift for drift in reversed(found)}
    return after, reached, [drift for drift in reversed(once.values()) if not _is_noted(connection, drift)]


def _move(connection: Connection, after: int | None, reached: int) -> None:
    """Move the cursor, unless another process has moved it."""
    if connection.value(_CURSOR_AT, name=_CURSOR) == after:
        connection.insert(cursors, {"name": _CURSOR, "at": reached}, otherwise=_MOVE)


def _new_names(connection: Connection, rows: list[tuple[int, str, int, str, str]]) -> Iterator[BehaviourChange]:
    """Yield what agents used that is not in their baselines."""
    found: dict[tuple[str, str, int], list[str]] = defaultdict(list)
    baselines: dict[tuple[str, int], ActivityBaseline] = {}
    for _, what, day, name, agent_id in rows:
        if not agent_id or agent_id == OTHERS:
            continue
        baseline = baselines.setdefault((agent_id, day), read_activity_baseline(connection, agent_id, day))
        if baseline.is_known and not baseline.has(connection, what, name):
            found[agent_id, what, day].append(name)
    for (agent_id, what, day), names in found.items():
        listed = tuple(plain(name) for name in names[:MAX_NAMES])
        more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
        did = _WORDS[what][len(names) > 1]
        text = f"{did} for the first time in {DAYS} days: {', '.join(listed)}{more}"
        yield BehaviourChange(agent_id, what, day, text, listed)


def _new_rates(connection: Connection) -> Iterator[BehaviourChange]:
    """Yield the agents that are far more active in this or the last hour than in any hour of their baselines."""
    since = now_in(connection).wall - HOUR
    since -= since % HOUR
    for agent_id, at, count in connection.tuples(_BUSY, what=ACTIVITY, since=since, least=MIN_RATE):
        if not agent_id or agent_id == OTHERS:
            continue
        baseline = read_activity_baseline(connection, agent_id, at - at % DAY)
        if baseline.is_known and int(count) >= RATE_FACTOR * baseline.busiest:
            text = f"at least {RATE_FACTOR} times the actions of its busiest hour in {DAYS} days ({baseline.busiest:,})"
            yield BehaviourChange(agent_id, RATE, baseline.day, text)


def _is_noted(connection: Connection, drift: BehaviourChange) -> bool:
    which = {"day": drift.day, "name": drift.what, "agent_id": drift.agent_id}
    return connection.value(_NOTED, what=DRIFT, **which) is not None


def _write(transaction: Transaction, drift: BehaviourChange) -> Record:
    at = now_in(transaction.connection).wall
    data = {"text": drift.text, "names": list(drift.names)}
    entry = Entry(kind="agent.drifted", at=at, actor="interlock", name=drift.what, agent_id=drift.agent_id, data=data)
    record = transaction.append(entry)
    row = {"what": DRIFT, "at": drift.day, "name": drift.what, "agent_id": drift.agent_id}
    transaction.connection.insert(usage, {**row, "count": 1, "first_seq": record.seq, "last_seq": record.seq})
    return record
