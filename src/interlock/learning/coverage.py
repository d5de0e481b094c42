"""The coverage report: rules and policies that never matched, and what the analysis did not read or know."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import msgspec

from interlock.audit.journal import Journal
from interlock.knowledge.extension import Extension, KnowledgeFile, plain_tool_name
from interlock.learning.action_usage import POLICY, RULE, UNKNOWN_PROGRAM, UNKNOWN_TOOL, UNREAD, is_known
from interlock.learning.usage import DAY, MAX_FOR_A_PAGE, OTHERS, count_new_usage
from interlock.metrics.counters import DAY as DAY_SECONDS
from interlock.metrics.counters import count_new_records
from interlock.model import Struct
from interlock.policy.policies import Policy
from interlock.rules import all_rules
from interlock.store.clock import now
from interlock.store.connection import Connection

MAX_DAYS = 366
#: How many unknown programs, unknown tools and reasons are listed.
MAX_LISTED = 50
_ACTIONS = "SELECT sum(count) FROM interlock_levels WHERE grain = :grain AND at >= :since"
_NAMES = "SELECT DISTINCT name FROM interlock_usage WHERE what = :what AND at >= :since"
_COUNTS = """
    SELECT name, sum(count) AS count, max(last_seq) AS seq FROM interlock_usage
    WHERE what = :what AND at >= :since GROUP BY name ORDER BY count DESC, name LIMIT :most
"""
_TOTAL = "SELECT sum(count) FROM interlock_usage WHERE what = :what AND at >= :since"
_RECORD = "SELECT body FROM interlock_records WHERE seq = :seq"


class SeenAction(Struct, frozen=True, kw_only=True):
    """An action that is shown as an example: its text is masked."""

    decision_id: str
    at: int
    tool_name: str
    text: str
    agent_id: str | None = None


class Gap(Struct, frozen=True, kw_only=True):
    """Something that was not known or not read, how often, and the newest action with it if it is still on record."""

    name: str
    count: int
    example: SeenAction | None = None


class CoverageReport(Struct, frozen=True, kw_only=True):
    """How much of the rules and policies was used in some days, and how much of the actions was understood.

    `left` is how many records are not counted yet.
    """

    since: int
    days: int
    actions: int
    partly_read: int
    unknown_programs: tuple[Gap, ...]
    unknown_tools: tuple[Gap, ...]
    unread: tuple[Gap, ...]
    rules: int
    unused_rules: tuple[str, ...]
    policies: int
    unused_policies: tuple[str, ...]
    left: int = 0

    @property
    def per100(self) -> float:
        """How many of 100 actions were only partly read."""
        return round(100 * self.partly_read / self.actions, 1) if self.actions else 0.0

    def __str__(self) -> str:
        days = "1 day" if self.days == 1 else f"{self.days} days"
        if not self.actions:
            return f"No actions were recorded in {days}."
        actions = "1 action" if self.actions == 1 else f"{self.actions:,} actions"
        if not self.partly_read:
            return f"Of {actions} in {days}, all were read completely."
        were = "was" if self.partly_read == 1 else "were"
        return f"Of {actions} in {days}, {self.partly_read:,} {were} only partly read ({self.per100:g}%)."


def coverage_report(
    journal: Journal, policies: Iterable[Policy], knowledge: Sequence[KnowledgeFile], days: int = 30
) -> CoverageReport:
    """Report unused rules, unread parts and unknown names of the last days. Names that the user described are known."""
    count_new_records(journal)
    left = count_new_usage(journal, MAX_FOR_A_PAGE)
    since = first_day(days)
    own = Extension(knowledge)
    rules = [rule.name for rule in all_rules()]
    ids = [policy.policy_id for policy in policies if policy.enabled]
    with journal.database.read() as connection:
        programs = [
            gap
            for gap in _gaps(connection, UNKNOWN_PROGRAM, since)
            if gap.name not in own.programs and not is_known(gap.name)
        ]
        tools = [gap for gap in _gaps(connection, UNKNOWN_TOOL, since) if plain_tool_name(gap.name) not in own.tools]
        return CoverageReport(
            since=since,
            days=days,
            actions=int(connection.value(_ACTIONS, grain=DAY_SECONDS, since=since) or 0),
            partly_read=int(connection.value(_TOTAL, what=UNREAD, since=since) or 0),
            unknown_programs=tuple(programs[:MAX_LISTED]),
            unknown_tools=tuple(tools[:MAX_LISTED]),
            unread=tuple(_gaps(connection, UNREAD, since)[:MAX_LISTED]),
            rules=len(rules),
            unused_rules=_find_unused(connection, RULE, since, rules),
            policies=len(ids),
            unused_policies=_find_unused(connection, POLICY, since, ids),
            left=left,
        )


def first_day(days: int) -> int:
    """Return when the first of so many days begins, in UTC: today is the last of them."""
    today = now().wall
    return today - today % DAY - (days - 1) * DAY


def _find_unused(connection: Connection, what: str, since: int, names: Collection[str]) -> tuple[str, ...]:
    used = set(connection.values(_NAMES, what=what, since=since))
    return tuple(sorted(name for name in names if name not in used))


def _gaps(connection: Connection, what: str, since: int) -> list[Gap]:
    """Return the most frequent gaps of a kind."""
    rows = connection.tuples(_COUNTS, what=what, since=since, most=2 * MAX_LISTED)
    return [
        Gap(name=name, count=int(count), example=_example(connection, seq))
        for name, count, seq in rows
        if name != OTHERS
    ]


class _ExampleData(msgspec.Struct):
    text: str = ""


class _ExampleRecord(msgspec.Struct, rename="camel"):
    at: int
    record_id: str
    name: str | None = None
    agent_id: str | None = None
    data: _ExampleData = msgspec.field(default_factory=_ExampleData)


_DECODER = msgspec.json.Decoder(_ExampleRecord)


def _example(connection: Connection, seq: int) -> SeenAction | None:
    body = connection.value(_RECORD, seq=seq)
    if body is None:
        return None  # pruned
    record = _DECODER.decode(body.encode("utf-8", "surrogatepass"))
    return SeenAction(
        decision_id=record.record_id,
        at=record.at,
        tool_name=record.name or "",
        text=record.data.text,
        agent_id=record.agent_id,
    )
