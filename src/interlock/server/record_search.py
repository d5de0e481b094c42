"""Search the records: by kind, run, agent, person, verdict, time and text, however many there are."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import starmap
from typing import Any

from interlock.approval.request import AnswerVerdict
from interlock.audit.cited_calls import SILENT
from interlock.audit.kind_groups import find_kinds
from interlock.audit.read import StoredRecord, parse_record
from interlock.audit.record import KINDS, Record
from interlock.audit.record_text import as_json_text, mentions
from interlock.model import Struct
from interlock.store.connection import Connection, sql_list
from interlock.store.database import Database
from interlock.store.where import Where

ITEMS = 100
#: How many records one search reads; the link below the results continues it.
MAX_SEARCHED = 10_000
#: After how many records that contain a text, but perhaps not where it counts, one search ends.
MAX_PARSED = 3_000
_READ_AT_ONCE = 1_000
END = 2**62
#: The verdicts of answers to requests, and what they are called; all others are of decisions.
ANSWERS = {AnswerVerdict.APPROVE.value: "answer: approve", AnswerVerdict.REJECT.value: "answer: reject"}


class RecordSearch(Struct, frozen=True, kw_only=True):
    """Which records. `kind` is a group, a family or a kind; without it, records of a run's memory are left out."""

    kind: str = ""
    run_id: str = ""
    agent_id: str = ""
    person: str = ""
    verdict: str = ""
    start: int | None = None
    end: int | None = None
    q: str = ""

    def __post_init__(self) -> None:
        if self.kind:
            find_kinds(self.kind)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds to read. Only decisions and answers have a verdict."""
        wanted = find_kinds(self.kind) if self.kind else tuple(kind for kind in KINDS if kind not in SILENT)
        judged = "approval.answered" if self.verdict in ANSWERS else "decision"
        return tuple(kind for kind in wanted if kind == judged or not self.verdict)

    @property
    def by_kind(self) -> bool:
        """Whether records are found by the index of kinds, or else in the order of their run or of all records."""
        return not self.run_id and bool(self.kind or self.verdict)

    @property
    def of_kinds(self) -> str:
        """The condition for the kinds: with an expression in place of the column, the index of kinds is not used."""
        column = "kind" if self.by_kind else "kind || ''"
        return f"{column} IN {sql_list(self.kinds)}"

    @property
    def reads_text(self) -> bool:
        """Whether records have to be read to see if they match."""
        return bool(self.agent_id or self.person or self.verdict or self.q)

    def matches(self, record: Record) -> bool:
        """Whether a record that contains the texts also has them where they belong."""
        persons = (record.actor, record.name if record.kind.startswith(("person.", "approval.")) else None)
        return (
            (not self.agent_id or record.agent_id == self.agent_id)
            and (not self.person or self.person in persons)
            and (not self.verdict or record.outcome == self.verdict)
            and (not self.q or mentions(record, self.q))
        )

    @property
    def texts(self) -> dict[str, str]:
        """What the stored text of a matching record contains, by the name of the field."""
        found = {
            "agent_id": f'"agentId":"{as_json_text(self.agent_id)}"',
            "verdict": f'"outcome":"{as_json_text(self.verdict)}"',
            "person": f'"{as_json_text(self.person)}"',
            "q": as_json_text(self.q),
        }
        return {name: text for name, text in found.items() if getattr(self, name)}


def search_records(
    database: Database, wanted: RecordSearch, before: int = END, limit: int = ITEMS
) -> tuple[list[StoredRecord], int | None]:
    """Return the newest matching records before one, in order, and where to continue if the search is not done.

    One search reads a limited number of records, so that it is fast however many there are.
    """
    with database.read() as connection:
        most = MAX_SEARCHED if wanted.reads_text else limit
        where = _conditions(connection, wanted, before)
        seqs = [] if where is None else _candidates(connection, wanted, where, most)
        if where is None or not seqs:
            return [], None
        found, last = _read(connection, wanted, where, seqs, limit)
    is_done = last == seqs[-1] and len(seqs) < most
    return found[::-1], None if is_done else last


def export_records(database: Database, wanted: RecordSearch) -> Iterator[StoredRecord]:
    """Yield all matching records, the newest first, reading a page at a time."""
    before: int | None = END
    while before is not None:
        found, before = search_records(database, wanted, before, _READ_AT_ONCE)
        yield from reversed(found)


def _conditions(connection: Connection, wanted: RecordSearch, before: int) -> Where | None:
    """Return the conditions apart from kinds and texts; None if no record can match them.

    There is one range of numbers, since SQLite would read all of the first of several.
    """
    where = Where("seq BETWEEN :low AND :high", low=0, high=before - 1).equals(run_id=wanted.run_id or None)
    return where if _add_times(connection, where, wanted) else None


def _candidates(connection: Connection, wanted: RecordSearch, where: Where, most: int) -> list[int]:
    """Return the numbers of the newest records that an index finds."""
    if not wanted.by_kind:
        return _newest(connection, f"{where} AND {wanted.of_kinds}", most, **where.given)
    found: list[int] = []
    for kind in wanted.kinds:  # each has its own part of the index, in order
        found += _newest(connection, f"{where} AND kind = :kind", most, kind=kind, **where.given)
    return sorted(found, reverse=True)[:most]


def _newest(connection: Connection, condition: str, most: int, **given: Any) -> list[int]:
    query = f"SELECT seq FROM interlock_records {condition} ORDER BY seq DESC LIMIT :most"
    return connection.values(query, most=most, **given)


def _add_times(connection: Connection, where: Where, wanted: RecordSearch) -> bool:
    """Add the numbers of the records in the time range; return whether there are any."""
    times = Where()
    if wanted.start is not None:
        times.add("at >= :start", start=wanted.start)
    if wanted.end is not None:
        times.add("at < :end", end=wanted.end)
    if not times.given:
        return True
    first, last = connection.tuples(f"SELECT min(seq), max(seq) FROM interlock_records {times}", **times.given)[0]
    if first is None:
        return False
    where.given |= {"low": first, "high": min(last, where.given["high"])}
    where.add(times.text.replace("at ", "at + 0 "), **times.given)  # by the number, not by the index of times
    return True


def _read(
    connection: Connection, wanted: RecordSearch, where: Where, seqs: list[int], limit: int
) -> tuple[list[StoredRecord], int]:
    """Return the records with some numbers that match, in the order of the numbers, and the last that was looked at.

    The numbers are all that the conditions find between the first and the last of them.
    """
    where = Where(f"{where.text} AND {wanted.of_kinds}", **where.given)
    for name, text in wanted.texts.items():
        where.contains(connection.text_of("body", text), name, text)
    query = f"SELECT body, hash FROM interlock_records {where} ORDER BY seq DESC"
    found, parsed = list[StoredRecord](), 0
    for start in range(0, len(seqs), _READ_AT_ONCE):
        some = seqs[start : start + _READ_AT_ONCE]
        rows = connection.tuples(query, **{**where.given, "low": some[-1], "high": some[0]})
        for line in starmap(parse_record, rows):
            if wanted.matches(line.record):
                found.append(line)
                if len(found) == limit:
                    return found, line.record.seq
        parsed += len(rows)
        if parsed >= MAX_PARSED:
            return found, some[-1]
    return found, seqs[-1]
