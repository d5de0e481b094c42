"""Notification preferences: of what, where and when a person is notified. Every change is recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.record import Entry, canonical
from interlock.audit.rows import check_row, write_row
from interlock.errors import InterlockError, TamperedError, nearest
from interlock.levels import Level
from interlock.model import Struct
from interlock.policy.hours import parse_hours
from interlock.sanitise import plain
from interlock.store.clock import MICROSECONDS, now_in
from interlock.store.tables import preferences as preferences_table

MAX_DESTINATIONS, MAX_NAMES, MAX_TEXT, MAX_MINUTES = 20, 50, 2_000, 7 * 24 * 60
LEVELS = tuple(level.value for level in Level)
_BY_PERSON = "SELECT * FROM interlock_preferences WHERE person = :person"


class Destination(Struct, frozen=True, kw_only=True):
    """A channel, and the address of a person in it."""

    channel: str
    address: str


class Preferences(Struct, frozen=True, kw_only=True):
    """The preferences of a person. An empty list of levels, environments or agents means all of them.

    `only_named` limits them to requests that name the person or one of their roles. A `backup` is notified only if the
    others have not answered in time: after their `escalate_minutes`, or when half of the time is over. Messages wait
    until `quiet_hours` are over; with `break_through`, critical requests in production do not wait. A `weekly_report`
    is sent after each week; with `drift`, changes in the behaviour of agents are.
    """

    person: str
    destinations: tuple[Destination, ...] = ()
    levels: tuple[str, ...] = ()
    environments: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    only_named: bool = False
    backup: bool = False
    escalate_minutes: int | None = None
    quiet_hours: str | None = None
    break_through: bool = False
    weekly_report: bool = False
    drift: bool = False

    def is_quiet(self, at: int) -> bool:
        """Whether a time is within the quiet hours."""
        if self.quiet_hours is None:
            return False
        return parse_hours(self.quiet_hours).include(datetime.fromtimestamp(at / MICROSECONDS, UTC))


def check_preferences(given: Preferences) -> Preferences:
    """Return preferences as they are stored, or raise and say what to write instead."""
    for level in given.levels:
        if level not in LEVELS:
            raise InterlockError(f"unknown level `{plain(level)[:40]}`{nearest(level, LEVELS)}")
    for names in (given.environments, given.agents):
        if len(names) > MAX_NAMES or any(not _is_text(name, 200) for name in names):
            raise InterlockError(f"list at most {MAX_NAMES} names, each of up to 200 printable characters")
    if len(given.destinations) > MAX_DESTINATIONS:
        raise InterlockError(f"list at most {MAX_DESTINATIONS} destinations, found {len(given.destinations)}")
    for one in given.destinations:
        if not _is_text(one.address, MAX_TEXT):
            raise InterlockError(f"the address for `{one.channel}` must be printable text without spaces at its ends")
    if given.escalate_minutes is not None and not 1 <= given.escalate_minutes <= MAX_MINUTES:
        raise InterlockError(f"escalate after 1 to {MAX_MINUTES:,} minutes, found {given.escalate_minutes}")
    if given.quiet_hours is not None:
        parse_hours(given.quiet_hours)
    return msgspec.structs.replace(given, destinations=tuple(dict.fromkeys(given.destinations)))


def _is_text(text: str, most: int) -> bool:
    return 0 < len(text) <= most and text.isprintable() and text == text.strip()


class PreferenceRepository:
    """The preferences of the people of a store."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def get(self, person: str) -> Preferences:
        """Return the preferences of a person, who is not notified unless they have chosen a destination."""
        with self._journal.database.read() as connection:
            row = connection.row(_BY_PERSON, person=person)
        return Preferences(person=person) if row is None else _from_row(row)

    def list(self) -> list[Preferences]:
        """Return all preferences, sorted by person."""
        with self._journal.database.read() as connection:
            return [_from_row(row) for row in connection.rows("SELECT * FROM interlock_preferences ORDER BY person")]

    def save(self, given: Preferences, actor: str) -> Preferences:
        """Store the preferences of a person."""
        checked = check_preferences(given)
        return self._journal.commit(lambda transaction: write_preferences(transaction, checked, actor))

    def change(self, person: str, actor: str, change: Callable[[Preferences], Preferences]) -> Preferences:
        """Store what `change` makes of the preferences of a person, in one transaction."""

        def operation(transaction: Transaction) -> Preferences:
            changed = check_preferences(change(read_preferences(transaction, person)))
            return write_preferences(transaction, changed, actor)

        return self._journal.commit(operation)


def read_preferences(transaction: Transaction, person: str) -> Preferences:
    """Return the preferences of a person, after checking them against their record."""
    row = transaction.connection.row(_BY_PERSON, person=person)
    if row is None:
        return Preferences(person=person)
    check_row(transaction, preferences_table, row)
    return _from_row(row)


def write_preferences(transaction: Transaction, given: Preferences, actor: str) -> Preferences:
    """Write the preferences of a person. Addresses may hold secrets, so the record names the channels alone."""
    connection, at = transaction.connection, now_in(transaction.connection).wall
    before = connection.row(_BY_PERSON, person=given.person)
    row = {"person": given.person, "body": canonical(given).decode(), "changed_at": at, "changed_by": actor}
    data = {**given.to_dict(), "destinations": [one.channel for one in given.destinations]}
    entry = Entry(kind="preferences.saved", at=at, actor=actor, name=given.person, data=data)
    write_row(transaction, preferences_table, row, entry, new=before is None)
    return given


def _from_row(row: Mapping[str, Any]) -> Preferences:
    try:
        found = msgspec.json.decode(row["body"], type=Preferences)
    except (msgspec.DecodeError, TypeError):
        found = None
    if found is None or found.person != row["person"]:
        who = plain(str(row["person"]))
        raise TamperedError(f"the preferences of `{who}` cannot be read; run `interlock audit verify`")
    return found
