"""No event loop waits for Interlock: not for the store, and not for a person."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from interlock import Action, ActionRefused, Gate
from interlock.agents.call_runs import ToolCall
from interlock.agents.framework import Checker
from interlock.approval.request import Answer, Approval, ApprovalState
from interlock.audit.read import RecordFilter, read_all
from interlock.gate.approval_flow import Submission
from interlock.gate.run_approvals import RunApprovals
from interlock.gate.session import Session
from interlock.store.database import Database
from tests.loop_watch import tick, watch_loops
from tests.server.live_server import until
from tests.world.requests import no, yes

ASK = """
[approvals]
one_person = true

[[policies]]
policy_id = "ask"
conditions = ["toolName=slow"]
action = "require_approval"
"""


@pytest.fixture
def store(tmp_path: Path) -> str:
    """A SQLite file: nothing here depends on the database."""
    return f"sqlite:///{tmp_path / 'store.db'}"


class PatientPerson:
    """Somebody who answers only after the event loop has gone on. A loop that is blocked is never answered."""

    def __init__(self) -> None:
        self.asked, self.went_on = threading.Event(), threading.Event()

    def available(self) -> bool:
        return True

    def ask(self, approval: Any, approver: str, **_: Any) -> Answer:
        self.asked.set()
        return yes(approver) if self.went_on.wait(30) else no(approver)

    async def answer(self) -> None:
        """Wait in the loop until the question is asked, let the loop go round, and answer."""
        while not self.asked.is_set():
            await asyncio.sleep(0.001)
        await tick()
        self.went_on.set()


@pytest.fixture
def person() -> PatientPerson:
    return PatientPerson()


@pytest.fixture
def gate(store: str, own: Path, person: PatientPerson) -> Iterator[Gate]:
    own.mkdir()
    (own / "interlock.toml").write_text(ASK)
    with Gate(store=store, approver=person) as found:
        yield found


def guarded(gate: Gate, **given: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    async def numbers() -> AsyncIterator[int]:
        yield 1

    class Slow:
        async def __call__(self) -> int:
            return 1

    async def total() -> int:
        return 1

    guard = gate.guard(**given)
    stream: Any = guard(numbers)
    yield "generator", lambda: anext(stream())
    yield "object", guard(Slow())
    yield "coroutine", guard(total)
    yield "check", lambda: gate.acheck(Action(tool_name=given.get("tool_name", "get_total")))


KINDS = ["generator", "object", "coroutine", "check"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_loop_goes_on_while_a_person_is_asked(gate: Gate, person: PatientPerson, kind: str) -> None:
    async def scenario() -> Any:
        found, _ = await asyncio.gather(dict(guarded(gate, tool_name="slow"))[kind](), person.answer())
        return found

    with watch_loops():
        assert asyncio.run(scenario())


@pytest.mark.parametrize("kind", KINDS)
def test_the_loop_goes_on_while_the_store_is_locked(gate: Gate, store: str, kind: str) -> None:
    other = Database(store)

    async def scenario() -> Any:
        with other.write():  # nothing can be recorded until the loop has gone on
            call = asyncio.ensure_future(dict(guarded(gate, does="tool.read"))[kind]())
            await tick()
            assert not call.done()
        return await call

    with watch_loops(except_for=("write",)):  # the test's own
        assert asyncio.run(scenario())
    other.close()


def test_a_check_that_is_cancelled_while_it_is_recorded_leaves_no_request(
    gate: Gate, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    other, started, submit = Database(store), threading.Event(), Session.submit_check

    def noted(session: Session, action: Action, *, holds: bool = False) -> Submission:
        started.set()
        return submit(session, action, holds=holds)

    async def scenario() -> None:
        with other.write():
            call = asyncio.ensure_future(gate.acheck(Action(tool_name="slow")))
            while not started.is_set():
                await asyncio.sleep(0.001)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call

    monkeypatch.setattr(Session, "submit_check", noted)
    asyncio.run(scenario())
    other.close()
    until(lambda: list(read_all(gate.journal.database, RecordFilter(kind="approval.cancelled"))))
    assert not gate.approvals.list()


def test_with_several_open_runs_the_loop_decides_nothing_itself(gate: Gate) -> None:
    deciding: set[str] = set()

    async def scenario() -> None:
        @gate.guard(does="tool.read")
        async def look_up() -> int:
            return 1

        with gate.run("a"), gate.run("b"):
            gate._open_runs._current.set(None)  # as in a thread that does not know its run
            await look_up()

    strictness = Session.strictness

    def noted(*given: Any) -> Any:
        deciding.add(threading.current_thread().name)
        return strictness(*given)

    with watch_loops(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(Session, "strictness", noted)
        asyncio.run(scenario())
    assert deciding
    assert threading.main_thread().name not in deciding


def test_an_answer_between_two_looks_at_a_request_is_not_missed(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    look = RunApprovals.wait_for_answer

    def answered_after(
        approvals: RunApprovals, submission: Submission, seconds: float, *, holds: bool = False
    ) -> Approval:
        found = look(approvals, submission, seconds, holds=holds)
        if found.state is ApprovalState.PENDING:
            gate.approvals.answer(found.approval_id, yes())
        return found

    monkeypatch.setattr(RunApprovals, "wait_for_answer", answered_after)
    checker = Checker(gate, "bot", wait=60, asks=False)
    assert asyncio.run(checker.acheck(ToolCall("talk", "c1", "slow", {}))).runs


def test_a_framework_does_not_block_the_loop(gate: Gate) -> None:
    checker = Checker(gate, "bot", wait=60, asks=False)

    async def answer() -> None:
        while not (found := await asyncio.to_thread(gate.approvals.list)):
            await asyncio.sleep(0.001)
        await tick()
        await asyncio.to_thread(gate.approvals.answer, found[0].approval_id, yes())

    async def scenario() -> None:
        slow, quick = ToolCall("talk", "c1", "slow", {}), ToolCall("talk", "c2", "get_total", {})
        decided, _ = await asyncio.gather(checker.acheck(slow), answer())
        assert decided.runs
        decided = await checker.acheck(quick)
        with checker.watch(quick, decided) as watched:
            watched.measure_result("x" * 1_000)

    with watch_loops():
        asyncio.run(scenario())


def test_a_refusal_does_not_block_the_loop_either(gate: Gate) -> None:
    @gate.guard(tool_name="Bash", input_payload={"command": "rm -rf /"})
    async def wipe() -> None: ...

    async def scenario() -> None:
        with pytest.raises(ActionRefused):
            await wipe()

    with watch_loops():
        asyncio.run(scenario())


def test_the_watch_sees_what_blocks(gate: Gate) -> None:
    async def scenario() -> None:
        gate.check(Action(tool_name="get_total"))

    with pytest.raises(AssertionError, match="`commit` in the thread of a loop"), watch_loops():
        asyncio.run(scenario())
