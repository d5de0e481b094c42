"""Settings in the store: changed in the browser, and in force unless a configuration file sets them."""

from __future__ import annotations

from typing import Any

import msgspec

from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.record import Entry
from interlock.audit.rows import check_row, write_row
from interlock.config.schema import Config
from interlock.config.settings import RetentionSettings
from interlock.errors import ConflictError
from interlock.model import Struct
from interlock.store.clock import now_in
from interlock.store.connection import Row
from interlock.store.tables import settings

RETENTION = "retention"
_BY_NAME = "SELECT * FROM interlock_settings WHERE name = :name"
#: The state of a setting that is in the store but empty: the defaults apply.
NOTHING: dict[str, Any] = {}


class StoredSetting(Struct, frozen=True, kw_only=True):
    """A setting in the store: its values, and who changed them last."""

    name: str
    values: dict[str, Any]
    changed_by: str
    changed_at: int
    seq: int


def read_setting(journal: Journal, name: str) -> StoredSetting | None:
    """Return a setting, or None; raise if its row was altered outside Interlock."""
    with journal.database.read() as connection:
        if connection.row(_BY_NAME, name=name) is None:
            return None  # most stores have none, and need no transaction

    def operation(transaction: Transaction) -> StoredSetting | None:
        found = _find(transaction, name)
        return None if found is None else _setting_of(found)

    return journal.commit(operation)


def save_setting(
    journal: Journal, name: str, values: dict[str, Any], actor: str, *, known: int, undoes: int | None = None
) -> StoredSetting:
    """Save a setting. `known` is the record of the version that the change is based on, or 0 for none.

    Raise if it was changed since then.
    """

    def operation(transaction: Transaction) -> StoredSetting:
        found = _find(transaction, name)
        if (0 if found is None else found["seq"]) != known:
            raise ConflictError(f"the {name} was changed in the meantime; reload the page and try again")
        at = now_in(transaction.connection).wall
        row: dict[str, Any] = {"name": name, "value": msgspec.json.encode(values, order="sorted").decode()}
        row |= {"changed_by": actor, "changed_at": at}
        data: dict[str, Any] = {"before": NOTHING if found is None else msgspec.json.decode(found["value"])}
        data["after"] = values
        if undoes is not None:
            data["undoes"] = undoes
        entry = Entry(kind="setting.changed", at=at, actor=actor, name=name, data=data)
        seq = write_row(transaction, settings, row, entry, new=found is None)
        return _setting_of({**row, "seq": seq})

    return journal.commit(operation)


def retention_in_force(journal: Journal, config: Config) -> RetentionSettings:
    """Return the retention: that of the configuration files if one of them has it, else the one in the store."""
    stored = None if RETENTION in config.given else read_setting(journal, RETENTION)
    return config.retention if stored is None else msgspec.convert(stored.values, RetentionSettings)


def _find(transaction: Transaction, name: str) -> Row | None:
    found = transaction.connection.row(_BY_NAME, name=name)
    if found is not None:
        check_row(transaction, settings, found)
    return found


def _setting_of(row: Row) -> StoredSetting:
    fields = {name: row[name] for name in ("name", "changed_by", "changed_at", "seq")}
    return StoredSetting(**fields, values=msgspec.json.decode(row["value"]))
