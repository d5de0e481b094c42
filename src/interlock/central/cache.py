"""Write the result of a pull to the user's own folder, each file atomically."""

from __future__ import annotations

from pathlib import Path

import msgspec

from interlock.config.bundle import Bundle
from interlock.config.central import CentralSettings
from interlock.config.central_cache import KnownServer, LastPull, bundle_file, pull_file, server_file
from interlock.errors import StoreError
from interlock.store.files import make_folder, write_draft


def keep_bundle(settings: CentralSettings, raw: bytes, bundle: Bundle, signer: str) -> None:
    """Put a verified bundle into force.

    The bundle is written first: a bundle that is newer than the recorded state of its server is valid, an older one is
    not.
    """
    keys = tuple(dict.fromkeys([signer, *bundle.keys]))
    known = KnownServer(url=settings.url, keys=keys, sequence=bundle.sequence)
    _replace(bundle_file(), raw)
    _replace(server_file(), msgspec.json.encode(known))


def keep_pull(pull: LastPull) -> None:
    """Store the time and the result of the last pull."""
    _replace(pull_file(), msgspec.json.encode(pull))


def forget_bundle() -> bool:
    """Remove the bundle and the recorded state of its server; return whether there was any."""
    found = [file for file in (server_file(), bundle_file(), pull_file()) if file.exists()]
    for file in found:
        file.unlink(missing_ok=True)
    return bool(found)


def _replace(file: Path, data: bytes) -> None:
    try:
        make_folder(file.parent)
        write_draft(file, data).replace(file)
    except OSError as error:
        raise StoreError(f"`{file}` cannot be written: {error.strerror}") from None
