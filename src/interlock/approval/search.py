"""Search the requests: filtered, sorted and grouped in the database, a page at a time."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from interlock.approval.eligibility import add_answerable
from interlock.approval.request_filter import AGES, ME, NOBODY, RequestFilter
from interlock.approval.rules import ApprovalRules
from interlock.scoring.command import normalise_environment
from interlock.store.clock import MICROSECONDS
from interlock.store.connection import Connection, sql_list
from interlock.store.paging import PageCursor
from interlock.store.where import Where

#: How many requests a search reads at a time, and how often; after that, the next page continues it.
MAX_SEARCHED, MAX_STEPS = 10_000, 2


class Sort(NamedTuple):
    """An order: by an expression, and by the id where that is equal."""

    by: str
    direction: str

    def order(self, by: str = "") -> str:
        """Return the terms of ORDER BY."""
        return f"{by or self.by} {self.direction}, approval_id {self.direction}"

    def narrow(self, where: Where, after: PageCursor, by: str = "") -> None:
        """Restrict a query to what comes after a row."""
        sign, column = "<" if self.direction == "DESC" else ">", by or self.by
        condition = f"({column} {sign} :after_at OR ({column} = :after_at AND approval_id {sign} :after_id))"
        where.add(condition, after_at=after.at, after_id=after.id)

    def end(self, where: Where, last: PageCursor) -> None:
        """Restrict a query to the rows up to one."""
        sign = ">" if self.direction == "DESC" else "<"
        condition = f"({self.by} {sign} :last_at OR ({self.by} = :last_at AND approval_id {sign}= :last_id))"
        where.add(condition, last_at=last.at, last_id=last.id)


#: By age there is an index; the others sort the pending requests, whose columns are in `interlock_approvals_pending`.
#: Of equally risky requests, the oldest comes first.
SORTS = {
    "newest": Sort("created_at", "DESC"),
    "oldest": Sort("created_at", "ASC"),
    "risk": Sort("(coalesce(score, 100) * 10000000000000000 - created_at)", "DESC"),
    "left": Sort("(coalesce(created_at + lasts, 4000000000000000000))", "ASC"),
}


class Hit(NamedTuple):
    """A request that was found, or the first of a group of `members` equal requests."""

    approval_id: str
    position: int
    members: int = 1


class Viewer(NamedTuple):
    """The person who searches, and the rules by which they may approve."""

    name: str
    rules: ApprovalRules


def search(
    connection: Connection, wanted: RequestFilter, asker: Viewer, at: int, *, limit: int, after: PageCursor | None
) -> tuple[list[Hit], PageCursor | None]:
    """Return the requests of a page, and the cursor of the next one, if there may be more.

    If the page is not full and has a cursor, requests up to that cursor were searched.
    """
    sort = SORTS[wanted.sort]
    if wanted.group and wanted.is_pending:
        hits = _first_of_groups(connection, wanted, asker, at, sort, limit + 1, after)
    elif _is_plain(wanted):
        hits = _plain(connection, wanted, sort, limit + 1, after)
    else:
        return _fill_page(connection, wanted, asker, at, sort, limit, after)
    return hits[:limit], _cursor(hits[limit - 1]) if len(hits) > limit else None


def group_request_ids(
    connection: Connection, wanted: RequestFilter, asker: Viewer, at: int, group_key: str, limit: int
) -> list[str]:
    """Return the ids of a group's requests among those that a filter shows, the oldest first."""
    where = _narrow(_base(wanted), wanted, asker, at).add("group_key = :group_key", group_key=group_key)
    query = f"SELECT approval_id FROM interlock_approvals {where} ORDER BY created_at, approval_id LIMIT :most"
    return connection.values(query, most=limit, **where.given)


def _cursor(hit: Hit) -> PageCursor:
    return PageCursor(hit.position, hit.approval_id)


def _is_plain(wanted: RequestFilter) -> bool:
    """Whether an index alone finds the requests: by state, agent or run."""
    return not msgspec.structs.replace(wanted, agent="", run="").narrows


def _plain(
    connection: Connection, wanted: RequestFilter, sort: Sort, limit: int, after: PageCursor | None
) -> list[Hit]:
    where = _base(wanted)
    if after is not None:
        sort.narrow(where, after)
    query = f"SELECT approval_id, {sort.by} FROM interlock_approvals {where} ORDER BY {sort.order()} LIMIT :most"
    return [Hit(*found) for found in connection.tuples(query, most=limit, **where.given)]


def _first_of_groups(
    connection: Connection,
    wanted: RequestFilter,
    asker: Viewer,
    at: int,
    sort: Sort,
    limit: int,
    after: PageCursor | None,
) -> list[Hit]:
    """Return one request of each group: the first in the order."""
    inner = _narrow(_base(wanted), wanted, asker, at)
    group = "PARTITION BY coalesce(group_key, approval_id)"
    outer = Where("nth = 1")
    if after is not None:
        sort.narrow(outer, after, "position")
    query = (
        f"SELECT approval_id, position, members FROM (SELECT approval_id, {sort.by} AS position, "
        f"count(*) OVER ({group}) AS members, row_number() OVER ({group} ORDER BY {sort.order()}) AS nth "
        f"FROM interlock_approvals {inner}) AS numbered {outer} ORDER BY {sort.order('position')} LIMIT :most"
    )
    return [Hit(*found) for found in connection.tuples(query, most=limit, **inner.given, **outer.given)]


def _fill_page(
    connection: Connection,
    wanted: RequestFilter,
    asker: Viewer,
    at: int,
    sort: Sort,
    limit: int,
    after: PageCursor | None,
) -> tuple[list[Hit], PageCursor | None]:
    """Search until the page is full; if that takes too many requests, return what was found so far."""
    hits: list[Hit] = []
    for _ in range(MAX_STEPS):
        found, after = _search_window(connection, wanted, asker, at, sort, limit - len(hits), after)
        hits += found
        if after is None or len(hits) == limit:
            break
    return hits, after


def _search_window(
    connection: Connection,
    wanted: RequestFilter,
    asker: Viewer,
    at: int,
    sort: Sort,
    limit: int,
    after: PageCursor | None,
) -> tuple[list[Hit], PageCursor | None]:
    """Search the next requests in the order, and no more than `MAX_SEARCHED`, so that every page is fast."""
    window = _base(wanted)
    if after is not None:
        sort.narrow(window, after)
    end = (
        f"SELECT {sort.by}, approval_id FROM interlock_approvals {window} ORDER BY {sort.order()} LIMIT 2 OFFSET :skip"
    )
    found = connection.tuples(end, skip=MAX_SEARCHED - 1, **window.given)
    last = PageCursor(*found[0]) if len(found) > 1 else None  # a second one is left for the next time
    where = _narrow(_base(wanted), wanted, asker, at)
    if after is not None:
        sort.narrow(where, after)
    if last is not None:
        sort.end(where, last)
    query = f"SELECT approval_id, {sort.by} FROM interlock_approvals {where} ORDER BY {sort.order()} LIMIT :most"
    hits = [Hit(*row) for row in connection.tuples(query, most=limit + 1, **where.given)]
    return (hits[:limit], _cursor(hits[limit - 1])) if len(hits) > limit else (hits, last)


def _base(wanted: RequestFilter) -> Where:
    """Return the conditions that indexes answer. The state is a constant: the index of pending requests is partial."""
    where = Where() if wanted.state == "all" else Where(f"state IN {sql_list([wanted.state])}")
    if wanted.is_pending:
        where = Where("state = 'pending'")
    return where.equals(agent_id=wanted.agent or None, run_id=wanted.run or None)


def _narrow(where: Where, wanted: RequestFilter, asker: Viewer, at: int) -> Where:
    """Add the other conditions of a filter."""
    where.equals(level=wanted.level or None, tool=wanted.tool or None)
    if wanted.environment:
        where.equals(environment=normalise_environment(wanted.environment))
    if wanted.q:
        where.contains("text", "q", wanted.q)
    if wanted.age:
        where.add("created_at <= :oldest", oldest=at - AGES[wanted.age] * MICROSECONDS)
    if wanted.assignee:
        _add_assignee(where, asker.name if wanted.assignee == ME else wanted.assignee)
    if wanted.mine:
        add_answerable(where, asker.rules, asker.name)
    return where


def _add_assignee(where: Where, name: str) -> None:
    assigned = "SELECT approval_id FROM interlock_assignments WHERE assignee"
    if name == NOBODY:
        where.add(f"approval_id NOT IN ({assigned} IS NOT NULL)")
    else:
        where.add(f"approval_id IN ({assigned} = :assignee)", assignee=name)
