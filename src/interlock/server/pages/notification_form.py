"""The notification form: what its fields hold, and the preferences that they make."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import msgspec

from interlock.errors import ConfigError, InterlockError
from interlock.policy.hours import parse_hours
from interlock.server.notify.preferences import LEVELS, Destination, Preferences

ENVIRONMENTS = ("development", "staging", "production", "critical")
#: The days of quiet hours that the form offers: what is stored, and what it says.
DAYS = (("", "every day"), ("Mon-Fri", "Monday to Friday"), ("Sat,Sun", "Saturday and Sunday"))
_BROWSERS = (("Edg/", "Edge"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"), ("Safari/", "Safari"))
_SYSTEMS = (
    ("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows"), ("Mac OS", "macOS"),
    ("Linux", "Linux"),
)  # fmt: skip


class QuietFields(msgspec.Struct, frozen=True):
    """Quiet hours as the form shows them. `text` is set instead if they are more than one span of time."""

    days: str = ""
    begin: str = ""
    end: str = ""
    zone: str = ""
    text: str = ""


def quiet_fields(preferences: Preferences, zone: str) -> QuietFields:
    """Return the fields of quiet hours; without any, the reader's time zone is suggested."""
    if preferences.quiet_hours is None:
        return QuietFields(zone=zone)
    *rest, name = preferences.quiet_hours.split()
    days = rest.pop(0) if rest and rest[0][0].isalpha() else ""
    if len(rest) != 1 or "," in rest[0] or days not in dict(DAYS):
        return QuietFields(text=preferences.quiet_hours)
    begin, _, end = rest[0].partition("-")
    return QuietFields(days, begin.zfill(5), end.zfill(5), name)


def read_preferences_form(form: Mapping[str, Any], before: Preferences) -> Preferences:
    """Return preferences as a form describes them, or raise; the destinations stay as they are."""
    return msgspec.structs.replace(
        read_choices(form, before),
        escalate_minutes=_minutes(str(form.get("escalate_minutes", "")).strip()),
        quiet_hours=_quiet_hours(form),
    )


def read_choices(form: Mapping[str, Any], before: Preferences) -> Preferences:
    """Return preferences with the fields of a form in which nothing can be wrong."""
    return msgspec.structs.replace(
        before,
        levels=tuple(level for level in LEVELS if f"level-{level}" in form),
        environments=tuple(name for name in ENVIRONMENTS if f"environment-{name}" in form),
        agents=tuple(dict.fromkeys(filter(None, (name.strip() for name in str(form.get("agents", "")).split(","))))),
        only_named="only_named" in form,
        backup=form.get("backup") == "yes",
        break_through="break_through" in form,
        weekly_report="weekly_report" in form,
        drift="drift" in form,
    )


def read_typed_quiet_fields(form: Mapping[str, Any]) -> QuietFields:
    """Return the quiet hours as they were typed, to be corrected."""
    return QuietFields(*(str(form.get(f"quiet_{name}", "")).strip() for name in QuietFields.__struct_fields__))


def _minutes(text: str) -> int | None:
    if not text:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 6:
        raise InterlockError("escalate after a whole number of minutes, such as 10")
    return int(text)


def _quiet_hours(form: Mapping[str, Any]) -> str | None:
    typed = read_typed_quiet_fields(form)
    if not typed.text and not typed.begin and not typed.end:
        return None
    if not typed.text and not (typed.begin and typed.end):
        raise InterlockError("quiet hours need a beginning and an end; clear both to have none")
    times = f"{typed.begin}-{typed.end}"
    hours = typed.text or " ".join(part for part in (typed.days, times, typed.zone or "UTC") if part)
    try:
        parse_hours(hours)
    except ConfigError as error:
        raise InterlockError(error.message) from None
    return hours


def destination_id(destination: Destination) -> str:
    """Return an id by which a form names a destination without repeating its address."""
    text = f"{destination.channel}\0{destination.address}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def mask_address(destination: Destination) -> str:
    """Return an address without what may be secret in it.

    >>> mask_address(Destination(channel="own", address="mailtos://ann:pw@smtp.example.com?to=x@y.z"))
    'mailtos://smtp.example.com/…'
    """
    if "://" not in destination.address:
        return destination.address
    parts = urlsplit(destination.address)
    return f"{parts.scheme}://{parts.hostname or ''}/…"


def browser_name(user_agent: str) -> str:
    """Return what to call a browser.

    >>> browser_name("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
    'Firefox on Linux'
    """
    browser = next((name for mark, name in _BROWSERS if mark in user_agent), "Browser")
    system = next((name for mark, name in _SYSTEMS if mark in user_agent), "")
    return f"{browser} on {system}" if system else browser
