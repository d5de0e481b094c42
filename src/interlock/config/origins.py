"""Where each setting comes from: a file and a line, the bundle of a server, or the defaults."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from interlock.config.readers import KEYS
from interlock.config.schema import Config
from interlock.documents import KeyPath, Layer
from interlock.model import Struct

DEFAULT, FILE, BUNDLE, STORE, VARIABLE, COMMAND_LINE = (
    "default", "file", "bundle", "store", "environment variable", "command line",
)  # fmt: skip
#: Lists of tables with a name: each item is a setting of its own.
_NAMED_ITEMS = {"policies": ("policy_id", "policyId"), "rules": ("name",)}


class SettingOrigin(Struct, frozen=True, kw_only=True):
    """Where a value comes from. `file` is also the name of a variable or an option."""

    kind: str
    file: str | None = None
    line: int | None = None

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.file and self.line else self.file or ""
        return where if self.kind == FILE else f"{self.kind} {where}".strip()


class Replaced(Struct, frozen=True, kw_only=True):
    """A value that is not in force, because another origin is stronger."""

    value: Any
    origin: SettingOrigin


class Setting(Struct, frozen=True, kw_only=True):
    """A setting in force: its value, where that comes from, and the values that it replaces."""

    key: str
    value: Any
    origins: tuple[SettingOrigin, ...]
    replaced: tuple[Replaced, ...] = ()

    @property
    def is_default(self) -> bool:
        """Whether nothing sets it."""
        return all(origin.kind == DEFAULT for origin in self.origins)


def collect_settings(config: Config, layers: Sequence[Layer]) -> list[Setting]:
    """Return every setting of a configuration that was loaded from these layers."""
    return [setting for key in KEYS if key != "knowledge" for setting in _settings(key, getattr(config, key), layers)]


def _settings(key: str, value: Any, layers: Sequence[Layer]) -> Iterator[Setting]:
    if key == "crisis":
        yield _single((key, "context_bypass"), value, layers)
    elif key in _NAMED_ITEMS:
        yield from _items(key, value, layers)
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield _in_table(key, name, getattr(value, name), layers)
    elif isinstance(value, Mapping) and value:
        for name, item in value.items():
            yield _single((key, str(name)), item, layers)
    elif isinstance(value, tuple):
        yield _list(key, value, layers)
    else:
        yield _single((key,), value, layers)


def _single(path: KeyPath, value: Any, layers: Sequence[Layer]) -> Setting:
    """Return a setting that takes its value from the last layer that sets it."""
    found = [layer for layer in layers if layer.sets(path)]
    origin = _origin(found[-1], path) if found else SettingOrigin(kind=DEFAULT)
    return Setting(
        key=_format_key(path), value=_plain(value), origins=(origin,), replaced=_find_replaced_values(path, found[:-1])
    )


def _find_replaced_values(path: KeyPath, layers: Sequence[Layer]) -> tuple[Replaced, ...]:
    """Return the values of weaker layers."""
    found = [layer for layer in layers if layer.sets(path)]
    return tuple(Replaced(value=_plain(one.value_at(path)), origin=_origin(one, path)) for one in found)


def _in_table(key: str, name: str, value: Any, layers: Sequence[Layer]) -> Setting:
    """Return a setting of a table that the last layer replaces as a whole."""
    path = (key, name)
    deciding = next((at for at in reversed(range(len(layers))) if layers[at].has((key,))), None)
    kept = () if deciding is None else layers[deciding : deciding + 1]
    if deciding is not None and layers[deciding].completes(path):
        return _single(path, value, layers)  # the outer layer supplies what the table leaves out
    lower = () if deciding is None else layers[:deciding]
    return msgspec.structs.replace(_single(path, value, kept), replaced=_find_replaced_values(path, lower))


def _list(key: str, value: tuple[Any, ...], layers: Sequence[Layer]) -> Setting:
    """Return a list that every layer adds to."""
    origins = tuple(_origin(layer, (key,)) for layer in layers if layer.sets((key,)))
    return Setting(key=key, value=_plain(value), origins=origins or (SettingOrigin(kind=DEFAULT),))


def _items(key: str, value: Sequence[Any], layers: Sequence[Layer]) -> Iterator[Setting]:
    for item in value:
        name = item.policy_id if key == "policies" else item.name
        found = [(layer, at) for layer in layers for at in _places(layer, key, name)]
        origins = tuple(_origin(layer, (key, at)) for layer, at in found[-1:])
        shown = item.action.value if key == "policies" else item.level.value
        yield Setting(key=f"{key}.{name}", value=shown, origins=origins or (SettingOrigin(kind=DEFAULT),))


def _places(layer: Layer, key: str, name: str) -> Iterator[int]:
    items = layer.document.values.get(key)
    for at, item in enumerate(items if isinstance(items, list) else ()):
        if isinstance(item, dict) and name in (item.get(field) for field in _NAMED_ITEMS[key]):
            yield at


def _origin(layer: Layer, path: KeyPath) -> SettingOrigin:
    if layer.is_bundle:
        return SettingOrigin(kind=BUNDLE, file=layer.document.file)
    return SettingOrigin(kind=FILE, file=layer.document.file, line=layer.document.line(path))


def _format_key(path: KeyPath) -> str:
    return ".".join(str(part) if str(part).replace("_", "").isalnum() else f'"{part}"' for part in path)


def _plain(value: Any) -> Any:
    """Return a value as JSON."""
    return msgspec.to_builtins(value, enc_hook=str, str_keys=True)
