"""A soak from beginning to end: start everything, let it run with faults, stop the load, and judge."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from tests.world.postgres import Server

from interlock.audit.keys import SigningKey, format_key
from torture.soak.compare import compare
from torture.soak.disk import Disk
from torture.soak.faults import Fault, Plant, plan
from torture.soak.growth import find_growth
from torture.soak.kept import read_kept
from torture.soak.load import Load
from torture.soak.sampling import Sampler
from torture.soak.server import ServerProcess
from torture.soak.site import Site
from torture.soak.slow_proxy import SlowProxy
from torture.soak.summary import print_summary, progress_line

#: How long servers may take to record decisions again after a fault.
RECOVERY_SECONDS = 60.0
TICK = 0.2


class Soak:
    """Two servers on one PostgreSQL, one on SQLite, their callers, and the faults."""

    def __init__(self, folder: Path, stack: ExitStack, minutes: float, sabotage: str = "") -> None:
        self._seconds, self._sabotage = minutes * 60, sabotage
        self._sampler = Sampler(min(5.0, max(0.5, self._seconds / 600)))
        stack.callback(self._sampler.stop)
        self._plant = _set_up(folder, stack, self._sampler, sabotage)
        direct = self._plant.first.store
        self.sites = [
            Site("postgres", direct, [self._plant.first, self._plant.second]),
            Site("sqlite", self._plant.alone.store, [self._plant.alone]),
        ]
        self._steps = plan(self._plant, minutes)
        self._loads: list[Load] = []
        self._refused_before: dict[str, int] = {}

    def run(self) -> list[str]:
        """Soak, print a summary, and return what is wrong."""
        print(
            f"two servers on PostgreSQL, one on SQLite ({self._plant.disk.kind}), {self._seconds / 60:g} minutes",
            flush=True,
        )
        for site in self.sites:
            site.create_keys()
            for server in site.servers:
                server.start()
            load = Load(site)
            self._loads.append(load)
            load.start()
        self._let_run()
        self._stop_load()
        self._sampler.stop()
        for site in self.sites:
            for server in site.servers:
                server.stop()
        problems = list(self._judge())
        print_summary(self.sites, self._sampler.lives, self._plant.faults)
        return problems

    def keep_logs(self, folder: Path) -> None:
        """Copy the logs of the servers to a folder."""
        for site in self.sites:
            for server in site.servers:
                server.keep_log(folder)

    def _let_run(self) -> None:
        """Carry out the faults at their times, and print a line now and then."""
        began, steps = time.monotonic(), list(self._steps)
        every = min(60.0, max(10.0, self._seconds / 30))
        shown = 0.0
        while (passed := time.monotonic() - began) < self._seconds:
            while steps and steps[0][0] <= passed:
                _, fault, is_end = steps.pop(0)
                self._carry_out(fault, passed, is_end=is_end)
            for fault in self._plant.faults:
                fault.note_recovery()
            if passed - shown >= every:
                shown = passed
                print(progress_line(passed, self.sites, self._sampler.lives), flush=True)
            time.sleep(TICK)

    def _carry_out(self, fault: Fault, passed: float, *, is_end: bool) -> None:
        site = next(site for site in self.sites if fault.servers[0] in site.servers)
        if is_end:
            fault.finish()
            fault.ended_at = time.monotonic()
            site.end_fault()
            self._note_what_full_disk_refused(fault)
            return
        print(f"{int(passed) // 60:3}:{int(passed) % 60:02}  {fault.name}", flush=True)
        fault.began_at = time.monotonic()
        self._refused_before[fault.name] = sum(self.sites[1].ledger.refused.values())
        site.begin_fault()
        fault.start()

    def _note_what_full_disk_refused(self, fault: Fault) -> None:
        """A full disk that refuses nothing was not full, so it would prove nothing."""
        if "full" in fault.name and sum(self.sites[1].ledger.refused.values()) == self._refused_before[fault.name]:
            self.sites[1].ledger.note_unexpected("a full disk refused no action")

    def _stop_load(self) -> None:
        """Stop the callers, and let the followers of the streams see every record."""
        for load in self._loads:
            load.request_stop()
        for load in self._loads:
            load.wait(90)
        for load in self._loads:
            load.wait_for_followers(read_kept(load.site.store)[1], 20)

    def _judge(self) -> Iterator[str]:
        """Yield everything that is wrong."""
        if self._sabotage == "drop":
            _drop_decision(self.sites[1])
        for site in self.sites:
            kept, _ = read_kept(site.store)
            yield from compare(site.ledger, kept)
            yield from _verify(site)
            for server in site.servers:
                if count := server.count_tracebacks():
                    yield f"{count} unexpected errors in the log of {server.name}: {server.find_error()}"
        for fault in self._plant.faults:
            if fault.recovered_after is None or fault.recovered_after > RECOVERY_SECONDS:
                yield f"no decision was recorded within {RECOVERY_SECONDS:.0f} s after: {fault.name}"
        for life in self._sampler.lives:
            yield from find_growth(life)


def _set_up(folder: Path, stack: ExitStack, sampler: Sampler, sabotage: str) -> Plant:
    """Start PostgreSQL and its proxy, mount the disk, and prepare the servers; all are removed with the stack."""
    disk = Disk(folder / "disk")
    stack.callback(disk.remove)
    postgres = Server(folder / "postgres", own=True)
    stack.callback(postgres.stop)
    proxy = SlowProxy(postgres.new())
    stack.callback(proxy.stop)
    module = "torture.soak.leaking" if sabotage == "leak" else "torture.soak.reporting"
    first, second = (ServerProcess(name, proxy.url, folder, sampler) for name in ("postgres-1", "postgres-2"))
    alone = ServerProcess("sqlite", f"sqlite:///{disk.folder}/store.db", folder, sampler, module)
    for server in (first, second, alone):
        stack.callback(server.kill)
    return Plant(first, second, alone, postgres, proxy, disk)


def _verify(site: Site) -> Iterator[str]:
    """Yield what `interlock audit verify` finds wrong."""
    keys = [f"--key={format_key(SigningKey.at(server.home).public)}" for server in site.servers]
    command = [sys.executable, "-W", "ignore", "-m", "interlock", "audit", "verify", *keys]
    done = subprocess.run(command, env=site.servers[0].environment, capture_output=True, text=True)
    if done.returncode:
        yield f"the store of {site.name} does not verify: {' '.join((done.stdout + done.stderr).split())[:400]}"


def _drop_decision(site: Site) -> None:
    """Remove an acknowledged decision from a SQLite store, to prove that soak notices."""
    with sqlite3.connect(site.store.removeprefix("sqlite:///")) as connection:
        wanted = (
            site.ledger.decisions[len(site.ledger.decisions) // 2].decision_id or site.ledger.decisions[0].decision_id
        )
        connection.execute("DELETE FROM interlock_records WHERE record_id = ?", [wanted])
