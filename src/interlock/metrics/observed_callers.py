"""The agents and keys that are only observed now, and how to enforce their verdicts."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

from interlock.access.keys import AccessKey
from interlock.config.settings import ObserveSettings
from interlock.model import Struct
from interlock.store.clock import format_time


class ObservedCaller(Struct, frozen=True, kw_only=True):
    """An agent or a key that is only observed, until when, and how to enforce its verdicts."""

    what: str
    until: int | None
    enforce: str

    def __str__(self) -> str:
        end = "" if self.until is None else f" until {format_time(self.until)} UTC"
        return f"{self.what}{end}"


def list_observed(settings: ObserveSettings, keys: Iterable[AccessKey], at: int) -> list[ObservedCaller]:
    """Return the agents and keys that are only observed at a time."""
    found = []
    if settings.until is None or at < settings.until:
        edit = "remove `[observe]` from your `interlock.toml`, or set its `until`"
        if settings.everything:
            found.append(ObservedCaller(what="everything", until=settings.until, enforce=edit))
        for agent in () if settings.everything else settings.agents:
            remove = f"remove `{agent}` from `observe.agents` in your `interlock.toml`"
            found.append(ObservedCaller(what=f"agent `{agent}`", until=settings.until, enforce=remove))
    for key in keys:
        if key.revoked_at is None and key.observe is not None and key.observe.covers(at):
            enforce = f"`interlock keys enforce {shlex.quote(key.name)}`"
            found.append(ObservedCaller(what=f"key `{key.name}`", until=key.observe.until, enforce=enforce))
    return found
