"""The health of a server: a list of checks, each with a value, and what to do if something is wrong."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator

from interlock.access.servers import list_servers
from interlock.audit.masking import mask_text
from interlock.config.channels import BROWSER
from interlock.config.home import own_folder
from interlock.errors import InterlockError
from interlock.model import Struct
from interlock.rules import all_rules
from interlock.server.administration.channels import find_unusable_channels, list_paused
from interlock.server.administration.store_size import read_size
from interlock.server.notify.health import read_health as read_channel_health
from interlock.server.pages.formatting import time_ago, with_unit
from interlock.server.service import Service
from interlock.server.webhooks.health import read_health
from interlock.store.clock import MICROSECONDS, now, now_in
from interlock.store.migrate import schema_version
from interlock.version import VERSION

GOOD, WARNING, PROBLEM = "good", "warning", "problem"
_ORDER = (PROBLEM, WARNING, GOOD)
#: The thresholds of warnings and problems.
SLOW_READ_SECONDS, LOW_DISK, NO_DISK, CLOCK_SECONDS, MAX_WAITING, LATE_RUNS = 0.1, 0.1, 0.02, 5, 1_000, 5
VERIFY_DAYS, SILENT_DAYS = 7, 7
_VERIFY = "verify the audit records"


class HealthCheck(Struct, frozen=True, kw_only=True):
    """Something that was checked: its state, a value, what to do if it is not good, and the page where to do it."""

    name: str
    state: str = GOOD
    value: str
    advice: str = ""
    page: str = ""


def check_health(service: Service) -> list[HealthCheck]:
    """Return every check, problems first."""
    found = [check for checks in _CHECKS for check in _run(checks, service)]
    return sorted(found, key=lambda check: _ORDER.index(check.state))


def _run(checks: Callable[[Service], Iterator[HealthCheck]], service: Service) -> list[HealthCheck]:
    """Return the checks of one part; if they raise, that is itself a problem."""
    try:
        return list(checks(service))
    except (InterlockError, OSError) as error:
        name = checks.__name__.strip("_").replace("_", " ").capitalize()
        return [HealthCheck(name=name, state=PROBLEM, value="cannot be checked", advice=mask_text(str(error)))]


def _configuration(service: Service) -> Iterator[HealthCheck]:
    error = service.gate.configuration.error
    if error is not None:
        count = len(error.parts)
        value = f"{count} {'error' if count == 1 else 'errors'}; the last good one stays in force"
        advice = "correct the configuration files"
        yield HealthCheck(
            name="Configuration", state=PROBLEM, value=value, advice=advice, page="/settings/configuration"
        )
    else:
        count = len(service.gate.config.files)
        yield HealthCheck(name="Configuration", value=f"{count} {'file' if count == 1 else 'files'} loaded")


def _store(service: Service) -> Iterator[HealthCheck]:
    database = service.journal.database
    began = time.perf_counter()
    with database.read() as connection:
        size, schema = read_size(database, connection), schema_version(connection)
        difference = abs(now_in(connection).wall - now().wall) / MICROSECONDS
    seconds = time.perf_counter() - began
    kind = "SQLite" if database.is_sqlite else "PostgreSQL"
    yield HealthCheck(name="Store", value=f"{kind}, {with_unit(size.bytes)}, {size.records:,} records, schema {schema}")
    slow = seconds > SLOW_READ_SECONDS
    advice = "check the load on this machine and on the database" if slow else ""
    yield HealthCheck(
        name="Read latency", state=WARNING if slow else GOOD, value=f"{seconds * 1000:.1f} ms", advice=advice
    )
    off = difference > CLOCK_SECONDS
    clock = (
        f"{difference:.1f} s from the store's clock"
        if not database.is_sqlite
        else "the store uses this machine's clock"
    )
    advice = "synchronise the clocks of this machine and the database" if off else ""
    yield HealthCheck(name="Clock", state=WARNING if off else GOOD, value=clock, advice=advice)


def _disk(service: Service) -> Iterator[HealthCheck]:
    folders = {"Disk space for keys": str(own_folder())}
    if service.journal.database.is_sqlite:
        folders["Disk space for the store"] = os.path.dirname(service.journal.database.url.path) or "."
    for name, folder in folders.items():
        usage = shutil.disk_usage(folder)
        free = usage.free / usage.total
        state = PROBLEM if free < NO_DISK else WARNING if free < LOW_DISK else GOOD
        advice = "" if state == GOOD else "free some space, or set a retention that removes old records"
        yield HealthCheck(
            name=name, state=state, value=f"{with_unit(usage.free)} free of {with_unit(usage.total)}", advice=advice
        )


def _chain(service: Service) -> Iterator[HealthCheck]:
    if service.verified is None:
        value = "not verified since this server started"
        yield HealthCheck(name="Audit records", state=WARNING, value=value, advice=_VERIFY, page="/audit")
        return
    at, proof = service.verified
    value = f"{proof.records:,} records verified {time_ago(at, now().wall)}"
    if not proof.good:
        value = f"{len(proof.faults)} faults found {time_ago(at, now().wall)}"
        advice = "read the faults, then restore a backup, or find out who changed the store"
        yield HealthCheck(name="Audit records", state=PROBLEM, value=value, advice=advice, page="/audit")
    elif now().wall - at > VERIFY_DAYS * 86_400 * MICROSECONDS:
        yield HealthCheck(name="Audit records", state=WARNING, value=value, advice=_VERIFY, page="/audit")
    else:
        yield HealthCheck(name="Audit records", value=value)


def _writing(service: Service) -> Iterator[HealthCheck]:
    waiting = service.journal.queue_length
    state = WARNING if waiting > MAX_WAITING else GOOD
    advice = "actions arrive faster than the store can write them" if state == WARNING else ""
    yield HealthCheck(name="Queued writes", state=state, value=f"{waiting:,}", advice=advice)
    spooled, refused = service.gate.spool.count()
    if refused:
        advice = "someone changed the spool of this machine; see the file `.refused` in `~/.interlock/spool`"
        yield HealthCheck(
            name="Spool", state=PROBLEM, value=f"{refused:,} lines without a valid signature", advice=advice
        )
    else:
        state = WARNING if spooled else GOOD
        advice = "they are merged once the store can be written" if spooled else ""
        yield HealthCheck(name="Spool", state=state, value=f"{spooled:,} records", advice=advice)


def _background_work(service: Service) -> Iterator[HealthCheck]:
    for task in service.tasks.states:
        late = task.ran_at is not None and time.time() - task.ran_at > LATE_RUNS * task.seconds + 60
        name = task.name.capitalize()
        if task.error:
            yield HealthCheck(name=name, state=PROBLEM, value="failed", advice=mask_text(task.error))
        elif late:
            yield HealthCheck(name=name, state=WARNING, value="late", advice="the machine or the store is overloaded")
        else:
            value = "not run yet" if task.ran_at is None else f"ran {time.time() - task.ran_at:.0f} s ago"
            yield HealthCheck(name=name, value=value)


def _webhooks(service: Service) -> Iterator[HealthCheck]:
    with service.journal.database.read() as connection:
        health = read_health(connection).values()
    opened, failed = sum(one.open for one in health), sum(one.failed for one in health)
    state = WARNING if failed or opened > MAX_WAITING else GOOD
    advice = "see the deliveries and retry them" if state == WARNING else ""
    value = f"{opened:,} deliveries open, {failed:,} failed in 24 hours"
    yield HealthCheck(name="Webhooks", state=state, value=value, advice=advice, page="/settings/webhooks")


def _notifications(service: Service) -> Iterator[HealthCheck]:
    with service.journal.database.read() as connection:
        health = read_channel_health(connection).values()
    broken = len(find_unusable_channels(service).keys() - list_paused(service) - {BROWSER})
    queued, failed = sum(one.queued for one in health), sum(one.failed for one in health)
    state = WARNING if broken or failed or queued > MAX_WAITING else GOOD
    advice = "see which channels fail, and why" if state == WARNING else ""
    value = f"{queued:,} messages queued, {failed:,} failed in 24 hours"
    value += f", {broken} {'channel' if broken == 1 else 'channels'} not available" if broken else ""
    yield HealthCheck(name="Notifications", state=state, value=value, advice=advice, page="/settings/channels")


def _servers(service: Service) -> Iterator[HealthCheck]:
    with service.journal.database.read() as connection:
        found = list_servers(connection)
    versions = sorted({one.version for one in found})
    for problem in service.problems:
        advice = "give all servers the same configuration files"
        yield HealthCheck(name="Servers", state=PROBLEM, value=problem, advice=advice)
    state = WARNING if len(versions) > 1 else GOOD
    advice = "upgrade all servers to the same version" if state == WARNING else ""
    value = f"{len(found)} on this store, version {', '.join(versions)}"
    yield HealthCheck(name="Servers", state=state, value=value, advice=advice)


def _machines(service: Service) -> Iterator[HealthCheck]:
    machines = service.machines.list()
    if not machines:
        return
    newest = service.current_bundle().bundle.version
    silent = now().wall - SILENT_DAYS * 86_400 * MICROSECONDS
    late = sum(one.bundle != newest or bool(one.error) or one.seen_at < silent for one in machines)
    advice = "see which ones" if late else ""
    value = f"{len(machines):,} known, {late:,} outdated, failing or silent"
    state = WARNING if late else GOOD
    yield HealthCheck(name="Machines", state=state, value=value, advice=advice, page="/settings/machines")


def _version(_: Service) -> Iterator[HealthCheck]:
    yield HealthCheck(name="Version", value=f"Interlock {VERSION}, {len(all_rules())} rules")


_CHECKS: tuple[Callable[[Service], Iterator[HealthCheck]], ...] = (
    _configuration,
    _store,
    _disk,
    _chain,
    _writing,
    _background_work,
    _webhooks,
    _notifications,
    _servers,
    _machines,
    _version,
)
