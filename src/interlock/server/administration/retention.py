"""The retention: how long records are kept, what would be removed now, and changes of it in the browser."""

from __future__ import annotations

from typing import Any

import msgspec

from interlock.audit.read import parse_record
from interlock.audit.retention import DAY
from interlock.audit.stored_settings import RETENTION, read_setting, retention_in_force, save_setting
from interlock.config.settings import RetentionSettings
from interlock.errors import ConflictError, InterlockError
from interlock.server.administration.change_descriptions import RETENTION_LABELS
from interlock.server.administration.store_size import StoreSize, count_older, read_size
from interlock.server.service import Service
from interlock.server.webhooks.delivery import KEPT_SECONDS
from interlock.store.clock import now_in

#: The highest number of each setting.
MAX_NUMBERS = {"idle_hours": 87_600, "keep_days": 36_500, "at_least_days": 36_500}
DELIVERY_DAYS = KEPT_SECONDS // 86_400


class RetentionState(msgspec.Struct, frozen=True, kw_only=True):
    """The retention in force, where it is set, what it would remove now, and its last run.

    `file` names the configuration file that sets it, and `known` is the record of the stored version, or 0.
    """

    settings: RetentionSettings
    file: str | None
    known: int
    size: StoreSize
    expired: int
    pruned_at: int | None
    pruned: int


def read_retention(service: Service) -> RetentionState:
    """Return the state of the retention."""
    config = service.gate.config
    stored = None if RETENTION in config.given else read_setting(service.journal, RETENTION)
    settings = retention_in_force(service.journal, config)
    last = "SELECT body, hash FROM interlock_records WHERE kind = 'prune' ORDER BY seq DESC LIMIT 1"
    with service.journal.database.read() as connection:
        size = read_size(service.journal.database, connection)
        rows = connection.tuples(last)
        expired = count_expired(connection, settings)
    record = parse_record(*rows[0]).record if rows else None
    return RetentionState(
        settings=settings,
        file=find_file(service) if RETENTION in config.given else None,
        known=0 if stored is None else stored.seq,
        size=size,
        expired=expired,
        pruned_at=record.at if record else None,
        pruned=int(record.data.get("removed", 0)) if record else 0,
    )


def find_file(service: Service) -> str | None:
    """Return the file and the line that set the retention."""
    for layer in reversed(service.gate.configuration.layers):
        if layer.sets((RETENTION,)):
            line = layer.document.line((RETENTION,))
            return f"{layer.document.file}:{line}" if line else layer.document.file
    return None


def count_expired(connection: Any, settings: RetentionSettings) -> int:
    """Return about how many records a retention would remove now."""
    if not settings.keep_days:
        return 0
    days = max(settings.keep_days, settings.at_least_days)
    return count_older(connection, now_in(connection).wall - days * DAY)


def parse_retention(fields: dict[str, str]) -> RetentionSettings:
    """Return the retention that a form describes, or raise."""
    found = {}
    for name, most in MAX_NUMBERS.items():
        text = fields[name]
        if not (text.isascii() and text.isdigit()) or len(text) > 6 or int(text) > most:
            instead = f"found `{text[:20]}`" if text else "and is empty"
            raise InterlockError(f"“{RETENTION_LABELS[name]}” must be a whole number from 0 to {most:,}, {instead}")
        found[name] = int(text)
    settings = RetentionSettings(**found)
    if settings.keep_days and settings.keep_days < settings.at_least_days:
        raise InterlockError(
            f"“{RETENTION_LABELS['keep_days']}” must be 0 or at least {settings.at_least_days}, "
            f"as “{RETENTION_LABELS['at_least_days']}” says"
        )
    return settings


def change_retention(service: Service, settings: RetentionSettings, known: int, actor: str) -> None:
    """Store a retention. `known` is the record of the version that the form showed."""
    if RETENTION in service.gate.config.given:
        raise ConflictError(f"retention is set in `{find_file(service)}`; change it there")
    save_setting(service.journal, RETENTION, msgspec.to_builtins(settings), actor, known=known)


def preview_retention(service: Service, settings: RetentionSettings) -> int:
    """Return about how many records a retention would remove now."""
    with service.journal.database.read() as connection:
        return count_expired(connection, settings)
