"""Undo a change by its inverse, which is recorded as a new change."""

from __future__ import annotations

from collections.abc import Mapping

from interlock.errors import ConflictError, InvalidFieldsError, MissingError
from interlock.server.administration.changes import find_change
from interlock.server.administration.channel_changes import check_restored
from interlock.server.administration.inverses import INVERSES
from interlock.server.administration.people import check_not_self
from interlock.server.administration.targets import AdministeredStore, Inverse, collect_administered
from interlock.server.service import Service


def plan_undo(things: AdministeredStore, record_id: str, actor: str) -> Inverse:
    """Return the opposite of a change, or raise with why there is none, or why it is not for this person to make."""
    record = find_change(things.journal.database, record_id)
    if record.kind.startswith("person."):
        check_not_self(str(record.name), actor)
    return INVERSES[record.kind](things, record)


def undo(
    things: AdministeredStore, record_id: str, actor: str, *, confirmed: bool, secrets: Mapping[str, str] | None = None
) -> Inverse:
    """Make the opposite of a change, unless the same thing has changed since; return what was done.

    `secrets` are those that it asks for.
    """
    inverse = plan_undo(things, record_id, actor)
    if inverse.restores and not confirmed:
        raise ConflictError(f"this restores {inverse.restores}; confirm that to undo the change")
    given = secrets or {}
    _check_secrets(inverse, given)
    if inverse.make_with is not None:
        inverse.make_with(things, actor, given)
    else:
        inverse.make(things, actor)
    return inverse


def _check_secrets(inverse: Inverse, given: Mapping[str, str]) -> None:
    """Raise unless exactly the secrets are given that a change asks for."""
    missing = dict.fromkeys(
        inverse.asks, "enter the previous value again; it is not stored, because it is a secret or may hold one"
    )
    unknown = {name: "undoing this change does not take this value" for name in given if name not in inverse.asks}
    if problems := {
        name: why for name, why in {**missing, **unknown}.items() if name in unknown or not given.get(name)
    }:
        raise InvalidFieldsError(problems)


def find_undo_obstacle(things: AdministeredStore, record_id: str, actor: str) -> str:
    """Return why a change cannot be undone, or an empty text if it can."""
    try:
        plan_undo(things, record_id, actor)
    except (ConflictError, MissingError) as error:
        return str(error)
    return ""


def undo_at(
    service: Service, record_id: str, actor: str, *, confirmed: bool, secrets: Mapping[str, str] | None = None
) -> Inverse:
    """Undo a change at a server, which looks up its callers again."""
    things = collect_administered(service)
    if secrets:
        _check_secrets(plan_undo(things, record_id, actor), secrets)
        record = find_change(service.journal.database, record_id)
        if record.kind.startswith("channel."):
            check_restored(service, str(record.data.get("channel")), record.data.get("before") or {}, secrets)
    done = undo(things, record_id, actor, confirmed=confirmed, secrets=secrets)
    service.authenticator.clear_cache()
    return done
