"""The inverse of each kind of change, in one table: a description, and the change itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from interlock.access.keys import AccessKey
from interlock.access.people import SHUT_OUT
from interlock.approval.restored_grants import check_revoked_grant, restore_grant
from interlock.audit.chain import Transaction
from interlock.audit.record import Record
from interlock.audit.stored_settings import save_setting
from interlock.config.channels import find_channel_problems
from interlock.errors import ConflictError, InterlockError, InvalidFieldsError, MissingError
from interlock.sanitise import plain
from interlock.server.administration.targets import AdministeredStore, Inverse
from interlock.store.clock import format_time


def _undo_person_addition(_: AdministeredStore, record: Record) -> Inverse:
    name = str(record.name)

    def make(things: AdministeredStore, actor: str) -> object:
        return things.people.change(name, actor, keep_admin=True, undoes=record.seq, state=SHUT_OUT)

    return Inverse(f"Suspend `{name}`. Their name stays on record.", make)


def _undo_person_change(_: AdministeredStore, record: Record) -> Inverse:
    name, before = str(record.name), record.data.get("before") or {}
    if "password" in record.data.get("changed", ()):
        raise ConflictError("a password cannot be restored; create a sign-in link instead")
    if not before:
        raise ConflictError("the previous value is not on record; change it back by hand")
    words = [f"the {field} `{value}`" for field, value in sorted(before.items())]

    def make(things: AdministeredStore, actor: str) -> object:
        return things.people.change(name, actor, keep_admin=True, undoes=record.seq, **before)

    return Inverse(f"Give `{name}` {' and '.join(words)} again.", make)


def _undo_key_creation(_: AdministeredStore, record: Record) -> Inverse:
    return Inverse(
        f"Revoke key `{record.data.get('name')}`. Programs that use it are refused at once.",
        lambda things, actor: things.keys.revoke(str(record.name), actor, undoes=record.seq),
    )


def _undo_key_change(_: AdministeredStore, record: Record) -> Inverse:
    before = record.data.get("before")
    if before is None:
        raise ConflictError("the previous value is not on record; change it back by hand")
    return Inverse(
        f"Give key `{record.data.get('name')}` the pins and the observation that it had before.",
        lambda things, actor: things.keys.restore(str(record.name), actor, before, undoes=record.seq),
    )


def _undo_key_revocation(things: AdministeredStore, record: Record) -> Inverse:
    key_id = str(record.name)

    def check_owner(transaction: Transaction, key: AccessKey) -> None:
        if things.people.effective_role(transaction, key.owner, key.role) is None:
            owner = plain(key.owner)
            raise ConflictError(f"the owner of the key, `{owner}`, is suspended; reactivate them first")

    key = things.keys.check_revoked(key_id, record.seq, check_owner)
    until = "until it is revoked" if key.expires_at is None else f"until {format_time(key.expires_at)} UTC"
    restored = f"key `{plain(key.name)}` ({key.role.value}, owner {plain(key.owner)}) with the same secret, {until}"
    return Inverse(
        f"Restore {restored}. Everyone who has its secret can use it at once; if others may know the secret, "
        "create a new key instead.",
        lambda things, actor: things.keys.restore_revoked(key_id, actor, check_owner, undoes=record.seq),
        restored,
    )


def _undo_grant_revocation(things: AdministeredStore, record: Record) -> Inverse:
    grant_id = str(record.name)
    grant = check_revoked_grant(things.journal, grant_id, record.seq)
    until = "until it is revoked" if grant.expires_at is None else f"until {format_time(grant.expires_at)} UTC"
    restored = f"the grant of {plain(grant.granted_by)} ({plain(grant.shown)}) {until}"
    return Inverse(
        f"Restore {restored}. Actions that it covers run without asking again; those of your own agents, "
        "only where you may approve them yourself.",
        lambda things, actor: restore_grant(things.journal, grant_id, actor, undoes=record.seq),
        restored,
    )


def _undo_grant_restoration(_: AdministeredStore, record: Record) -> Inverse:
    return Inverse(
        "Revoke the grant again. The actions that it covered need approval.",
        lambda things, actor: things.grants.revoke(str(record.name), actor, undoes=record.seq),
    )


def _undo_channel_creation(_: AdministeredStore, record: Record) -> Inverse:
    name = record.data.get("channel")
    return _restore_channel(record, {}, f"Remove channel `{name}`. No more messages are sent through it.")


def _undo_channel_change(_: AdministeredStore, record: Record) -> Inverse:
    if "secrets" in (record.data.get("changed") or ()):
        return _channel_with_secrets(record)
    before, name = record.data.get("before") or {}, record.data.get("channel")
    words = "".join(f", {key} {value}" for key, value in sorted((before.get("settings") or {}).items()))
    return _restore_channel(record, before, f"Make channel `{name}` {before.get('state')} again{words}.")


def _channel_with_secrets(record: Record) -> Inverse:
    """Return the opposite of a change that replaced secrets of a channel; the previous ones have to be entered."""
    before, name = record.data.get("before") or {}, record.data.get("channel")
    had = before.get("secrets", record.data.get("secrets") or ())
    asks = tuple(one for one in record.data.get("replaced") or had if one in had)
    words = " and ".join(name_secret(one) for one in asks)
    settings = "its previous settings" if "settings" in record.data["changed"] else ""

    def make(things: AdministeredStore, actor: str, entered: Mapping[str, str]) -> object:
        table = {"kind": record.data.get("channelKind"), **entered}
        found = find_channel_problems(str(name), table, stored=True)
        if problems := {problem.key: problem.message for problem in found if problem.key in entered}:
            raise InvalidFieldsError(problems)
        restore = things.channels.restore
        return restore(str(record.name), actor, before, undoes=record.seq, entered=entered)

    back = " and ".join(filter(None, (settings, f"its previous {words}")))
    does = f"Give channel `{name}` {back}. Replaced secrets are not stored: enter the previous {words} again."
    if not asks:
        does = f"Remove the {name_secret((record.data.get('replaced') or ['secret'])[0])} of channel `{name}` again."
    return Inverse(does, lambda things, actor: make(things, actor, {}), asks=asks, make_with=make)


def name_secret(key: str) -> str:
    """Return a secret of a channel in words.

    >>> name_secret("signing_secret"), name_secret("url")
    ('signing secret', 'URL')
    """
    return key.replace("_", " ").replace("url", "URL")


def _undo_channel_removal(_: AdministeredStore, record: Record) -> Inverse:
    before, name = record.data.get("before") or {}, record.data.get("channel")
    return _restore_channel(record, before, f"Restore channel `{name}` with its secrets; it is {before.get('state')}.")


def _restore_channel(record: Record, before: dict[str, object], does: str) -> Inverse:
    channel_id = str(record.name)
    return Inverse(does, lambda things, actor: things.channels.restore(channel_id, actor, before, undoes=record.seq))


def _undo_webhook_creation(_: AdministeredStore, record: Record) -> Inverse:
    return Inverse(
        f"Remove the webhook to `{record.data.get('to')}`. Queued deliveries will fail.",
        lambda things, actor: things.webhooks.remove(str(record.name), actor, undoes=record.seq),
    )


def _undo_webhook_change(_: AdministeredStore, record: Record) -> Inverse:
    changed, before = record.data.get("changed") or (), record.data.get("before")
    if "secret" in changed:
        raise ConflictError("the previous secret is not on record; create another new one if you need to")
    if "url" in changed and before is not None:
        return _webhook_with_url(record, before)
    return _restore_webhook(record, before)


def _webhook_with_url(record: Record, before: dict[str, object]) -> Inverse:
    """Return the opposite of a change of a webhook's URL; the previous one has to be entered."""

    def make(things: AdministeredStore, actor: str, entered: Mapping[str, str]) -> object:
        try:
            return things.webhooks.restore(str(record.name), actor, before, undoes=record.seq, url=entered["url"])
        except (ConflictError, MissingError):
            raise
        except InterlockError as error:
            raise InvalidFieldsError({"url": str(error)}) from None

    does = (
        f"Give the webhook that now sends to `{record.data.get('to')}` its previous URL. It is not stored, because its "
        "path may hold a secret: enter it again."
    )
    return Inverse(does, lambda things, actor: make(things, actor, {}), asks=("url",), make_with=make)


def _restore_webhook(record: Record, before: dict[str, object] | None) -> Inverse:
    if before is None:
        raise ConflictError("the previous value is not on record; change it back by hand")
    kinds = before.get("kinds")
    shown = ", ".join(map(str, kinds)) if isinstance(kinds, list) else ""
    webhooks = str(record.name)
    return Inverse(
        f"Make the webhook to `{record.data.get('to')}` {before.get('state')} again, for {shown}.",
        lambda things, actor: things.webhooks.restore(webhooks, actor, before, undoes=record.seq),
    )


def _undo_webhook_removal(_: AdministeredStore, record: Record) -> Inverse:
    return _restore_webhook(record, record.data.get("before"))


def _undo_setting_change(_: AdministeredStore, record: Record) -> Inverse:
    name, before = str(record.name), dict(record.data.get("before") or {})
    shown = ", ".join(f"{key} = {value}" for key, value in sorted(before.items())) or "the defaults"

    def make(things: AdministeredStore, actor: str) -> object:
        return save_setting(things.journal, name, before, actor, known=record.seq, undoes=record.seq)

    return Inverse(f"Set the {name} to {shown} again.", make)


INVERSES: dict[str, Callable[[AdministeredStore, Record], Inverse]] = {
    "person.added": _undo_person_addition,
    "person.changed": _undo_person_change,
    "access.made": _undo_key_creation,
    "access.changed": _undo_key_change,
    "access.revoked": _undo_key_revocation,
    "access.restored": _undo_key_creation,
    "grant.revoked": _undo_grant_revocation,
    "grant.restored": _undo_grant_restoration,
    "channel.made": _undo_channel_creation,
    "channel.changed": _undo_channel_change,
    "channel.removed": _undo_channel_removal,
    "webhook.made": _undo_webhook_creation,
    "webhook.changed": _undo_webhook_change,
    "webhook.removed": _undo_webhook_removal,
    "setting.changed": _undo_setting_change,
}
