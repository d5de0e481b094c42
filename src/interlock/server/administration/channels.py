"""The channels of a server: what each is, where it is set up, who uses it, and what it sent lately."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from interlock.audit.masking import mask_text
from interlock.config.channels import BROWSER, CHANNEL_KINDS, ChannelSettings, describe_problem
from interlock.config.origins import STORE, SettingOrigin, collect_settings
from interlock.errors import ConfigError
from interlock.model import Struct
from interlock.server.notify.health import ChannelHealth, read_health
from interlock.server.notify.stored_settings import StoredSettings
from interlock.server.notify.web_push import is_installed
from interlock.server.service import Service

_NOT_INSTALLED = "Web Push is not installed; run `pip install interlock[channels]`"
_NOT_CONFIGURED = "it does not exist any more; add it again, or let people choose another channel"
_STORED = SettingOrigin(kind=STORE)


class ChannelState(Struct, frozen=True, kw_only=True):
    """A channel. Its `kind` is empty if people still use one that no longer exists.

    A stored one can be changed here; `is_paused` says that it is, on purpose.
    """

    name: str
    kind: str = ""
    origin: SettingOrigin | None = None
    problem: str = ""
    is_stored: bool = False
    is_paused: bool = False
    people: tuple[str, ...] = ()
    health: ChannelHealth = ChannelHealth()


def list_channels(service: Service) -> list[ChannelState]:
    """Return the channel to browsers, those of files and of the store, and those that people still use. No secrets."""
    configured, problems = service.notifier.channels.settings(), find_unusable_channels(service)
    used, origins, paused = _people_by_channel(service), find_origins(service), list_paused(service)
    stored = {name for name, one in configured.items() if isinstance(one, StoredSettings)}
    with service.journal.database.read() as connection:
        health = read_health(connection)
    kinds = {BROWSER: BROWSER, **{name: one.kind for name, one in sorted(configured.items())}}
    return [
        ChannelState(
            name=name,
            kind=kinds.get(name, ""),
            origin=_STORED if name in stored else origins.get(name),
            problem=mask_text(problems.get(name, "") if name in kinds else _NOT_CONFIGURED),
            is_stored=name in stored,
            is_paused=name in paused,
            people=used.get(name, ()),
            health=health.get(name, ChannelHealth()),
        )
        for name in (*kinds, *sorted({*used, *health} - {*kinds}))
    ]


def list_paused(service: Service) -> set[str]:
    """Return the names of the channels that somebody has paused."""
    settings = service.notifier.channels.settings()
    return {name for name, one in settings.items() if isinstance(one, StoredSettings) and one.is_paused}


def find_unusable_channels(service: Service) -> dict[str, str]:
    """Return why channels cannot be used: they do not load, or one of their secrets is missing."""
    channels = service.notifier.channels
    channels.current()
    found = {} if is_installed() else {BROWSER: _NOT_INSTALLED}
    missing = {name: _missing_secret(settings) for name, settings in channels.settings().items()}
    return {**found, **{name: problem for name, problem in missing.items() if problem}, **channels.problems}


def _missing_secret(settings: ChannelSettings) -> str:
    """Return which secret of a channel cannot be read; an empty text if all can. A file may go missing at any time."""
    try:
        for secret in filter(settings.has_secret, CHANNEL_KINDS[settings.kind].secrets):
            settings.read_secret(secret)
    except ConfigError as error:
        return describe_problem(error)
    return ""


def _people_by_channel(service: Service) -> Mapping[str, tuple[str, ...]]:
    """Return who has a destination in each channel."""
    found: dict[str, list[str]] = defaultdict(list)
    for one in service.notifier.preferences.list():
        for channel in sorted({destination.channel for destination in one.destinations}):
            found[channel].append(one.person)
    return {channel: tuple(people) for channel, people in found.items()}


def find_origins(service: Service) -> Mapping[str, SettingOrigin]:
    """Return where each channel of a configuration file is written."""
    active = service.gate.configuration
    found = (one for one in collect_settings(active.config, active.layers) if one.key.startswith("channels."))
    return {one.value["name"]: one.origins[-1] for one in found}
