"""`Engine.decide(action)`: from an action to a decision, without clock, disk, network or state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from msgspec.structs import astuple, replace

from interlock.analyse.action import NOWHERE, Surroundings, analyse, is_described, is_described_by_owner
from interlock.effects import TOOL_KINDS
from interlock.errors import ConfigError, InvalidActionError, nearest
from interlock.knowledge.extension import NO_EXTENSION
from interlock.levels import Level, Verdict
from interlock.memory.changes import find_changes
from interlock.memory.model import JOINT_RULE, MemoryChanges
from interlock.memory.state import RunState
from interlock.model import (
    TABLE_FIELDS,
    TEXT_FIELDS,
    Action,
    Analysis,
    Assessment,
    Decision,
    Effect,
    Finding,
    Override,
)
from interlock.policy.decide import decide
from interlock.policy.defaults import DEFAULT_POLICIES
from interlock.policy.facts import Circumstances
from interlock.policy.modes import DEFAULT_MODE, ApprovalPolicy, LevelVerdicts, mode_row
from interlock.policy.needs import combine
from interlock.policy.policies import Policy
from interlock.policy.policy_set import PolicySet
from interlock.rules import RuleIndex, all_rules, rules_requiring
from interlock.rules.findings import find, find_written, strictest_first
from interlock.sanitise import clean
from interlock.scoring.combine import assess
from interlock.scoring.command import normalise_environment

if TYPE_CHECKING:
    from datetime import datetime

    from interlock.analyse.recent_analyses import RecentAnalyses
    from interlock.analyse.tools.joint_calls import JointCall
    from interlock.memory.model import Definition
    from interlock.policy.drift import Drift
    from interlock.rules import Rule
    from interlock.rules.index import RuleSource


def check(action: Action) -> None:
    """Raise for an action with a field of the wrong type. One that was decoded from JSON always passes."""
    if type(action.tool_name) is not str:
        raise InvalidActionError(f"`tool_name` must be a string, found `{type(action.tool_name).__name__}`")
    if not _are_right(tuple(map(type, astuple(action)))):
        for name in (*TEXT_FIELDS, *TABLE_FIELDS):
            value = getattr(action, name)
            wanted = dict if name in TABLE_FIELDS else str
            if type(value) is not wanted and not (wanted is str and value is None):
                raise InvalidActionError(f"`{name}` must be a {wanted.__name__}, found `{type(value).__name__}`")


@lru_cache(maxsize=256)
def _are_right(types: tuple[type, ...]) -> bool:
    """Whether the fields of an action, in their order, have types that they may have."""
    return all(one in wanted for one, wanted in zip(types, _FIELD_TYPES, strict=False))


NOTHING_YET = RunState()
_FIELD_TYPES = [(dict,) if name in TABLE_FIELDS else (str, type(None)) for name in Action.__struct_fields__]
_HIGH_RANK = Level.HIGH.rank


class Engine:
    """Decides what happens to actions. Engines are immutable: another configuration needs another engine.

    >>> Engine().decide(Action.shell("rm -rf /")).verdict.value
    'block'
    """

    __slots__ = (
        "_added_rules",
        "_around",
        "_index",
        "_lifted",
        "_memory",
        "_owned",
        "_policies",
        "_recent",
        "_row",
        "_rules_off",
        "_second_opinion",
        "_shipped",
        "_timeouts",
        "environment",
        "mode",
    )

    def __init__(
        self,
        policies: Iterable[Policy] | None = None,
        mode: str | ApprovalPolicy = DEFAULT_MODE,
        environment: str | None = None,
        *,
        rules: Iterable[Rule] = (),
        rules_off: Iterable[str] = (),
        around: Surroundings = NOWHERE,
        modes: Mapping[str, LevelVerdicts] | None = None,
        timeouts: Mapping[str, int] | None = None,
        second_opinion: bool = True,
        memory: str = "normal",
    ) -> None:
        self.mode = mode.value if isinstance(mode, ApprovalPolicy) else mode
        self._row = mode_row(self.mode, modes)
        self.environment = normalise_environment(environment)
        self._added_rules, self._rules_off = _check_rules(tuple(rules)), frozenset(rules_off)
        if self._rules_off:
            _check_names(self._rules_off, [rule.name for rule in (*all_rules(), *self._added_rules)])
        self._index = RuleIndex(_select_rules(self._added_rules, self._rules_off, are_off=False))
        self._lifted = RuleIndex(_select_rules(self._added_rules, self._rules_off, are_off=True))
        self._policies = PolicySet(DEFAULT_POLICIES if policies is None else policies)
        self._around = around
        own = around.knowledge.without_added()
        self._owned = None if own is around.knowledge else around.with_knowledge(own)
        self._shipped = around.with_knowledge(NO_EXTENSION) if around.knowledge.replaces_shipped else None
        self._timeouts = timeouts
        self._second_opinion = second_opinion
        self._memory = memory
        self._recent: RecentAnalyses | None = None

    def with_recent_analyses(self) -> Engine:
        """Return the same engine, which keeps the analyses of recent actions: the agents of a server repeat theirs."""
        from interlock.analyse.recent_analyses import RecentAnalyses  # only servers need it

        other = object.__new__(Engine)
        for name in Engine.__slots__:
            setattr(other, name, getattr(self, name))
        other._recent = RecentAnalyses()
        return other

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules that this engine matches."""
        return tuple(rule for rule in (*all_rules(), *self._added_rules) if rule.name not in self._rules_off)

    @property
    def policies(self) -> tuple[Policy, ...]:
        """The policies that this engine matches."""
        return self._policies.policies

    @property
    def reads_time(self) -> bool:
        """Whether a policy depends on the time. Without `now`, such a policy requires an approval at least."""
        return self._policies.reads_time

    @property
    def drift_fields(self) -> tuple[str, ...]:
        """The drift facts that policies use. Without `drift`, such a policy requires an approval at least."""
        return self._policies.drift_fields

    def decide(
        self,
        action: Action,
        state: RunState | None = None,
        now: datetime | None = None,
        drift: Drift | None = None,
    ) -> Decision:
        """Return the decision on an action.

        `state` is what its run has done before, `now` the time, with its zone, and `drift` tells how the action
        compares with what its agent did before.
        """
        if not isinstance(action, Action):
            raise InvalidActionError(f"`decide` takes an Action, found `{type(action).__name__}`; see `Action.shell`")
        check(action)
        if now is not None and getattr(now, "tzinfo", None) is None:
            raise InvalidActionError("`now` needs a time zone: write `datetime.now(UTC)`")
        decision = self._decide(action, state, now, drift, self._around)
        if self._owned is not None:
            decision = _stricter(decision, self._decide(action, state, now, drift, self._owned))
        if self._shipped is not None and decision.verdict is not Verdict.BLOCK:
            shipped = self._decide(action, state, now, drift, self._shipped)
            if any(finding.floor for finding in shipped.assessment.findings):  # which only the configuration can lift
                decision = _stricter(decision, shipped)
        return decision

    def find_changes(self, action: Action, decision: Decision) -> MemoryChanges:
        """Return what an action changes in the memory of its run once it has run."""
        return (find_changes if self._recent is None else self._recent.find_changes)(action, decision)

    def _decide(
        self,
        action: Action,
        state: RunState | None,
        now: datetime | None,
        drift: Drift | None,
        around: Surroundings,
    ) -> Decision:
        """Return the decision on an action, with the descriptions of these surroundings."""
        environment = normalise_environment(clean(action.environment)) if action.environment else self.environment
        analysis, findings, assessment = self._judge(action, environment, state, around)
        if (
            state is not None
            and self._memory != "off"
            and assessment.level.rank < _HIGH_RANK
            and state.may_change_verdict(analysis)
        ):
            remembered = _load_memory()(action, analysis, state, strict=self._memory == "strict")
            if remembered is None and state.definitions and _acts_at_service(analysis):
                remembered = self._judge_together(action, environment, state, around)
            if remembered is not None:
                assessment = assess(action, analysis, (remembered, *findings), environment, state)
        circumstances = Circumstances(state if state is not None else NOTHING_YET, now, drift)
        matches = self._policies.match(action, assessment, environment, circumstances)
        overrides = self._find_overrides(analysis.effects) if self._rules_off else ()
        decision = decide(action, assessment, matches.applied, self.mode, self._row, overrides, self._timeouts)
        if matches.budgets or state is not None:
            call = state.count + 1 if state is not None else 0
            return replace(decision, budgets=matches.budgets, call=call)
        return decision

    def _judge(
        self, action: Action, environment: str | None, state: RunState | None, around: Surroundings
    ) -> tuple[Analysis, tuple[Finding, ...], Assessment]:
        """Return the analysis, the findings and the assessment of an action, without the memory of its run."""
        recent = self._recent
        analysis = analyse(action, around, state) if recent is None else recent.analyse(action, around, state)
        findings = find(analysis.effects, self._index)
        if analysis.written:
            findings = strictest_first(findings + find_written(analysis.written, self._index))
        assessment = assess(action, analysis, findings, environment, state)
        if self._second_opinion and assessment.level.rank < _HIGH_RANK:
            opinion = self._ask_model(action, analysis, findings, assessment.level, around)
            if opinion is not None:
                findings = (opinion, *findings)
                assessment = assess(action, analysis, findings, environment, state)
        elif self._second_opinion and assessment.level.rank == _HIGH_RANK:
            eased = self._ease_call(action, analysis, around)
            if eased is not None:
                analysis, findings = eased, find(eased.effects, self._index)
                assessment = assess(action, analysis, findings, environment, state)
        return analysis, findings, assessment

    def _judge_together(
        self, action: Action, environment: str | None, state: RunState, around: Surroundings
    ) -> Finding | None:
        """Return a finding on a call of a tool that does harm with what earlier calls have set, or None."""
        for together in _load_joining()(action, state.definitions):
            _, findings, assessment = self._judge(together.action, environment, None, around)
            if assessment.level >= Level.HIGH and findings:
                cited = ", ".join(map(str, together.calls))
                reason = f"Together with what was set in call {cited}: {findings[0].reason}"
                return Finding(JOINT_RULE, Level.HIGH, reason, reversible=findings[0].reversible, calls=together.calls)
        return None

    def _ask_model(
        self, action: Action, analysis: Analysis, findings: tuple[Finding, ...], level: Level, around: Surroundings
    ) -> Finding | None:
        """Return the learned opinion on an action that the rules would let run."""
        if not analysis.effects or analysis.effects[0].kind not in TOOL_KINDS:
            return _load_opinion()(analysis, findings, level)
        return None if is_described(action, around) else _load_call_opinion()(action, analysis)

    def _ease_call(self, action: Action, analysis: Analysis, around: Surroundings) -> Analysis | None:
        """Return a call as the learned opinion judges it, if that eases it."""
        if analysis.written or not analysis.effects or analysis.effects[0].kind not in TOOL_KINDS:
            return None
        return None if is_described_by_owner(action, around) else _load_call_easing()(action, analysis)

    def _find_overrides(self, effects: Iterable[Effect]) -> tuple[Override, ...]:
        """Return an override for each rule that would have matched if the configuration had not switched it off."""
        found: dict[str, Override] = {}
        for finding in find(effects, self._lifted):
            verdict = Verdict.BLOCK if finding.floor else self._row[finding.level]
            found.setdefault(finding.rule, Override("configuration", f"rule `{finding.rule}` is switched off", verdict))
        return tuple(found.values())


def _stricter(decision: Decision, owned: Decision) -> Decision:
    """Return the stricter of two decisions: with descriptions that an agent could have written, and without them.

    An approval needs what either of them needs, and the limits of both are counted. What the run remembers of files
    comes from the second one, since a description could claim to have written them.
    """
    decision, owned = _with_both(decision, owned), _with_both(owned, decision)
    if _severity(owned) > _severity(decision):
        return owned
    files = owned.assessment.analysis.files
    if decision.assessment.analysis.files == files:
        return decision
    analysis = replace(decision.assessment.analysis, files=files)
    return replace(decision, assessment=replace(decision.assessment, analysis=analysis))


def _with_both(decision: Decision, other: Decision) -> Decision:
    """Return a decision whose approval also meets the needs of another one, and that uses the limits of both."""
    if decision.needs is not None and other.needs is not None and decision.needs != other.needs:
        decision = replace(decision, needs=combine(decision.needs, other.needs))
    used = {(budget.policy.policy_id, budget.scope) for budget in decision.budgets}
    more = [budget for budget in other.budgets if (budget.policy.policy_id, budget.scope) not in used]
    return replace(decision, budgets=(*decision.budgets, *more)) if more else decision


def _severity(decision: Decision) -> tuple[Verdict, Level, int]:
    return decision.verdict, decision.assessment.level, decision.assessment.score


@cache
def _load_opinion() -> Callable[[Analysis, tuple[Finding, ...], Level], Finding | None]:
    """Return the second opinion, imported on first use: most processes that stop something never need it."""
    from interlock.opinion.model import second_opinion

    return second_opinion


@cache
def _load_call_opinion() -> Callable[[Action, Analysis], Finding | None]:
    """Return the opinion on tool calls, imported on first use."""
    from interlock.opinion.call_model import judge_call

    return judge_call


@cache
def _load_call_easing() -> Callable[[Action, Analysis], Analysis | None]:
    """Return the function that eases tool calls, imported on first use."""
    from interlock.opinion.call_model import ease_call

    return ease_call


@cache
def _load_joining() -> Callable[[Action, tuple[Definition, ...]], Iterable[JointCall]]:
    """Return the function that joins a call with the earlier calls that it depends on, imported on first use."""
    from interlock.analyse.tools.joint_calls import join_definitions

    return join_definitions


def _acts_at_service(analysis: Analysis) -> bool:
    """Whether an action is a tool call that does more than read."""
    return bool(analysis.effects) and analysis.effects[0].kind in TOOL_KINDS - {"tool.read"}


@cache
def _load_memory() -> Callable[..., Finding | None]:
    """Return the function that finds what the memory of a run says about an action, imported on first use."""
    from interlock.memory.findings import find_by_memory

    return find_by_memory


def _check_rules(added: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """Return rules that were added, or raise if one is something else."""
    if added:
        from interlock.rules import Rule

        for rule in added:
            if not isinstance(rule, Rule):
                raise ConfigError(f"`rules` holds rules, found `{rule!r}`")
    return added


def _check_names(names: frozenset[str], known: list[str]) -> None:
    """Raise if there is no rule of one of these names."""
    for name in names.difference(known):
        raise ConfigError(f"unknown rule `{name}`{nearest(name, known)}")


def _select_rules(added: tuple[Rule, ...], off: frozenset[str], *, are_off: bool) -> RuleSource:
    """Return a function that returns rules with their positions: those in force, or those switched off."""
    last = [((1, number), rule) for number, rule in enumerate(added)]  # positions of shipped rules begin below 1
    return lambda kind, need: [
        pair for pair in (*rules_requiring(kind, need), *last) if (pair[1].name in off) is are_off
    ]
