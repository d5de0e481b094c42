"""Stores with records of several days, and their exports."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.keys import KeyRing, SigningKey
from interlock.audit.record import Entry
from interlock.history.export import DAY, Exporter, ExportResult
from interlock.history.export_place import ExportPlace
from interlock.history.export_verify import ExportReport, verify_export
from interlock.store.database import Database
from interlock.store.migrate import prepare

#: The first day, later than that on which a store is made, in microseconds since 1970.
START = 25_000 * DAY


def new_journal(url: str, own: Path) -> Journal:
    """Return the journal of a new store."""
    database = Database(url)
    prepare(database)
    return Journal(database, SigningKey.at(own), own)


def add_records(journal: Journal, days: Sequence[int], each: int = 5) -> None:
    """Append records of some days, in that order."""

    def operation(transaction: Transaction) -> None:
        for day in days:
            for number in range(each):
                data = {"text": f"call {number} é\u202e", "type": "note"}
                transaction.append(Entry(kind="event", at=START + day * DAY + number, actor="ann", data=data))

    journal.commit(operation)


def export_to(journal: Journal, own: Path, place: str) -> ExportResult:
    """Export the new records of a store to a place."""
    key = SigningKey.at(own)
    return Exporter(journal, key, KeyRing([key.public]), ExportPlace(place), own).run()


def check(place: str, own: Path, *, anchors: bool = False) -> ExportReport:
    """Verify an export with the key of this machine, and perhaps its anchors."""
    return verify_export(ExportPlace(place), KeyRing([SigningKey.at(own).public]), folder=own if anchors else None)
