"""Torture tests: killed writers, a full disk and a restarting server must not lose an answer.

    python -m torture.torture kill --kills 200 --writers 8
    python -m torture.torture full
    python -m torture.torture restart --restarts 10

Each writer decides actions at a gate, and notes the number of each once it has the answer. At the end every noted
number must be in the store, and the store must verify.
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

from interlock.approval.request import Answer, AnswerVerdict, Approval, ChallengeResult, GrantScope
from interlock.audit.keys import KeyRing, SigningKey
from interlock.audit.read import RecordFilter, read_all
from interlock.audit.verify import verify
from interlock.config.home import own_folder
from interlock.errors import ActionRefused, InterlockError
from interlock.gate import Gate
from interlock.model import Action
from interlock.store.database import Database

WHERE = {"cwd": "/home/u/p", "workspace": "/home/u/p", "home": "/home/u"}


class ApproveAll:
    """An approver who approves everything for the run."""

    def available(self) -> bool:
        return True

    def ask(self, approval: Approval, approver: str, **_: object) -> Answer:
        taken = ChallengeResult(kind=approval.needs.challenge, passed=True, seconds=9.0)
        return Answer(approver=approver, verdict=AnswerVerdict.APPROVE, scope=GrantScope.RUN, challenge=taken)


def write(store: str, notes: Path, writer: str) -> None:
    """Decide actions forever, and note each answer."""
    handle = os.open(notes, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
    gate, number = Gate(store=store, approver=ApproveAll()), 0
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
    """Several writers, each in its own process."""

    def __init__(
        self, store: str, folder: Path, count: int, before: Callable[[], None] = lambda: None, named: str = "w"
    ) -> None:
        self._store, self._folder, self._before, self._named = store, folder, before, named
        self._started = 0
        self._alive: list[int] = []
        for _ in range(count):
            self._start_one()

    def _start_one(self) -> None:
        self._started += 1
        name = f"{self._named}{self._started}"
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
        """Kill a writer at whatever it is doing, and start another."""
        child = self._alive.pop(chance.randrange(len(self._alive)))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        self._start_one()

    def stop(self) -> int:
        """Kill all writers; return how many there were in total."""
        for child in self._alive:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        return self._started


def judge(store: str, folder: Path) -> tuple[int, int]:
    """Exit with an error unless every noted answer is in the store and the store verifies; return the counts."""
    noted = {line for file in folder.glob("*.notes") for line in file.read_text().split("\n")[:-1]}
    database = Database(store)
    kept = {
        line.record.data["text"].split()[-1].removeprefix("b")
        for line in read_all(database, RecordFilter(kind="decision"))
        if line.record.outcome != "block"
    }
    if not noted:
        raise SystemExit("no answers were noted: " + " ".join(file.read_text() for file in folder.glob("*.err")))
    lost = sorted(noted - kept)
    if lost:
        raise SystemExit(f"{len(lost)} answers are lost: {lost[:10]}")
    proof = verify(database, KeyRing([SigningKey.at(own_folder()).public]), folder=own_folder())
    if not proof.good:
        raise SystemExit("the store does not verify: " + "; ".join(map(str, proof.faults[:5])))
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
    """Mount a disk of that many bytes on a folder; give False if that is not permitted."""
    options = ["-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    mounted = subprocess.run(["mount", *options], capture_output=True).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", str(folder)], check=True)


def full(folder: Path, *, writers: int) -> str:
    """Let the disk fill up under the writers, then free space and continue."""
    disk = folder / "disk"
    disk.mkdir()
    size = 5_000_000
    with small_disk(disk, size) as mounted:
        store = f"sqlite:///{disk}/store.db"
        Gate(store=store).close()
        limit = (lambda: None) if mounted else (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
        crew = Writers(store, folder, writers, limit)
        _wait_until_full(folder)
        crew.stop()
        before, _ = judge(store, folder)
        if mounted:
            subprocess.run(["mount", "-o", "remount,size=50000000", str(disk)], check=True)
        crew = Writers(store, folder, writers, named="later-")  # another name, so that their notes are told apart
        _wait_for_answers(folder)
        crew.stop()
        after, records = judge(store, folder)
    if after <= before:
        raise SystemExit("nothing was written once there was room again")
    how = "a disk of its own" if mounted else "a limit on the size of files"
    return f"a full disk ({how}): {before:,} answers before, {after:,} after, {records:,} records, none lost"


def _wait_for_answers(folder: Path, seconds: float = 200.0) -> None:
    """Wait until the writers have noted several answers again; a killed one may leave half a line."""
    known, deadline = _count_notes(folder), time.monotonic() + seconds
    while _count_notes(folder) < known + 10 and time.monotonic() < deadline:
        time.sleep(0.1)


def _count_notes(folder: Path) -> int:
    return sum(file.read_bytes().count(b"\n") for file in folder.glob("*.notes"))


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.glob("*.notes"))


def _wait_until_full(folder: Path) -> None:
    """Wait until nothing was noted for a while, which means that the disk is full."""
    known, quiet = -1, 0
    while quiet < 4:
        time.sleep(0.25)
        count = _size(folder)
        quiet = quiet + 1 if count == known and count else 0
        known = count


@contextlib.contextmanager
def server(folder: Path) -> Iterator[Server]:
    """Start a PostgreSQL server that can be restarted."""
    running = Server(folder / "pg", own=True)
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
    """Run the chosen tests, each in a temporary folder."""
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
