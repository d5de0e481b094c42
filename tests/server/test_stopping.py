"""Streams and waiting requests end in order: when a server stops, and when its store fails."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from interlock.errors import StoreError
from interlock.gate import Gate
from tests.server.live_server import Running, ended, start, until
from tests.server.payloads import beside, is_waited_for


def test_streams_end_and_waiting_requests_are_answered(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    running, stop = start(Gate(store=f"sqlite:///{tmp_path / 'store.db'}"))
    agent, reviewer = running.agent("ann"), running.reviewer("bob")
    approval_id = running.asked(agent)["approval"]["approvalId"]
    with caplog.at_level(logging.ERROR), reviewer.begun("GET", "/v1/events/stream") as stream:
        until(running.is_followed)
        response = beside(lambda: agent.get(f"/v1/approvals/{approval_id}", wait=60))
        until(lambda: is_waited_for(running, approval_id))
        stopping = stop()
        assert response().ok()["state"] == "pending"
        assert stream.read().endswith(b"\n\n"), "the stream ends after a whole event"
        ended(stopping)
    assert not caplog.records, "a task that is cut off is logged as an error"


def test_a_stream_ends_in_order_if_the_store_fails(
    alone: Running, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail(_after: int) -> None:
        raise StoreError("the database system is starting up")

    with caplog.at_level(logging.WARNING), alone.reviewer("bob").begun("GET", "/v1/events/stream") as stream:
        until(alone.is_followed)
        monkeypatch.setattr(alone.service.feed, "_after", fail)
        assert stream.read().endswith(b"\n\n"), "the stream ends after a whole event"
        until(lambda: alone.service.feed._followers == 0)
    assert [record.getMessage() for record in caplog.records] == [
        "a stream of events ended: the database system is starting up"
    ]
