"""The report on observed actions: which would have been stopped, by which rule or policy, and how often."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import msgspec

from interlock.audit.journal import Journal
from interlock.levels import Verdict
from interlock.metrics.counters import ENFORCED, HOUR, count_new_records
from interlock.model import Struct
from interlock.store.clock import MICROSECONDS, now
from interlock.store.connection import Connection

DAY = 86_400 * MICROSECONDS
MAX_DAYS = 366
#: How many of the newest actions are read to find equal ones, and how many of these each group lists.
MAX_READ, PAGE, MAX_EXAMPLES = 20_000, 2_000, 20
_COUNTS = """
    SELECT what, name, agent_id, outcome, sum(count) AS count FROM interlock_counts
    WHERE grain = :grain AND at >= :start AND what IN ('observed', 'enforced') GROUP BY what, name, agent_id, outcome
"""
_NEWEST = """
    SELECT seq, at, body FROM interlock_records WHERE kind = 'observed' AND seq < :before ORDER BY seq DESC LIMIT :most
"""


class ObservedAction(Struct, frozen=True, kw_only=True):
    """An action that would have been stopped, how often it occurred, and when last."""

    tool_name: str
    text: str
    level: str
    agents: tuple[str, ...]
    count: int
    last_at: int
    run_id: str | None
    decision_id: str


class ObservedGroup(Struct, frozen=True, kw_only=True):
    """The actions that one rule, policy or mode would have stopped. `examples` are the most frequent ones."""

    source: str
    asked: int
    blocked: int
    per100: float
    examples: tuple[ObservedAction, ...]

    def __str__(self) -> str:
        numbers = ((self.asked, "would have required approval"), (self.blocked, "would have been blocked"))
        told = [f"{number:,} {words}" for number, words in numbers if number]
        return f"{' and '.join(told)}, {self.per100:g}% of observed actions"


class ObserveReport(Struct, frozen=True, kw_only=True):
    """The effect that enforcing the verdicts on observed actions would have had.

    `refused` counts actions that were stopped anyway: by floors, and by the rules that protect Interlock itself.
    `complete` is false if the examples come from the newest actions only.
    """

    since: int
    days: int
    agent_id: str | None
    actions: int
    asked: int
    blocked: int
    refused: int
    per100: float
    groups: tuple[ObservedGroup, ...]
    complete: bool

    def __str__(self) -> str:
        days = "1 day" if self.days == 1 else f"{self.days} days"
        whose = "" if self.agent_id is None else f" of `{self.agent_id}`"
        if not self.actions:
            return f"No actions{whose} were observed in {days}."
        told = (
            f"Of {self.actions:,} {'action' if self.actions == 1 else 'actions'}{whose} in {days}, "
            f"{_number(self.asked)} would have required approval and {_number(self.blocked)} would have been blocked "
            f"({self.per100:g}%)."
        )
        if self.refused:
            were = "was" if self.refused == 1 else "were"
            told += f" {self.refused:,} {were} stopped anyway, by a floor or to protect Interlock itself."
        return told


def _number(number: int) -> str:
    return f"{number:,}" if number else "none"


class _ObservedData(msgspec.Struct):
    tool: str = ""
    text: str = ""
    level: str = "safe"
    decision_id: str = msgspec.field(name="decisionId", default="")


class _ObservedRecord(msgspec.Struct, rename="camel"):
    at: int
    name: str | None = None
    agent_id: str | None = None
    run_id: str | None = None
    data: _ObservedData = msgspec.field(default_factory=_ObservedData)


_DECODER = msgspec.json.Decoder(_ObservedRecord)


def observe_report(journal: Journal, days: int = 7, agent_id: str | None = None) -> ObserveReport:
    """Report the actions of the last days that would have been stopped, of all agents or of one and its subagents."""
    count_new_records(journal)
    since = now().wall - days * DAY
    with journal.database.read() as connection:
        rows = connection.rows(_COUNTS, grain=HOUR, start=since - since % (HOUR * MICROSECONDS))
        rows = [row for row in rows if _is_of(row["agent_id"], agent_id)]
        records = list(_read_newest(connection, since))
    complete = len(records) < MAX_READ
    examples = _group_actions(one for one in records if _is_of(one.agent_id, agent_id))
    asked: dict[str, int] = defaultdict(int)
    blocked: dict[str, int] = defaultdict(int)
    actions = refused = 0
    for row in rows:
        actions += int(row["count"])
        if row["what"] == ENFORCED:
            refused += int(row["count"])
        elif row["outcome"] == Verdict.REQUIRE_APPROVAL.value:
            asked[row["name"]] += int(row["count"])
        elif row["outcome"] == Verdict.BLOCK.value:
            blocked[row["name"]] += int(row["count"])
    groups = [
        ObservedGroup(
            source=source,
            asked=asked[source],
            blocked=blocked[source],
            per100=_per100(asked[source] + blocked[source], actions),
            examples=examples.get(source, ()),
        )
        for source in {*asked, *blocked}
    ]
    total = sum(asked.values()) + sum(blocked.values())
    return ObserveReport(
        since=since,
        days=days,
        agent_id=agent_id,
        actions=actions,
        asked=sum(asked.values()),
        blocked=sum(blocked.values()),
        refused=refused,
        per100=_per100(total, actions),
        groups=tuple(sorted(groups, key=lambda one: (-one.asked - one.blocked, one.source))),
        complete=complete,
    )


def _per100(number: int, actions: int) -> float:
    return round(100 * number / actions, 1) if actions else 0.0


def _is_of(agent: str | None, wanted: str | None) -> bool:
    return wanted is None or f"{agent or ''}/".startswith(f"{wanted}/")


def _read_newest(connection: Connection, since: int) -> Iterator[_ObservedRecord]:
    """Yield the newest actions that would have been stopped since a time, at most `MAX_READ`."""
    before = 2**62
    for _ in range(MAX_READ // PAGE):
        rows = connection.tuples(_NEWEST, before=before, most=PAGE)
        for seq, at, body in rows:
            if at < since:
                return
            before = seq
            yield _DECODER.decode(body.encode("utf-8", "surrogatepass"))
        if len(rows) < PAGE:
            return


def _group_actions(records: Iterator[_ObservedRecord]) -> dict[str, tuple[ObservedAction, ...]]:
    """Return the most frequent actions of each source; actions with the same tool and text are equal."""
    equal: dict[tuple[str, str, str], list[_ObservedRecord]] = defaultdict(list)
    for record in records:
        equal[record.name or "", record.data.tool, record.data.text].append(record)
    found: dict[str, list[ObservedAction]] = defaultdict(list)
    for (source, tool, text), same in equal.items():
        newest = same[0]
        found[source].append(
            ObservedAction(
                tool_name=tool,
                text=text,
                level=newest.data.level,
                agents=tuple(sorted({one.agent_id for one in same if one.agent_id}))[:MAX_EXAMPLES],
                count=len(same),
                last_at=newest.at,
                run_id=newest.run_id,
                decision_id=newest.data.decision_id,
            )
        )
    return {
        source: tuple(sorted(actions, key=lambda one: (-one.count, -one.last_at))[:MAX_EXAMPLES])
        for source, actions in found.items()
    }
