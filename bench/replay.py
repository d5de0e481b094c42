"""How fast past actions are decided again: on all cores, beside the rate of `decide` alone in the same run.

`python -m bench.replay` runs it; `ACTIONS=1000000` sets how many actions the history has. The processor time is shown
too, because it does not depend on what else the machine does.
"""

from __future__ import annotations

import os
import resource
import tempfile
import time
from pathlib import Path

from bench.past import RecordedRun, record_runs, write_history
from interlock.config.schema import Config
from interlock.engine import Engine
from interlock.history.replay.causes import EARLIER_INPUT, INPUT_MASKED
from interlock.history.replay.job import ReplayJob, count_cores
from interlock.history.replay.worker import SetupMessage

ACTIONS = int(os.environ.get("ACTIONS", "100000"))
#: The share of (cores × the rate of `decide`) that a replay has to reach.
GOAL = 0.85
ROUNDS = 3
#: Why verdicts may differ although nothing else does: some rows of the benchmark have secrets, which are masked.
_BY_MASKING = frozenset({EARLIER_INPUT, INPUT_MASKED, f"{INPUT_MASKED} or {EARLIER_INPUT}"})


def decide_all(engine: Engine, runs: list[RecordedRun]) -> tuple[float, float]:
    """Return the seconds and the processor seconds that one decision takes, in the fastest of some rounds."""
    best = []
    for _ in range(ROUNDS):
        began, used = time.perf_counter(), time.process_time()
        for run in runs:
            for action, state in run.actions:
                engine.decide(action, state)
        best.append((time.perf_counter() - began, time.process_time() - used))
    count = sum(len(run.actions) for run in runs)
    return min(one for one, _ in best) / count, min(two for _, two in best) / count


def run() -> None:
    """Print the rates and their ratio."""
    with tempfile.TemporaryDirectory(dir=Path(__file__).parent) as name:
        folder = Path(name)
        os.environ["INTERLOCK_HOME"] = name
        engine = Config().engine()
        runs = record_runs(engine, folder)
        alone, alone_used = decide_all(engine, runs)
        actions = write_history(runs, ACTIONS, folder / "export")
        cores = count_cores()
        job = ReplayJob(message=SetupMessage(), work=folder / "work", history=str(folder / "export"))
        began, used = time.perf_counter(), _used()
        found, _ = job.run(_Silent())
        passed, spent = time.perf_counter() - began, _used() - used
    other = sum(count for cause, count in found.causes.items() if cause not in _BY_MASKING)
    if found.actions != actions or other:
        raise SystemExit(f"the replay of {actions:,} actions gave {found.actions:,}, {other:,} of them different")
    print(f"replay of {actions:,} actions on {cores} cores; {found.changed:,} differ because a secret is masked")
    print(f"  decide alone, one thread  {1 / alone:10,.0f} actions/s")
    print(f"  replay                    {actions / passed:10,.0f} actions/s")
    print(f"  share of cores × decide   {actions / passed / (cores / alone):10.2f}   goal {GOAL}")
    print(f"  share, by processor time  {alone_used * actions / spent:10.2f}")


def _used() -> float:
    """Return the processor seconds of this process and of those that have ended."""
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    )


class _Silent:
    def note(self, text: str) -> None:
        print(text)

    def show(self, done: int, total: int, what: str) -> None: ...


if __name__ == "__main__":
    run()
