"""Change stored channels. A change is checked like a configuration file, with all errors at once, and then stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from interlock.config.channels import CHANNEL_KINDS, describe_problem, find_channel_problems
from interlock.errors import InterlockError, InvalidFieldsError
from interlock.model import Struct
from interlock.server.administration.channels import find_origins
from interlock.server.notify.notifier import Notifier
from interlock.server.notify.stored_channels import StoredChannel
from interlock.server.notify.stored_settings import StoredSettings
from interlock.server.service import Service

_OTHER_ADDRESS = "enter it again, since it would be sent to another address"


class ChannelInput(Struct, frozen=True, kw_only=True):
    """A channel as a person or a program describes it. Of a change, secrets that are missing are kept."""

    name: str
    kind: str
    settings: Mapping[str, str] = {}
    secrets: Mapping[str, str] = {}


def add_channel(service: Service, given: ChannelInput, actor: str) -> StoredChannel:
    """Add a channel, or raise with everything that is wrong with it."""
    notifier = service.notifier
    problems = _find_problems(notifier, given)
    if "name" not in problems and given.name in notifier.in_force():
        problems["name"] = _describe_conflict(service, given.name)
    if problems:
        raise InvalidFieldsError(problems)
    return notifier.stored_channels.create(given.name, given.kind, given.settings, given.secrets, actor)


def change_channel(
    service: Service,
    name: str,
    settings: Mapping[str, str],
    secrets: Mapping[str, str],
    actor: str,
    known: int | None = None,
) -> StoredChannel:
    """Change the settings of a channel and replace some of its secrets, or raise with everything that is wrong."""
    notifier = service.notifier
    found, kept = notifier.stored_channels.get_with_secrets(name)
    given = ChannelInput(name=name, kind=found.kind, settings=settings, secrets={**kept, **secrets})
    problems = _find_problems(notifier, given)
    if dict(settings) != found.settings:
        problems |= {one: _OTHER_ADDRESS for one in kept if one not in secrets and one not in problems}
    if problems:
        raise InvalidFieldsError(problems)
    new_settings = None if dict(settings) == found.settings else settings
    new_secrets = None if given.secrets == kept else given.secrets
    if new_settings is None and new_secrets is None:
        return found
    return notifier.stored_channels.change(name, actor, settings=new_settings, secrets=new_secrets, known=known)


def check_restored(service: Service, name: str, before: Mapping[str, Any], secrets: Mapping[str, str]) -> None:
    """Raise with everything that is wrong with a channel if it got its earlier settings and these secrets."""
    found, kept = service.notifier.stored_channels.get_with_secrets(name)
    had = before.get("secrets", kept)
    all_secrets = {**{one: value for one, value in kept.items() if one in had}, **secrets}
    given = ChannelInput(name=name, kind=found.kind, settings=before["settings"], secrets=all_secrets)
    if problems := _find_problems(service.notifier, given):
        raise InvalidFieldsError(problems)


def set_state(service: Service, name: str, state: str, actor: str) -> StoredChannel:
    """Pause or resume a channel."""
    stored = service.notifier.stored_channels
    found = stored.get(name)
    return found if found.state == state else stored.change(name, actor, state=state)


def split_values(kind: str, values: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the settings and the secrets among the values of a channel; what is not known counts as a setting."""
    shape = CHANNEL_KINDS.get(kind)
    names = () if shape is None else shape.secrets
    secrets = {name: value for name, value in values.items() if name in names}
    return {name: value for name, value in values.items() if name not in names}, secrets


def _find_problems(notifier: Notifier, given: ChannelInput) -> dict[str, str]:
    """Return everything that is wrong with a channel, by field; the first problem of each counts."""
    table = {"kind": given.kind, **given.settings, **given.secrets}
    problems: dict[str, str] = {}
    for key, message in find_channel_problems(given.name, table, stored=True):
        problems.setdefault(key or "name", message)
    for key, message in _find_address_problems(notifier, given, problems):
        problems.setdefault(key, message)
    return problems


def _find_address_problems(
    notifier: Notifier, given: ChannelInput, known: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the addresses of a channel whose keys are in order."""
    shape = CHANNEL_KINDS.get(given.kind)
    if shape is None:
        return
    for name in shape.urls:
        if name in given.settings and name not in known:
            try:
                notifier.policy.check(given.settings[name])
            except InterlockError as error:
                yield name, str(error)
    if not known:
        settings = StoredSettings(name=given.name, kind=given.kind, values=given.settings, secrets=given.secrets)
        try:
            notifier.make(settings)
        except InterlockError as error:
            yield (*shape.urls, *shape.secrets)[0], describe_problem(error)


def _describe_conflict(service: Service, name: str) -> str:
    """Return where a channel of this name is already defined."""
    origin = find_origins(service).get(name)
    where = "there is" if origin is None else f"`{origin}` has"
    return f"{where} a channel `{name}` already; use another name"
