"""`Gate(url, key=…)`: the same API as the embedded gate, with decisions, approvals, runs and records at a server."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from interlock import Action, ActionRefused, ConfigError, Gate, Outcome, RunExecutor, Verdict
from interlock.access.roles import Role
from interlock.audit.read import RecordFilter, read_all
from interlock.errors import ServerError
from interlock.gate.remote.address import RemoteOptions
from interlock.policy.pins import Pins
from tests.server.live_server import Running, until

PUSH = "git push --force origin main"
QUICK = RemoteOptions(timeout=2, patience=4, attempts=3)


def connect(server: Running, name: str, options: RemoteOptions = QUICK, **more: Any) -> Gate:
    """Return a gate with a new agent's key."""
    secret = server.key(Role.AGENT, "ann", name, **more).headers["authorization"].split()[1]
    return Gate.remote(f"http://127.0.0.1:{server.port}", secret, options=options)


@pytest.fixture
def gate(shared: Running, request: pytest.FixtureRequest) -> Iterator[Gate]:
    """A gate with a key of its own, which is named after the test."""
    with connect(shared, request.node.name[:80]) as gate:
        yield gate


def recorded(server: Running, kind: str, agent: str) -> list[Any]:
    found = [line.record for line in read_all(server.service.journal.database, RecordFilter(kind=kind))]
    return [record for record in found if str(record.agent_id).split("/")[0] == agent]


def answer_next(server: Running, agent: str, *, approve: bool) -> Callable[[], None]:
    """Answer the next request of an agent in a thread; return a function that waits for it."""

    def answer() -> None:
        pending = lambda: [one for one in server.service.gate.approvals.list() if one.agent_id == agent]  # noqa: E731
        [found] = until(pending)
        if approve:
            assert server.approve(server.reviewer(), found.approval_id).status == 200
        else:
            body = {"reason": "not today", "instead": "git push --force-with-lease"}
            server.reviewer().post(f"/v1/approvals/{found.approval_id}/reject", body).ok()

    thread = threading.Thread(target=answer)
    thread.start()
    return thread.join


def test_what_may_run_is_recorded_once_at_the_server(shared: Running, gate: Gate) -> None:
    outcome = gate.check(Action.shell("ls"))
    assert isinstance(outcome, Outcome)
    assert (outcome.by, outcome.decision.verdict, outcome.kept) == ("decision", Verdict.ALLOW, True)
    [record] = recorded(shared, "decision", gate.caller.agent)
    assert record.run_id == outcome.run_id
    gate.close()
    assert shared.service.gate.runs.get(outcome.run_id).state == "ended"


def test_a_decision_is_the_same_as_that_of_an_embedded_gate(gate: Gate) -> None:
    action = Action.shell("sudo rm -rf /etc/nginx", environment="production")
    with Gate.temporary() as embedded:
        assert gate.decide(action).assessment == embedded.decide(action).assessment
        errors = []
        for one in (gate, embedded):
            with pytest.raises(ActionRefused) as refused:
                one.check(Action.shell("rm -rf /"))
            errors.append(refused.value)
    assert (errors[0].reason, errors[0].how) == (errors[1].reason, errors[1].how)
    assert errors[0].decision.verdict is Verdict.BLOCK
