"""Policies: conditions → a verdict. A set of them is matched at once, and the strictest wins."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec

from interlock.effects import READS
from interlock.errors import ConfigError, nearest
from interlock.levels import Verdict
from interlock.model import Action, Ask, Assessment, Match, effect_to_wire
from interlock.patterns import late
from interlock.policy.conditions import ABSENT, FIELDS, Check, Condition, compile_condition, look_up, parse_short
from interlock.policy.expression import Activation, Evaluate, compile_expression, plain


class Policy(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """Conditions that must all hold, and what then happens. Order and priority mean nothing."""

    policy_id: str
    name: str = ""
    conditions: Sequence[Condition] = ()
    action: Verdict = Verdict.REQUIRE_APPROVAL
    when: str | None = None
    enabled: bool = True
    description: str = ""
    version: int = 1
    created_at: str | None = None
    updated_at: str | None = None
    approval: Ask | None = None

    def __post_init__(self) -> None:
        action: Any = self.action  # a caller may write the verdict's name, and conditions in any of their forms
        if not isinstance(action, Verdict):
            msgspec.structs.force_setattr(self, "action", parse_verdict(str(action)))
        conditions = tuple(as_condition(condition) for condition in self.conditions)
        msgspec.structs.force_setattr(self, "conditions", conditions)


def parse_verdict(name: str) -> Verdict:
    """Return the verdict of that name, or raise with the nearest one."""
    try:
        return Verdict(name)
    except ValueError:
        raise ConfigError(f"unknown action `{name}`{nearest(name, [v.value for v in Verdict])}") from None


def as_condition(value: Any) -> Condition:
    """Return a condition from its long form (a dict), its short form (a text), or itself."""
    if isinstance(value, Condition):
        return value
    if isinstance(value, str):
        return parse_short(value)
    try:
        return msgspec.convert(value, Condition)
    except msgspec.ValidationError as error:
        raise ConfigError(f"`{value!r}` is no condition: {error}; write `{{field, operator, value}}`") from None


_ARROW = late(r"\s*(?:→|->)\s*")


def parse_line(text: str, number: int = 1) -> Policy:
    """Return the policy of one line: conditions in their short form, an arrow, and what then happens.

    >>> parse_line("toolName=deploy and inputPayload.env=production -> block").action.value
    'block'
    """
    parts = _ARROW.split(text.strip())
    if len(parts) != 2 or not all(parts):
        raise ConfigError(f"`{text}` is no policy; write `toolName=deploy -> require_approval`")
    conditions = tuple(parse_short(condition) for condition in re.split(r"\s+and\s+", parts[0]))
    return Policy(f"typed-{number}", text, conditions, parse_verdict(parts[1]))


class _Compiled:
    """A policy, ready to be asked."""

    __slots__ = ("checks", "key", "match", "policy", "when")

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.match = Match(policy.policy_id, policy.name, policy.action, ask=policy.approval)
        self.key = _index_key(policy)
        self.checks: list[tuple[str, Check]] = []
        try:
            for condition in policy.conditions:
                self.checks.append((condition.field, compile_condition(condition)))
            if policy.when is not None and not isinstance(policy.when, str):
                raise ConfigError(f"`when` is an expression, found `{policy.when!r}`")
            self.when: Evaluate | None = compile_expression(policy.when) if policy.when else None
        except ConfigError as error:
            raise ConfigError(
                f"policy `{policy.policy_id}`: {error.message}", file=error.file, line=error.line
            ) from None

    def ask(self, facts: Facts, activation: Activation) -> Match | None:
        """Return the match of this policy; one that breaks asks for approval at least."""
        try:
            for field, check in self.checks:
                if not check(facts.get(field)):
                    return None
            if self.when is not None and not self.when(activation):
                return None
        except Exception as error:  # whatever went wrong, it must not open the gate
            action = max(self.policy.action, Verdict.REQUIRE_APPROVAL)
            said = f"{type(error).__name__}: {error}"
            return Match(self.policy.policy_id, self.policy.name, action, said, self.policy.approval)
        return self.match


_INDEXED = ("toolName", "agentId", "environment", "runId", "effects.kind")


def _index_key(policy: Policy) -> tuple[str, tuple[str, ...]] | None:
    """Return a field and the values that it must have for the policy to match, where there is such a field."""
    for condition in policy.conditions:
        if condition.field in _INDEXED:
            if condition.operator == "equals" and isinstance(condition.value, str):
                return condition.field, (condition.value,)
            if condition.operator == "in" and all(isinstance(item, str) for item in condition.value or [0]):
                return condition.field, tuple(condition.value)
    return None


class PolicySet:
    """Policies compiled together. One that names a tool, agent, environment or kind of effect waits for that."""

    def __init__(self, policies: Iterable[Policy]) -> None:
        self.policies: tuple[Policy, ...] = tuple(policies)
        self._always: list[_Compiled] = []
        self._by_field: dict[str, dict[str, list[_Compiled]]] = {}
        names: set[str] = set()
        for policy in self.policies:
            if not isinstance(policy, Policy):
                raise ConfigError(f"`policies` holds policies, found `{policy!r}`; write `Policy(...)`")
            if policy.policy_id in names:
                raise ConfigError(f"two policies are called `{policy.policy_id}`; give each an id of its own")
            names.add(policy.policy_id)
            compiled = _Compiled(policy)
            if policy.enabled:
                self._file(compiled)

    def _file(self, compiled: _Compiled) -> None:
        if compiled.key is None:
            self._always.append(compiled)
            return
        field, values = compiled.key
        for value in dict.fromkeys(values):
            self._by_field.setdefault(field, {}).setdefault(value, []).append(compiled)

    def match(self, action: Action, assessment: Assessment, environment: str | None) -> tuple[Match, ...]:
        """Return every policy that matches an action, in the order of their ids."""
        if not self.policies:
            return ()
        facts = Facts(action, assessment, environment)
        candidates: list[_Compiled] = self._always
        for field, by_value in self._by_field.items():
            for compiled in self._filed(field, by_value, facts):
                if compiled not in candidates:
                    candidates = [*candidates, compiled]
        if not candidates:
            return ()
        activation = Activation(facts.plain)
        matches = [match for compiled in candidates if (match := compiled.ask(facts, activation)) is not None]
        return tuple(sorted(matches, key=lambda match: match.policy_id)) if len(matches) > 1 else tuple(matches)

    def _filed(self, field: str, by_value: dict[str, list[_Compiled]], facts: Facts) -> list[_Compiled]:
        """Return the policies that are filed under what a field holds."""
        if field != _KINDS:
            return by_value.get(facts.get(field), _NONE)
        return [compiled for kind in facts.kinds() if kind in by_value for compiled in by_value[kind]]


_KINDS = "effects.kind"
_NONE: list[_Compiled] = []


class Facts:
    """What policies can see of an action; each fact is worked out when the first policy asks for it."""

    __slots__ = ("_action", "_assessment", "_environment", "_known")

    def __init__(self, action: Action, assessment: Assessment, environment: str | None) -> None:
        self._action, self._assessment, self._environment = action, assessment, environment
        self._known: dict[str, Any] = {}

    def kinds(self) -> set[str]:
        """Return the kinds of the action's effects."""
        return {effect.kind for effect in self._assessment.effects}

    def get(self, field: str) -> Any:
        """Return the value of a field, or `ABSENT`."""
        known = self._known.get(field)
        if known is None:
            known = self._known[field] = self._look_up(field)
        return known

    def _look_up(self, field: str) -> Any:
        direct = _DIRECT.get(field)
        if direct is not None:
            found = direct(self._action, self._assessment)
        elif field == "environment":
            found = self._environment
        else:
            root, _, path = field.partition(".")
            found = look_up(path, self._action.input_payload if root == "inputPayload" else self._action.metadata)
        return ABSENT if found is None else found

    def plain(self) -> dict[str, Any]:
        """Return the facts as an expression takes them; what the action does not have is left out."""
        data = {name: value for name in FIELDS if (value := self.get(name)) is not ABSENT}
        data["inputPayload"] = plain(self._action.input_payload)
        data["metadata"] = plain(self._action.metadata)
        data["effects"] = [effect_to_wire(effect) for effect in self._assessment.effects]
        return data


_DIRECT: dict[str, Callable[[Action, Assessment], Any]] = {
    "toolName": lambda action, _: action.tool_name,
    "agentId": lambda action, _: action.agent_id,
    "runId": lambda action, _: action.run_id,
    "risk.level": lambda _, found: found.level.value,
    "risk.score": lambda _, found: found.score,
    "risk.rules": lambda _, found: [finding.rule for finding in found.findings],
    "effects.kind": lambda _, found: [effect.kind for effect in found.effects],
    "effects.changes": lambda _, found: any(effect.kind not in READS for effect in found.effects),
    "resources": lambda _, found: list(dict.fromkeys(str(e.resource) for e in found.effects if e.resource)),
}
