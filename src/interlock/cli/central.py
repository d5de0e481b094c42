"""`interlock central`: pull the bundle of a server, show what is in force, and forget the server's key."""

from __future__ import annotations

import msgspec

from interlock.central.cache import forget_bundle
from interlock.central.changes import describe_changes
from interlock.central.pull import PullError, describe_keys, pull
from interlock.cli.local_time import full_time
from interlock.cli.person import require_person
from interlock.config.bundle import Bundle
from interlock.config.central import CentralSettings
from interlock.config.central_cache import is_overdue, read_bundle, read_last_pull
from interlock.config.load import find_central, load
from interlock.errors import InterlockError
from interlock.model import Struct
from interlock.sanitise import plain


class CentralStatus(Struct, frozen=True, kw_only=True):
    """The server of this machine, the bundle in force, and what is wrong. Times are microseconds."""

    url: str
    bundle: str | None
    issued_at: int | None
    answered_at: int | None
    keys: str
    problems: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()


def pull_now(*, quiet: bool) -> int:
    """Fetch the bundle, and print what it changes."""
    settings = _settings()
    try:
        pulled = pull(settings)
    except PullError as error:
        raise InterlockError(f"{settings.url}: {error}; the current bundle stays in force") from None
    if quiet:
        return 0
    changes = describe_changes(pulled.before, pulled.bundle)
    is_same = pulled.before is not None and pulled.before.sequence == pulled.bundle.sequence
    print(f"{settings.url}: {'still ' if is_same else ''}{_describe(pulled.bundle)}")
    for line in () if is_same else changes:
        print(f"  {plain(line)}")
    if pulled.before is None:
        print(f"  signed by {plain(describe_keys(settings))}")
    if pulled.unreported:
        print(f"  could not report to the server: {plain(pulled.unreported)}")
    return 0


def _settings() -> CentralSettings:
    settings = find_central()
    if settings is None:
        raise InterlockError("no server is configured; add `[central]` to your interlock.toml (see docs/central.md)")
    return settings


def _describe(bundle: Bundle) -> str:
    return f"bundle {bundle.version}, issued {full_time(bundle.issued_at)}"


def show_status(*, as_json: bool) -> int:
    """Print the server and the bundle in force."""
    found = find_status(_settings())
    if as_json:
        print(msgspec.json.encode(found).decode())
        return 1 if found.problems else 0
    return 0 if print_status(found) else 1


def find_status(settings: CentralSettings) -> CentralStatus:
    """Return the state of a server's bundle on this machine."""
    problems: list[str] = []
    ignored: tuple[str, ...] = ()
    bundle, keys = None, "unknown"
    try:
        bundle = read_bundle(settings)
        keys = describe_keys(settings)
        managed = load().managed
        ignored = managed.ignored if managed is not None else ()
    except InterlockError as error:
        problems.append(str(error))
    last = read_last_pull(settings)
    if bundle is None and not problems:
        what = "every action needs an approval" if settings.require else "only local files apply"
        problems.append(f"there is no bundle yet, so {what}; run `interlock central pull`")
    if last.error:
        problems.append(f"the last pull failed: {last.error}")
    if bundle is not None and is_overdue(settings):
        hours = settings.max_age_hours
        problems.append(f"the server has not answered for {hours} hours, so every action needs an approval")
    return CentralStatus(
        url=settings.url,
        bundle=None if bundle is None else bundle.version,
        issued_at=None if bundle is None else bundle.issued_at,
        answered_at=last.answered_at or None,
        keys=keys,
        problems=tuple(problems),
        ignored=ignored,
    )


def print_status(found: CentralStatus) -> bool:
    """Print the state of a server's bundle; return whether all is well."""
    print(f"{'✗' if found.problems else '✓'} central  {plain(found.url)}")
    if found.bundle is not None and found.issued_at is not None:
        answered = f"the server answered {full_time(found.answered_at)}" if found.answered_at else "no answer yet"
        print(f"    bundle {found.bundle}, issued {full_time(found.issued_at)}; {answered}")
        print(f"    signature valid, by {plain(found.keys)}")
    for problem in found.problems:
        print(f"    ✗ {plain(problem)}")
    for note in found.ignored:
        print(f"    – {plain(note)}")
    return not found.problems


def forget_server() -> int:
    """Forget the bundle and the server's key."""
    settings = _settings()
    require_person("central forget")
    done = "forgotten" if forget_bundle() else "nothing to forget"
    print(f"{settings.url}: {done}; `interlock central pull` gets a new one")
    return 0
