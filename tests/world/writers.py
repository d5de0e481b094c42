"""What each of several processes does at one store at the same time, for `test_several_servers.py`."""

from __future__ import annotations

import multiprocessing.synchronize
import os
from collections.abc import Callable
from typing import Any

from interlock import Action, Gate, Verdict
from interlock.gate.session import Session
from tests.reading import WHERE
from tests.world.requests import PUSH

AGENT, RUN = "bot", "shared"
#: More than enough to meet what the test does meanwhile.
ENOUGH = 2_000
PUSHES = [Action.shell(f"git push --force origin b{number}", **WHERE) for number in range(12)]
_JOB: dict[str, Any] = {}


def join(store: str, home: str, together: multiprocessing.synchronize.Barrier) -> None:
    """Prepare a process."""
    os.environ.update(INTERLOCK_HOME=home, INTERLOCK_PROMPT="never")
    _JOB.update(store=store, together=together)


def at_once(work: Callable[[Gate, int], Any], number: int) -> Any:
    """Do something at the same time as the other processes."""
    with Gate(store=_JOB["store"]) as gate:
        gate.decide(Action.shell("true", **WHERE))  # the first transaction of a process is alone
        _JOB["together"].wait(60)
        return work(gate, number)


def session(gate: Gate) -> Session:
    """Return the run that all share."""
    return gate.session_of("ann", RUN, AGENT, None)


def use_approval(gate: Gate, _number: int) -> int:
    """Ask for each approved action; return how many may run."""
    run, used = session(gate), 0
    for action in PUSHES:
        _JOB["together"].wait(60)
        used += run.submit(action).by == "approval"
    return used


def spend(gate: Gate, number: int) -> int:
    """Do what is limited, in a run of one's own; return how often it was allowed."""
    with gate.run(agent_id=AGENT, run_id=f"spender-{number}") as run:
        actions = [Action(tool_name="tidy_up", input_payload={"n": f"{number}.{n}"}, **WHERE) for n in range(15)]
        return sum(run.decide(action).allowed for action in actions)


def work_until_stopped(gate: Gate, number: int) -> bool:
    """Decide until a stop is in force; return whether one was."""
    with gate.run(agent_id=AGENT, run_id=f"worker-{number}") as run:
        return any(run.decide(Action.shell("ls", **WHERE)).verdict is Verdict.BLOCK for _ in range(ENOUGH))


def use_grant_until_revoked(gate: Gate, _number: int) -> bool:
    """Use a grant until it is revoked; return whether it was."""
    run = session(gate)
    return any(run.submit(PUSH).by != "remembered" for _ in range(ENOUGH))


def download(gate: Gate, number: int) -> list[str]:
    """Download files in the run that all share; return their names."""
    names = [f"tool-{number}-{n}.sh" for n in range(30)]
    run = session(gate)
    for name in names:
        run.decide(Action.shell(f"curl -so {name} https://example.com/{name}", **WHERE))
    return names
