"""Torture: writers that are killed, a disk that fills up, a server that restarts; nothing that was answered is lost.

    python -m torture.torture kill --kills 200 --writers 8
    python -m torture.torture full
    python -m torture.torture restart --restarts 10

Each writer decides actions at a gate and notes the number of each once it has its answer. At the end every number
that was noted must be in the store, the chain must be proved, and no table may differ from it.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.world.postgres import Server

from interlock.approval.request import Answer, Approval, Reply, Scope, Taken
from interlock.audit.keys import Key, Ring
from interlock.audit.read import Wanted, every
from interlock.audit.verify import verify
from interlock.config.home import own_folder
from interlock.errors import ActionRefused, InterlockError
from interlock.gate import Gate
from interlock.model import Action
from interlock.store.database import Database

WHERE = {"cwd": "/home/u/p", "workspace": "/home/u/p", "home": "/home/u"}


class Yes:
    """Somebody who approves everything, and wants it remembered for the run."""

    def available(self) -> bool:
        return True

    def ask(self, approval: Approval, approver: str, **_: object) -> Answer:
        taken = Taken(kind=approval.needs.challenge, passed=True, seconds=9.0)
        return Answer(approver=approver, verdict=Reply.APPROVE, scope=Scope.RUN, challenge=taken)


def write(store: str, notes: Path, writer: str) -> None:
    """Decide for ever; note what was answered."""
    handle = os.open(notes, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
    gate, number = Gate(store=store, desk=Yes()), 0
    with gate.run(agent_id="writer", run_id=writer):
        while True:
            number += 1
            name = f"{writer}-{number}"
            command = f"git push --force origin b{name}" if number % 5 == 0 else f"ls {name}"
            try:
                gate.check(Action.shell(command, **WHERE))
            except ActionRefused as refused:
                if "could not be recorded" not in str(refused):
                    raise
                time.sleep(0.01)
                continue
            os.write(handle, f"{name}\n".encode())


class Writers:
    """A number of writers, each a process of its own."""

    def __init__(
        self, store: str, folder: Path, count: int, before: Callable[[], None] = lambda: None, named: str = "w"
    ) -> None:
        self._store, self._folder, self._before, self._named = store, folder, before, named
        self._born = 0
        self._alive: list[int] = []
        for _ in range(count):
            self._bear()

    def _bear(self) -> None:
        self._born += 1
        name = f"{self._named}{self._born}"
        child = os.fork()
        if child == 0:
            with contextlib.suppress(BaseException):
                os.dup2(os.open(self._folder / f"{name}.err", os.O_CREAT | os.O_WRONLY), 2)
                self._before()
                try:
                    write(self._store, self._folder / f"{name}.notes", name)
                except InterlockError as error:
                    print(error, file=sys.stderr, flush=True)
            os._exit(1)
        self._alive.append(child)

    def kill_one(self, chance: random.Random) -> None:
        """Kill a writer, whatever it is doing, and put another in its place."""
        child = self._alive.pop(chance.randrange(len(self._alive)))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        self._bear()

    def stop(self) -> int:
        """Kill them all; return how many there were."""
        for child in self._alive:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        return self._born


def judge(store: str, folder: Path) -> tuple[int, int]:
    """Raise unless everything that was noted is in the store and the chain is proved; return how much of each."""
    noted = {line for file in folder.glob("*.notes") for line in file.read_text().split("\n")[:-1]}
    database = Database(store)
    kept = {
        line.record.data["text"].split()[-1].removeprefix("b")
        for line in every(database, Wanted(kind="decision"))
        if line.record.outcome != "block"
    }
    if not noted:
        raise SystemExit("nobody has written anything: " + " ".join(file.read_text() for file in folder.glob("*.err")))
    lost = sorted(noted - kept)
    if lost:
        raise SystemExit(f"{len(lost)} answers are lost: {lost[:10]}")
    proof = verify(database, Ring([Key.at(own_folder()).public]), folder=own_folder())
    if not proof.good:
        raise SystemExit("not proved: " + "; ".join(map(str, proof.faults[:5])))
    database.close()
    return len(noted), proof.records


def kill(store: str, folder: Path, *, kills: int, writers: int, seed: int) -> str:
    """Kill writers at random moments."""
    chance = random.Random(seed)
    crew = Writers(store, folder, writers)
    time.sleep(0.5)
    for _ in range(kills):
        time.sleep(chance.uniform(0.005, 0.15))
        crew.kill_one(chance)
    time.sleep(0.3)
    crew.stop()
    noted, records = judge(store, folder)
    return f"{kills} kills under {writers} writers: {noted:,} answers, {records:,} records, none lost"


@contextlib.contextmanager
def small_disk(folder: Path, size: int) -> Iterator[bool]:
    """Give a folder on a disk of that many bytes, where the system lets us mount one; say whether it did."""
    options = ["-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    mounted = subprocess.run(["mount", *options], capture_output=True).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", str(folder)], check=True)


def full(folder: Path, *, writers: int) -> str:
    """Let the disk fill up under the writers; then make room, and go on."""
    disk = folder / "disk"
    disk.mkdir()
    size = 5_000_000
    with small_disk(disk, size) as mounted:
        store = f"sqlite:///{disk}/store.db"
        Gate(store=store).close()
        limit = (lambda: None) if mounted else (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
        crew = Writers(store, folder, writers, limit)
        _until_refused(folder)
        crew.stop()
        before, _ = judge(store, folder)
        if mounted:
            subprocess.run(["mount", "-o", "remount,size=50000000", str(disk)], check=True)
        crew = Writers(store, folder, writers, named="later-")  # so that what they note is not taken for what was
        _until_more(folder)
        crew.stop()
        after, records = judge(store, folder)
    if after <= before:
        raise SystemExit("nothing was written once there was room again")
    how = "a disk of its own" if mounted else "a limit on the size of files"
    return f"a full disk ({how}): {before:,} answers before, {after:,} after, {records:,} records, none lost"


def _until_more(folder: Path, seconds: float = 200.0) -> None:
    """Wait until the writers have noted several answers again: whoever is killed may leave half of one."""
    known, deadline = _noted(folder), time.monotonic() + seconds
    while _noted(folder) < known + 10 and time.monotonic() < deadline:
        time.sleep(0.1)


def _noted(folder: Path) -> int:
    return sum(file.read_bytes().count(b"\n") for file in folder.glob("*.notes"))


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.glob("*.notes"))


def _until_refused(folder: Path) -> None:
    """Wait until nothing has been noted for a while: the disk is full."""
    known, quiet = -1, 0
    while quiet < 4:
        time.sleep(0.25)
        count = _size(folder)
        quiet = quiet + 1 if count == known and count else 0
        known = count


@contextlib.contextmanager
def server(folder: Path) -> Iterator[Server]:
    """Give a PostgreSQL of our own."""
    running = Server(folder / "pg", own=True)  # one that may be restarted
    try:
        yield running
    finally:
        running.stop()


def restart(folder: Path, *, writers: int, restarts: int) -> str:
    """Restart PostgreSQL under the writers, as after a crash."""
    with server(folder) as running:
        store = running.new()
        Gate(store=store).close()
        crew = Writers(store, folder, writers)
        for _ in range(restarts):
            time.sleep(1)
            running.restart()
        time.sleep(1)
        crew.stop()
        noted, records = judge(store, folder)
    return f"PostgreSQL restarted {restarts} times: {noted:,} answers, {records:,} records, none lost"


def main() -> None:
    """Run what was asked for, in a folder that is removed afterwards."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["kill", "full", "restart", "all"])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--restarts", type=int, default=10)
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--store", help="a store to torture instead of a new SQLite file (for `kill`)")
    parser.add_argument("--postgres", action="store_true", help="on a PostgreSQL of its own (for `kill`)")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    given = parser.parse_args()
    print(f"seed {given.seed}", flush=True)
    for what in ("kill", "full", "restart") if given.what == "all" else (given.what,):
        folder = Path(tempfile.mkdtemp(prefix="interlock-torture-"))
        os.environ["INTERLOCK_HOME"] = str(folder / "own")
        (folder / "own").mkdir()
        (folder / "own" / "interlock.toml").write_text("[approvals]\none_person = true\n")
        try:
            if what == "kill":
                with server(folder) if given.postgres else contextlib.nullcontext(None) as running:
                    store = running.new() if running else given.store or f"sqlite:///{folder}/store.db"
                    said = kill(store, folder, kills=given.kills, writers=given.writers, seed=given.seed)
            elif what == "full":
                said = full(folder, writers=given.writers)
            else:
                said = restart(folder, writers=given.writers, restarts=given.restarts)
            print(said, flush=True)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
