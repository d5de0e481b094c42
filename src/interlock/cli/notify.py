"""`interlock notify`: list and change how people are notified of requests, and send test messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from interlock.access.people import People
from interlock.audit.identity import user_name
from interlock.cli.open_store import OpenStore, open_store
from interlock.cli.person import require_person
from interlock.cli.server_address import find_server_address
from interlock.errors import InterlockError
from interlock.sanitise import plain
from interlock.server.notify.channel import ChannelError
from interlock.server.notify.notifier import Notifier
from interlock.server.notify.preferences import Destination, Preferences
from interlock.server.notify.worker import NotificationOptions
from interlock.server.webhooks.address_policy import AddressPolicy
from interlock.show import columns, console, print_json_lines

if TYPE_CHECKING:
    from interlock.cli.commands.notify import PreferenceOptions
    from interlock.cli.commands.options import Store


def list_preferences(store: Store, *, as_json: bool) -> int:
    """Print the channels, and the preferences of all people."""
    with open_store(store.store, store.config) as found:
        notifier = _notifier(found)
        everyone = notifier.preferences.list()
        kinds = {name: settings.kind for name, settings in notifier.channels.settings().items()}
    if as_json:
        print_json_lines([_public(one) for one in everyone])
        return 0
    print("channels: " + ", ".join(["browser", *(f"{name} ({kind})" for name, kind in kinds.items())]))
    if not everyone:
        print("nobody has chosen a channel yet; `interlock notify set --to CHANNEL=ADDRESS` adds one")
        return 0
    table = columns("person", "notified in", "about", "when", "quiet hours")
    for one in everyone:
        where = ", ".join(dict.fromkeys(destination.channel for destination in one.destinations)) or "–"
        table.add_row(plain(one.person), where, _what(one), _when(one), _quiet_hours(one))
    console().print(table)
    return 0


def _public(preferences: Preferences) -> Mapping[str, Any]:
    """Return preferences without the addresses, which may hold secrets."""
    return {**preferences.to_dict(), "destinations": [one.channel for one in preferences.destinations]}


def _what(preferences: Preferences) -> str:
    chosen = (*preferences.levels, *preferences.environments, *preferences.agents)
    named = ("requests that name them",) if preferences.only_named else ()
    return ", ".join(map(plain, (*chosen, *named))) or "everything they may answer"


def _when(preferences: Preferences) -> str:
    if preferences.backup:
        return "if nobody has answered"
    minutes = preferences.escalate_minutes
    return "immediately" if minutes is None else f"immediately; the next person after {minutes} min"


def _quiet_hours(preferences: Preferences) -> str:
    if preferences.quiet_hours is None:
        return "–"
    exception = ", except critical requests in production" if preferences.break_through else ""
    return f"{preferences.quiet_hours}{exception}"


def set_preferences(store: Store, person: str | None, change: PreferenceOptions) -> int:
    """Change the preferences of a person."""
    require_person("notify set")
    name = person or user_name()
    with open_store(store.store, store.config) as found:
        notifier = _notifier(found)
        People(found.journal).get(name)
        saved = notifier.save(apply_changes(notifier.preferences.get(name), change), user_name())
    where = ", ".join(dict.fromkeys(one.channel for one in saved.destinations))
    print(f"{plain(name)} is notified {f'in {where}' if where else 'nowhere'} of {_what(saved)}, {_when(saved)}")
    return 0


def apply_changes(before: Preferences, change: PreferenceOptions) -> Preferences:
    """Return preferences with the changes that options name."""
    fields: dict[str, Any] = {
        name: tuple(filter(None, (word.strip() for word in text.split(","))))
        for name in ("levels", "environments", "agents")
        if (text := getattr(change, name)) is not None
    }
    for name in ("only_named", "backup", "break_through", "weekly_report", "drift"):
        if getattr(change, name) is not None:
            fields[name] = getattr(change, name)
    if change.escalate_after is not None:
        fields["escalate_minutes"] = change.escalate_after or None
    if change.quiet_hours is not None:
        fields["quiet_hours"] = change.quiet_hours.strip() or None
    if change.to:
        kept = tuple(one for one in before.destinations if one.channel == "browser")
        fields["destinations"] = (*map(_destination, change.to), *kept)
    return msgspec.structs.replace(before, **fields)


def _destination(text: str) -> Destination:
    channel, separator, address = text.partition("=")
    if not separator or not address.strip():
        raise InterlockError(
            f"write a channel and an address, as `--to mail=ann@example.com`, found `{plain(text)[:40]}`"
        )
    return Destination(channel=channel.strip(), address=address.strip())


def test_channel(store: Store, channel: str, person: str | None) -> int:
    """Send a test message to each address of a person in a channel."""
    name = person or user_name()
    with open_store(store.store, store.config) as found:
        notifier = _notifier(found)
        notifier.find(channel)
        addresses = [one for one in notifier.preferences.get(name).destinations if one.channel == channel]
        if not addresses:
            raise InterlockError(
                f"`{plain(name)}` has no address in `{channel}`; `interlock notify set --to {channel}=ADDRESS` adds one"
            )
        for one in addresses:
            try:
                notifier.test(name, one)
            except ChannelError as error:
                raise InterlockError(f"the test message was not sent through `{channel}`: {error}") from None
    print(f"{len(addresses)} test message{'s' if len(addresses) > 1 else ''} sent to {plain(name)} through `{channel}`")
    return 0


def _notifier(found: OpenStore) -> Notifier:
    config = found.config
    url, _ = find_server_address(found)
    policy = AddressPolicy(config.server.webhooks_inside)
    return Notifier(found.journal, lambda: config.channels, policy, NotificationOptions(url))
