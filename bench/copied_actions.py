"""Actions that are copied into an empty PostgreSQL store, one partition a month: a chain and what is derived from it.

Their runs have no rows of their own. The chain verifies.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import Any

from interlock.audit.chain import Head
from interlock.audit.journal import Journal
from interlock.audit.record import Entry, hash_of, make_record
from interlock.store.clock import MICROSECONDS, now
from interlock.store.connection import Connection
from interlock.store.partitions import PARTITIONED, list_partitions
from interlock.store.tables import head

MONTHS, MONTH = 11, 30 * 86_400 * MICROSECONDS
PER_RUN, AT_ONCE = 200, 5_000
TOOLS = ("Bash", "Write", "Read", "python", "sql", "deploy")
LEVELS = {"safe": "allow", "low": "allow", "medium": "warn", "high": "require_approval", "critical": "block"}
PLACES = ("", "", "", "development", "staging", "production")
_COUNTS = """
    INSERT INTO interlock_counts (grain, at, what, name, agent_id, level, outcome, count, points)
    SELECT {grain}, at - at % {length}, 'action', tool, agent_id, level, verdict, count(*), 30 * count(*)
    FROM interlock_actions GROUP BY 2, 4, 5, 6, 7
"""
_USAGE = """
    INSERT INTO interlock_usage (what, at, name, agent_id, count, first_seq, last_seq)
    SELECT 'tool', at - at % 86400000000, tool, agent_id, count(*), min(seq), max(seq) FROM interlock_actions
    GROUP BY 2, 3, 4
"""
_LEVELS = """
    INSERT INTO interlock_levels (grain, at, level, verdict, count)
    SELECT grain, at, level, outcome, sum(count) FROM interlock_counts GROUP BY 1, 2, 3, 4
"""
_TOTALS = """
    INSERT INTO interlock_totals
        (what, name, actions, risky, asked, blocked, highest, environments, first_at, last_at)
    SELECT '{what}', {what}_id, count(*), count(*) FILTER (WHERE level IN ('high', 'critical')),
        count(*) FILTER (WHERE verdict = 'require_approval'), count(*) FILTER (WHERE verdict = 'block'), 4,
        chr(10) || 'production' || chr(10), min(at), max(at)
    FROM interlock_actions GROUP BY 2
"""


def copy_actions(journal: Journal, count: int, *, parts: int = MONTHS) -> None:
    """Copy so many actions into a store, from a year to a month ago; `parts` is the number of their partitions."""
    journal.commit(lambda transaction: transaction.append(Entry(kind="event", at=now().wall, actor="bench")))
    with journal.database.write() as connection:
        _replace_partitions(journal, connection, count, parts)
    with journal.database.write() as connection:
        for grain in (3_600, 86_400, 604_800):
            connection.run(_COUNTS.format(grain=grain, length=grain * MICROSECONDS))
        for statement in (_LEVELS, _USAGE, *(_TOTALS.format(what=what) for what in ("run", "agent"))):
            connection.run(statement)
        for name in ("counts", "actions", "usage"):
            connection.run("INSERT INTO interlock_cursors SELECT :name, seq FROM interlock_head", name=name)
    journal.accept("bench")


def _replace_partitions(journal: Journal, connection: Connection, count: int, parts: int) -> None:
    """Put partitions with actions in the place of the empty one, and sign the end of their chain."""
    found = connection.rows("SELECT * FROM interlock_head")[0]
    source, (first,) = _Actions(found["seq"], found["hash"], count), list_partitions(connection)
    for table in PARTITIONED:
        connection.run(f"ALTER TABLE {table.name} DETACH PARTITION {table.name}_0")
    bounds = [found["seq"] + 1 + count * number // parts for number in range(parts + 1)]
    for number, (start, end) in enumerate(pairwise(bounds)):
        name, lower = (0, "MINVALUE") if number == 0 else (start, str(start))
        for table in PARTITIONED if number else ():
            connection.run(f"CREATE TABLE {table.name}_{name} (LIKE {table.name})")
        _copy(connection, name, source.take(end - start))
        for table in PARTITIONED:
            bound = f"FOR VALUES FROM ({lower}) TO ({end})"
            connection.run(f"ALTER TABLE {table.name} ATTACH PARTITION {table.name}_{name} {bound}")
    for table in PARTITIONED:
        bound = f"FOR VALUES FROM ({bounds[-1]}) TO ({bounds[-1] + max(first.end, count // parts)})"
        connection.run(f"CREATE TABLE {table.name}_{bounds[-1]} PARTITION OF {table.name} {bound}")
    end_of = Head(found["store_id"], source.seq, source.hash, journal.key.key_id, "", 0, found["base_hash"])
    signature = journal.key.sign(end_of.text)
    connection.update(head, {"id": 1}, seq=source.seq, hash=source.hash, signature=signature)


def _copy(connection: Connection, name: int, lines: Iterator[tuple[str, str, str]]) -> None:
    """Copy lines into the partitions with a name, some at a time."""
    tables = [(table, f"COPY {table.name}_{name} ({', '.join(table.columns)}) FROM STDIN") for table in PARTITIONED]
    while some := list(islice(lines, AT_ONCE)):
        for at, (_, statement) in enumerate(tables):
            with connection._raw.cursor() as cursor, cursor.copy(statement) as copy:
                copy.write("".join(line[at] for line in some))


class _Actions:
    """Makes decisions as lines of the three tables. The same ones come out each time."""

    def __init__(self, seq: int, last: str, count: int) -> None:
        self.seq, self.hash, self._number, self._count = seq, last, 0, count
        self._chance, self._begin = random.Random(1), now().wall - (MONTHS + 1) * MONTH
        self._body = _template()

    def take(self, number: int) -> Iterator[tuple[str, str, str]]:
        """Yield the lines of so many actions: of a record, of an action and of the rules that matched it."""
        for _ in range(number):
            yield self._next()

    def _next(self) -> tuple[str, str, str]:
        chance, number = self._chance, self._number
        run = number // PER_RUN + chance.randrange(8)
        level = chance.choices(list(LEVELS), [30, 40, 20, 7, 3])[0]
        given: dict[str, Any] = {
            "at": self._begin + MONTHS * MONTH * number // self._count,
            "number": number,
            "run": f"past-{run:07d}",
            "agent": f"agent-{run % 50}",
            "tool": chance.choice(TOOLS),
            "level": level,
            "verdict": LEVELS[level],
            "rules": '["vcs-history"]' if level in ("high", "critical") else "[]",
            "place": chance.choice(PLACES),
            "key": f"key-{number % 30}",
            "id": f"{number:032x}",
            "seq": self.seq + 1,
        }
        body = self._body % given
        self.seq, self.hash, self._number = self.seq + 1, hash_of(self.hash, body.encode()), number + 1
        shared = "{seq}\t{id}\t{at}\tdecision\t{tool}\t{run}\t\\N\t".format_map(given)
        person = f"person-{run % 20}"
        action = "{seq}\t{at}\t{run}\t{agent}\t{person}\t{tool}\t{verdict}\t{level}\t{place}\t{key}\t\\N\n"
        match = f"{self.seq}\trule\tvcs-history\t{given['at']}\n" if given["rules"] != "[]" else ""
        return f"{shared}{body}\t{self.hash}\n", action.format_map({**given, "person": person}), match


def _template() -> str:
    """Return the body of a decision with names in the place of what differs."""
    data = {
        "text": "git commit -m 'change @number@' && npm run build",
        "level": "@level@",
        "score": 30,
        "mode": "full",
        "because": "mode `full`",
        "rules": "@rules@",
        "resources": ["file:/w/x"],
        "coverage": "full",
        "effects": ["vcs.commit"],
        "environment": "@place@",
        "keyId": "@key@",
    }
    names = {"actor": "@agent@", "name": "@tool@", "run_id": "@run@", "agent_id": "@agent@", "outcome": "@verdict@"}
    entry = Entry(kind="decision", at=77_777, record_id="@id@", digest="0" * 64, data=data, **names)
    text = make_record(entry, 88_888, "")[1].decode().replace("77777", "%(at)d").replace("88888", "%(seq)d")
    text = text.replace('"@rules@"', "%(rules)s")
    for name in ("number", "level", "place", "key", "agent", "tool", "run", "verdict", "id"):
        text = text.replace(f"@{name}@", f"%({name})s")
    return text
