"""Undoing a change: the opposite change, recorded as a new one. Each kind of change has its inverse in one table."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from interlock.access.people import SHUT_OUT
from interlock.audit.record import Record
from interlock.audit.stored_settings import save_setting
from interlock.errors import ConflictError
from interlock.server.administration.changes import find_change
from interlock.server.administration.people import check_not_self
from interlock.server.service import Service


class Inverse(NamedTuple):
    """The opposite of a change: a sentence that says what it does, and the change itself."""

    does: str
    make: Callable[[Service, str], object]


def plan_undo(service: Service, record_id: str, actor: str) -> Inverse:
    """Return the opposite of a change, or raise with why there is none, or why it is not for this person to make."""
    record = find_change(service.journal.database, record_id)
    if record.kind.startswith("person."):
        check_not_self(str(record.name), actor)
    return _INVERSES[record.kind](record)


def undo(service: Service, record_id: str, actor: str) -> None:
    """Make the opposite of a change, unless the same thing has changed since."""
    plan_undo(service, record_id, actor).make(service, actor)
    service.authenticator.clear_cache()


def why_not(service: Service, record_id: str, actor: str) -> str:
    """Return why a change cannot be undone, or an empty text if it can."""
    try:
        plan_undo(service, record_id, actor)
    except ConflictError as error:
        return str(error)
    return ""


def _person_added(record: Record) -> Inverse:
    name = str(record.name)

    def make(service: Service, actor: str) -> object:
        people = service.authenticator.people
        return people.change(name, actor, keep_admin=True, undoes=record.seq, state=SHUT_OUT)

    return Inverse(f"Suspend `{name}`. Their name stays on record.", make)


def _person_changed(record: Record) -> Inverse:
    name, before = str(record.name), record.data.get("before") or {}
    if "password" in record.data.get("changed", ()):
        raise ConflictError("a password cannot be restored; create a sign-in link instead")
    if not before:
        raise ConflictError("the previous value is not on record; change it back by hand")
    words = [f"the {field} `{value}`" for field, value in sorted(before.items())]

    def make(service: Service, actor: str) -> object:
        return service.authenticator.people.change(name, actor, keep_admin=True, undoes=record.seq, **before)

    return Inverse(f"Give `{name}` {' and '.join(words)} again.", make)


def _key_made(record: Record) -> Inverse:
    return Inverse(
        f"Revoke key `{record.data.get('name')}`. Programs that use it are refused at once.",
        lambda service, actor: service.authenticator.keys.revoke(str(record.name), actor, undoes=record.seq),
    )


def _key_changed(record: Record) -> Inverse:
    before = record.data.get("before")
    if before is None:
        raise ConflictError("the previous value is not on record; change it back by hand")
    return Inverse(
        f"Give key `{record.data.get('name')}` the pins and the observation that it had before.",
        lambda service, actor: service.authenticator.keys.restore(str(record.name), actor, before, undoes=record.seq),
    )


def _key_revoked(_: Record) -> Inverse:
    raise ConflictError("a revoked key stays revoked, because its secret may be known; create a similar key")


def _webhook_made(record: Record) -> Inverse:
    return Inverse(
        f"Remove the webhook to `{record.data.get('to')}`. Queued deliveries will fail.",
        lambda service, actor: service.webhook_worker.webhooks.remove(str(record.name), actor, undoes=record.seq),
    )


def _webhook_changed(record: Record) -> Inverse:
    changed, before = record.data.get("changed") or (), record.data.get("before")
    if "url" in changed:
        raise ConflictError(
            "the previous URL is not on record, because its path may contain a secret; change it back by hand"
        )
    if "secret" in changed:
        raise ConflictError("the previous secret is not on record; create another new one if you need to")
    return _restore_webhook(record, before)


def _restore_webhook(record: Record, before: dict[str, object] | None) -> Inverse:
    if before is None:
        raise ConflictError("the previous value is not on record; change it back by hand")
    kinds = before.get("kinds")
    shown = ", ".join(map(str, kinds)) if isinstance(kinds, list) else ""
    webhooks = str(record.name)
    return Inverse(
        f"Make the webhook to `{record.data.get('to')}` {before.get('state')} again, for {shown}.",
        lambda service, actor: service.webhook_worker.webhooks.restore(webhooks, actor, before, undoes=record.seq),
    )


def _webhook_removed(record: Record) -> Inverse:
    return _restore_webhook(record, record.data.get("before"))


def _setting_changed(record: Record) -> Inverse:
    name, before = str(record.name), dict(record.data.get("before") or {})
    shown = ", ".join(f"{key} = {value}" for key, value in sorted(before.items())) or "the defaults"

    def make(service: Service, actor: str) -> object:
        return save_setting(service.journal, name, before, actor, known=record.seq, undoes=record.seq)

    return Inverse(f"Set the {name} to {shown} again.", make)


_INVERSES: dict[str, Callable[[Record], Inverse]] = {
    "person.added": _person_added,
    "person.changed": _person_changed,
    "access.made": _key_made,
    "access.changed": _key_changed,
    "access.revoked": _key_revoked,
    "webhook.made": _webhook_made,
    "webhook.changed": _webhook_changed,
    "webhook.removed": _webhook_removed,
    "setting.changed": _setting_changed,
}
