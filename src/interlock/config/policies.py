"""Policies as a document writes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from interlock.config.values import at, expect
from interlock.documents import Document
from interlock.errors import nearest
from interlock.policy.conditions import Condition, compile_condition
from interlock.policy.expression import compile_expression
from interlock.policy.policies import Policy, as_condition, verdict_named

#: A policy's keys as JSON writes them, by how Python writes them. A file may use either.
POLICY_KEYS = {field.name: field.encode_name for field in msgspec.structs.fields(Policy)}


def policy_of(document: Document, item: Mapping[str, Any], *path: str | int) -> Policy:
    """Return one policy, checked and compiled, or raise with its line."""
    given: dict[str, Any] = {}
    for name, value in item.items():
        known = POLICY_KEYS.get(name, name)
        if known not in POLICY_KEYS.values():
            raise document.error(f"unknown key `{name}` in a policy{nearest(name, POLICY_KEYS)}", *path, name)
        if known in given:
            raise document.error(f"`{name}` is there twice, once as `{known}`", *path, name)
        given[known] = value
    for name in ("policyId", "action"):
        if not given.get(name):
            raise document.error(f"a policy needs `{name}`", *path)
    given["action"] = at(document, (*path, "action"), verdict_named, str(given["action"])).value
    conditions = [
        at(document, (*path, "conditions"), _condition, value) for value in _list(document, item, *path, "conditions")
    ]
    if isinstance(given.get("when"), str):
        at(document, (*path, "when"), compile_expression, given["when"])
    try:
        return msgspec.convert({**given, "conditions": msgspec.to_builtins(conditions)}, Policy)
    except msgspec.ValidationError as error:
        raise document.error(f"policy `{given['policyId']}`: {error}", *path) from None


def _condition(value: Any) -> Condition:
    condition = as_condition(value)
    compile_condition(condition)
    return condition


def _list(document: Document, item: Mapping[str, Any], *path: str | int) -> list[Any]:
    return list(expect(document, item.get(str(path[-1]), []), list, "a list", *path))


def policies_of(document: Document, items: list[Any]) -> tuple[Policy, ...]:
    """Return the policies of a document, each with an id of its own."""
    found: dict[str, Policy] = {}
    for index, item in enumerate(items):
        policy = policy_of(document, expect(document, item, dict, "a table", "policies", index), "policies", index)
        if policy.policy_id in found:
            message = f"two policies are called `{policy.policy_id}`; give each an id of its own"
            raise document.error(message, "policies", index, "policy_id")
        found[policy.policy_id] = policy
    return tuple(found.values())
