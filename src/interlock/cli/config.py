"""`interlock config`: print the settings in force with their origins, and every error in the files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from interlock.cli.open_store import open_store
from interlock.config.load import load
from interlock.config.origins import Setting
from interlock.config.schema import Config
from interlock.documents import Layer
from interlock.errors import InterlockError, StoreError, nearest
from interlock.gate.settings_in_force import list_settings
from interlock.sanitise import plain
from interlock.show import print_json_lines

if TYPE_CHECKING:
    from interlock.cli.commands.options import Store


def show(key: str | None, store: Store, *, origin: bool, every: bool, as_json: bool) -> int:
    """Print settings."""
    layers: list[Layer] = []
    config = load(store.config, layers=layers)
    found = _select(_list(config, layers, store), key, every=every or key is not None)
    if as_json:
        print_json_lines(found)
        return 0
    if not found:
        print("every setting has its default; `interlock config show --every` lists them")
        return 0
    for setting in found:
        print(f"{plain(setting.key)} = {_format_value(setting.value)}" + (f"  # {_where(setting)}" if origin else ""))
    for note in config.managed.ignored if config.managed is not None else ():
        print(f"! {plain(note)}")
    return 0


def check(store: Store) -> int:
    """Load the configuration, which raises with every error; print the files that were loaded."""
    config = load(store.config)
    for file in config.files:
        print(f"✓ {plain(file)}")
    if not config.files:
        print("✓ there are no configuration files; the defaults are in force")
    return 0


def _list(config: Config, layers: Sequence[Layer], store: Store) -> list[Setting]:
    """Return the settings in force, with those in the store if it can be read."""
    try:
        with open_store(store.store, store.config) as found:
            return list_settings(config, layers, found.journal)
    except StoreError:
        return list_settings(config, layers)  # there is no store yet, so it has no settings


def _select(settings: Sequence[Setting], key: str | None, *, every: bool) -> list[Setting]:
    if key is None:
        return [setting for setting in settings if every or not setting.is_default or setting.replaced]
    found = [setting for setting in settings if setting.key == key or setting.key.startswith(f"{key}.")]
    if not found:
        raise InterlockError(f"unknown setting `{plain(key)[:80]}`{nearest(key, [one.key for one in settings], _ALL)}")
    return found


_ALL = "`interlock config show --every` lists them"


def _where(setting: Setting) -> str:
    """Return the origin of a value, and the values that it replaces."""
    found = [plain(str(origin)) for origin in setting.origins]
    found += [f"replaces {_format_value(one.value)} from {plain(str(one.origin))}" for one in setting.replaced]
    return ", ".join(found)


def _format_value(value: Any) -> str:
    return "not set" if value is None else plain(msgspec.json.encode(value).decode())
