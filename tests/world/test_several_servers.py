"""Several processes at one PostgreSQL store: they record side by side, and nothing is used twice, lost or overtaken."""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from interlock import Action, Gate
from interlock.approval.grants import Grants
from interlock.approval.request import Answer, AnswerVerdict, ChallengeResult, GrantScope
from interlock.audit.keys import KeyRing, SigningKey
from interlock.audit.read import RecordFilter, read_all
from interlock.audit.verify import verify
from interlock.store.postgresql import Postgresql
from tests.reading import WHERE
from tests.world import writers
from tests.world.postgres import Server
from tests.world.requests import PUSH

COUNT = 3
LIMITED = """
[[policies]]
policy_id = "refunds"
conditions = ["toolName=tidy_up"]
action = "block"
limit = { most = 20, per = "day", by = "everyone" }
"""
Run = Callable[[Callable[[Gate, int], Any]], list[Future[Any]]]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("servers")
    (folder / "interlock.toml").write_text(LIMITED)
    return folder


@pytest.fixture(scope="module")
def shared(postgres: Server) -> str:
    return postgres.new()


@pytest.fixture
def own(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("INTERLOCK_HOME", str(home))
    monkeypatch.setenv("INTERLOCK_PROMPT", "never")
    return home


@pytest.fixture
def gate(shared: str, own: Path) -> Iterator[Gate]:
    with Gate(store=shared) as found:
        yield found
        proof = verify(found.journal.database, KeyRing([SigningKey.at(own).public]), folder=own)
        assert proof.faults == ()


@pytest.fixture(scope="module")
def start(shared: str, home: Path) -> Iterator[Run]:
    """Start the same work in several processes, at the same time."""
    context = multiprocessing.get_context("spawn")
    prepared = shared, str(home), context.Barrier(COUNT)
    with ProcessPoolExecutor(COUNT, context, writers.join, prepared) as pool:
        yield lambda work: [pool.submit(partial(writers.at_once, work), number) for number in range(COUNT)]


def approve(gate: Gate, scope: GrantScope, action: Action = PUSH) -> None:
    """Request and approve an action."""
    waiting = writers.session(gate).submit(action).approval
    assert waiting is not None
    passed = ChallengeResult(kind=waiting.needs.challenge, passed=True, seconds=9.0)
    yes = Answer(approver="bob", verdict=AnswerVerdict.APPROVE, scope=scope, challenge=passed)
    gate.approvals.answer(waiting.approval_id, yes)


def records(gate: Gate, *kinds: str) -> list[Any]:
    """Return the records of some kinds, in order."""
    return [line.record for line in read_all(gate.journal.database, RecordFilter()) if line.record.kind in kinds]


def wait_for(gate: Gate, kind: str, count: int) -> None:
    """Wait until there are so many more records of a kind."""
    enough, deadline = len(records(gate, kind)) + count, time.monotonic() + 60
    while len(records(gate, kind)) < enough:
        assert time.monotonic() < deadline, "the other processes have written nothing"
        time.sleep(0.05)


def test_an_approval_is_used_once(gate: Gate, start: Run) -> None:
    for action in writers.PUSHES:
        approve(gate, GrantScope.ONCE, action)
    assert sum(one.result() for one in start(writers.use_approval)) == len(writers.PUSHES)
    assert len(records(gate, "approval.used")) == len(writers.PUSHES)


def test_a_limit_is_exact(gate: Gate, start: Run) -> None:
    assert sum(one.result() for one in start(writers.spend)) == 20
    assert [one.data["total"] for one in records(gate, "budget")] == list(range(1, 21))


def test_no_file_of_a_shared_run_is_forgotten(gate: Gate, start: Run) -> None:
    names = {name for one in start(writers.download) for name in one.result()}
    state = gate.runs.state(writers.RUN)
    assert {place.rpartition("/")[2] for place in state.downloaded} == names
    decided = [one for one in records(gate, "decision") if one.run_id == writers.RUN]
    assert sum(state.calls.values()) == len(decided)
    assert any(one.name == "snapshot" for one in records(gate, "memory"))


def test_nothing_is_allowed_after_a_stop(gate: Gate, start: Run) -> None:
    working = start(writers.work_until_stopped)
    wait_for(gate, "decision", 20)
    gate.stop(writers.AGENT)
    assert all(one.result() for one in working)
    (stop,) = records(gate, "stop.made")
    later = [one for one in records(gate, "decision") if one.seq > stop.seq and one.agent_id == writers.AGENT]
    assert later
    assert {one.outcome for one in later} == {"block"}
    gate.lift_stop(writers.AGENT)


def test_a_revoked_grant_is_not_used(gate: Gate, start: Run) -> None:
    approve(gate, GrantScope.RUN)
    working = start(writers.use_grant_until_revoked)
    wait_for(gate, "grant.used", 20)
    (grant,) = Grants(gate.journal).list()
    Grants(gate.journal).revoke(grant.grant_id, "bob")
    assert all(one.result() for one in working)
    used, (revoked,) = records(gate, "grant.used"), records(gate, "grant.revoked")
    assert max(one.seq for one in used) < revoked.seq
    assert len(used) == Grants(gate.journal).list(everything=True)[0].uses


@pytest.mark.parametrize("committed", [False, True])
def test_a_connection_that_breaks_at_the_commit_records_once(
    gate: Gate, monkeypatch: pytest.MonkeyPatch, committed: bool
) -> None:
    commit, broken = Postgresql.commit_early, threading.Event()

    def commit_and_break(driver: Postgresql, raw: Any) -> None:
        if broken.is_set():
            commit(driver, raw)
            return
        broken.set()
        if committed:
            commit(driver, raw)
        raw.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        if not committed:
            commit(driver, raw)

    gate.decide(Action.shell("true", **WHERE))
    before = len(records(gate, "decision"))
    monkeypatch.setattr(Postgresql, "commit_early", commit_and_break)
    assert gate.decide(Action.shell("ls", **WHERE)).allowed
    assert broken.is_set()
    assert len(records(gate, "decision")) == before + 1
