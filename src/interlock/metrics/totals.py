"""Totals of runs and agents: actions by verdict, the highest level, the environments, and when they were seen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from interlock.levels import Level, Verdict
from interlock.model import Struct
from interlock.sanitise import storable_name
from interlock.store.connection import Connection
from interlock.store.tables import totals
from interlock.store.where import Where

RUN, AGENT = "run", "agent"
#: How many environments are kept of a run or an agent: their names come from agents.
MAX_ENVIRONMENTS = 8
#: These are kept before all others, so that no other name can push them out.
_PRODUCTION = frozenset({"production", "prod", "live"})
RANKS = {level.value: rank for rank, level in enumerate(Level)}
LEVELS = {rank: level for level, rank in RANKS.items()}
_RISKY = frozenset({Level.HIGH.value, Level.CRITICAL.value})
_BY_NAME = f"SELECT {', '.join(totals.columns)} FROM interlock_totals WHERE what = :what AND name = :name"
_REPLACE = "ON CONFLICT (what, name) DO UPDATE SET " + ", ".join(
    f"{column} = excluded.{column}" for column in totals.columns[2:]
)


class Sums(msgspec.Struct, frozen=True):
    """What one or more actions add to the totals of their run and their agent."""

    run_id: str
    agent_id: str
    actions: int
    risky: int
    asked: int
    blocked: int
    highest: int
    environments: frozenset[str]
    first_at: int
    last_at: int

    @classmethod
    def of_action(
        cls, run_id: str | None, agent_id: str | None, verdict: str | None, level: str, environment: str, at: int
    ) -> Sums:
        """Return the sums of a single action."""
        return cls(
            run_id=run_id or "",
            agent_id=agent_id or "",
            actions=1,
            risky=int(level in _RISKY),
            asked=int(verdict == Verdict.REQUIRE_APPROVAL.value),
            blocked=int(verdict == Verdict.BLOCK.value),
            highest=RANKS.get(level, 0),
            environments=frozenset({storable_name(environment)} if environment else ()),
            first_at=at,
            last_at=at,
        )


class Totals(Struct, frozen=True, kw_only=True):
    """The totals of a run or an agent. `risky` actions were high or critical; `level` is the highest one."""

    actions: int = 0
    risky: int = 0
    asked: int = 0
    blocked: int = 0
    level: str = Level.SAFE.value
    environments: tuple[str, ...] = ()
    first_at: int | None = None
    last_at: int | None = None

    @property
    def stopped(self) -> int:
        """How many actions did not run by themselves."""
        return self.asked + self.blocked


def read_totals(row: Mapping[str, Any]) -> Totals:
    """Return the totals in a row, whose columns are NULL if there were no actions."""
    if row["actions"] is None:
        return Totals()
    return Totals(
        actions=row["actions"],
        risky=row["risky"],
        asked=row["asked"],
        blocked=row["blocked"],
        level=LEVELS.get(row["highest"], Level.SAFE.value),
        environments=tuple(row["environments"].split("\n")[1:-1]),
        first_at=row["first_at"],
        last_at=row["last_at"],
    )


def find_totals(connection: Connection, what: str, name: str) -> Totals:
    """Return the totals of one run or agent."""
    row = connection.row(_BY_NAME, what=what, name=name)
    return Totals() if row is None else read_totals(row)


def has_environment(where: Where, environment: str) -> Where:
    """Add that the totals include an action in an environment."""
    found = Where().contains("environments", "environment", f"\n{environment}\n")
    # PostgreSQL takes a text for rare, and would read all totals that have it before it orders them. Not as a number.
    return where.add(f"CASE WHEN {found.text} THEN 1 ELSE 0 END > 0", **found.given)


def add_totals(connection: Connection, found: Iterable[Sums]) -> None:
    """Add actions to the totals of their runs and agents."""
    added: dict[tuple[str, str], list[Sums]] = {}
    for one in found:
        for key in ((RUN, one.run_id), (AGENT, one.agent_id)):
            added.setdefault(key, []).append(one)
    known = connection.several(*((_BY_NAME, {"what": what, "name": name}) for what, name in added))
    rows = [
        _add(dict(zip(totals.columns, rows[0], strict=True)) if rows else None, what, name, new)
        for ((what, name), new), rows in zip(added.items(), known, strict=True)
    ]
    connection.append(totals, rows, _REPLACE)


def _add(row: Mapping[str, Any] | None, what: str, name: str, new: list[Sums]) -> tuple[Any, ...]:
    """Return a row with new sums added, in the order of the columns."""
    known = Totals() if row is None else read_totals(row)
    sums = [getattr(known, field) + sum(getattr(one, field) for one in new) for field in _COUNTED]
    highest = max(RANKS[known.level], *(one.highest for one in new))
    named = dict.fromkeys((*known.environments, *(name for one in new for name in sorted(one.environments))))
    kept = sorted(named, key=lambda name: name.lower() not in _PRODUCTION)[:MAX_ENVIRONMENTS]
    first = min(one.first_at for one in new), known.first_at
    last = max(one.last_at for one in new), known.last_at
    times = min(at for at in first if at is not None), max(at for at in last if at is not None)
    return what, name, *sums, highest, "\n".join(["", *kept, ""]), *times


_COUNTED = ("actions", "risky", "asked", "blocked")
