"""Undoing a change: the opposite change, recorded as a new one."""

from __future__ import annotations

from interlock.errors import ConflictError, MissingError
from interlock.server.administration.administered import Administered, Inverse, administered
from interlock.server.administration.changes import find_change
from interlock.server.administration.inverses import INVERSES
from interlock.server.administration.people import check_not_self
from interlock.server.service import Service


def plan_undo(things: Administered, record_id: str, actor: str) -> Inverse:
    """Return the opposite of a change, or raise with why there is none, or why it is not for this person to make."""
    record = find_change(things.journal.database, record_id)
    if record.kind.startswith("person."):
        check_not_self(str(record.name), actor)
    return INVERSES[record.kind](things, record)


def undo(things: Administered, record_id: str, actor: str, *, confirmed: bool) -> Inverse:
    """Make the opposite of a change, unless the same thing has changed since; return what was done."""
    inverse = plan_undo(things, record_id, actor)
    if inverse.restores and not confirmed:
        raise ConflictError(f"this restores {inverse.restores}; confirm that to undo the change")
    inverse.make(things, actor)
    return inverse


def why_not(things: Administered, record_id: str, actor: str) -> str:
    """Return why a change cannot be undone, or an empty text if it can."""
    try:
        plan_undo(things, record_id, actor)
    except (ConflictError, MissingError) as error:
        return str(error)
    return ""


def undo_at(service: Service, record_id: str, actor: str, *, confirmed: bool) -> Inverse:
    """Undo a change at a server, which looks up its callers again."""
    done = undo(administered(service), record_id, actor, confirmed=confirmed)
    service.authenticator.clear_cache()
    return done
