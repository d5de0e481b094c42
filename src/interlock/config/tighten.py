"""The owner's files below an outer layer: stricter settings apply, looser settings are ignored."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from interlock.config.schema import Config
from interlock.config.trust import find_loosening
from interlock.documents import Document, KeyPath
from interlock.errors import ConfigError
from interlock.levels import Level, Verdict
from interlock.policy.modes import BEYOND_LEVELS, MODES, first_weaker_level
from interlock.policy.policies import Policy
from interlock.policy.stored_policies import StoredPolicies

_HERE = " (on this machine)"
#: Tables that a file may set in part. The outer layer supplies the rest.
_PARTS = ("memory", "approvals")


def keep_stricter(
    outer: Config, document: Document, read: Callable[[Document], Config]
) -> tuple[Config, Document, tuple[str, ...]]:
    """Return the configuration of a file without looser settings, the file, and the settings that were ignored."""
    kept = copy.copy(document)
    kept.values = copy.deepcopy(document.values)
    _rename_policies(outer, kept.values)
    _complete(outer, kept.values)
    _join_modes(outer, kept.values)
    ignored: list[str] = []
    while True:
        given = read(kept)
        found = list(find_loosening(outer, given, kept, owned=True))
        if not found:
            return given, kept, tuple(reversed(ignored))
        what, path = found[-1]  # from the end, so that the policies that are left keep their places
        line = document.line(path)
        ignored.append(f"{document.file}{f':{line}' if line else ''}: {what} has no effect: it would loosen")
        _remove(kept.values, path)


def _remove(values: dict[str, Any], path: KeyPath) -> None:
    """Remove the item at a path: a whole policy, the key, or the whole table if the key is missing."""
    if path[0] == "policies" and path[-1] in ("action", "policy_id"):
        path = path[:2]
    inside: Any = values
    try:
        for part in path[:-1]:
            inside = inside[part]
        del inside[path[-1]]
    except (KeyError, IndexError, TypeError):
        del values[str(path[0])]


def _rename_policies(outer: Config, values: dict[str, Any]) -> None:
    """Give a policy a new id if the outer layer has one with the same id, so that both apply."""
    taken = [policy.policy_id for policy in outer.all_policies]
    found = values.get("policies")
    for policy in found if isinstance(found, list) else ():
        for name in ("policy_id", "policyId"):
            if isinstance(policy, dict) and policy.get(name) in taken:
                policy[name] += _HERE


def _complete(outer: Config, values: dict[str, Any]) -> None:
    """Complete tables that a file sets in part."""
    for name in _PARTS:
        if isinstance(values.get(name), dict):
            values[name] = {**_table(getattr(outer, name)), **values[name]}


def _join_modes(outer: Config, values: dict[str, Any]) -> None:
    """Replace a mode that is stricter at some levels and looser at others with the stricter verdict at each level."""
    name, modes, local = values.get("mode"), {**MODES, **outer.modes}, values.get("modes", {})
    if not isinstance(name, str) or name not in modes or not isinstance(local, dict):
        return
    if BEYOND_LEVELS & {name, outer.mode}:
        return
    mine, theirs = modes[name], modes[outer.mode]
    if first_weaker_level(mine, theirs) and first_weaker_level(theirs, mine):
        values["mode"] = f"{outer.mode}+{name}"
        row = {level.value: max(mine[level], theirs[level]).value for level in Level}
        values["modes"] = {**local, values["mode"]: row}


def _table(settings: msgspec.Struct) -> dict[str, Any]:
    return {name: value for name, value in msgspec.to_builtins(settings).items() if value is not None}


def _tighten(policy: Policy) -> Policy | None:
    """Return a policy that cannot loosen: None if it allows, and without a model that may lift its requests."""
    if policy.action is Verdict.ALLOW:
        return None
    if policy.approval is None or not policy.approval.liftable:
        return policy
    return msgspec.structs.replace(policy, approval=msgspec.structs.replace(policy.approval, liftable=False))


def stricter_policies(stored: StoredPolicies) -> StoredPolicies:
    """Return the policies of a store that do not loosen; they cannot remove policies of the outer layer."""
    return StoredPolicies(tuple(kept for policy in stored.policies if (kept := _tighten(policy)) is not None))


def refuse_loosening_policies(policies: Iterable[Policy]) -> None:
    """Raise for the first policy of a program that loosens."""
    for policy in policies:
        if _tighten(policy) != policy:
            raise ConfigError(f"policy `{policy.policy_id}` would loosen the policies of a server or an administrator")
