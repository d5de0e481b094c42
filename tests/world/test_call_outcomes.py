"""How guarded calls end is on record beside their decision: sizes and types, never values; and no call waits for it."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from interlock import Gate
from interlock.audit.export import as_csv, as_jsonl, as_ocsf
from interlock.audit.journal import flush_all
from interlock.audit.outcomes import outcome_text
from interlock.audit.read import RecordFilter, read_all
from interlock.audit.record import Record
from interlock.gate.call_outcome import MAX_VALUES, CallOutcome, measure_size
from interlock.server.timeline import timeline

SECRET = "hunter2-is-no-secret"


@pytest.fixture
def store(tmp_path: Path) -> str:
    """A SQLite file: the journal, which writes to both databases, is tested elsewhere."""
    return f"sqlite:///{tmp_path / 'store.db'}"


def recorded(gate: Gate, kind: str = "event") -> list[Record]:
    gate.journal.flush()
    return [line.record for line in read_all(gate.journal.database, RecordFilter(kind=kind))]


class Desk:
    """Everything that can be guarded."""

    def __init__(self, gate: Gate) -> None:
        guard = gate.guard(does="tool.read")
        self.calls: dict[str, Callable[[], Any]] = {
            "sync": guard(self.sync),
            "method": lambda: Guarded.method("x"),
            "generator": lambda: list(guard(self.generator)()),
            "coroutine": lambda: asyncio.run(guard(self.coroutine)()),
            "stream": lambda: asyncio.run(self._read(guard(self.stream))),
        }

        class Guarded:
            @guard
            @classmethod
            def method(cls, key: str) -> str:
                return SECRET

    def sync(self) -> str:
        return SECRET

    def generator(self) -> Iterator[str]:
        yield SECRET[:7]
        yield SECRET[7:]

    async def coroutine(self) -> str:
        return SECRET

    async def stream(self) -> AsyncIterator[str]:
        yield SECRET[:7]
        yield SECRET[7:]

    @staticmethod
    async def _read(stream: Callable[[], AsyncIterator[str]]) -> list[str]:
        return [one async for one in stream()]


@pytest.mark.parametrize("kind", ["sync", "method", "generator", "coroutine", "stream"])
def test_what_returned_is_on_record_beside_its_decision(gate: Gate, kind: str) -> None:
    Desk(gate).calls[kind]()
    (outcome,), (decision,) = recorded(gate), recorded(gate, "decision")
    assert outcome.name == "tool.completed"
    assert outcome.run_id == decision.run_id
    assert outcome.data["decisionId"] == decision.record_id
    assert outcome.data["resultBytes"] == len(SECRET)
    assert outcome.data["durationMs"] >= 0
    everything = "".join(as_jsonl(read_all(gate.journal.database, RecordFilter())))
    assert SECRET not in everything


class OfflineError(Exception):
    """An error of the program."""


@pytest.mark.parametrize("asynchronous", [False, True])
def test_what_raised_is_on_record_by_its_type(gate: Gate, asynchronous: bool) -> None:
    def read() -> str:
        raise OfflineError(SECRET)

    async def aread() -> str:
        raise OfflineError(SECRET)

    guard = gate.guard(does="tool.read")
    call: Callable[[], Any] = (lambda: asyncio.run(guard(aread)())) if asynchronous else guard(read)
    with pytest.raises(OfflineError):
        call()
    (outcome,) = recorded(gate)
    assert outcome.name == "tool.failed"
    assert outcome.data["error"] == f"{__name__}.OfflineError"
    assert SECRET not in "".join(as_jsonl(read_all(gate.journal.database, RecordFilter())))


def test_a_generator_that_is_not_read_to_the_end_has_not_failed(gate: Gate) -> None:
    @gate.guard(does="tool.read")
    def lines() -> Iterator[str]:
        while True:
            yield "line"

    stream = lines()
    assert next(stream) == "line"
    stream.close()  # type: ignore[attr-defined]
    (outcome,) = recorded(gate)
    assert (outcome.name, outcome.data["resultBytes"]) == ("tool.completed", 4)


def test_a_guarded_generator_takes_what_is_sent_and_thrown(gate: Gate) -> None:
    @gate.guard(does="tool.read")
    def echo() -> Any:
        got = yield "first"
        try:
            yield got
        except KeyError:
            yield "caught"
        return "last"

    stream = echo()
    assert (next(stream), stream.send("sent"), stream.throw(KeyError())) == ("first", "sent", "caught")
    with pytest.raises(StopIteration) as ended:
        next(stream)
    assert ended.value.value == "last"


def test_an_outcome_is_shown_in_the_run_and_in_exports(gate: Gate) -> None:
    with gate.run(agent_id="bot") as run:
        gate.guard(does="tool.read")(lambda: "x" * 2_000)()
    lines = list(read_all(gate.journal.database, RecordFilter(kind="event")))
    text = outcome_text(lines[0].record)
    assert text.startswith("<lambda> completed in ")
    assert text.endswith("result 2.0 kB")
    assert text in "".join(as_csv(lines))
    assert '"status_id":1' in "".join(as_ocsf(lines))
    items, _ = timeline(gate.journal.database, run.run_id)
    decision = next(item for item in items if item.kind == "decision")
    assert decision.reported == "completed"
    assert decision.measures["resultBytes"] == 2_000


def test_an_outcome_does_not_open_a_run_again(gate: Gate) -> None:
    with gate.run(agent_id="bot") as run:

        @gate.guard(does="tool.read")
        def late() -> Iterator[int]:
            yield 1

        values = late()
    assert list(values) == [1]
    assert len(recorded(gate)) == 1
    assert gate.runs.get(run.run_id).state == "ended"


# when the store does not take it


def rename(file: str, old: str, new: str) -> None:
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.execute(f"ALTER TABLE {old} RENAME TO {new}")


def test_an_outcome_that_cannot_be_written_is_spooled_and_breaks_nothing(gate: Gate, store: str) -> None:
    file = store.removeprefix("sqlite:///")

    @gate.guard(does="tool.read")
    def look_up() -> str:
        rename(file, "interlock_records", "records_gone")
        return "found"

    assert look_up() == "found"
    assert gate.journal.flush()
    rename(file, "records_gone", "interlock_records")
    assert recorded(gate) == []
    assert gate.spool.merge(gate.journal) == 1
    assert [one.name for one in recorded(gate)] == ["tool.completed"]


def test_a_call_that_ends_after_its_gate_is_spooled_or_logged(store: str, caplog: pytest.LogCaptureFixture) -> None:
    lasting, temporary = Gate(store=store), Gate.temporary()
    with caplog.at_level(logging.WARNING, "interlock.gate"):
        lasting.guard(does="tool.read")(lasting.close)()
        assert not caplog.records
        temporary.guard(does="tool.read")(temporary.close)()
    assert "could not record the outcome of `close`: the store was closed" in caplog.text
    with Gate(store=store) as again:
        assert [one.data["text"] for one in recorded(again)] == ["close"]


PROGRAM = """
import sys
from interlock import Gate
gate = Gate(store=sys.argv[1])
for _ in range(3):
    gate.guard(does="tool.read")(lambda: "x")()
"""


def test_nothing_is_lost_when_a_program_ends_without_closing_its_gate(store: str) -> None:
    subprocess.run([sys.executable, "-c", PROGRAM, store], check=True, timeout=120)
    with Gate(store=store) as gate:
        assert [one.name for one in recorded(gate)] == ["tool.completed"] * 3


def test_a_gate_that_is_forgotten_still_writes_what_it_has(store: str) -> None:
    gate = Gate(store=store)
    gate.guard(does="tool.read")(lambda: "x")()
    del gate
    gc.collect()
    flush_all()
    with Gate(store=store) as again:
        assert len(recorded(again)) == 1


# measuring


class Greedy:
    """An object that must not be asked how large it is."""

    def __len__(self) -> int:
        raise AssertionError("it was asked")

    __iter__ = __repr__ = __str__ = __len__  # type: ignore[assignment]


def test_a_result_is_measured_without_asking_it_and_in_bounded_time() -> None:
    assert measure_size(Greedy()) == (None, True)
    assert measure_size(["ab", Greedy()]) == (2, True)
    size, cut = measure_size([["x"] * MAX_VALUES] * MAX_VALUES)
    assert cut
    assert size is not None
    assert size < MAX_VALUES
    assert CallOutcome(result_bytes=3).to_data() == {"resultBytes": 3}
