"""Filters of actions to list or count. Every number on the pages links to such a filter."""

from __future__ import annotations

import msgspec

from interlock.approval.request import ApprovalState
from interlock.errors import InterlockError, nearest
from interlock.levels import Level, Verdict
from interlock.metrics.action_index import CAUSE, GRANT, POLICY, RULE
from interlock.model import Struct
from interlock.sanitise import storable_name
from interlock.store.connection import sql_list
from interlock.store.where import Where

#: What can be chosen as a verdict and as a level: one of them, or several under one name.
VERDICTS: dict[str, tuple[str, ...]] = {
    **{verdict.value: (verdict.value,) for verdict in Verdict},
    "stopped": (Verdict.REQUIRE_APPROVAL.value, Verdict.BLOCK.value),
    "ran": (Verdict.ALLOW.value, Verdict.WARN.value),
}
LEVELS: dict[str, tuple[str, ...]] = {
    **{level.value: (level.value,) for level in Level},
    "risky": (Level.HIGH.value, Level.CRITICAL.value),
}
_ALL_VERDICTS = tuple(verdict.value for verdict in Verdict)
_ALL_LEVELS = tuple(level.value for level in Level)
#: What can be chosen as the state of the request that an action opened.
REQUESTS = ("any", *(state.value for state in ApprovalState), "stamped")
_COLUMNS = ("agent_id", "tool", "environment", "person", "run_id", "key_id")


class ActionFilter(Struct, frozen=True, kw_only=True):
    """Which actions. Times are microseconds since 1970, `end` is exclusive; `unnamed` actions have no agent name.

    `cause` is what stopped an action, such as `rule delete_root`: one thing, even if several matched it.

    `key_id` is the API key that actions of an agent came with.

    `stamped` are the requests that `request="stamped"` means: those approved faster than they can be read.
    """

    start: int | None = None
    end: int | None = None
    agent_id: str = ""
    unnamed: bool = False
    tool: str = ""
    verdict: str = ""
    level: str = ""
    rule: str = ""
    policy: str = ""
    grant: str = ""
    cause: str = ""
    environment: str = ""
    person: str = ""
    run_id: str = ""
    key_id: str = ""
    request: str = ""
    stamped: tuple[str, ...] = ()
    q: str = ""

    def __post_init__(self) -> None:
        for name, known in (("verdict", VERDICTS), ("level", LEVELS), ("request", REQUESTS)):
            given = getattr(self, name)
            if given and given not in known:
                raise InterlockError(f"unknown {name} `{given}`{nearest(given, list(known))}")
        if self.key_id and not (self.agent_id or self.unnamed):
            raise InterlockError("name the agent as well: actions are not indexed by API key")

    @property
    def source(self) -> str:
        """The tables to read. Filters by rule, policy, grant or cause read the matches, in their order."""
        return (
            "interlock_actions a"
            if not self._named_filters
            else "interlock_matches m JOIN interlock_actions a USING (seq)"
        )

    @property
    def first_match(self) -> ActionFilter | None:
        """The filter by one rule, policy, grant or cause and the time alone: its matches are found without actions."""
        for name in ("rule", "policy", "grant", "cause"):
            if found := getattr(self, name):
                return ActionFilter(start=self.start, end=self.end, **{name: found})
        return None

    @property
    def at(self) -> str:
        """The column of the time, in the table whose order is used."""
        return "m.at" if self._named_filters else "a.at"

    @property
    def seq(self) -> str:
        """The column of the number, in the same table."""
        return "m.seq" if self._named_filters else "a.seq"

    @property
    def _is_narrow(self) -> bool:
        """Whether the filter selects few actions even without verdicts and levels: those of a run or some requests.

        A database should not read all actions of a verdict instead; an expression in place of the column prevents it.
        """
        return bool(self.run_id) or self.request == "stamped"

    @property
    def _named_filters(self) -> list[tuple[str, str]]:
        named = (RULE, self.rule), (POLICY, self.policy), (GRANT, self.grant), (CAUSE, self.cause)
        return [(what, storable_name(name)) for what, name in named if name]

    def where(self) -> Where:
        """Return the conditions of a query for these actions."""
        where = Where()
        for name in _COLUMNS:
            if text := storable_name(getattr(self, name)):
                where.add(f"a.{name} = :{name}", **{name: text})
        if self.environment:
            where.add("a.environment <> ''")  # the index of environments has only those
        if self.unnamed:
            where.add("a.agent_id = ''")
        if self.start is not None:
            where.add(f"{self.at} >= :start", start=self.start)
        if self.end is not None:
            where.add(f"{self.at} < :end", end=self.end)
        self._add_verdicts(where)
        self._add_matches(where)
        self._add_request(where)
        return where

    def _add_verdicts(self, where: Where) -> None:
        """Add the verdicts and the levels: always both, as the indexes have them, before the time."""
        if not (self.verdict or self.level):
            return
        column = "a.{} || ''" if self._is_narrow else "a.{}"
        where.add(f"{column.format('verdict')} IN {sql_list(VERDICTS.get(self.verdict, _ALL_VERDICTS))}")
        where.add(f"{column.format('level')} IN {sql_list(LEVELS.get(self.level, _ALL_LEVELS))}")

    def _add_matches(self, where: Where) -> None:
        for number, (what, name) in enumerate(self._named_filters):
            if number == 0:
                where.add(f"m.what = '{what}' AND m.name = :{what}", **{what: name})
            else:
                other = (
                    f"SELECT 1 FROM interlock_matches o WHERE o.seq = a.seq AND o.what = '{what}' AND o.name = :{what}"
                )
                where.add(f"EXISTS ({other})", **{what: name})

    def _add_request(self, where: Where) -> None:
        if self.request == "any":
            where.add("a.approval_id IS NOT NULL")
        elif self.request == "stamped":
            names = ", ".join(f":stamp{number}" for number in range(len(self.stamped))) or "NULL"
            given = {f"stamp{number}": name for number, name in enumerate(self.stamped)}
            where.add(f"a.approval_id IN ({names})", **given)
        elif self.request:
            states = f"SELECT approval_id FROM interlock_approvals WHERE state = '{self.request}'"
            where.add(f"a.approval_id IN ({states})")

    def split(self) -> list[ActionFilter]:
        """Return filters that together select these actions. For each, an index has its actions in order of time."""
        if self._is_narrow or self._named_filters or not (self.verdict or self.level):
            return [self]
        verdicts, levels = VERDICTS.get(self.verdict, _ALL_VERDICTS), LEVELS.get(self.level, _ALL_LEVELS)
        return [msgspec.structs.replace(self, verdict=verdict, level=level) for verdict in verdicts for level in levels]

    @property
    def levels(self) -> list[str]:
        """The levels that the actions may have, the highest first."""
        return [level.value for level in reversed(Level) if not self.level or level.value in LEVELS[self.level]]
