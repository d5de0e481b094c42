"""Suggestions on a server: the API and the pages, who may accept what, and what is on record afterwards."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from interlock import Gate
from interlock.access.roles import Role
from interlock.learning.suggestion import Suggestion
from interlock.learning.suggestion_search import find_suggestions
from tests.learning.past import ASK, DAY, Clock, Past
from tests.learning.test_suggestions import RESETS
from tests.learning.test_training_attacks import OLD_FILES, TOPICS
from tests.server.client import PATIENCE, Client
from tests.server.conftest import Serve
from tests.server.live_server import Running


@pytest.fixture
def running(serve: Serve, own: Path, store: str, monkeypatch: pytest.MonkeyPatch) -> Running:
    """A server whose store has a past. The clock of PostgreSQL cannot be set, so there it is all on one day."""
    if store.startswith("postgresql"):
        for name in ("from_approvals.MIN_DAYS", "from_rejections.MIN_DAYS"):
            monkeypatch.setattr(f"interlock.learning.{name}", 1)
        monkeypatch.setattr("interlock.learning.approval_evidence.reading_seconds", lambda _: 0.0)
    with monkeypatch.context() as patch, Gate(store=store, policies=[ASK]) as gate:
        past = Past(gate, Clock(patch))
        past.approve(TOPICS)
        past.clock.behind = 20 * DAY
        past.approve(OLD_FILES)
        past.clock.behind = 10 * DAY
        past.reject(RESETS)
        past.suggestions()
    return serve(store)


def listed(client: Client) -> dict[str, str]:
    """Return the ids of the suggestions by how their texts begin."""
    return {one["text"].split(" ")[0]: one["suggestionId"] for one in client.get("/v1/suggestions").ok()["items"]}


def test_a_suggestion_is_read_accepted_and_on_record(running: Running) -> None:
    bob, eve = running.reviewer("bob"), running.admin("eve")
    ids = listed(bob)
    assert set(ids) == {"`git", "`rm`", "Block"}
    push, policy = ids["`git"], ids["Block"]
    details = bob.get(f"/v1/suggestions/{push}").ok()
    assert details["suggestion"]["evidence"]["people"] == {"bob": 3, "eve": 3}
    assert details["challenge"]["kind"] == "confirm"
    sam = running.reviewer("sam").get(f"/v1/suggestions/{push}").ok()
    assert (sam["challenge"], "started the run" in sam["whyNot"]) == (None, True)
    accepting = f"/v1/suggestions/{push}/accept"
    assert running.reviewer("sam").post(accepting, {"ticket": details["challenge"]["ticket"]}).status == 403
    assert bob.post(accepting, {"ticket": "1.forged"}).status == 422
    assert bob.post(accepting, {"ticket": details["challenge"]["ticket"], "days": 5_000}).status == 400
    grant = bob.post(accepting, {"ticket": details["challenge"]["ticket"], "days": 3}).ok(201)
    assert (grant["grantedBy"], grant["text"]) == ("bob", details["suggestion"]["text"])
    assert bob.post(accepting, {}).status == 404
    assert bob.post(f"/v1/suggestions/{policy}/accept-policy").status == 403
    assert eve.post(f"/v1/suggestions/{policy}/accept-policy").ok(201)["policy"]["action"] == "block"
    assert set(listed(bob)) == {"`rm`"}
    kinds = {line["kind"] for line in eve.get("/v1/audit", kind="suggestion").ok()["items"]}
    assert kinds == {"suggestion.accepted"}


def test_a_suggestion_is_narrowed_dismissed_and_restored(running: Running) -> None:
    bob = running.reviewer("bob")
    remove = listed(bob)["`rm`"]
    assert bob.post(f"/v1/suggestions/{remove}/dismiss", {"why": "not yet"}).ok()["state"] == "dismissed"
    assert "`rm`" not in listed(bob)
    assert bob.get("/v1/suggestions").ok()["dismissed"][0]["why"] == "not yet"
    bob.post(f"/v1/suggestions/{remove}/restore").ok()
    assert listed(bob)["`rm`"] == remove
    ticket = bob.get(f"/v1/suggestions/{remove}").ok()["challenge"]["ticket"]
    given = {"ticket": ticket, "folder": "/etc"}
    assert "is not a folder inside" in bob.post(f"/v1/suggestions/{remove}/accept", given).detail
    given = {"ticket": ticket, "folder": "/home/sam/shop/src/old/a"}
    assert "in /home/sam/shop/src/old/a, " in bob.post(f"/v1/suggestions/{remove}/accept", given).ok(201)["text"]


def test_a_long_search_keeps_no_other_page_waiting(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    goes_on, searches = threading.Event(), list[int]()

    def search(*given: Any, **options: Any) -> list[Suggestion]:
        searches.append(1)
        assert goes_on.wait(PATIENCE)
        return find_suggestions(*given, **options)

    monkeypatch.setattr("interlock.server.suggestion_finder.find_suggestions", search)
    browser = running.signed_in("bob", Role.REVIEWER)
    with ThreadPoolExecutor(20) as pool:
        pages = list(pool.map(lambda _: browser.get("/suggestions"), range(40)))
    assert all(b"Comparing answers with past actions" in page.body for page in pages)
    assert running.nobody.get("/healthz").status == 200
    assert searches == [1]
    goes_on.set()
    assert set(listed(running.reviewer("bob"))) == {"`git", "`rm`", "Block"}
    page = browser.get("/suggestions").body.decode()
    assert "approved 6 times on " in page
