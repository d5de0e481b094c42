"""A set of policies, compiled and indexed, so that all of them are matched against an action at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import msgspec

from interlock.errors import ConfigError
from interlock.levels import Verdict
from interlock.model import Action, Assessment, BudgetUse, Match, kind_of
from interlock.policy.conditions import ABSENT, DRIFT_FIELDS, ValueTest, compile_condition
from interlock.policy.expression import NO_TIME, Evaluate, NoBaselineError, compile_expression, reads_time
from interlock.policy.facts import UNKNOWN, Circumstances, Facts
from interlock.policy.policies import Policy

if TYPE_CHECKING:
    from datetime import datetime


class Matches(msgspec.Struct, frozen=True):
    """The policies that apply to an action, and how much of their limits it uses."""

    applied: tuple[Match, ...] = ()
    budgets: tuple[BudgetUse, ...] = ()


NO_MATCHES = Matches()


class _CompiledPolicy:
    """A policy whose conditions and expression are compiled."""

    __slots__ = ("checks", "drift_checks", "drift_fields", "is_time", "key", "limit", "match", "policy", "when")

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.match = Match(
            policy.policy_id, policy.name, policy.action, ask=policy.approval, description=policy.description
        )
        self.limit = policy.limit
        self.key = _index_key(policy)
        self.checks: list[tuple[str, ValueTest]] = []
        self.drift_checks: list[tuple[str, ValueTest]] = []  # of what may not be known, so that they are made last
        try:
            for condition in policy.conditions:
                checks = self.drift_checks if condition.field in DRIFT_FIELDS else self.checks
                checks.append((condition.field, compile_condition(condition)))
            if policy.when is not None and not isinstance(policy.when, str):
                raise ConfigError(f"`when` is an expression, found `{policy.when!r}`")
            self.when: Evaluate | None = compile_expression(policy.when) if policy.when else None
            self.is_time = _compile_hours(policy)
            self.drift_fields = _check_drift(policy)
        except ConfigError as error:
            raise ConfigError(
                f"policy `{policy.policy_id}`: {error.message}", file=error.file, line=error.line
            ) from None

    def evaluate(self, facts: Facts) -> Match | None:
        """Return the match of this policy, or None. A policy that fails requires an approval at least."""
        try:
            for field, check in self.checks:
                value = facts.get(field)
                if value is ABSENT and self.policy.missing == "matches":
                    continue
                if not check(value):
                    return None
            if self.is_time is not None and not self.is_time(facts.at):
                return None
            if self.when is not None and not self.when(facts.activation()):
                return None
            if not all(check(facts.get(field)) for field, check in self.drift_checks):
                return None
        except Exception as error:  # a failing policy must not let an action through
            action = max(self.policy.action, Verdict.REQUIRE_APPROVAL)
            said = f"{type(error).__name__}: {error}"
            return Match(
                self.policy.policy_id,
                self.policy.name,
                action,
                said,
                self.policy.approval,
                lacks_baseline=isinstance(error, NoBaselineError),
            )
        return self.match


def _check_drift(policy: Policy) -> frozenset[str]:
    """Return the drift facts that a policy uses, or raise if it could loosen by them."""
    if "drift" not in (policy.when or "") and not any(one.field in DRIFT_FIELDS for one in policy.conditions):
        return frozenset()
    from interlock.policy.drift_use import check_drift_action, find_drift_fields  # few policies use them

    check_drift_action(policy)
    return find_drift_fields(policy)


def _compile_hours(policy: Policy) -> Callable[[datetime | None], bool] | None:
    """Return a function that tests whether a policy applies at a time, or None if it always does."""
    if policy.during is None and policy.outside is None:
        return None
    from interlock.policy.hours import parse_hours  # few policies need the time

    during = None if policy.during is None else parse_hours(policy.during)
    outside = None if policy.outside is None else parse_hours(policy.outside)

    def is_time(now: datetime | None) -> bool:
        if now is None:
            raise LookupError(NO_TIME)
        return (during is None or during.include(now)) and (outside is None or not outside.include(now))

    return is_time


_INDEXED = ("toolName", "agentId", "user", "tenant", "environment", "runId", "effects.kind")


def _index_key(policy: Policy) -> tuple[str, tuple[str, ...]] | None:
    """Return a field, and the values of which it must have one for the policy to match, if there is such a field.

    A policy that begins with a field needs some value of it at least.
    """
    if policy.missing == "matches":
        return None  # it can match without the field
    for condition in policy.conditions:
        if condition.field in _INDEXED:
            if condition.operator == "equals" and isinstance(condition.value, str):
                return condition.field, (condition.value,)
            if condition.operator == "in" and all(isinstance(item, str) for item in condition.value or [0]):
                return condition.field, tuple(condition.value)
    first = policy.conditions[0] if policy.conditions else None
    if first is not None and first.field in _OPTIONAL and first.operator not in _TRUE_WITHOUT:
        return first.field, (_ANY,)
    return None


#: Fields that many actions do not have, and the operators that can be true without a value.
_OPTIONAL = ("agentId", "user", "tenant", "environment", "runId")
_TRUE_WITHOUT = ("exists", "not_equals", "not_in")
#: In place of a value in the index: any value will do. No name is written like this.
_ANY = "\0any"


class PolicySet:
    """Compiled policies, indexed by the tool, agent, environment, run or kind of effect that they name.

    `reads_time`: whether a policy depends on the time. `drift_fields`: the drift facts that policies use.
    """

    def __init__(self, policies: Iterable[Policy]) -> None:
        self.policies: tuple[Policy, ...] = tuple(policies)
        self._always: list[_CompiledPolicy] = []
        self._by_kind: dict[str, list[_CompiledPolicy]] = {}
        self._by_field: dict[str, dict[str, list[_CompiledPolicy]]] = {}
        names: set[str] = set()
        drift: frozenset[str] = frozenset()
        for policy in self.policies:
            if not isinstance(policy, Policy):
                raise ConfigError(f"`policies` holds policies, found `{policy!r}`; write `Policy(...)`")
            if policy.policy_id in names:
                raise ConfigError(f"two policies have the id `{policy.policy_id}`; give each its own")
            names.add(policy.policy_id)
            compiled = _CompiledPolicy(policy)
            if policy.enabled:
                self._index(compiled)
                drift |= compiled.drift_fields
        self.drift_fields = tuple(field for field in DRIFT_FIELDS if field in drift)
        self.reads_time = any(one.during or one.outside or reads_time(one.when or "") for one in self.policies)

    def _index(self, compiled: _CompiledPolicy) -> None:
        if compiled.key is None:
            self._always.append(compiled)
            return
        field, values = compiled.key
        by_value = self._by_kind if field == _KINDS else self._by_field.setdefault(field, {})
        for value in dict.fromkeys(values):
            by_value.setdefault(value, []).append(compiled)

    def match(
        self, action: Action, assessment: Assessment, environment: str | None, around: Circumstances = UNKNOWN
    ) -> Matches:
        """Return the matching policies, ordered by id: those that apply, and those with a limit, which may apply."""
        candidates = self._find_candidates(action, assessment, environment)
        if not candidates:
            return NO_MATCHES
        facts = Facts(action, assessment, environment, around)
        found = [(match, compiled) for compiled in candidates if (match := compiled.evaluate(facts)) is not None]
        if not found:
            return NO_MATCHES
        found.sort(key=lambda pair: pair[0].policy_id)
        return Matches(
            tuple(match for match, one in found if one.limit is None or match.error),
            tuple(one.limit.use(match, action) for match, one in found if one.limit is not None and not match.error),
        )

    def _find_candidates(
        self, action: Action, assessment: Assessment, environment: str | None
    ) -> list[_CompiledPolicy]:
        """Return the policies that may match: each is indexed under a value of the action, or under none."""
        candidates = self._always
        by_kind = self._by_kind
        if by_kind and not by_kind.keys().isdisjoint(map(kind_of, assessment.analysis.effects)):
            for kind in dict.fromkeys(map(kind_of, assessment.analysis.effects)):
                candidates = _add(candidates, by_kind.get(kind, _NONE))
        for field, by_value in self._by_field.items():
            value = getattr(action, _ATTRIBUTES[field]) if field != "environment" else environment
            if value is not None:
                for key in (value, _ANY):
                    candidates = _add(candidates, by_value.get(key, _NONE))
        return candidates


def _add(candidates: list[_CompiledPolicy], found: list[_CompiledPolicy]) -> list[_CompiledPolicy]:
    """Return candidates with those of some policies that are not among them."""
    return [*candidates, *(one for one in found if one not in candidates)] if found else candidates


_KINDS = "effects.kind"
#: Field of a policy → the attribute of an action with its value.
_ATTRIBUTES = {"toolName": "tool_name", "agentId": "agent_id", "user": "user", "tenant": "tenant", "runId": "run_id"}
_NONE: list[_CompiledPolicy] = []
