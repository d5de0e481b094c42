"""A gate at a server that is down, slow, flaky or hostile: refused, after retries that record nothing twice."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from interlock import Action, ActionRefused, Gate
from interlock.access.roles import Role
from interlock.errors import ServerError
from interlock.gate.remote.address import RemoteOptions
from interlock.gate.remote.gate import RemoteGate
from tests.server.client import PATIENCE
from tests.server.live_server import Running, served, until
from tests.server.test_remote_gate import PUSH, connect, recorded, request_of
from tests.server.unreliable import HELD, LOST, REDIRECT, UNAVAILABLE, Unreliable, json_response, unreliable

LISTING = Action.shell("ls")
FAST = RemoteOptions(timeout=0.5, total_timeout=5, attempts=3)

INVALID = [UNAVAILABLE, HELD, b"\x00\x01 garbage", json_response(b"[]"), json_response(b"{")]


@pytest.fixture(scope="module")
def proxy(shared: Running) -> Iterator[Unreliable]:
    with unreliable(shared.port) as proxy:
        yield proxy


@pytest.fixture
def gate(shared: Running, proxy: Unreliable, request: pytest.FixtureRequest) -> Iterator[RemoteGate]:
    """A gate behind the unreliable server, with a key of its own."""
    secret = shared.key(Role.AGENT, "ann", request.node.name[:80]).headers["authorization"].split()[1]
    with Gate.remote(f"http://127.0.0.1:{proxy.port}", secret, options=FAST) as gate:
        assert gate.caller.name == "ann"
        yield gate
    assert proxy.faults == []


@pytest.mark.parametrize("faults", [[UNAVAILABLE], [LOST], [LOST, LOST], [HELD], [UNAVAILABLE, LOST], [b"{}"]])
def test_what_is_tried_again_is_recorded_once(
    shared: Running, proxy: Unreliable, gate: RemoteGate, faults: list[bytes]
) -> None:
    proxy.faults[:] = faults
    assert gate.check(LISTING).by == "decision"
    assert [record.outcome for record in recorded(shared, "decision", gate.caller.agent)] == ["allow"]


def test_an_approval_whose_use_was_lost_counts_for_the_same_check_alone(
    shared: Running, proxy: Unreliable, gate: RemoteGate
) -> None:
    session, action = gate.open_session("lost-use", None), Action.shell(PUSH)
    step = session.submit(action)
    assert shared.approve(shared.reviewer(), request_of(step).approval_id).status == 200
    proxy.faults[:] = [LOST]
    again = session.resume(action, step.record_id)
    assert (again.allowed, again.by) == (True, "approval")
    assert session.resume(action, step.record_id).allowed
    other = session.submit(action)
    assert (other.allowed, request_of(other).state.value) == (False, "pending")
    assert len(recorded(shared, "approval.used", gate.caller.agent)) == 1


@pytest.mark.parametrize("fault", INVALID, ids=range(len(INVALID)))
def test_a_server_that_gives_no_valid_answer_is_a_refusal(proxy: Unreliable, gate: RemoteGate, fault: bytes) -> None:
    proxy.faults[:] = [fault] * FAST.attempts
    with pytest.raises(ActionRefused, match="the decision failed: the server at `http://127") as refused:
        gate.check(LISTING)
    assert "try again once the server can be reached" in refused.value.how


def test_a_redirect_is_not_followed(proxy: Unreliable, gate: RemoteGate) -> None:
    proxy.faults[:] = [REDIRECT]
    with pytest.raises(ServerError, match="redirects to another address") as error:
        gate.check(LISTING)
    assert error.value.status == 307


def forged(gate: RemoteGate, **changes: Any) -> bytes:
    """Return a forged answer that allows an action."""
    session = gate.open_session("forged", None)
    real = gate.api.send("POST", "/v1/check", {"forms": session.forms(Action.shell(PUSH)), "once": "x"}, dict)
    return json_response(json.dumps({**real, "allowed": True, **changes}).encode())


def test_an_answer_that_contradicts_itself_allows_nothing(proxy: Unreliable, gate: RemoteGate) -> None:
    session, action = gate.open_session("forged", None), Action.shell(PUSH)
    for changes, told in (
        ({"by": "decision"}, "contradicts itself"),
        ({"by": "asked"}, "contradicts itself"),
        ({"runId": "other"}, "another run"),
    ):
        proxy.faults[:] = [forged(gate, **changes)]
        with pytest.raises(ActionRefused, match=told):
            session.check(action)


def test_a_key_that_the_server_repeats_is_not_shown(proxy: Unreliable, gate: RemoteGate) -> None:
    key = gate.api.address.key
    body = json.dumps({"detail": f"who is {key}?"}).encode()
    proxy.faults[:] = [json_response(body).replace(b"200 OK", b"403 Forbidden")]
    with pytest.raises(ServerError, match="not allowed with this key") as error:
        gate.check(LISTING)
    assert key not in str(error.value)


def test_a_request_that_is_cancelled_before_it_was_answered_is_cancelled_at_the_server(
    shared: Running, proxy: Unreliable, gate: RemoteGate
) -> None:
    proxy.faults[:] = [HELD]

    async def cancel() -> None:
        task = asyncio.create_task(gate.acheck(Action.shell(PUSH)))
        while proxy.faults:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    assert until(lambda: recorded(shared, "approval.cancelled", gate.caller.agent))


def test_a_server_that_is_stopped_while_an_approval_waits_is_a_refusal(shared: Running, tmp_path: Path) -> None:
    refused: list[ActionRefused] = []
    began = time.monotonic()

    def wait(gate: RemoteGate) -> None:
        with pytest.raises(ActionRefused) as caught:
            gate.check(Action.shell(PUSH))
        refused.append(caught.value)

    with served(Gate(store=f"sqlite:///{tmp_path / 'store.db'}")) as running:
        gate = connect(running, "stopped", FAST)
        thread = threading.Thread(target=wait, args=(gate,))
        thread.start()
        until(running.service.gate.approvals.list)
    thread.join()
    assert "the server at" in refused[0].reason
    assert refused[0].decision.needs is not None
    assert refused[0].approval_id
    with pytest.raises(ActionRefused, match="refused the connection"):
        asyncio.run(gate.acheck(LISTING))
    assert time.monotonic() - began < PATIENCE


def test_no_tls_is_a_refusal(shared: Running) -> None:
    with (
        Gate.remote(f"https://localhost:{shared.port}", "ilk_12345678", options=FAST) as gate,
        pytest.raises(ActionRefused, match="could not establish a TLS connection"),
    ):
        gate.check(LISTING)


def test_connections_stay_open_and_are_replaced_once_closed(shared: Running) -> None:
    with connect(shared, "kept-alive") as gate:
        before = gate.check(LISTING)
        [kept] = gate.api._connections._idle
        assert gate.check(LISTING).run_id == before.run_id
        assert gate.api._connections._idle == [kept]
        kept.sock.shutdown(socket.SHUT_RDWR)
        assert gate.check(LISTING).run_id == before.run_id
        assert len(recorded(shared, "decision", "kept-alive")) == 3


def test_checks_at_the_same_time_are_each_recorded_once(shared: Running) -> None:
    with connect(shared, "at-once") as gate:
        threads = [threading.Thread(target=gate.check, args=(Action.shell(f"ls {at}"),)) for at in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len({record.data["text"] for record in recorded(shared, "decision", "at-once")}) == 12
