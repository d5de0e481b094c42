"""The recent changes of a page, and for each whether it can be undone."""

from __future__ import annotations

import msgspec

from interlock.server.administration.changes import Change, list_changes
from interlock.server.administration.targets import AdministeredStore, collect_administered
from interlock.server.administration.undo import find_undo_obstacle
from interlock.server.service import Service


class RecentChange(msgspec.Struct, frozen=True):
    """A change, and why it cannot be undone; an empty text if it can."""

    change: Change
    cannot: str


def recent_changes(service: Service, reader: str, page: str, name: str | None = None) -> list[RecentChange]:
    """Return the newest changes of the things of a page, or of one of them, for the person who reads it."""
    found = list_changes(service.journal.database, page, name)
    return [RecentChange(change, find_obstacle(collect_administered(service), change, reader)) for change in found]


def find_obstacle(things: AdministeredStore, change: Change, reader: str) -> str:
    """Return why a change cannot be undone, or an empty text if it can."""
    return find_undo_obstacle(things, change.record_id, reader) if change.is_newest else "there is a newer change"
