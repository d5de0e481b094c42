"""The channels in force: those of the configuration files, and those of the store under names that no file has."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any

import msgspec

from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.rows import check_row
from interlock.config.channels import ChannelSettings
from interlock.errors import TamperedError
from interlock.server.notify.stored_channels import PAUSED, read_secrets
from interlock.server.notify.stored_settings import StoredSettings
from interlock.store.tables import channels

_ROWS = "SELECT * FROM interlock_channels WHERE state <> 'removed' ORDER BY name"
_LOG = logging.getLogger("interlock.server")


class ChannelsInForce:
    """Reads the stored channels whenever they are asked for, so that every server follows a change at once.

    Only rows that differ from those seen before are checked against their records, which takes a transaction.
    """

    def __init__(self, journal: Journal, of_files: Callable[[], Mapping[str, ChannelSettings]]) -> None:
        self._journal, self._of_files = journal, of_files
        self._lock = Lock()
        self._rows: list[dict[str, Any]] = []
        self._stored: dict[str, StoredSettings] = {}

    def __call__(self) -> Mapping[str, ChannelSettings]:
        """Return the settings of all channels. A file is stronger than the store."""
        return {**self._follow(), **self._of_files()}

    def list_shadowed(self) -> list[str]:
        """Return the names of stored channels that are not used, because a file has the same name."""
        return sorted(self._follow().keys() & self._of_files().keys())

    def _follow(self) -> dict[str, StoredSettings]:
        with self._journal.database.read() as connection:
            rows = connection.rows(_ROWS)
        with self._lock:
            if rows != self._rows:
                self._rows, self._stored = self._journal.commit(_read_all)
            return self._stored


def _read_all(transaction: Transaction) -> tuple[list[dict[str, Any]], dict[str, StoredSettings]]:
    """Return the rows as they are now, and their settings."""
    rows = transaction.connection.rows(_ROWS)
    return rows, {str(row["name"]): _read(transaction, row) for row in rows}


def _read(transaction: Transaction, row: dict[str, Any]) -> StoredSettings:
    """Return the settings in a row. Those of a row that was altered outside Interlock are not used."""
    name, kind = str(row["name"]), str(row["kind"])
    try:
        check_row(transaction, channels, row)
    except TamperedError as error:
        _LOG.error("channel `%s` is not available: %s", name, error)
        return StoredSettings(name=name, kind=kind, unusable=str(error))
    return StoredSettings(
        name=name,
        kind=kind,
        values=msgspec.json.decode(row["settings"]),
        secrets=read_secrets(row),
        unusable="it is paused" if row["state"] == PAUSED else "",
        is_paused=row["state"] == PAUSED,
    )
