"""The form of an API key: its fields, and the pins that they describe."""

from __future__ import annotations

from typing import Any

from interlock.access.keys import AccessKey
from interlock.errors import InterlockError
from interlock.policy.pins import Pins
from interlock.scoring.command import environment_name
from interlock.server.pages.confirmation import field

#: The fields of the form. Anything else that a request holds is ignored.
TEXTS = ("name", "role", "owner", "days", "environment", "workspaces", "home", "user", "tenant")
BOXES = ("asks_user", "trusted")
ENVIRONMENTS = ("development", "staging", "production", "critical")
MAX_WORKSPACES = 20
EMPTY: dict[str, str] = {**dict.fromkeys((*TEXTS, *BOXES), ""), "role": "agent"}


def read_fields(form: Any) -> dict[str, str]:
    """Return the fields of a form that was sent."""
    return {name: field(form, name) for name in (*TEXTS, *BOXES)}


def fields_of(key: AccessKey) -> dict[str, str]:
    """Return the fields of a form that shows a key."""
    pins = key.pins
    texts = {name: getattr(pins, name) or "" for name in ("environment", "home", "user", "tenant")}
    boxes = {name: "on" if getattr(pins, name) else "" for name in BOXES}
    named = {"name": key.name, "role": key.role.value, "owner": key.owner, "days": ""}
    return {**texts, **boxes, **named, "workspaces": "\n".join(pins.workspaces)}


def pins_of(fields: dict[str, str]) -> Pins:
    """Return the pins that a form describes, or raise."""
    folders = tuple(line.strip() for line in fields["workspaces"].splitlines() if line.strip())
    if len(folders) > MAX_WORKSPACES:
        raise InterlockError(f"a key has at most {MAX_WORKSPACES} workspaces, found {len(folders)}")
    return Pins(
        environment=environment_name(fields["environment"] or None),
        workspaces=folders,
        home=fields["home"] or None,
        user=fields["user"] or None,
        tenant=fields["tenant"] or None,
        asks_user=bool(fields["asks_user"]),
        trusted=bool(fields["trusted"]),
    )


def days_of(text: str, what: str) -> int | None:
    """Return a number of days, or None for an empty text."""
    if not text:
        return None
    if not (text.isascii() and text.isdigit()) or not 0 < int(text[:6]) <= 36_500:
        raise InterlockError(f"{what} is a number of days from 1 to 36500, found `{text[:20]}`")
    return int(text)
