"""The checks of soak: each of them can fail. `make soak` runs the rest."""

from __future__ import annotations

import errno
import json
import os
import socket
import socketserver
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from torture.soak.compare import Kept, compare
from torture.soak.disk import Disk
from torture.soak.faults import Fault, Plant, plan, plan_cycle
from torture.soak.growth import MEGABYTE, Life, Sample, find_growth
from torture.soak.kept import read_kept
from torture.soak.ledger import Ledger
from torture.soak.reporting import Report, read_report, take_report
from torture.soak.slow_proxy import SlowProxy

from interlock import Action, Gate


@pytest.fixture
def ledger() -> Ledger:
    """What callers were told: a decision, one that was refused, one without response, an approval that was used."""
    found = Ledger()
    found.acknowledge("soak-a-1", "d1", is_allowed=True)
    found.acknowledge("soak-a-2", "d2", is_allowed=True)
    found.note_single("soak-a-2")
    found.note_refusal("soak-a-3")
    found.note_silence("soak-a-4")
    found.note_event("e1")
    found.note_answer("r1", "approved")
    found.note_use("r1")
    found.note_end_of_run("run-1")
    return found


@pytest.fixture
def kept() -> Kept:
    """A store that holds all of that."""
    return Kept(
        decisions={"d1": ("soak-a-1", "allow"), "d2": ("soak-a-2", "allow")},
        events=Counter(["e1"]),
        answers={"r1": ["approved"]},
        uses=Counter(["r1"]),
        ended_runs={"run-1"},
    )


def test_a_store_that_holds_everything_is_good(ledger: Ledger, kept: Kept) -> None:
    assert compare(ledger, kept) == []
    kept.decisions["d4"] = ("soak-a-4", "allow")
    assert compare(ledger, kept) == [], "without a response, an action may be on record"


def test_a_lost_decision_is_found(ledger: Ledger, kept: Kept) -> None:
    del kept.decisions["d1"]
    assert compare(ledger, kept) == ["1 acknowledged decisions are not in the store: soak-a-1"]


def test_a_lost_decision_without_an_id_is_found(ledger: Ledger, kept: Kept) -> None:
    ledger.acknowledge("soak-a-5", "", is_allowed=True)
    assert compare(ledger, kept) == ["1 acknowledged decisions are not in the store: soak-a-5"]


def test_a_decision_that_is_recorded_twice_is_found(ledger: Ledger, kept: Kept) -> None:
    for record_id, name in (("d5", "soak-a-1"), ("d6", "soak-a-2")):
        kept.decisions[record_id] = (name, "allow")
    assert compare(ledger, kept) == ["2 actions are on record more often than they were sent: soak-a-1, soak-a-2"]


def test_a_refused_action_on_record_is_found(ledger: Ledger, kept: Kept) -> None:
    kept.decisions["d3"] = ("soak-a-3", "allow")
    assert compare(ledger, kept) == [
        "1 actions are on record although their callers were told otherwise: soak-a-3",
    ]


def test_an_action_that_was_allowed_against_the_record_is_found(ledger: Ledger, kept: Kept) -> None:
    kept.decisions["d1"] = ("soak-a-1", "block")
    assert compare(ledger, kept) == ["1 actions were allowed that are on record as blocked: soak-a-1"]


def test_lost_events_answers_and_runs_are_found(ledger: Ledger, kept: Kept) -> None:
    kept.events.clear()
    kept.ended_runs.clear()
    ledger.note_answer("r2", "rejected")
    assert compare(ledger, kept) == [
        "1 acknowledged events are not in the store: e1",
        "1 acknowledged answers are not in the store: r2",
        "1 runs that ended have not ended in the store: run-1",
    ]


def test_an_approval_that_is_used_twice_is_found(ledger: Ledger, kept: Kept) -> None:
    ledger.note_use("r1")
    assert compare(ledger, kept) == ["1 approvals were used more than once: r1"]


def test_uses_without_a_record_or_an_approval_are_found(ledger: Ledger, kept: Kept) -> None:
    kept.uses = Counter(["r2"])
    assert compare(ledger, kept) == [
        "1 approvals allowed an action without a record of it: r1",
        "1 requests were used that nobody approved: r2",
    ]


def test_doubled_events_and_results_are_found(ledger: Ledger, kept: Kept) -> None:
    kept.events["e1"] += 1
    kept.answers["r1"].append("rejected")
    assert compare(ledger, kept) == ["1 events are on record twice: e1", "1 requests have two results: r1"]


def test_unexpected_responses_and_gaps_are_found(ledger: Ledger, kept: Kept) -> None:
    ledger.note_unexpected("POST /v1/evaluate: 500")
    ledger.note_gap("a: 7 after 5")
    assert compare(ledger, kept) == ["1 × POST /v1/evaluate: 500", "1 gaps in streams of events: a: 7 after 5"]


def test_a_store_is_read_by_the_names_of_its_actions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INTERLOCK_HOME", str(tmp_path))
    store = f"sqlite:///{tmp_path / 'store.db'}"
    with Gate(store=store) as gate:
        with gate.run(agent_id="a", run_id="run-1"):
            gate.check(Action.shell("ls soak-a-1"))
        gate.check(Action.shell("ls other"))
    kept, last = read_kept(store)
    assert [name for name, _ in kept.decisions.values()] == ["soak-a-1"]
    assert "run-1" in kept.ended_runs
    assert last > 0


def life(memory: float = 0.0, files: float = 0.0, threads: float = 0.0, seconds: int = 300) -> Life:
    """Return the life of a process whose figures rise by so much in a minute, after a steep warm-up."""
    found = Life("server", 1)
    for at in range(seconds):
        warm = min(1.0, at / (seconds / 4)) * 60
        minutes = at / 60
        used = int((100 + warm + memory * minutes) * MEGABYTE)
        found.samples.append(Sample(at, used, int(20 + files * minutes), int(8 + threads * minutes)))
    return found


def test_a_process_that_only_warms_up_does_not_grow() -> None:
    assert list(find_growth(life(memory=1.0, files=1.0))) == []


@pytest.mark.parametrize(
    ("grown", "said"),
    [
        (life(memory=10.0), "memory of server (process 1) grew from 1"),
        (life(files=15.0), "files of server (process 1) grew from"),
        (life(threads=15.0), "threads of server (process 1) grew from"),
    ],
)
def test_growth_is_found(grown: Life, said: str) -> None:
    (problem,) = find_growth(grown)
    assert problem.startswith(said)


def test_growth_says_whether_objects_or_unused_memory_grow() -> None:
    grown = life(memory=10.0)
    grown.samples = [one._replace(blocks=700_000, unused=int(one.at) * MEGABYTE) for one in grown.samples]
    (problem,) = find_growth(grown)
    assert problem.endswith("(blocks of objects 700,000 → 700,000, free in the allocator 150 → 250 MB)")


def test_a_server_reports_what_its_allocators_hold(tmp_path: Path) -> None:
    report = tmp_path / "report"
    assert read_report(report) == Report()
    before = take_report()
    kept = [object() for _ in range(10_000)]
    report.write_text(json.dumps(take_report()))
    assert read_report(report).blocks >= before.blocks + len(kept)
    assert read_report(report).unused > 0


def test_a_short_life_is_not_judged() -> None:
    assert not life(seconds=40).is_judged
    assert list(find_growth(life(files=1_000.0, seconds=40))) == []


class _Part:
    """Stands for anything that a fault acts on."""

    def __getattr__(self, name: str) -> object:
        return lambda *_: None


@pytest.mark.parametrize(("minutes", "cycles"), [(1, 1), (5, 1), (15, 2), (60, 6)])
def test_the_schedule_scales_with_the_length(minutes: int, cycles: int) -> None:
    part = _Part()
    plant = Plant(part, part, part, part, part, part)  # type: ignore[arg-type]
    steps = plan(plant, minutes)
    assert [at for at, _, _ in steps] == sorted(at for at, _, _ in steps)
    assert 0 < steps[0][0] < steps[-1][0] < minutes * 60 * 0.97, "there is time to recover after the last fault"
    counts = Counter(fault.name for fault in plant.faults)
    assert set(counts) == {fault.name for fault in plan_cycle(plant, is_first=True)}
    assert counts["disk of SQLite full"] == cycles
    for fault in plant.faults:
        assert [is_end for _, one, is_end in steps if one is fault] == [False, True]


def test_a_fault_is_over_once_every_server_records_again() -> None:
    class Recorder:
        acknowledged_at = 0.0

    first, second = Recorder(), Recorder()
    fault = Fault("x", [first, second], 0.1, 0.2, lambda: None, ended_at=5.0)  # type: ignore[list-item]
    first.acknowledged_at = 6.0
    fault.note_recovery()
    assert fault.recovered_after is None
    second.acknowledged_at = 6.0
    fault.note_recovery()
    assert fault.recovered_after is not None


#: Writes a megabyte whenever it is told to, and prints the number of the error, or 0.
_WRITER = """
import sys
for line in sys.stdin:
    try:
        with open(sys.argv[1], "wb") as file:
            file.write(bytes(1_000_000))
        print(0, flush=True)
    except OSError as error:
        print(error.errno, flush=True)
"""


@pytest.mark.parametrize("may_mount", [True, False])
def test_a_disk_is_full_for_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, may_mount: bool) -> None:
    if not may_mount:
        monkeypatch.setattr(Disk, "_mount", lambda *_: False)
    disk = Disk(tmp_path / "disk")
    (disk.folder / "store.db").write_bytes(bytes(1_000))
    command = [sys.executable, "-c", _WRITER, str(disk.folder / "other")]
    writer = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert writer.stdin is not None
    assert writer.stdout is not None
    found = []
    try:
        for prepare in (lambda _: None, disk.fill, disk.free):
            (disk.folder / "other").unlink(missing_ok=True)
            prepare(writer.pid)
            writer.stdin.write("write\n")
            writer.stdin.flush()
            found.append(int(writer.stdout.readline()))
    finally:
        writer.communicate()
        disk.remove()
    assert found == [0, errno.ENOSPC if disk.is_mounted else errno.EFBIG, 0]
    assert not os.path.ismount(disk.folder)


class _Echo(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        while data := self.connection.recv(1_000):
            self.connection.sendall(data)


def test_the_proxy_keeps_the_order_while_its_delay_changes() -> None:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Echo) as database:
        threading.Thread(target=database.serve_forever, daemon=True).start()
        proxy = SlowProxy(f"postgresql://me@127.0.0.1:{database.server_address[1]}/store")
        url = urlsplit(proxy.url)
        assert (url.scheme, url.username, url.path) == ("postgresql", "me", "/store")
        with socket.create_connection((url.hostname, url.port), 20) as connection:
            for number in range(30):
                proxy.delay = 0.02 if number % 2 else 0.0
                connection.sendall(b"%02d" % number)
            found = b""
            while len(found) < 60:
                found += connection.recv(1_000)
        proxy.stop()
        database.shutdown()
    assert found == b"".join(b"%02d" % number for number in range(30))
