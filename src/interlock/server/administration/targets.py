"""Everything that can be administered, at a server or in a store that a command has opened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from interlock.access.keys import AccessKeys
from interlock.access.people import People
from interlock.approval.grants import Grants
from interlock.audit.journal import Journal
from interlock.server.notify.stored_channels import StoredChannels
from interlock.server.service import Service
from interlock.server.webhooks.webhook import Webhooks


class AdministeredStore(NamedTuple):
    """The people, keys, webhooks, channels and grants of a store."""

    journal: Journal
    people: People
    keys: AccessKeys
    webhooks: Webhooks
    channels: StoredChannels
    grants: Grants


class Inverse(NamedTuple):
    """The opposite of a change: a sentence that says what it does, the change itself, and what it gives back.

    What `restores` names can be used again at once, so it has to be confirmed. Replaced secrets
    are not stored, so the person enters those that it `asks` for; `make_with` takes them.
    """

    does: str
    make: Callable[[AdministeredStore, str], object]
    restores: str = ""
    asks: tuple[str, ...] = ()
    make_with: Callable[[AdministeredStore, str, Mapping[str, str]], object] | None = None


def collect_administered(service: Service) -> AdministeredStore:
    """Return what can be administered at a server."""
    access, notifier = service.authenticator, service.notifier
    webhooks, grants = service.webhook_worker.webhooks, service.gate.grants
    return AdministeredStore(service.journal, access.people, access.keys, webhooks, notifier.stored_channels, grants)
