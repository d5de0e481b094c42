"""Describe the changes in a new bundle."""

from __future__ import annotations

from typing import Any

import msgspec

from interlock.config.bundle import Bundle

#: Fields that change with every version of a policy.
_STAMPS = ("version", "createdAt", "updatedAt")


def describe_changes(before: Bundle | None, after: Bundle) -> list[str]:
    """Return one line for each policy and setting that a bundle changes."""
    old, new = ({} if before is None else _policies(before)), _policies(after)
    lines = [f"+ policy {name}: {new[name]['action']}" for name in new if name not in old]
    lines += [f"- policy {name}" for name in old if name not in new]
    lines += [f"~ policy {name}" for name in new if name in old and old[name] != new[name]]
    settings: dict[str, Any] = {} if before is None else before.settings
    for name, value in after.settings.items():
        if before is not None and settings.get(name) != value:
            lines.append(f"~ {name}: {_short(settings.get(name))} → {_short(value)}")
    if before is None:
        lines.append(f"+ mode {after.settings.get('mode')}")
    return lines


def _policies(bundle: Bundle) -> dict[str, dict[str, Any]]:
    return {
        str(policy.get("policyId")): {name: value for name, value in policy.items() if name not in _STAMPS}
        for policy in bundle.policies
    }


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return text if len(text) <= 60 else f"{text[:59]}…"
