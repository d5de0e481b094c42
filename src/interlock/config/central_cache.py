"""Load the bundle from the user's own folder, verify it, and compare it with the recorded state of the server."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TypeVar

import msgspec

from interlock.config.bundle import Bundle, BundleError, open_bundle
from interlock.config.central import CentralSettings
from interlock.config.home import own_folder
from interlock.errors import ConfigError

_AGAIN = "run `interlock central pull`"
MICROSECONDS = 1_000_000


class KnownServer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The recorded state of a server: its keys, and the newest bundle that was in force."""

    url: str
    keys: tuple[str, ...]
    sequence: int


class LastPull(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The last pull: when it was tried, when the server last answered, and the error. Times are microseconds."""

    url: str
    tried_at: int
    answered_at: int = 0
    error: str = ""


def bundle_file() -> Path:
    """Return the file of the bundle in force."""
    return own_folder() / "central" / "bundle.json"


def server_file() -> Path:
    """Return the file of the recorded state of the server."""
    return own_folder() / "central" / "server.json"


def pull_file() -> Path:
    """Return the file of the last pull."""
    return own_folder() / "central" / "pull.json"


def read_known(settings: CentralSettings) -> KnownServer | None:
    """Return the recorded state of a server; None before its first bundle."""
    found = _read(server_file(), KnownServer)
    return found if found is not None and found.url == settings.url else None


def read_last_pull(settings: CentralSettings) -> LastPull:
    """Return the last pull. A file that cannot be read counts as no pull."""
    try:
        found = _read(pull_file(), LastPull)
    except ConfigError:
        found = None
    return found if found is not None and found.url == settings.url else LastPull(url=settings.url, tried_at=0)


def find_accepted_keys(settings: CentralSettings, known: KnownServer | None) -> tuple[str, ...] | None:
    """Return the keys that may sign a bundle: the configured ones, or those of the first bundle; None before that."""
    return settings.public_key or (None if known is None else known.keys)


def read_bundle(settings: CentralSettings) -> Bundle | None:
    """Return the bundle in force, verified, or None before the first one. Raise if it was removed or changed."""
    known = read_known(settings)
    if known is None:
        return None
    file = bundle_file()
    try:
        raw = file.read_bytes()
        bundle, _ = open_bundle(raw, find_accepted_keys(settings, known))
    except FileNotFoundError:
        raise ConfigError(f"the bundle that was in force is gone; {_AGAIN}", file=str(file)) from None
    except OSError as error:
        raise ConfigError(f"the bundle cannot be read: {error.strerror}", file=str(file)) from None
    except BundleError as error:
        raise ConfigError(f"{error.message}; {_AGAIN}", file=str(file)) from None
    if bundle.sequence < known.sequence:
        raise ConfigError(f"the bundle is older than the one that was in force; {_AGAIN}", file=str(file))
    return bundle


def is_overdue(settings: CentralSettings) -> bool:
    """Whether the server has not answered for longer than the maximum age of a bundle."""
    if not settings.max_age_hours:
        return False
    age = time.time() - read_last_pull(settings).answered_at / MICROSECONDS
    return not 0 <= age + _SKEW <= settings.max_age_hours * 3_600 + _SKEW


#: Seconds by which the clock may be set back before a bundle counts as overdue.
_SKEW = 300

Found = TypeVar("Found")


def _read(file: Path, kind: type[Found]) -> Found | None:
    try:
        return msgspec.json.decode(file.read_bytes(), type=kind)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.DecodeError, RecursionError) as error:
        raise ConfigError(f"the file cannot be read: {error}; {_AGAIN}", file=str(file)) from None
