"""The tables `[channels.NAME]`: the channels for notifications, and the places of their secrets."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from interlock.config.addresses import find_address_problem
from interlock.config.values import expect
from interlock.documents import Document
from interlock.errors import ConfigError, InterlockError, nearest
from interlock.patterns import late
from interlock.sanitise import plain


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
#: The longest secret that is stored.
MAX_SECRET = 2_000
_NAME = late(r"[a-z0-9][a-z0-9-]{0,39}")
_VARIABLE = late(r"[A-Z_][A-Z0-9_]{0,63}")


class ChannelConfigError(ConfigError):
    """A channel cannot be used with its settings. `problem` is the message without the name of the channel."""

    def __init__(self, channel: str, problem: str) -> None:
        self.problem = problem
        super().__init__(f"channel `{channel}`: {problem}")


def describe_problem(error: InterlockError) -> str:
    """Return what is wrong with a channel, for readers who know which one is meant."""
    return error.problem if isinstance(error, ChannelConfigError) else str(error)


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
            raise ChannelConfigError(self.name, f"there is no {what} in {where}")
        return found

    def _read_file(self, secret: str, path: str) -> str:
        try:
            return Path(path).expanduser().read_text("utf-8").strip()
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not text"
            raise ChannelConfigError(self.name, f"`{secret}_file` cannot be read: {why}") from None


class ChannelProblem(NamedTuple):
    """What is wrong with a channel, and the key that it is about; it is empty for the channel as a whole."""

    key: str
    message: str


def read_channels(document: Document, key: str, value: Any) -> dict[str, ChannelSettings]:
    """Return the channels of `[channels.NAME]`, or raise with the line and a correction."""
    found = expect(document, value, dict, "tables, as `[channels.ops]`", key)
    return {name: _channel(document, (key, name), given) for name, given in found.items()}


def _channel(document: Document, path: tuple[str, str], value: Any) -> ChannelSettings:
    name, table = path[1], expect(document, value, dict, "a table", *path)
    for problem in find_channel_problems(name, table):
        raise document.error(problem.message, *path, *filter(None, (problem.key,)))
    return ChannelSettings(
        name=name, kind=table["kind"], values={one: given for one, given in table.items() if one != "kind"}
    )


def find_channel_problems(name: str, table: Mapping[str, Any], *, stored: bool = False) -> Iterator[ChannelProblem]:
    """Yield everything that is wrong with a channel of a file, or of a store, where the secrets are in the table."""
    if not _NAME.fullmatch(name) or name == BROWSER:
        message = f"a channel's name has up to 40 lower-case letters, digits and dashes, and is not `{BROWSER}`"
        yield ChannelProblem("", f"{message}, found `{plain(name)[:80]}`")
    kinds, kind = list(CHANNEL_KINDS), table.get("kind")
    if kind is None:
        yield ChannelProblem("", f"channel `{plain(name)[:80]}` needs a `kind`; write one of {', '.join(kinds)}")
        return
    if kind not in kinds:
        yield ChannelProblem("kind", f"unknown kind `{plain(str(kind))[:80]}`{nearest(str(kind), kinds)}")
        return
    shape = CHANNEL_KINDS[kind]
    for key, value in table.items():
        message = _find_stored_key_problem(key, value, shape) if stored else _find_file_key_problem(key, value, shape)
        if message:
            yield ChannelProblem(key, message)
    for secret in shape.secrets:
        yield from _find_missing_secret(name, table, secret, needed=secret in shape.required, stored=stored)


def _find_file_key_problem(name: str, value: Any, shape: ChannelShape) -> str:
    """Return what is wrong with a key of a file, or an empty text."""
    if name in shape.secrets:
        message = f"`{name}` must not be in this file; write the name of a variable as `{name}_env`, or of a file as "
        return f"{message}`{name}_file`"
    if name not in shape.keys:
        return f"unknown key `{name}`{nearest(name, shape.keys)}"
    if not isinstance(value, str):
        return f"`{name}` must be a string, found `{value!r}`"
    if name.endswith("_env") and not _VARIABLE.fullmatch(value):
        return f"`{name}` must be the name of a variable in capital letters, as `INTERLOCK_TOKEN`; never the secret"
    if name.endswith("_file") and not value.startswith(("/", "~/")):
        return f"`{name}` must be an absolute path, found `{value}`"
    return find_address_problem(name, value) if name in shape.urls else ""


def _find_stored_key_problem(name: str, value: Any, shape: ChannelShape) -> str:
    """Return what is wrong with a key of a stored channel, or an empty text.

    It names no variables and files of the server: people who manage channels need not be able to read those.
    """
    known = ("kind", *shape.secrets, *shape.urls)
    if name not in known:
        return f"unknown key `{plain(name)[:80]}`{nearest(name, known)}"
    if name in shape.secrets:
        valid = isinstance(value, str) and 0 < len(value) <= MAX_SECRET and value.isascii() and value.isprintable()
        return "" if valid and " " not in value else f"`{name}` has up to {MAX_SECRET:,} ASCII characters and no spaces"
    return find_address_problem(name, value) if name in shape.urls else ""


def _find_missing_secret(
    name: str, table: Mapping[str, Any], secret: str, *, needed: bool, stored: bool
) -> Iterator[ChannelProblem]:
    if stored:
        if needed and secret not in table:
            yield ChannelProblem(secret, f"`{secret}` is required")
        return
    given = [f"{secret}{end}" for end in _PLACES if f"{secret}{end}" in table]
    if len(given) > 1 or (needed and not given):
        found = "both" if given else "neither"
        message = f"channel `{name}` needs either `{secret}_env` or `{secret}_file`, found {found}"
        yield ChannelProblem("", message)
