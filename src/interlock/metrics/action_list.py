"""Lists and counts of actions: pages with cursors, and everything for an export."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import starmap
from typing import Any, NamedTuple

import msgspec

from interlock.audit.permissions import GRANT, Permission, find_permissions
from interlock.audit.read import StoredRecord, parse_record
from interlock.audit.record_text import as_json_text, mentions
from interlock.errors import InterlockError
from interlock.metrics.action_filter import ActionFilter
from interlock.store.connection import Connection
from interlock.store.database import Database
from interlock.store.where import Where

NEWEST, OLDEST, LEVEL = "newest", "oldest", "level"
SORTS = {NEWEST: "newest first", OLDEST: "oldest first", LEVEL: "highest level first"}
#: How many actions one search for a text reads; its page continues where it ended.
MAX_SEARCHED = 5_000
_READ_AT_ONCE = 1_000
#: Up to how many actions are counted.
MAX_COUNTED = 10_000
#: How many matches of a rule, policy or grant are examined to count those of an agent, say.
MAX_EXAMINED = 30_000
_EXPORTED_AT_ONCE = 500
_INDEX = "SELECT a.seq, a.at, a.run_id, a.person, a.level, a.environment, a.approval_id FROM"
_STATES = "SELECT approval_id, state FROM interlock_approvals WHERE approval_id IN"
_WORKSPACES = "SELECT run_id, workspace FROM interlock_runs WHERE run_id IN"


class ListedAction(msgspec.Struct, frozen=True):
    """An action with its record; `request` is the state of the request that it opened, `place` its workspace.

    `permission` is why it ran although its verdict requires approval, if it opened no request.
    """

    line: StoredRecord
    at: int
    level: str
    person: str
    environment: str
    approval_id: str | None
    request: str | None
    place: str | None
    permission: Permission | None = None

    @property
    def granted_under(self) -> str:
        """The id of the grant that the action ran under, if it ran under one."""
        return self.permission.name if self.permission is not None and self.permission.kind == GRANT else ""

    @property
    def cursor(self) -> str:
        """Where a list continues after this action."""
        return f"{self.level}.{self.at}.{self.line.record.seq}"


class ActionPage(msgspec.Struct, frozen=True):
    """A page of a list, and where the next one begins."""

    items: list[ListedAction]
    next: str | None


class ActionCount(NamedTuple):
    """How many actions match a filter, as far as they were counted, and whether those are all."""

    number: int
    is_all: bool


def count_matching(connection: Connection, wanted: ActionFilter) -> ActionCount:
    """Return how many actions match a filter, apart from its text: at most `MAX_COUNTED`.

    Of a filter by a rule, policy or grant and something else, the newest `MAX_EXAMINED` matches are examined.
    """
    wanted = msgspec.structs.replace(wanted, q="")
    where, first = wanted.where(), wanted.first_match
    if first is None:
        return _count(connection, wanted.source, where, MAX_COUNTED)
    if first == wanted:
        return _count(connection, "interlock_matches m", where, MAX_COUNTED)
    matches = first.where()
    newest = f"SELECT * FROM interlock_matches m {matches} ORDER BY m.at DESC, m.seq DESC LIMIT {MAX_EXAMINED:d}"
    found = _count(connection, f"({newest}) m JOIN interlock_actions a USING (seq)", where, MAX_COUNTED)
    examined = _count(connection, "interlock_matches m", matches, MAX_EXAMINED)
    return found._replace(is_all=found.is_all and examined.is_all)


def _count(connection: Connection, tables: str, where: Where, most: int) -> ActionCount:
    """Return how many rows there are, at most so many."""
    query = f"SELECT count(*) FROM (SELECT 1 FROM {tables} {where} LIMIT :most) AS counted"
    number = int(connection.value(query, most=most + 1, **where.given))
    return ActionCount(min(number, most), number <= most)


def read_actions(
    connection: Connection, wanted: ActionFilter, sort: str = NEWEST, cursor: str = "", limit: int = 50
) -> ActionPage:
    """Return a page of actions in an order."""
    if wanted.q:
        return _search(connection, wanted, sort, cursor, limit)
    rows = _index_rows(connection, wanted, sort, cursor, limit + 1)
    items = _join(connection, rows[:limit])
    return ActionPage(items, items[-1].cursor if len(rows) > limit and items else None)


def _search(connection: Connection, wanted: ActionFilter, sort: str, cursor: str, limit: int) -> ActionPage:
    """Return a page of the actions that mention a text, among so many as one search reads."""
    found: list[dict[str, Any]] = []
    for _ in range(0, MAX_SEARCHED, _READ_AT_ONCE):
        rows = _index_rows(connection, wanted, sort, cursor, _READ_AT_ONCE)
        found += _search_text(connection, rows, wanted.q)
        if len(found) > limit:
            items = _join(connection, found[:limit])
            return ActionPage(items, items[-1].cursor)
        if len(rows) < _READ_AT_ONCE:
            return ActionPage(_join(connection, found), None)
        cursor = "{level}.{at}.{seq}".format_map(rows[-1])
    return ActionPage(_join(connection, found), cursor)


def export_actions(database: Database, wanted: ActionFilter, sort: str = NEWEST) -> Iterator[ListedAction]:
    """Yield all matching actions in an order, reading a page at a time."""
    cursor: str | None = ""
    while cursor is not None:
        with database.read() as connection:
            page = read_actions(connection, wanted, sort, cursor, _EXPORTED_AT_ONCE)
        yield from page.items
        cursor = page.next


def find_requests(connection: Connection, seqs: list[int]) -> dict[int, tuple[str, str]]:
    """Return the id and the state of the requests that some actions opened, by the numbers of their records."""
    opened = _look_up(connection, "SELECT seq, approval_id FROM interlock_actions WHERE seq IN", seqs)
    ids = {seq: row[0] for seq, row in opened.items() if row[0] is not None}
    states = _look_up(connection, _STATES, list(ids.values()))
    return {seq: (ids[seq], states[ids[seq]][0]) for seq in ids if ids[seq] in states}


def find_workspaces(connection: Connection, run_ids: list[str]) -> dict[str, str]:
    """Return the workspaces of some runs."""
    found = _look_up(connection, _WORKSPACES, list(set(run_ids)))
    return {run_id: row[0] for run_id, row in found.items() if row[0]}


def _index_rows(
    connection: Connection, wanted: ActionFilter, sort: str, cursor: str, limit: int
) -> list[dict[str, Any]]:
    """Return rows of the index in an order, after the position of a cursor."""
    if sort != LEVEL:
        return _merge_by_time(connection, wanted, sort, cursor, limit)
    rows: list[dict[str, Any]] = []
    begins = cursor.partition(".")[0]
    levels = wanted.levels
    for level in levels[levels.index(begins) :] if begins in levels else levels:
        at = cursor if level == begins else ""
        rows += _merge_by_time(connection, msgspec.structs.replace(wanted, level=level), NEWEST, at, limit - len(rows))
        if len(rows) >= limit:
            break
    return rows


def _merge_by_time(
    connection: Connection, wanted: ActionFilter, sort: str, cursor: str, limit: int
) -> list[dict[str, Any]]:
    """Return rows by their time: those of each part of the filter are in the order of an index, and are merged."""
    order = "ASC" if sort == OLDEST else "DESC"
    parts, given = [], {"most": limit}
    for number, part in enumerate(wanted.split()):
        where = _from(part, sort, cursor)
        given |= where.given
        query = f"{_INDEX} {part.source} {where} ORDER BY {part.at} {order}, {part.seq} {order} LIMIT :most"
        parts.append(f"SELECT * FROM ({query}) AS part{number}")
    query = f"{' UNION ALL '.join(parts)} ORDER BY at {order}, seq {order} LIMIT :most"
    return connection.rows(query, **given)


def _from(wanted: ActionFilter, sort: str, cursor: str) -> Where:
    """Return the conditions of a filter for what comes after a cursor."""
    where, sign = wanted.where(), ">" if sort == OLDEST else "<"
    if cursor:
        last_at, last_seq = _position(cursor)
        where.add(f"{wanted.at} {sign}= :last_at AND ({wanted.at} {sign} :last_at OR {wanted.seq} {sign} :last_seq)")
        where.given |= {"last_at": last_at, "last_seq": last_seq}
    return where


def _position(cursor: str) -> tuple[int, int]:
    try:
        _, at, seq = cursor.split(".")
        if len(at) > 18 or len(seq) > 18:
            raise ValueError(cursor)
        return int(at), int(seq)
    except ValueError:
        raise InterlockError("invalid cursor; follow the link below the list") from None


def _search_text(connection: Connection, rows: list[dict[str, Any]], text: str) -> list[dict[str, Any]]:
    """Return the rows whose record mentions a text, in the same order."""
    where = connection.where_in("seq", (row["seq"] for row in rows))
    where.contains(connection.text_of("body", text), "q", as_json_text(text))
    lines = starmap(parse_record, connection.tuples(f"SELECT body, hash FROM interlock_records {where}", **where.given))
    those = {line.record.seq for line in lines if mentions(line.record, text)}
    return [row for row in rows if row["seq"] in those]


def _join(connection: Connection, rows: list[dict[str, Any]]) -> list[ListedAction]:
    """Return rows of the index with their records, requests and workspaces."""
    bodies = _look_up(connection, "SELECT seq, body, hash FROM interlock_records WHERE seq IN", _all(rows, "seq"))
    lines = {seq: parse_record(*body) for seq, body in bodies.items()}  # another process may just have pruned some
    permissions = find_permissions(connection, (line.record for line in lines.values()))
    states = _look_up(connection, _STATES, _all(rows, "approval_id"))
    places = _look_up(connection, _WORKSPACES, _all(rows, "run_id"))
    return [
        ListedAction(
            line=lines[row["seq"]],
            at=row["at"],
            level=row["level"],
            person=row["person"],
            environment=row["environment"],
            approval_id=row["approval_id"],
            request=states.get(row["approval_id"], (None,))[0],
            place=places.get(row["run_id"], (None,))[0],
            permission=permissions.get(row["seq"]),
        )
        for row in rows
        if row["seq"] in lines
    ]


def _all(rows: list[dict[str, Any]], column: str) -> list[Any]:
    return list({row[column] for row in rows if row[column] is not None})


def _look_up(connection: Connection, query: str, keys: list[Any]) -> dict[Any, tuple[Any, ...]]:
    """Return the rows with some keys, by their first column."""
    if not keys:
        return {}
    names = ", ".join(f":k{number}" for number in range(len(keys)))
    given = {f"k{number}": key for number, key in enumerate(keys)}
    return {row[0]: row[1:] for row in connection.tuples(f"{query} ({names})", **given)}
