"""The tables `[channels.NAME]`: the ways in which people are told about requests, and where their secrets are."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from interlock.config.addresses import address_problem
from interlock.config.values import choice, expect
from interlock.documents import Document
from interlock.errors import ConfigError, nearest
from interlock.patterns import late


class ChannelShape(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of one kind of channel. Of each secret, the table names the variable or the file that holds it."""

    secrets: tuple[str, ...]
    required: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        """Every key that a table of this kind may have."""
        return ("kind", *(f"{name}{end}" for name in self.secrets for end in _PLACES), *self.urls)


_PLACES = ("_env", "_file")
CHANNEL_KINDS = {
    "slack": ChannelShape(secrets=("token", "signing_secret"), required=("token", "signing_secret"), urls=("api_url",)),
    "telegram": ChannelShape(secrets=("token",), required=("token",), urls=("api_url",)),
    "apprise": ChannelShape(secrets=("url",)),
}
#: The channel to the browsers of people, which needs no table.
BROWSER = "browser"
_NAME = late(r"[a-z0-9][a-z0-9-]{0,39}")
_VARIABLE = late(r"[A-Z_][A-Z0-9_]{0,63}")


class ChannelSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of one channel. They hold the places of secrets, never the secrets."""

    name: str
    kind: str
    values: Mapping[str, str] = {}

    def has_secret(self, secret: str) -> bool:
        """Whether the settings name a place for a secret."""
        return any(f"{secret}{end}" in self.values for end in _PLACES)

    def read_secret(self, secret: str) -> str:
        """Return a secret from its variable or file, or raise and say where it should be."""
        variable, path = (self.values.get(f"{secret}{end}") for end in _PLACES)
        found = os.environ.get(variable, "").strip() if variable else self._read_file(secret, path or "")
        if not found or not found.isprintable():
            where = f"the variable `{variable}`" if variable else f"`{path}`"
            what = secret.replace("_", " ").replace("url", "URL")
            raise ConfigError(f"channel `{self.name}`: there is no {what} in {where}")
        return found

    def _read_file(self, secret: str, path: str) -> str:
        try:
            return Path(path).expanduser().read_text("utf-8").strip()
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not text"
            raise ConfigError(f"channel `{self.name}`: `{secret}_file` cannot be read: {why}") from None


def channels_of(document: Document, key: str, value: Any) -> dict[str, ChannelSettings]:
    """Return the channels of `[channels.NAME]`, or raise with the line and a correction."""
    found = expect(document, value, dict, "tables, as `[channels.ops]`", key)
    return {name: _channel(document, (key, name), given) for name, given in found.items()}


def _channel(document: Document, path: tuple[str, str], value: Any) -> ChannelSettings:
    name, table = path[1], expect(document, value, dict, "a table", *path)
    if not _NAME.fullmatch(name) or name == BROWSER:
        message = f"a channel's name has up to 40 lower-case letters, digits and dashes, and is not `{BROWSER}`"
        raise document.error(f"{message}, found `{name}`", *path)
    if "kind" not in table:
        raise document.error(f"channel `{name}` needs a `kind`; write one of {', '.join(CHANNEL_KINDS)}", *path)
    shape = CHANNEL_KINDS[choice(document, table["kind"], list(CHANNEL_KINDS), *path, "kind")]
    for one in table:
        _check_key(document, (*path, one), table[one], shape)
    for secret in shape.secrets:
        _check_secret(document, path, table, secret, needed=secret in shape.required)
    return ChannelSettings(
        name=name, kind=table["kind"], values={one: given for one, given in table.items() if one != "kind"}
    )


def _check_key(document: Document, path: tuple[str, str, str], value: Any, shape: ChannelShape) -> None:
    name = path[-1]
    if name in shape.secrets:
        message = f"`{name}` must not be in this file; write the name of a variable as `{name}_env`, or of a file as "
        raise document.error(f"{message}`{name}_file`", *path)
    if name not in shape.keys:
        raise document.error(f"unknown key `{name}`{nearest(name, shape.keys)}", *path)
    expect(document, value, str, "a string", *path)
    if name.endswith("_env") and not _VARIABLE.fullmatch(value):
        message = f"`{name}` must be the name of a variable in capital letters, as `INTERLOCK_TOKEN`; never the secret"
        raise document.error(message, *path)
    if name.endswith("_file") and not value.startswith(("/", "~/")):
        raise document.error(f"`{name}` must be an absolute path, found `{value}`", *path)
    problem = address_problem(name, value) if name in shape.urls else ""
    if problem:
        raise document.error(problem, *path)


def _check_secret(
    document: Document, path: tuple[str, str], table: Mapping[str, Any], name: str, *, needed: bool
) -> None:
    given = [f"{name}{end}" for end in _PLACES if f"{name}{end}" in table]
    if len(given) > 1 or (needed and not given):
        found = "both" if given else "neither"
        message = f"channel `{path[1]}` needs either `{name}_env` or `{name}_file`, found {found}"
        raise document.error(message, *path)
