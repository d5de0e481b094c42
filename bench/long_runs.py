"""A long run: how its last actions compare with its first ones, in time and in what is remembered."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from typing import Any

import msgspec

from interlock import Action, Gate
from interlock.audit.run_state import encode_state, load_run_state

ACTIONS, SAMPLE = 10_000, 500
_WHERE: dict[str, Any] = {"cwd": "/home/user/project", "workspace": "/home/user/project", "home": "/home/user"}


def _action(number: int) -> Action:
    """Return an ordinary action: commands, edits, and reads of a service."""
    if number % 5 == 0:
        given = {"file_path": f"/home/user/project/src/m{number}.py", "content": f"x = {number}\n"}
        return Action(tool_name="Write", input_payload=given, **_WHERE)
    if number % 7 == 0:
        return Action(tool_name="mcp__crm__get_customer", input_payload={"id": number}, **_WHERE)
    return Action.shell(f"git log --oneline -{number % 9 + 1} && export N={number % 30}", **_WHERE)


def measure_long_run(say: Callable[[str], object]) -> None:
    """Print how long the decisions at the end of a run take, as a multiple of those at its beginning."""
    with tempfile.TemporaryDirectory() as folder, Gate(store=f"sqlite:///{folder}/store.db") as gate:
        decided, loaded = _play(gate)
        state = gate.runs.state("long")
        size = len(msgspec.json.encode(encode_state(state, gate.journal.content)))
    say(f"a run of {ACTIONS:,} actions: decisions at its end {decided:.2f} x those at its beginning")
    say(f"  reading its state anew {loaded:.2f} x; what is remembered takes {size:,} bytes")


def _play(gate: Gate) -> tuple[float, float]:
    times, loads = [], []
    with gate.run(agent_id="bot", run_id="long") as session:
        for number in range(ACTIONS):
            action = _action(number)
            started = time.perf_counter()
            session.decide_unrecorded(action)
            times.append(time.perf_counter() - started)
            session.decide(action)
            if number in (SAMPLE, ACTIONS - 1):
                loads.append(min(_time_load(gate) for _ in range(20)))
    first = statistics.median(times[64:SAMPLE])
    return statistics.median(times[-SAMPLE:]) / first, loads[1] / loads[0]


def _time_load(gate: Gate) -> float:
    started = time.perf_counter()
    with gate.journal.database.read() as connection:
        load_run_state(connection, "long", gate.journal.content)
    return time.perf_counter() - started


if __name__ == "__main__":
    measure_long_run(print)
