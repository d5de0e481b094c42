"""A recorded history of any size, made without a store: runs of a benchmark, recorded once and copied."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from interlock.accuracy.corpus import read_corpus
from interlock.audit.content_store import ContentStore
from interlock.audit.record import make_record
from interlock.audit.runs import OPEN, Run
from interlock.audit.setup_stamp import stamp_setup
from interlock.config.schema import Config
from interlock.engine import Engine
from interlock.gate.decision_basis import DecisionBasis
from interlock.gate.decision_record import DecisionRecord
from interlock.history.record_table import SCHEMA
from interlock.memory.state import RunState
from interlock.model import Action

#: How many runs are recorded, and how many actions each has.
RUNS, LENGTH = 60, 50
_BENCHMARK = Path(__file__).parent.parent / "benchmark"
_ROWS_IN_FILE = 250_000
Body = tuple[str, str]  # the kind and the canonical JSON of a record


class RecordedRun(msgspec.Struct, frozen=True):
    """A run: what was decided, after what, and its records."""

    run_id: str
    actions: tuple[tuple[Action, RunState], ...]
    records: tuple[Body, ...]


def record_runs(engine: Engine, folder: Path) -> list[RecordedRun]:
    """Return recorded runs of ordinary actions."""
    rows = [row for row in read_corpus(_BENCHMARK) if row.label == "benign"]
    picked = random.Random(7).sample(rows, RUNS * LENGTH)  # the same ones every time
    stamp = str(stamp_setup(Config(), engine.policies))
    shelf = ContentStore(folder)
    parts = [picked[at : at + LENGTH] for at in range(0, len(picked), LENGTH)]
    return [_record(engine, f"run{at:08}", [row.action for row in part], stamp, shelf) for at, part in enumerate(parts)]


def _record(engine: Engine, run_id: str, actions: list[Action], stamp: str, shelf: ContentStore) -> RecordedRun:
    run = Run(run_id=run_id, agent_id="coder", started_by="ann", workspace=None, state=OPEN, started_at=0)
    state, decided, records = RunState(), list[tuple[Action, RunState]](), list[Body]()
    for at, given in enumerate(actions):
        action = msgspec.structs.replace(given, run_id=run_id, agent_id="coder")
        decision = engine.decide(action, state)
        record = DecisionRecord(action, decision, f"{at:064}", run, state=state, basis=DecisionBasis(stamp))
        entries = [*record.decision_entries(at, payloads=True)]
        entries += record.outcome_entries(at, shelf) if decision.allowed else []
        records += [(entry.kind, make_record(entry, 0, "")[1].decode()) for entry in entries]
        decided.append((action, state))
        state = state.after(action, decision) if decision.allowed else state.after_refusal(action)
    return RecordedRun(run_id, tuple(decided), tuple(records))


def write_history(runs: list[RecordedRun], actions: int, folder: Path) -> int:
    """Write so many actions as an export has them, with many runs at a time; return how many there are."""
    copies = max(1, actions // (RUNS * LENGTH))
    seq = 0
    with _writer(folder) as write:
        for copy in range(copies):
            for at, run in enumerate(runs):
                run_id = f"{copy:05}{at:06}"  # as long as the one that it replaces
                rows = []
                for kind, body in run.records:
                    seq += 1
                    text = body.replace(run.run_id, run_id).replace('"seq":0}', f'"seq":{seq}}}')
                    rows.append((seq, kind, run_id, text))
                write(rows)
    return copies * RUNS * LENGTH


@contextmanager
def _writer(folder: Path) -> Iterator[object]:
    """Give a function that writes rows, to a new file from time to time."""
    waiting: list[tuple[int, str, str, str]] = []

    def flush() -> None:
        if waiting:
            seqs, kinds, run_ids, bodies = zip(*waiting, strict=True)
            known = {"seq": seqs, "kind": kinds, "run_id": run_ids, "body": bodies}
            known |= {"at": [0] * len(seqs), "actor": ["coder"] * len(seqs), "hash": [""] * len(seqs)}
            columns = [pa.array(known.get(field.name, [None] * len(seqs)), field.type) for field in SCHEMA]
            place = folder / "day=2026-01-01"
            place.mkdir(parents=True, exist_ok=True)
            pq.write_table(pa.Table.from_arrays(columns, schema=SCHEMA), place / f"{seqs[0]:012}.parquet")
            waiting.clear()

    def write(rows: list[tuple[int, str, str, str]]) -> None:
        waiting.extend(rows)
        if len(waiting) >= _ROWS_IN_FILE:
            flush()

    yield write
    flush()
