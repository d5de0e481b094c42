"""A run in other threads: carried there, or found, and never lost."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from interlock import ActionRefused, Gate, RunExecutor, carry_run

BLOCKED = """
[[policies]]
policy_id = "no-mail"
conditions = ["agentId=bot", "toolName=send_note"]
action = "block"
"""


@pytest.fixture
def store(tmp_path: Path) -> str:
    """A SQLite file: nothing here depends on the database."""
    return f"sqlite:///{tmp_path / 'store.db'}"


@pytest.fixture
def gate(configured: Callable[[str], Gate]) -> Gate:
    return configured(BLOCKED)


@pytest.fixture
def send_note(gate: Gate) -> Callable[[str], str]:
    @gate.guard
    def send_note(text: str) -> str:
        """Keep a note."""
        return text

    return send_note


def outcome(call: Callable[[], str]) -> str:
    try:
        return call()
    except ActionRefused as refused:
        return "refused" if "no-mail" in str(refused) else f"other: {refused}"


def test_a_pool_does_not_lose_the_run(gate: Gate, send_note: Callable[[str], str]) -> None:
    with ThreadPoolExecutor(2) as pool:
        with gate.run(agent_id="bot"):
            assert pool.submit(outcome, lambda: send_note("x")).result() == "refused"
        assert pool.submit(outcome, lambda: send_note("x")).result() == "x", "no run is open any more"


def test_a_thread_does_not_lose_the_run(gate: Gate, send_note: Callable[[str], str]) -> None:
    found: list[str] = []
    with gate.run(agent_id="bot"):
        thread = threading.Thread(target=lambda: found.append(outcome(lambda: send_note("x"))))
        thread.start()
        thread.join()
    assert found == ["refused"]


def test_of_several_open_runs_the_strictest_counts(gate: Gate, send_note: Callable[[str], str]) -> None:
    opened, done = threading.Barrier(3), threading.Event()

    def hold(agent: str) -> None:
        with gate.run(agent_id=agent):
            opened.wait(20)
            done.wait(20)

    holders = [threading.Thread(target=hold, args=(agent,)) for agent in ("clerk", "bot")]
    for holder in holders:
        holder.start()
    opened.wait(20)
    try:
        assert outcome(lambda: send_note("x")) == "refused"
    finally:
        done.set()
        for holder in holders:
            holder.join()


@pytest.mark.parametrize("carried", ["executor", "wrapper", "to_thread"])
def test_work_belongs_to_the_run_that_submitted_it(gate: Gate, send_note: Callable[[str], str], carried: str) -> None:
    def work(text: str) -> str:
        return outcome(lambda: send_note(text))

    def once(agent: str) -> str:
        with gate.run(agent_id=agent):
            if carried == "executor":
                with RunExecutor(1) as own:
                    return next(iter(own.map(work, [agent])))
            if carried == "wrapper":
                return pool.submit(carry_run(work), agent).result()
            return asyncio.run(asyncio.to_thread(work, agent))

    with ThreadPoolExecutor(2) as pool, ThreadPoolExecutor(4) as callers:
        agents = ["clerk", "bot", "cook", "bot"]
        assert list(callers.map(once, agents)) == ["clerk", "refused", "cook", "refused"]
    recorded = {run.agent_id: count for run, count in gate.runs.list()}
    assert set(recorded) == {"clerk", "bot", "cook"}
