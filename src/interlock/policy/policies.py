"""Policies: conditions on an action, and the verdict that applies when all of them hold."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from interlock.errors import ConfigError, nearest
from interlock.levels import Verdict
from interlock.model import Ask
from interlock.patterns import late
from interlock.policy.conditions import Condition, parse_short
from interlock.policy.limits import Limit


class Policy(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """Conditions that must all hold, and the verdict that then applies. Policies have no order or priority."""

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
    limit: Limit | None = None
    missing: Literal["differs", "matches"] = "differs"  # what a condition says about a field that an action lacks
    during: str | None = None  # the hours in which it applies, such as `Mon-Fri 09:00-17:00 Europe/Berlin`
    outside: str | None = None  # the hours in which it does not apply

    def __post_init__(self) -> None:
        action: Any = self.action  # callers may pass the name of a verdict, and conditions in any form
        if not isinstance(action, Verdict):
            msgspec.structs.force_setattr(self, "action", parse_verdict(str(action)))
        if self.limit is not None and self.action is Verdict.ALLOW:
            raise ConfigError(f"policy `{self.policy_id}` has a limit, so its action must be stricter than `allow`")
        conditions = tuple(as_condition(condition) for condition in self.conditions)
        msgspec.structs.force_setattr(self, "conditions", conditions)


def parse_verdict(name: str) -> Verdict:
    """Return the verdict with that name, or raise and suggest the closest one."""
    try:
        return Verdict(name)
    except ValueError:
        raise ConfigError(f"unknown action `{name}`{nearest(name, [v.value for v in Verdict])}") from None


def as_condition(value: Any) -> Condition:
    """Return a condition from its long form (a dict), its short form (a string), or a condition."""
    if isinstance(value, Condition):
        return value
    if isinstance(value, str):
        return parse_short(value)
    try:
        return msgspec.convert(value, Condition)
    except msgspec.ValidationError as error:
        raise ConfigError(f"`{value!r}` is not a condition: {error}; write `{{field, operator, value}}`") from None


_ARROW = late(r"\s*(?:→|->)\s*")


def parse_line(text: str, number: int = 1) -> Policy:
    """Return the policy of one line: conditions in their short form, an arrow, and a verdict.

    >>> parse_line("toolName=deploy and inputPayload.env=production -> block").action.value
    'block'
    """
    parts = _ARROW.split(text.strip())
    if len(parts) != 2 or not all(parts):
        raise ConfigError(f"`{text}` is not a policy; write `toolName=deploy -> require_approval`")
    conditions = tuple(parse_short(condition) for condition in re.split(r"\s+and\s+", parts[0]))
    return Policy(f"typed-{number}", text, conditions, parse_verdict(parts[1]))
