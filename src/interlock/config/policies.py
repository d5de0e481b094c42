"""Reading policies from a document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from interlock.config.values import expect, read_at
from interlock.documents import Document
from interlock.errors import nearest
from interlock.levels import Verdict
from interlock.policy.conditions import Condition, compile_condition
from interlock.policy.expression import compile_expression
from interlock.policy.policies import Policy, as_condition, parse_verdict

#: The keys of a policy: the name in Python, and the name in JSON. A file may use either.
POLICY_KEYS = {field.name: field.encode_name for field in msgspec.structs.fields(Policy)}
#: The fields that people write. The others are set by a store.
_INPUT_KEYS = [name for name in POLICY_KEYS if name not in ("version", "created_at", "updated_at")]
_LIMIT = '; write `limit = { most = 5, per = "hour" }`'
_HOURS = '; write `outside = "Mon-Fri 09:00-17:00 Europe/Berlin"` or `during`'
#: Hints for keys that a policy does not have.
_HINTS = {
    **dict.fromkeys(("rate", "limits", "max", "quota", "budget", "throttle"), _LIMIT),
    **dict.fromkeys(("id", "rule"), "; write `policy_id`"),
    **dict.fromkeys(("verdict", "effect", "decision", "then"), "; write `action`"),
    **dict.fromkeys(("if", "match", "condition"), '; write `conditions = ["toolName=pay"]`'),
    **dict.fromkeys(("cel", "expression"), "; write `when`"),
    **dict.fromkeys(("hours", "schedule", "time", "times", "days", "zone"), _HOURS),
}


def read_policy(document: Document, item: Mapping[str, Any], *path: str | int) -> Policy:
    """Return one policy, checked, or raise with its line."""
    given: dict[str, Any] = {}
    for name, value in item.items():
        known = POLICY_KEYS.get(name, name)
        if known not in POLICY_KEYS.values():
            hint = _HINTS.get(name) or nearest(name, _INPUT_KEYS)
            raise document.error(f"unknown key `{name}` in a policy{hint}", *path, name)
        if known in given:
            raise document.error(f"`{name}` is given twice, once as `{known}`", *path, name)
        given[known] = value
    for name in ("policyId", "action"):
        if not given.get(name):
            raise document.error(f"a policy needs `{name}`", *path)
    given["action"] = read_at(document, (*path, "action"), parse_verdict, str(given["action"])).value
    conditions = [
        read_at(document, (*path, "conditions"), _condition, value)
        for value in _list(document, item, *path, "conditions")
    ]
    if isinstance(given.get("when"), str):
        read_at(document, (*path, "when"), compile_expression, given["when"])
    for name in ("during", "outside"):
        if isinstance(given.get(name), str):
            from interlock.policy.hours import parse_hours  # few policies need the time

            read_at(document, (*path, name), parse_hours, given[name])
    try:
        policy = msgspec.convert({**given, "conditions": msgspec.to_builtins(conditions)}, Policy)
    except msgspec.ValidationError as error:
        raise document.error(f"policy `{given['policyId']}`: {error}", *path) from None
    if policy.action is Verdict.ALLOW:
        from interlock.policy.drift_use import check_drift_action  # few policies allow

        read_at(document, (*path, "action"), check_drift_action, policy)
    return policy


def _condition(value: Any) -> Condition:
    condition = as_condition(value)
    compile_condition(condition)
    return condition


def _list(document: Document, item: Mapping[str, Any], *path: str | int) -> list[Any]:
    return list(expect(document, item.get(str(path[-1]), []), list, "a list", *path))


def read_policies(document: Document, items: list[Any]) -> tuple[Policy, ...]:
    """Return the policies of a document, or raise if two have the same id."""
    found: dict[str, Policy] = {}
    for index, item in enumerate(items):
        policy = read_policy(document, expect(document, item, dict, "a table", "policies", index), "policies", index)
        if policy.policy_id in found:
            message = f"two policies have the id `{policy.policy_id}`; give each its own"
            raise document.error(message, "policies", index, "policy_id")
        found[policy.policy_id] = policy
    return tuple(found.values())
