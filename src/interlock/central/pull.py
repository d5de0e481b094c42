"""Pull the bundle of a server: fetch it, verify it, put it into force, and report back."""

from __future__ import annotations

import os
import time
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from interlock.audit.identity import user_name
from interlock.audit.keys import SigningKey, format_key
from interlock.central.cache import keep_bundle, keep_pull
from interlock.config.bundle import MAX_BUNDLE, Bundle, BundleError, ForeignKeyError, open_bundle
from interlock.config.central import CentralSettings
from interlock.config.central_cache import (
    KnownServer,
    LastPull,
    bundle_file,
    find_accepted_keys,
    read_bundle,
    read_known,
    read_last_pull,
)
from interlock.config.home import own_folder
from interlock.config.managed import parse_bundle
from interlock.errors import ConfigError, InterlockError
from interlock.http_client import HttpError, HttpFailure, HttpReply, HttpTarget, get, post
from interlock.store.clock import now
from interlock.store.files import lock_file, make_folder
from interlock.version import VERSION

FETCH_SECONDS, REPORT_SECONDS = 20.0, 10.0
MAX_ERROR = 300
_PEER = "the server"


class PullError(InterlockError):
    """The server could not be reached, or its bundle was rejected. The last good bundle stays in force."""


class PullResult(msgspec.Struct, frozen=True, kw_only=True):
    """The bundle in force after a pull, the previous one, and why the report to the server failed, if it did."""

    bundle: Bundle
    before: Bundle | None
    unreported: str = ""


def pull(settings: CentralSettings) -> PullResult:
    """Put the newest bundle of a server into force and tell the server, or raise `PullError`."""
    folder = bundle_file().parent
    try:
        make_folder(folder)
        with lock_file(folder / "lock"):  # a concurrent pull would replace the bundle that this one compares with
            return _pull(settings)
    except OSError as error:
        raise PullError(f"`{folder}` cannot be written: {error.strerror}") from None


def _pull(settings: CentralSettings) -> PullResult:
    last = read_last_pull(settings)
    keep_pull(msgspec.structs.replace(last, tried_at=now().wall))
    secret, before = "", None
    try:
        secret = read_key(settings)
        before = _bundle_in_force(settings)
        bundle = _fetch(settings, secret, before)
    except (PullError, ConfigError) as error:
        why = error.message if isinstance(error, ConfigError) else str(error)
        keep_pull(msgspec.structs.replace(last, tried_at=now().wall, error=why))
        if isinstance(error, ConfigError) and secret:
            _report(settings, secret, before, why)  # so that the server knows that its bundle was rejected
        raise PullError(why) from None
    at = now().wall
    keep_pull(LastPull(url=settings.url, tried_at=at, answered_at=at))
    return PullResult(bundle=bundle, before=before, unreported=_report(settings, secret, bundle))


def read_key(settings: CentralSettings) -> str:
    """Return the API key for the server, or raise and say where it should be."""
    if settings.key_variable is not None:
        found = os.environ.get(settings.key_variable, "").strip()
        where = f"the variable `{settings.key_variable}`"
    else:
        file = Path(settings.key_file or "").expanduser()
        where = f"`{file}`"
        try:
            found = file.read_text("ascii").strip()
        except OSError as error:
            raise PullError(f"the key in {where} cannot be read: {error.strerror}") from None
        except ValueError:
            raise PullError(f"{where} does not hold a key") from None
    if not found:
        raise PullError(f"there is no key in {where}; `interlock keys create NAME --role machine` creates one")
    if not found.isascii() or not found.isprintable():
        raise PullError(f"{where} does not hold a key")
    return found


def _bundle_in_force(settings: CentralSettings) -> Bundle | None:
    """Return the cached bundle; None if there is none, or it was changed and has to be fetched again."""
    read_known(settings)  # raises if the server's keys are lost, so that no other key is trusted instead
    try:
        return read_bundle(settings)
    except ConfigError:
        return None


def _fetch(settings: CentralSettings, secret: str, before: Bundle | None) -> Bundle:
    """Fetch the newest bundle, and put it into force."""
    headers = {"Authorization": f"Bearer {secret}", **({"If-None-Match": before.etag} if before else {})}
    try:
        deadline = time.monotonic() + FETCH_SECONDS
        reply = get(_target(settings, "/v1/bundle"), headers, deadline=deadline, max_reply=MAX_BUNDLE)
    except HttpError as error:
        raise PullError(error.failure.describe(_PEER)) from None
    if reply.status == 304 and before is not None:
        return before
    raw = _complete_body(reply)
    known = read_known(settings)
    bundle, signer = _verify(settings, known, raw)
    if known is not None and not _follows(bundle, known, before):
        raise BundleError(f"{_PEER} offers bundle {bundle.version}, which is older than the one in force")
    parse_bundle(bundle, f"bundle {bundle.version}")
    keep_bundle(settings, raw, bundle, signer)
    return bundle


def _verify(settings: CentralSettings, known: KnownServer | None, raw: bytes) -> tuple[Bundle, str]:
    accepted = find_accepted_keys(settings, known)
    try:
        return open_bundle(raw, accepted)
    except ForeignKeyError as error:
        advice = "If that is intended, write the new key as `public_key` in `[central]`"
        forget = "" if settings.public_key else ", or run `interlock central forget`"
        raise BundleError(f"the key of the server has changed: {error.message}. {advice}{forget}") from None


def _follows(bundle: Bundle, known: KnownServer, before: Bundle | None) -> bool:
    """Whether a bundle is the one in force or a newer one."""
    if bundle.sequence != known.sequence:
        return bundle.sequence > known.sequence
    return before is None or before.digest == bundle.digest


def _complete_body(reply: HttpReply) -> bytes:
    """Return the body of a complete reply, or raise an error for its status."""
    status = reply.status
    if 300 <= status < 400 and status != 304:
        raise PullError(f"{_PEER} redirects (status {status}); write the URL that it redirects to as `url`")
    if status == 401:
        raise PullError(f"{_PEER} does not accept the key; it is unknown, revoked or expired")
    if status == 403:
        raise PullError("the key must have the role `machine`: `interlock keys create NAME --role machine`")
    if status == 404:
        raise PullError(f"{_PEER} has no bundle; check `url`, and that the server runs a current version of Interlock")
    if status != 200:
        raise PullError(f"{_PEER} answered with status {status}")
    if reply.failure is HttpFailure.TOO_LONG:
        raise BundleError(f"the bundle is longer than {MAX_BUNDLE:,} bytes")
    if reply.failure is not None:
        raise PullError(reply.failure.describe(_PEER))
    return reply.body


def _report(settings: CentralSettings, secret: str, bundle: Bundle | None, error: str = "") -> str:
    """Tell the server which bundle is in force; return why that failed, or an empty text."""
    report = {
        "machineId": SigningKey.at(own_folder()).key_id,
        "machine": (os.uname().nodename or "localhost")[:200],
        "user": user_name(),
        "version": VERSION,
        "bundle": bundle.version if bundle is not None else None,
        "error": error[:MAX_ERROR],
    }
    headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
    body, deadline = msgspec.json.encode(report), time.monotonic() + REPORT_SECONDS
    try:
        reply = post(_target(settings, "/v1/machines"), headers, body, deadline=deadline, max_reply=65_536)
    except HttpError as failed:
        return failed.failure.describe(_PEER)
    return "" if reply.status == 200 else f"{_PEER} answered with status {reply.status}"


def _target(settings: CentralSettings, path: str) -> HttpTarget:
    parts = urlsplit(settings.url)
    secure = parts.scheme == "https"
    return HttpTarget(secure, parts.hostname or "", parts.port or (443 if secure else 80), parts.path + path)


def describe_keys(settings: CentralSettings) -> str:
    """Describe the keys that may sign bundles."""
    known = read_known(settings)
    keys = ", ".join(map(format_key, find_accepted_keys(settings, known) or ()))
    return f"{keys} ({'pinned' if settings.public_key else 'trusted since the first pull'})" if keys else "none yet"
