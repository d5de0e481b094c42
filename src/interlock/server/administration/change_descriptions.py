"""Descriptions of changes: for each kind, what was done and what differs from before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from interlock.audit.sentences import describe_person_change


def _describe_person_addition(name: str, data: Mapping[str, Any]) -> list[str]:
    return [f"added `{name}` as {data.get('role')}"]


def _describe_person_change(name: str, data: Mapping[str, Any]) -> list[str]:
    return [describe_person_change(f"`{name}`", data)]


def _describe_key_creation(_: str, data: Mapping[str, Any]) -> list[str]:
    return [f"created key `{data.get('name')}` ({data.get('role')})", *_pin_lines({}, data.get("pins") or {})]


def _describe_key_change(_: str, data: Mapping[str, Any]) -> list[str]:
    name, before = f"`{data.get('name')}`", data.get("before") or {}
    if before.get("observe") != data.get("observe"):
        return [
            f"started observing key {name}" if data.get("observe") else f"enforced the verdicts on key {name} again"
        ]
    return [f"changed the pins of key {name}", *_pin_lines(before.get("pins") or {}, data.get("pins") or {})]


def _describe_key_revocation(_: str, data: Mapping[str, Any]) -> list[str]:
    return [f"revoked key `{data.get('name')}`"]


def _describe_key_restoration(_: str, data: Mapping[str, Any]) -> list[str]:
    return [f"restored key `{data.get('name')}`"]


def _describe_grant_revocation(_: str, data: Mapping[str, Any]) -> list[str]:
    return [f"revoked a grant: {data.get('text')}"]


def _describe_grant_restoration(_: str, data: Mapping[str, Any]) -> list[str]:
    return [f"restored a grant: {data.get('text')}"]


def _describe_channel_creation(_: str, data: Mapping[str, Any]) -> list[str]:
    return [f"added channel `{data.get('channel')}` ({data.get('channelKind')})"]


def _describe_channel_change(_: str, data: Mapping[str, Any]) -> list[str]:
    before, name, changed = data.get("before") or {}, f"`{data.get('channel')}`", data.get("changed") or []
    words = []
    if "state" in changed:
        states = {"active": f"resumed channel {name}", "paused": f"paused channel {name}"}
        words.append(f"restored channel {name}" if before.get("state") == "removed" else states[data["state"]])
    if "secrets" in changed:
        words.append(f"replaced secrets of channel {name}")
    if "settings" in changed:
        words.append(f"changed channel {name}")
    old, new = before.get("settings") or {}, data.get("settings") or {}
    lines = [_line(key, old.get(key), new.get(key)) for key in sorted({*old, *new}) if old.get(key) != new.get(key)]
    return [", ".join(words) or f"saved channel {name}", *lines]


def _describe_channel_removal(_: str, data: Mapping[str, Any]) -> list[str]:
    return [f"removed channel `{data.get('channel')}`"]


def _pin_lines(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    names = sorted({*before, *after})
    return [_line(name, before.get(name), after.get(name)) for name in names if before.get(name) != after.get(name)]


def _line(name: str, before: Any, after: Any) -> str:
    return f"{name}: {_word(before)} → {_word(after)}"


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None else str(value)


def _describe_webhook_creation(_: str, data: Mapping[str, Any]) -> list[str]:
    return [f"created a webhook to `{data.get('to')}`", f"kinds: {_word(data.get('kinds'))}"]


def _describe_webhook_change(_: str, data: Mapping[str, Any]) -> list[str]:
    changed, before, to = data.get("changed") or [], data.get("before") or {}, f"`{data.get('to')}`"
    words = []
    if before.get("state") != data.get("state") and "state" in changed:
        states = {"active": f"switched the webhook to {to} on", "off": f"switched the webhook to {to} off"}
        words.append(f"restored the webhook to {to}" if before.get("state") == "removed" else states[data["state"]])
    if "url" in changed:
        words.append(f"changed the URL of a webhook to {to}")
    if "secret" in changed:
        words.append(f"gave the webhook to {to} a new secret")
    if before.get("kinds") != data.get("kinds") and "kinds" in changed:
        return [
            ", ".join([*words, f"changed the kinds of the webhook to {to}"]),
            _line("kinds", before.get("kinds"), data.get("kinds")),
        ]
    why = data.get("why")
    return [", ".join(words) or f"saved the webhook to {to}", *([str(why)] if why else [])]


def _describe_webhook_removal(_: str, data: Mapping[str, Any]) -> list[str]:
    return [f"removed the webhook to `{data.get('to')}`"]


def _describe_setting_change(name: str, data: Mapping[str, Any]) -> list[str]:
    before, after = data.get("before") or {}, data.get("after") or {}
    keys = [key for key in sorted({*before, *after}) if before.get(key) != after.get(key)]
    lines = (
        _line(RETENTION_LABELS.get(key, key), before.get(key, "default"), after.get(key, "default")) for key in keys
    )
    return [f"changed the {name}", *lines]


#: What the settings of the retention are called on its page.
RETENTION_LABELS = {
    "keep_days": "Keep records for",
    "at_least_days": "Never remove records younger than",
    "idle_hours": "End idle runs after",
}


#: Describes the record of each kind of change: what was done, and details.
DESCRIPTIONS: dict[str, Callable[[str, Mapping[str, Any]], list[str]]] = {
    "person.added": _describe_person_addition,
    "person.changed": _describe_person_change,
    "access.made": _describe_key_creation,
    "access.changed": _describe_key_change,
    "access.revoked": _describe_key_revocation,
    "access.restored": _describe_key_restoration,
    "grant.revoked": _describe_grant_revocation,
    "grant.restored": _describe_grant_restoration,
    "channel.made": _describe_channel_creation,
    "channel.changed": _describe_channel_change,
    "channel.removed": _describe_channel_removal,
    "webhook.made": _describe_webhook_creation,
    "webhook.changed": _describe_webhook_change,
    "webhook.removed": _describe_webhook_removal,
    "setting.changed": _describe_setting_change,
}
