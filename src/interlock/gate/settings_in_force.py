"""Every setting in force with its origin: files, the bundle, the store, variables, and the command line."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import msgspec

from interlock.audit.journal import Journal
from interlock.audit.masking import mask, mask_text
from interlock.audit.stored_settings import RETENTION, read_setting
from interlock.config.origins import (
    COMMAND_LINE,
    DEFAULT,
    STORE,
    VARIABLE,
    Replaced,
    Setting,
    SettingOrigin,
    collect_settings,
)
from interlock.config.schema import Config
from interlock.config.settings import RetentionSettings, ServerSettings
from interlock.documents import Layer
from interlock.gate.options import store_url
from interlock.store.url import parse_url

_STORE_VARIABLE = "INTERLOCK_STORE"
#: Keys that only sound as if their values were secrets: names of variables and files, and public keys.
_NO_SECRETS = frozenset({"key_variable", "key_file", "public_key", "keys"})


def list_settings(
    config: Config,
    layers: Sequence[Layer],
    journal: Journal | None = None,
    server: ServerSettings | None = None,
) -> list[Setting]:
    """Return the settings in force, without secrets: those in a store too, and those that a server was started with."""
    found = collect_settings(config, layers)
    if journal is not None and RETENTION not in config.given:
        found = _add_stored(found, journal)
    found = [_with_startup_value(setting, server) for setting in found] if server is not None else found
    return [_mask(_from_variable(setting, config)) for setting in found]


def _add_stored(found: Sequence[Setting], journal: Journal) -> list[Setting]:
    """Return settings with those that are kept in the store."""
    stored = read_setting(journal, RETENTION)
    values = msgspec.to_builtins(msgspec.convert(stored.values, RetentionSettings)) if stored else {}
    result = []
    for setting in found:
        table, _, name = setting.key.partition(".")
        if stored is not None and table == RETENTION:
            kind = STORE if name in stored.values else DEFAULT
            setting = msgspec.structs.replace(setting, value=values[name], origins=(SettingOrigin(kind=kind),))
        result.append(setting)
    return result


def _with_startup_value(setting: Setting, server: ServerSettings) -> Setting:
    """Return a setting with the value that the server was started with."""
    table, _, name = setting.key.partition(".")
    used = getattr(server, name, setting.value) if table == "server" else setting.value
    used = msgspec.to_builtins(used)
    if used == setting.value or (isinstance(used, tuple) and list(used) == list(setting.value)):
        return setting
    return _replace(setting, used, SettingOrigin(kind=COMMAND_LINE, file=f"--{name.replace('_', '-')}"))


def _from_variable(setting: Setting, config: Config) -> Setting:
    """Return the address of the store, which a variable can replace."""
    if setting.key != "store":
        return setting
    if os.environ.get(_STORE_VARIABLE):
        return _replace(setting, store_url(config), SettingOrigin(kind=VARIABLE, file=_STORE_VARIABLE))
    return setting if config.store else msgspec.structs.replace(setting, value=store_url(config))


def _replace(setting: Setting, value: Any, origin: SettingOrigin) -> Setting:
    weaker = () if setting.is_default else (Replaced(value=setting.value, origin=setting.origins[-1]),)
    return Setting(key=setting.key, value=value, origins=(origin,), replaced=(*setting.replaced, *weaker))


def _mask(setting: Setting) -> Setting:
    replaced = [Replaced(value=_mask_value(setting.key, one.value), origin=one.origin) for one in setting.replaced]
    return msgspec.structs.replace(setting, value=_mask_value(setting.key, setting.value), replaced=tuple(replaced))


def _mask_value(key: str, value: Any) -> Any:
    name = key.rpartition(".")[2]
    if key == "store" and isinstance(value, str):
        return parse_url(value).shown
    if name in _NO_SECRETS:
        return [mask_text(str(one)) for one in value] if isinstance(value, list | tuple) else value
    return mask({name: value})[name]
