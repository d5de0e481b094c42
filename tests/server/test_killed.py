"""Servers that share a PostgreSQL: what one has answered is there when it is killed, and waits where it waited."""

from __future__ import annotations

import threading
import time
import urllib.error
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.browser.conftest import Site
from tests.world.postgres import Server

ASKING = "git push --force origin main"
CALLERS, ANSWERS = 8, 120


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("pg"))
    yield server
    server.stop()


@pytest.fixture
def two(postgres: Server, tmp_path: Path) -> Iterator[tuple[Site, Site]]:
    """Two servers of two machines on one store."""
    store = postgres.new()
    first, second = Site(tmp_path / "one", store=store), Site(tmp_path / "two", store=store)
    yield first, second
    for site in (first, second):
        site.kill()


def test_an_answer_at_one_returns_the_call_that_waits_at_the_other(two: tuple[Site, Site]) -> None:
    first, second = two
    agent = first.run("keys", "create", "agent", "--owner", "sam")
    bob = first.run("keys", "create", "bob", "--role", "reviewer", "--owner", "bob")
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(first.ask, agent, ASKING, wait=60)
        waits = _pending(second, bob)
        second.call("POST", f"/v1/approvals/{waits}/reject", bob, {"reason": "no"})
        began = time.monotonic()
        said = call.result(timeout=30)
    assert said["approval"]["state"] == "rejected"
    assert time.monotonic() - began < 20  # a second is usual; a busy machine may take longer


def _pending(site: Site, key: str) -> str:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if items := site.call("GET", "/v1/approvals?state=pending", key)["items"]:
            return str(items[0]["approvalId"])
        time.sleep(0.05)
    raise AssertionError("no request has come")


def test_a_killed_server_loses_nothing_that_it_answered(two: tuple[Site, Site]) -> None:
    first, second = two
    agent = first.run("keys", "create", "agent", "--owner", "sam")
    admin = first.run("keys", "create", "admin", "--role", "admin")
    waits = first.ask(agent, ASKING)["approval"]["approvalId"]
    answered: list[str] = []
    enough, over = threading.Event(), threading.Event()

    def keep_asking(number: int) -> None:
        while not over.is_set():
            try:
                answered.append(first.ask(agent, "git status", runId=f"run-{number}")["decisionId"])
            except (OSError, urllib.error.URLError):
                return  # it is dead
            if len(answered) >= ANSWERS:
                enough.set()

    threads = [threading.Thread(target=keep_asking, args=(number,)) for number in range(CALLERS)]
    for thread in threads:
        thread.start()
    assert enough.wait(60)
    first.kill()
    over.set()
    for thread in threads:
        thread.join(30)
    found, cursor = set[str](), ""
    while True:
        page = second.call("GET", f"/v1/audit?kind=decision&limit=500&cursor={cursor}", admin)
        found |= {item["recordId"] for item in page["items"]}
        if page["next"] is None:
            break
        cursor = page["next"]
    assert set(answered) <= found
    assert second.call("GET", f"/v1/approvals/{waits}", admin)["state"] == "pending"
    first.start()
    assert first.call("GET", f"/v1/approvals/{waits}", agent)["state"] == "pending"
    keys = [site.run("audit", "key") for site in two]
    proof = first.run("audit", "verify", *[word for key in keys for word in ("--key", key)])
    assert "proved" in proof


def test_what_waits_goes_on_waiting_over_a_restart_or_runs_out(postgres: Server, tmp_path: Path) -> None:
    site = Site(tmp_path, "[timeouts]\ncritical = 600\nhigh = 600\nmedium = 600\n", store=postgres.new())
    agent = site.run("keys", "create", "agent", "--owner", "sam")
    bob = site.run("keys", "create", "bob", "--role", "reviewer", "--owner", "bob")
    waits = site.ask(agent, ASKING)["approval"]["approvalId"]
    site.stop()
    site.start()
    assert site.call("GET", f"/v1/approvals/{waits}", agent)["state"] == "pending"
    site.call("POST", f"/v1/approvals/{waits}/reject", bob, {"reason": "no"})
    short = site.ask(agent, "git push --force origin other", runId="run-2")
    (site.home / "interlock.toml").write_text("[timeouts]\ncritical = 1\nhigh = 1\nmedium = 1\n")
    site.stop()
    site.start()
    brief = site.ask(agent, "git push --force origin brief", runId="run-3")["approval"]["approvalId"]
    site.stop()
    time.sleep(1.5)
    site.start()
    assert site.call("GET", f"/v1/approvals/{brief}", bob)["state"] == "expired"
    assert site.call("GET", f"/v1/approvals/{short['approval']['approvalId']}", bob)["state"] == "pending"
    site.kill()
