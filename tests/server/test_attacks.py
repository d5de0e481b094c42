"""Attacks that must fail: cross-site requests, replayed answers, stolen tickets, malformed and oversized requests."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
import pytest

from interlock.access.roles import Role
from interlock.approval.challenge.challenge import challenge_for
from interlock.config.settings import ApprovalSettings
from interlock.server import authentication, http_protocol, middleware, service
from interlock.store.clock import MICROSECONDS
from tests.server.bulk_data import many_pending
from tests.server.client import Client, raw
from tests.server.conftest import Serve
from tests.server.live_server import ASKS, SAFE, Running, until
from tests.server.payloads import bash

# other sites


@pytest.fixture(scope="module")
def browser(shared: Running) -> Client:
    """Somebody who has signed in, and may do everything."""
    return shared.signed_in("adam", Role.ADMIN)


FOREIGN = {
    "another origin": {"origin": "https://evil.example"},
    "an origin that begins like ours": {"origin": "http://127.0.0.1.evil.example"},
    "our name on another port": {"origin": "http://127.0.0.1:1"},
    "a page without an origin": {"origin": "null"},
    "another site": {"sec_fetch_site": "cross-site"},
    "a neighbour": {"sec_fetch_site": "same-site"},
    "no token": {"x_csrf_token": ""},
    "a token that is none": {"x_csrf_token": "0" * 64},
    "a token that is not even text": {"x_csrf_token": "é"},
}


@pytest.mark.parametrize("headers", FOREIGN.values(), ids=FOREIGN)
@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/v1/keys", {"name": "stolen", "role": "admin"}),
        ("POST", "/v1/evaluate", SAFE),
        ("DELETE", "/v1/policies/deployments", None),
        ("PATCH", "/v1/people/rita", {"role": "admin"}),
    ],
)
def test_cross_site_requests_with_a_session_are_rejected(
    shared: Running, browser: Client, method: str, path: str, body: Any, headers: dict[str, str]
) -> None:
    reply = browser.having(**headers).send(method, path, body)
    assert reply.status == 403, reply
    assert "another site" in reply.detail or "missing or outdated CSRF token" in reply.detail
    assert "stolen" not in {key.name for key in shared.service.authenticator.keys.list()}


def test_our_own_page_does(shared: Running, browser: Client) -> None:
    ours = browser.having(origin=f"http://127.0.0.1:{shared.port}", sec_fetch_site="same-origin")
    ours.post("/v1/evaluate", SAFE).ok()


def test_the_token_of_another_session_does_not_count_even_of_the_same_person(shared: Running, browser: Client) -> None:
    for other in (shared.signed_in("adam", Role.ADMIN), shared.signed_in("eve", Role.ADMIN)):
        stolen = browser.having(x_csrf_token=other.headers["x-csrf-token"])
        assert stolen.post("/v1/evaluate", SAFE).status == 403
        other.post("/v1/evaluate", SAFE).ok()


def test_a_form_with_its_token_is_ours_and_one_without_is_not(shared: Running, browser: Client) -> None:
    form = browser.having(x_csrf_token="", content_type="application/x-www-form-urlencoded")
    token = browser.headers["x-csrf-token"]
    assert form.post("/v1/evaluate", f"csrf={token}".encode()).status == 400  # let in, and no JSON
    assert form.post("/v1/evaluate", b"csrf=0").status == 403


def test_a_key_is_no_cookie_and_needs_no_token(shared: Running) -> None:
    program = shared.agent("ann").having(origin="https://evil.example", sec_fetch_site="cross-site")
    program.post("/v1/evaluate", SAFE).ok()


def test_no_other_site_is_let_read(shared: Running) -> None:
    asks = shared.nobody.having(origin="https://evil.example", access_control_request_method="POST")
    for method, path in (("OPTIONS", "/v1/evaluate"), ("GET", "/healthz"), ("GET", "/nothing")):
        assert not [name for name in asks.send(method, path).headers if name.startswith("access-control")]


def test_a_header_does_not_make_another_method(shared: Running, browser: Client) -> None:
    disguised = browser.having(x_http_method_override="POST", x_csrf_token="")
    before = len(shared.service.authenticator.keys.list())
    disguised.get("/v1/keys").ok()
    assert len(shared.service.authenticator.keys.list()) == before


# sessions


def test_a_cookie_chosen_by_an_attacker_never_becomes_a_session(alone: Running) -> None:
    chosen = "chosen-by-an-attacker"
    fixed = alone.nobody.having(cookie=f"interlock={chosen}")
    assert fixed.get("/v1/runs").status == 401
    browser = alone.signed_in("rita", Role.REVIEWER)
    assert chosen not in browser.headers["cookie"]
    assert fixed.get("/v1/runs").status == 401
    assert browser.get("/v1/runs").status == 200


def test_a_link_counts_once_and_not_after_its_time(alone: Running) -> None:
    alone.signed_in("rita", Role.REVIEWER)
    sessions = alone.service.authenticator.sessions
    secret = sessions.create_link("rita")
    sessions.start_with_link(secret)
    for spent in (secret, sessions.create_link("rita", seconds=0), "never-one"):
        with pytest.raises(Exception, match="is invalid, expired or already used"):
            sessions.start_with_link(spent)


@pytest.fixture
def restless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sessions get a new secret with every request, and the one before counts no longer."""
    monkeypatch.setattr(authentication, "CACHE_SECONDS", 0.0)
    monkeypatch.setattr("interlock.access.sessions.ROTATE_SECONDS", -1)
    monkeypatch.setattr("interlock.access.sessions.GRACE_SECONDS", -1)


@pytest.mark.usefixtures("restless")
def test_a_session_gets_new_secrets_and_an_old_one_counts_no_longer(alone: Running) -> None:
    people = alone.service.authenticator
    people.people.add("rita", Role.REVIEWER, "test")
    cookie = f"interlock={people.sessions.start('rita', 'link')}"
    reply = alone.nobody.having(cookie=cookie).get("/v1/runs")
    new, *attributes = reply.headers["set-cookie"].split("; ")
    assert new.startswith("interlock=")
    assert new != cookie
    assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(attributes)
    assert alone.nobody.having(cookie=cookie).get("/v1/runs").status == 401
    assert alone.nobody.having(cookie=new).get("/v1/runs").status == 200


@pytest.mark.usefixtures("restless")
def test_behind_tls_the_cookie_is_sent_by_tls_only_and_to_this_host_only(serve: Serve) -> None:
    running = serve(public_url="https://gate.example")
    people = running.service.authenticator
    people.people.add("rita", Role.REVIEWER, "test")
    inside = running.nobody.having(host="gate.example", cookie=f"__Host-interlock={people.sessions.start('rita', 'x')}")
    reply = inside.get("/v1/runs")
    assert reply.status == 200
    assert reply.headers["set-cookie"].startswith("__Host-interlock=")
    assert "Secure" in reply.headers["set-cookie"].split("; ")
    assert reply.headers["strict-transport-security"]


def test_a_session_that_has_ended_is_over(alone: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(authentication, "CACHE_SECONDS", 0.0)
    browser = alone.signed_in("rita", Role.REVIEWER)
    browser.get("/v1/runs").ok()
    entered = alone.service.authenticator.sessions.authenticate(browser.headers["cookie"].partition("=")[2])
    assert entered is not None
    alone.service.authenticator.sessions.end(entered.session_id, "rita")
    assert browser.get("/v1/runs").status == 401


def test_only_hashes_of_secrets_are_in_the_store(alone: Running) -> None:
    browser = alone.signed_in("rita", Role.REVIEWER)
    secret = browser.headers["cookie"].partition("=")[2]
    with alone.service.journal.database.read() as connection:
        for table in ("sessions", "links", "access", "records"):
            rows = connection.tuples(f"SELECT * FROM interlock_{table}")
            assert rows or table == "access"
            assert secret not in str(rows)


# answers that are replayed, or belong to another person or request


def asked(running: Running, agent: Client, **action: Any) -> str:
    return str(running.asked(agent, {**ASKS, **action})["approval"]["approvalId"])


def test_one_approval_is_one_use_however_many_ask_at_once(alone: Running) -> None:
    agent, reviewer = alone.agent("ann"), alone.reviewer("bob")
    approval_id = asked(alone, agent)
    alone.approve(reviewer, approval_id).ok()
    with ThreadPoolExecutor(8) as pool:
        replies = [reply.ok() for reply in pool.map(lambda _: agent.post("/v1/evaluate", ASKS), range(8))]
    assert sorted(reply["allowed"] for reply in replies) == [False] * 7 + [True]
    again = {reply["approval"]["approvalId"] for reply in replies if not reply["allowed"]}
    assert approval_id not in again


def test_of_two_calls_that_wait_for_one_approval_one_goes_on(alone: Running) -> None:
    agent, reviewer = alone.agent("ann"), alone.reviewer("bob")
    approval_id = asked(alone, agent)
    with ThreadPoolExecutor(2) as pool:
        waiting = [pool.submit(agent.post, "/v1/evaluate?wait=60", ASKS) for _ in range(2)]
        until(lambda: len(alone.service.feed._waiting.get(approval_id, ())) == 2)
        alone.approve(reviewer, approval_id).ok()
        replies = [one.result().ok() for one in waiting]
    assert sorted(reply["allowed"] for reply in replies) == [False, True]
    assert "used already" in next(reply["advice"] for reply in replies if not reply["allowed"])


def test_an_approval_is_for_one_action_of_one_agent_in_one_run(alone: Running) -> None:
    agent = alone.agent("ann", "bot")
    approval_id = asked(alone, agent, runId="mine")
    alone.approve(alone.reviewer("bob"), approval_id).ok()
    changed = {**ASKS, "runId": "mine", "inputPayload": {"command": "git push --force origin production"}}
    for other, action in (
        (agent, changed),
        (agent, {**ASKS, "runId": "mine", "cwd": "/elsewhere"}),
        (agent, {**ASKS, "runId": "another"}),
        (agent, {**ASKS, "runId": "mine", "agentId": "bot/helper"}),
        (alone.agent("ann", "cat"), {**ASKS, "runId": "cats"}),
        (alone.agent("zoe", "dog"), ASKS),
    ):
        assert other.post("/v1/evaluate", action).ok()["allowed"] is False, action
    assert agent.post("/v1/evaluate", {**ASKS, "runId": "mine"}).ok()["allowed"] is True


def test_a_ticket_is_for_one_person_and_one_request(alone: Running) -> None:
    agent, bob, rita = alone.agent("ann"), alone.reviewer("bob"), alone.reviewer("rita")
    first, second = asked(alone, agent), asked(alone, agent, cwd="/elsewhere")

    def ticket(reviewer: Client, approval_id: str) -> str:
        return str(reviewer.get(f"/v1/approvals/{approval_id}").ok()["challenge"]["ticket"])

    at, _, signature = ticket(bob, first).partition(".")
    earlier = f"{int(at) - 60 * MICROSECONDS}.{signature}"
    forged = ["", ".", "7", f"{at}.", f"{at}.{'0' * 64}", f"-{at}.{signature}", f"٧.{signature}", "é.é", earlier]
    for stolen in (ticket(rita, first), ticket(bob, second), *forged):
        given = {"ticket": stolen, "answers": alone.answers(first)}
        reply = bob.post(f"/v1/approvals/{first}/approve", given)
        assert reply.status == 422, (stolen, reply)
        assert "read the request first" in reply.detail
    assert bob.get(f"/v1/approvals/{first}").ok()["state"] == "pending"
    given = {"ticket": ticket(bob, first), "answers": alone.answers(first)}
    assert bob.post(f"/v1/approvals/{first}/approve", given).ok()["state"] == "approved"


def test_a_request_cannot_be_answered_twice_or_after_its_end(alone: Running) -> None:
    agent, bob, rita = alone.agent("ann"), alone.reviewer("bob"), alone.reviewer("rita")
    ended = {name: asked(alone, agent, cwd=f"/{name}") for name in ("approved", "rejected", "cancelled")}
    shown = {name: rita.get(f"/v1/approvals/{approval_id}").ok() for name, approval_id in ended.items()}
    alone.approve(bob, ended["approved"]).ok()
    bob.post(f"/v1/approvals/{ended['rejected']}/reject", {}).ok()
    agent.post(f"/v1/approvals/{ended['cancelled']}/cancel").ok()
    for name, approval_id in ended.items():
        for reviewer in (bob, rita):
            given = {"ticket": shown[name]["challenge"]["ticket"], "answers": alone.answers(approval_id)}
            for verb, body in (("approve", given), ("reject", {})):
                reply = reviewer.post(f"/v1/approvals/{approval_id}/{verb}", body)
                assert reply.status == 409, (name, verb, reply)
                assert f"is already {name}" in reply.detail
        assert agent.post(f"/v1/approvals/{approval_id}/cancel").status == 409
        assert rita.get(f"/v1/approvals/{approval_id}").ok()["state"] == name


def test_of_two_who_answer_at_the_same_instant_one_counts(alone: Running) -> None:
    agent, people = alone.agent("ann"), [alone.reviewer(f"reviewer-{number}") for number in range(6)]
    approval_id = asked(alone, agent)
    shown = [one.get(f"/v1/approvals/{approval_id}").ok()["challenge"]["ticket"] for one in people]
    answers, start = alone.answers(approval_id), threading.Barrier(len(people))

    def answer(reviewer: Client, ticket: str) -> int:
        start.wait()
        return reviewer.post(f"/v1/approvals/{approval_id}/approve", {"ticket": ticket, "answers": answers}).status

    with ThreadPoolExecutor(len(people)) as pool:
        assert sorted(pool.map(answer, people, shown)) == [200, 409, 409, 409, 409, 409]
    assert len(people[0].get(f"/v1/approvals/{approval_id}").ok()["answers"]) == 1


def test_an_answer_after_the_time_is_up_counts_for_nothing(alone: Running) -> None:
    reviewer = alone.reviewer("bob")
    late = many_pending(alone, 1, seconds_ago=400)[0].approval_id
    assert reviewer.get(f"/v1/approvals/{late}").ok()["state"] == "expired"
    for verb in ("approve", "reject"):
        reply = reviewer.post(f"/v1/approvals/{late}/{verb}", {})
        assert reply.status == 409
        assert "already expired (no answer in time)" in reply.detail


def test_a_quiz_cannot_be_guessed(alone: Running) -> None:
    """A wrong answer pauses one person, and no ticket or answer of an earlier attempt counts in the next one."""
    reviewer = alone.reviewer("bob")
    approval_id = asked(alone, alone.agent("ann"))
    right = alone.answers(approval_id)
    assert alone.approve(reviewer, approval_id, answers=right[:1]).status == 422, "that was no answer yet"
    before = reviewer.get(f"/v1/approvals/{approval_id}").ok()["challenge"]
    assert (before["triesLeft"], before["pause"]) == (3, 0)
    reply = alone.approve(reviewer, approval_id, answers=["wrong"] * len(right))
    assert (reply.status, "again in 60 s; 2 tries left" in reply.detail) == (422, True)
    given = {"ticket": before["ticket"], "answers": right}
    reply = reviewer.post(f"/v1/approvals/{approval_id}/approve", given)
    assert (reply.status, "can be taken again in" in reply.detail) == (409, True)
    alone.service.gate.approvals.rules = msgspec.structs.replace(
        alone.service.gate.approvals.rules, settings=ApprovalSettings(quiz_pause=0)
    )
    reply = reviewer.post(f"/v1/approvals/{approval_id}/approve", given)
    assert (reply.status, "read the request first" in reply.detail) == (422, True), "the ticket was for one attempt"
    assert reviewer.get(f"/v1/approvals/{approval_id}").ok()["state"] == "pending"
    assert alone.approve(alone.reviewer("cid"), approval_id).ok()["state"] == "approved", "others are not affected"


def test_answers_sent_at_once_are_one_attempt(alone: Running) -> None:
    reviewer = alone.reviewer("bob")
    approval_id = asked(alone, alone.agent("ann"))
    ticket = reviewer.get(f"/v1/approvals/{approval_id}").ok()["challenge"]["ticket"]
    questions = challenge_for(alone.service.gate.approvals.get(approval_id)).questions
    guesses = [[question.choices[at % len(question.choices)] for question in questions] for at in range(4)]
    guesses = [guess for guess in guesses if guess != [question.right for question in questions]]

    def guess(answers: list[str]) -> int:
        return reviewer.post(f"/v1/approvals/{approval_id}/approve", {"ticket": ticket, "answers": answers}).status

    with ThreadPoolExecutor(8) as pool:
        statuses = sorted(pool.map(guess, guesses * 3))
    assert statuses.count(422) == 1
    assert set(statuses) == {409, 422}
    assert alone.service.gate.approvals.attempts(approval_id, "bob").failures == 1


def test_a_caller_picks_a_shape_and_cannot_send_one(alone: Running) -> None:
    reviewer, agent = alone.reviewer("bob"), alone.agent("ann")
    pushes = bash("git push --force origin topic", cwd="/srv/x", workspace="/srv/x")
    found = alone.asked(agent, pushes)
    approval_id = found["approval"]["approvalId"]
    shown = reviewer.get(f"/v1/approvals/{approval_id}").ok()
    assert (shown["canAnswer"], shown["whyNot"], shown["extendableUntil"] > shown["expiresAt"]) == (True, "", True)
    assert agent.get(f"/v1/approvals/{approval_id}").ok()["eligible"] is None
    (shape,) = shown["shapes"]
    assert set(shape) == {"shapeId", "text"}
    for wrong in ("x", "../", shape["text"][:60]):
        assert alone.approve(reviewer, approval_id, scope="always", shape=wrong).status == 422
    assert alone.approve(reviewer, approval_id, scope="forever", shape=shape["shapeId"]).status == 400
    assert alone.approve(reviewer, approval_id, scope="day", shape={"words": ["rm"]}).status == 400
    assert alone.approve(reviewer, approval_id, scope="day", shape=shape["shapeId"]).ok()["state"] == "approved"
    (grant,) = reviewer.get("/v1/grants").ok()["items"]
    assert (grant["text"], grant["state"], grant["uses"]) == (shape["text"], "active", 0)
    assert agent.post(f"/v1/grants/{grant['grantId']}/revoke").status == 403
    assert reviewer.post(f"/v1/grants/{grant['grantId']}/revoke").ok()["state"] == "revoked"
    assert reviewer.post(f"/v1/grants/{grant['grantId']}/revoke").status == 409
    assert reviewer.get("/v1/grants").ok()["items"] == []


def test_only_those_who_can_answer_extend_a_request(alone: Running) -> None:
    agent = alone.agent("ann")
    approval_id = asked(alone, agent)
    assert alone.reviewer("ann").post(f"/v1/approvals/{approval_id}/extend").status == 403, "it is her own agent's"
    assert agent.post(f"/v1/approvals/{approval_id}/extend").status == 403
    found = alone.reviewer("bob").post(f"/v1/approvals/{approval_id}/extend")
    assert (found.status, "open for 24 h already" in found.detail) == (422, True)


def test_an_approval_before_the_reading_time_is_rejected(alone: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("interlock.approval.challenge.challenge.READING_SECONDS", 3_600.0)
    reviewer = alone.reviewer("bob")
    approval_id = asked(alone, alone.agent("ann"))
    reply = alone.approve(reviewer, approval_id)
    assert reply.status == 422
    assert "not approved yet: read for" in reply.detail
    assert reviewer.get(f"/v1/approvals/{approval_id}").ok()["state"] == "pending"


def test_the_right_answers_are_nowhere_to_be_read(alone: Running) -> None:
    reviewer = alone.reviewer("bob")
    approval_id = asked(alone, alone.agent("ann"))
    questions = reviewer.get(f"/v1/approvals/{approval_id}").ok()["challenge"]["questions"]
    assert questions
    assert all(set(question) == {"text", "choices"} for question in questions)


def test_a_request_is_answered_by_its_whole_id(alone: Running) -> None:
    reviewer = alone.reviewer("bob")
    approval_id = asked(alone, alone.agent("ann"))
    for short in (approval_id[:1], approval_id[:-1], approval_id.upper(), "%25"):
        assert reviewer.get(f"/v1/approvals/{short}").status == 404
        assert reviewer.post(f"/v1/approvals/{short}/reject", {}).status == 404
        assert reviewer.post(f"/v1/approvals/{short}/approve", {}).status == 404


def test_a_key_is_taken_back_by_its_whole_id(alone: Running) -> None:
    admin = alone.admin("eve")
    key_id = admin.post("/v1/keys", {"name": "ci", "role": "agent"}).ok(201)["key"]["keyId"]
    for short in (key_id[:1], key_id[:-1], "ci", "%25"):
        assert admin.send("DELETE", f"/v1/keys/{short}").status == 404
    admin.send("DELETE", f"/v1/keys/{key_id}").ok()


# runs and requests of other callers


def test_a_run_of_another_caller_cannot_be_joined_ended_or_reported_into(alone: Running) -> None:
    ann, bob = alone.agent("ann", "bot"), alone.agent("bob", "cat")
    ann.post("/v1/evaluate", {**SAFE, "runId": "mine"}).ok()
    event_ = {"eventId": "1", "type": "run.completed", "runId": "mine"}
    for path, body in (
        ("/v1/evaluate", {**SAFE, "runId": "mine"}),
        ("/v1/evaluate/batch", {"actions": [{**SAFE, "runId": "mine"}]}),
        ("/v1/events", event_),
        ("/v1/runs", {"runId": "mine"}),
        ("/v1/runs/mine/complete", None),
        ("/v1/runs/mine/fail", {"reason": "no"}),
        ("/v1/runs/mine/requests", {"text": "delete everything"}),
    ):
        reply = bob.post(path, body)
        assert reply.status == 403, (path, reply)
        assert "was started by another user or agent" in reply.detail
    assert bob.get("/v1/runs/mine").status == 404
    assert ann.get("/v1/runs/mine").ok()["state"] == "open"


def test_a_failed_action_does_not_claim_a_run(alone: Running) -> None:
    ann, bob = alone.agent("ann"), alone.agent("bob")
    too_deep: Any = []
    for _ in range(100):
        too_deep = [too_deep]
    assert bob.post("/v1/evaluate", {"toolName": "x", "runId": "hers", "inputPayload": {"a": too_deep}}).status == 422
    ann.post("/v1/evaluate", {**SAFE, "runId": "hers"}).ok()
    assert bob.post("/v1/evaluate", {**SAFE, "runId": "hers"}).status == 403


def test_the_first_caller_to_use_a_run_id_owns_it(alone: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        alone.service, "check_owner", lambda *_: None
    )  # as if the run had not existed when they checked
    alone.agent("ann").post("/v1/runs", {"runId": "hers"}).ok(201)
    bob = alone.agent("bob")
    assert bob.post("/v1/runs", {"runId": "hers"}).status == 403
    assert bob.post("/v1/events", {"eventId": "1", "type": "message", "runId": "hers"}).status == 403
    assert [item["kind"] for item in alone.reviewer("rita").get("/v1/audit", runId="hers").ok()["items"]] == [
        "run.started"
    ]


def test_an_agent_acts_under_its_own_name_or_one_below_it(alone: Running) -> None:
    agent = alone.agent("ann", "bot")
    alone.agent("bob", "cat")
    for name in ("bot", "bot/helper", None):
        found = agent.post("/v1/evaluate", {**SAFE, "agentId": name}).ok()
        assert found["agentId"] == (name or "bot")
    for name in ("cat", "bot2", "BOT", "bot ", "bo", "eve", "cat/bot", "", "\u202ebot"):
        if name:
            assert agent.post("/v1/evaluate", {**SAFE, "agentId": name}).status == 403, name
            assert agent.post("/v1/runs", {"agentId": name}).status == 403, name
            reported = {"eventId": "1", "type": "message", "runId": "r", "agentId": name}
            assert agent.post("/v1/events", reported).status == 403, name


@pytest.mark.parametrize("name", ["bot/helper", "bot\n", " bot", "bot\u202e", "bot\x00", "", "x" * 101, ".."])
def test_names_of_keys_and_people_cannot_be_confused(shared: Running, name: str) -> None:
    admin = shared.admin("eve")
    assert admin.post("/v1/keys", {"name": name, "role": "agent"}).status in (400, 422)
    assert admin.post("/v1/keys", {"name": "fine", "role": "agent", "owner": name}).status in (400, 422)
    assert admin.post("/v1/people", {"name": name, "role": "reviewer"}).status in (400, 422)


def test_one_agent_cannot_make_anothers_event_a_duplicate(alone: Running) -> None:
    first, second = alone.agent("ann"), alone.agent("ann x")
    event_ = {"eventId": "1", "type": "message"}
    assert first.post("/v1/events", {**event_, "runId": "x y"}).ok()["duplicate"] is False
    assert second.post("/v1/events", {**event_, "runId": "y"}).ok()["duplicate"] is False


def test_requesters_cannot_approve_even_right_after_the_server_starts(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = serve(configured="")
    for name in ("ann", "bob"):
        before.service.authenticator.people.add(name, Role.REVIEWER, "test")
    monkeypatch.setattr(service, "SWEEP_SECONDS", 3_600.0)
    running = serve(configured="")
    approval_id = asked(running, running.agent("ann"))
    assert running.approve(running.reviewer("ann"), approval_id).status == 403


def test_with_several_people_requesters_cannot_approve_their_own_requests(serve: Serve) -> None:
    running = serve(configured="")
    people = running.service.authenticator.people
    people.add("ann", Role.REVIEWER, "test")
    alone = asked(running, running.agent("ann"))
    assert running.approve(running.reviewer("ann"), alone).ok()["state"] == "approved", "there is nobody else"
    people.add("bob", Role.REVIEWER, "test")
    together = asked(running, running.agent("ann"))
    assert running.approve(running.reviewer("ann"), together).status == 403


# keys and addresses


@pytest.mark.parametrize("query", ["key={}", "x={}", "access_token=1", "Token=1", "api_key=1", "%6bey=1", "a=1&x={}"])
def test_a_key_in_an_address_is_refused_even_where_anybody_may_look(shared: Running, query: str) -> None:
    secret = shared.agent("ann").headers["authorization"].removeprefix("Bearer ")
    for path in ("/v1/runs", "/healthz", "/docs/openapi.json"):
        reply = shared.nobody.get(f"{path}?{query.format(secret)}")
        assert reply.status == 400
        assert "ends up in logs" in reply.detail
        assert secret not in reply.detail


@pytest.mark.parametrize(
    "given", ["Basic abc", "Bearer", "Bearer ", "Bearer abc", "Bearer ilk_", "Bearer ilk_x", "ilk_x", "Digest ilk_x"]
)
def test_an_invalid_key_is_rejected_with_a_hint(shared: Running, given: str) -> None:
    reply = shared.nobody.having(authorization=given).get("/v1/runs")
    assert reply.status == 401
    assert reply.headers["www-authenticate"] == "Bearer"


TRAVERSALS = [
    "../../../../etc/passwd",
    "..%2f..%2f..%2fetc%2fpasswd",
    "%2e%2e/%2e%2e/etc/passwd",
    "....//....//etc/passwd",
    "..%5c..%5cetc%5cpasswd",
    "%252e%252e%252fetc%252fpasswd",
    "/etc/passwd",
    "..;/etc/passwd",
]
ROOTS = ["", "static/", "docs/", "v1/runs/", "v1/approvals/", "v1/policies/", "v1/audit/export/", "sign-in/"]


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("path", TRAVERSALS)
def test_no_path_leads_out_of_the_server(shared: Running, browser: Client, root: str, path: str) -> None:
    reply = browser.send("GET", f"/{root}{path}")
    assert reply.status in (400, 404, 405), reply
    assert b"root:" not in reply.body


@pytest.mark.parametrize("path", ["/v1/runs/%00", "/v1/runs?agentId=%00", "/v1/policies/a%00b/versions", "/%00"])
def test_no_address_has_a_null_byte(shared: Running, browser: Client, path: str) -> None:
    assert "null byte" in browser.send("GET", path).detail


# hosts


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1", 200),
        ("localhost:1234", 200),
        ("LOCALHOST", 200),
        ("[::1]", 200),
        ("evil.example", 421),
        ("127.0.0.1.evil.example", 421),
        ("localhost.", 421),
        ("127.1", 421),
        ("0.0.0.0", 421),
        ("[::ffff:127.0.0.1]", 421),
        ("127.0.0.1@evil.example", 400),
        ("evil.example, 127.0.0.1", 400),
        ("127.0.0.1/", 400),
        ("", 400),
    ],
)
def test_the_server_answers_to_its_own_names_only(shared: Running, host: str, status: int) -> None:
    head = f"GET /sign-in HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    assert status_of(raw(shared.port, head.encode())) == status


def test_a_name_that_was_made_to_point_here_reads_nothing(shared: Running, browser: Client) -> None:
    rebound = browser.having(host="evil.example", origin="http://evil.example", sec_fetch_site="same-origin")
    for method, path in (("GET", "/v1/keys"), ("POST", "/v1/evaluate"), ("GET", "/docs/openapi.json")):
        assert rebound.send(method, path).status == 421


def test_a_server_with_a_public_name_answers_to_that(serve: Serve) -> None:
    running = serve(public_url="https://gate.example")
    assert running.nobody.having(host="gate.example").get("/sign-in").status == 200
    assert running.nobody.having(host="gate.example.evil").get("/sign-in").status == 421


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_a_probe_knows_the_server_by_any_name(shared: Running, path: str) -> None:
    assert shared.nobody.having(host="10.1.2.3:8700").get(path).status == 200


# requests that are not what they seem


def status_of(answer: bytes) -> int:
    assert answer.startswith(b"HTTP/1.1 "), answer[:200]
    return int(answer[9:12])


def said(running: Running, caller: Client, *lines: str, body: bytes = b"") -> bytes:
    """Say a request to `/v1/evaluate` line by line, as no client would."""
    head = [
        "POST /v1/evaluate HTTP/1.1",
        "Host: 127.0.0.1",
        f"Authorization: {caller.headers['authorization']}",
        "Content-Type: application/json",
        *lines,
    ]
    return raw(running.port, ("\r\n".join(head) + "\r\n\r\n").encode("latin-1") + body)


GOOD = b'{"toolName":"x"}'
CHUNKED = b"10\r\n" + GOOD + b"\r\n0\r\n\r\n"
SMUGGLED = b"0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
CROOKED: dict[str, tuple[list[str], bytes]] = {
    "both lengths": (["Content-Length: 4", "Transfer-Encoding: chunked"], SMUGGLED),
    "both lengths, the other way round": (["Transfer-Encoding: chunked", "Content-Length: 4"], SMUGGLED),
    "two lengths": (["Content-Length: 16", "Content-Length: 15"], GOOD),
    "the same length twice": (["Content-Length: 16", "Content-Length: 16"], GOOD),
    "a list of lengths": (["Content-Length: 16, 16"], GOOD),
    "a length with a sign": (["Content-Length: +16"], GOOD),
    "a negative length": (["Content-Length: -1"], GOOD),
    "a length in hexadecimal": (["Content-Length: 0x10"], GOOD),
    "a length that overflows": ([f"Content-Length: {2**64 + 16}"], GOOD),
    "a coding that is none": (["Transfer-Encoding: xchunked"], CHUNKED),
    "a coding after chunked": (["Transfer-Encoding: chunked, identity"], CHUNKED),
    "a coding hidden by a tab": (["Transfer-Encoding:\tchunked, chunked"], CHUNKED),
    "a space before the colon": (["Content-Length : 16"], GOOD),
    "a folded header": (["X: a", " b", "Content-Length: 16"], GOOD),
    "a bare line feed": (["X: a\nContent-Length: 16"], GOOD),
    "a null byte": (["X: a\x00b", "Content-Length: 16"], GOOD),
    "a chunk whose size is no number": (["Transfer-Encoding: chunked"], b"zz\r\n"),
    "a chunk longer than it says": (["Transfer-Encoding: chunked"], b"2\r\n" + GOOD + b"\r\n0\r\n\r\n"),
    "a chunk whose size overflows": (["Transfer-Encoding: chunked"], b"fffffffffffffffff\r\n"),
    "a second host": (["Host: evil.example", "Content-Length: 16"], GOOD),
}


@pytest.mark.parametrize(("lines", "body"), CROOKED.values(), ids=CROOKED)
def test_a_request_that_could_be_read_in_two_ways_is_not_read(shared: Running, lines: list[str], body: bytes) -> None:
    agent = shared.agent("ann")
    before = records(shared)
    answer = said(shared, agent, *lines, "Connection: close", body=body)
    assert status_of(answer) == 400
    assert answer.count(b"HTTP/1.1 ") == 1, "nothing that was smuggled along is answered"
    assert records(shared) == before


def test_a_request_in_pieces_is_read_whole(shared: Running) -> None:
    lines = ("Transfer-Encoding: chunked", "Connection: close")
    assert status_of(said(shared, shared.agent("ann"), *lines, body=CHUNKED)) == 200


def records(running: Running) -> int:
    """Return how many decisions are on record."""
    count = "SELECT count(*) FROM interlock_records WHERE kind = 'decision'"
    with running.service.journal.database.read() as connection:
        return int(connection.value(count))


def test_a_body_is_at_most_so_long_however_it_is_sent(serve: Serve) -> None:
    running = serve(max_body=10_000)
    agent = running.agent("ann")
    long = b'{"toolName":"' + b"x" * 10_000 + b'"}'
    reply = agent.post("/v1/evaluate", long)
    assert reply.status == 413
    assert "at most 10,000 bytes" in reply.detail
    chunks = b"".join(b"3e8\r\n" + b"x" * 1_000 + b"\r\n" for _ in range(11))
    assert status_of(said(running, agent, "Transfer-Encoding: chunked", body=chunks)) == 413
    assert status_of(said(running, agent, "Content-Length: 10001")) == 413, "nothing of it has to be sent"
    assert agent.post("/v1/evaluate", b'{"toolName":"' + b"x" * 9_000 + b'"}').status == 200
    assert records(running) == 1


UNREADABLE = {
    "too deep": b'{"toolName":"x","inputPayload":{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}}",
    "so deep that it can just be read": b'{"toolName":"x","inputPayload":{"a":' + b"[" * 900 + b"]" * 900 + b"}}",
    "not in UTF-8": b'{"toolName":"\xff"}',
    "half a character": b'{"toolName":"\\ud800"}',
    "no JSON": b"{",
    "nothing": b"",
    "a list": b"[]",
    "a number that is none": b'{"toolName":"x","inputPayload":{"a":NaN}}',
    "a field that nobody knows": b'{"toolName":"x","allowed":true}',
    "a tool that is no text": b'{"toolName":{"$ne":null}}',
}


@pytest.mark.parametrize("body", UNREADABLE.values(), ids=UNREADABLE)
def test_an_unreadable_body_is_a_client_error(shared: Running, body: bytes) -> None:
    agent = shared.agent("ann")
    for path in ("/v1/evaluate", "/v1/evaluate/batch", "/v1/events", "/v1/runs"):
        reply = agent.post(path, body)
        assert reply.status in (400, 422), (path, reply)
        assert reply.detail


@pytest.mark.parametrize("value", [[[1]], {"a": 1}, [{"a": []}]])
@pytest.mark.parametrize("field", ["risk.level", "risk.score", "effects.kind", "toolName", "inputPayload.x"])
def test_a_policy_that_compares_with_anything_is_taken_or_refused(shared: Running, field: str, value: Any) -> None:
    for operator in ("equals", "in", "not_in", "contains", "matches", "gte", "exists"):
        condition = {"field": field, "operator": operator, "value": value}
        policy = {"policyId": "odd", "action": "warn", "conditions": [condition]}
        trial = {"policy": policy, "action": {"toolName": "x", "inputPayload": {"x": value}}}
        assert shared.reviewer("bob").post("/v1/policies/test", trial).status in (200, 422), condition


def test_headers_are_as_long_as_they_have_to_be(alone: Running) -> None:
    head = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
    assert status_of(raw(alone.port, head + b"X: " + b"a" * 8_000 + b"\r\n\r\n")) == 200


@pytest.mark.parametrize("end", [b"\r\n\r\n", b""], ids=["one long header", "one without an end"])
def test_endless_headers_close_the_connection(alone: Running, end: bytes) -> None:
    head = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nX: "
    answer = raw(alone.port, head, *[b"a" * 100_000] * 40, end, timeout=1.5)
    assert not answer or status_of(answer) in (400, 413, 431)


# slowly


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_protocol, "HEAD_SECONDS", 0.2)
    monkeypatch.setattr(middleware, "BODY_SECONDS", 0.2)


@pytest.mark.usefixtures("impatient")
def test_slow_headers_close_the_connection(alone: Running) -> None:
    for begun in (b"", b"POST /v1/eval", b"POST /v1/evaluate HTTP/1.1\r\nHost: 127.0.0.1\r\n"):
        assert raw(alone.port, begun) == b""
    alone.nobody.get("/healthz").ok()


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    ("line", "body"), [("Content-Length: 100", b'{"tool'), ("Transfer-Encoding: chunked", b"3e8\r\n{")]
)
def test_a_body_that_does_not_arrive_times_out(alone: Running, line: str, body: bytes) -> None:
    answer = said(alone, alone.agent("ann"), line, body=body)
    assert status_of(answer) == 408
    assert b"connection: close" in answer


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    "begun",
    [
        b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET /healt",
        b"POST /v1/evaluate HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{",
    ],
    ids=["a second request", "a body after the answer"],
)
def test_a_slow_second_request_closes_the_connection(alone: Running, begun: bytes) -> None:
    raw(alone.port, begun, timeout=1.5)


# too much


def throttled(send: Callable[[], Any]) -> Any:
    """Return the first answer that says to wait; far more are sent than may be, however slow this machine is."""
    return next(reply for reply in (send() for _ in range(300)) if reply.status == 429)


def test_the_rate_limit_applies_to_each_caller(serve: Serve) -> None:
    running = serve(rate=1)
    one, other = running.agent("ann"), running.agent("bob")
    reply = throttled(lambda: one.post("/v1/evaluate", SAFE))
    assert int(reply.headers["retry-after"]) >= 1
    assert "wait a moment" in reply.detail
    assert other.post("/v1/evaluate", SAFE).status == 200
    assert throttled(lambda: running.nobody.get("/v1/runs")).status == 429
    assert running.reviewer("bob").get("/v1/runs").status == 200


def test_guessing_keys_is_rate_limited(serve: Serve) -> None:
    running = serve(rate=1)
    guessing = running.nobody.having(authorization="Bearer ilk_guess")
    throttled(lambda: guessing.get("/v1/runs"))


NOT_ALLOWED = [
    ("/v1/evaluate", {"POST"}),
    ("/v1/runs", {"GET", "POST"}),
    ("/v1/policies/deployments", {"GET", "PUT", "DELETE"}),
    ("/v1/people/rita", {"PATCH"}),
    ("/healthz", {"GET"}),
]


@pytest.mark.parametrize(("path", "allowed"), NOT_ALLOWED, ids=[path for path, _ in NOT_ALLOWED])
def test_a_wrong_method_is_rejected_with_the_allowed_ones(shared: Running, path: str, allowed: set[str]) -> None:
    admin = shared.admin("eve")
    for method in {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"} - allowed:
        reply = admin.send(method, path)
        assert reply.status == 405, (method, reply)
        assert set(reply.headers["allow"].split(", ")) == allowed | {"OPTIONS"}


def test_the_tunnel_is_closed(shared: Running) -> None:
    tunnel = b"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n"
    assert status_of(raw(shared.port, tunnel)) in (400, 421)


# lines within lines


SPLIT = "x\r\nSet-Cookie: interlock=chosen\r\n\r\n<html>"
SPLIT_IN_ADDRESS = "x%0d%0aSet-Cookie:%20interlock=chosen%0d%0a%0d%0a<html>"


def test_no_line_break_gets_into_a_header(shared: Running) -> None:
    admin = shared.admin("eve")
    for path in ("/v1/runs/{}", "/v1/approvals/{}", "/v1/policies/{}", "/v1/runs?agentId={}", "/v1/audit?runId={}"):
        reply = admin.send("GET", path.format(SPLIT_IN_ADDRESS))
        assert "set-cookie" not in reply.headers
        assert reply.status < 500
        assert reply.headers["content-type"].endswith("json")


def test_no_line_break_gets_into_a_name(alone: Running) -> None:
    agent, admin = alone.agent("ann", "bot"), alone.admin("eve")
    found = agent.post("/v1/evaluate", {"toolName": SPLIT, "runId": SPLIT, "agentId": f"bot/{SPLIT}"}).ok()
    agent.post("/v1/events", {"eventId": SPLIT, "type": "message", "runId": SPLIT, "agentId": f"bot/{SPLIT}"}).ok()
    agent.post("/v1/runs", {"runId": f"other {SPLIT}", "agentId": f"bot/{SPLIT}"}).ok(201)
    for name in (found["runId"], found["agentId"]):
        assert name.isprintable()
    for item in admin.get("/v1/audit").ok()["items"]:
        for name in ("actor", "name", "agentId", "kind"):
            assert str(item[name]).isprintable(), item
    for run in admin.get("/v1/runs").ok()["items"]:
        assert run["runId"].isprintable()
        assert str(run["agentId"]).isprintable()
    shown = admin.get("/v1/audit/export", format="csv").body.decode()
    assert "\r" not in shown


# what is told to whom


def test_errors_of_the_store_are_not_revealed_to_clients(
    alone: Running, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    agent, reviewer = alone.agent("ann"), alone.reviewer("bob")
    agent.post("/v1/evaluate", SAFE).ok()
    reviewer.get("/v1/runs").ok()
    database = alone.service.journal.database
    path = database.url.path
    alone.service.journal.retry_seconds = 0.0
    with database.write() as connection:
        connection.run("ALTER TABLE interlock_runs RENAME TO hidden_runs")
        connection.run("ALTER TABLE interlock_head RENAME TO hidden_head")
    try:
        for reply in (
            agent.post("/v1/evaluate", SAFE),
            reviewer.get("/v1/runs"),
            alone.nobody.get("/readyz"),
        ):
            assert reply.status == 503
            assert "see the server's log" in reply.detail
            assert path not in reply.body.decode()
            assert "interlock_" not in reply.body.decode()
        assert path in caplog.text
        alone.nobody.get("/healthz").ok()
    finally:
        with database.write() as connection:
            connection.run("ALTER TABLE hidden_runs RENAME TO interlock_runs")
            connection.run("ALTER TABLE hidden_head RENAME TO interlock_head")
    alone.nobody.get("/readyz").ok()
    agent.post("/v1/evaluate", SAFE).ok()


def test_every_response_has_the_security_headers(shared: Running, browser: Client) -> None:
    for reply in (browser.get("/v1/runs"), shared.nobody.get("/nothing"), shared.nobody.having(host="x").get("/")):
        policy = reply.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["x-frame-options"] == "DENY"
        assert reply.headers["cache-control"] == "no-store"
        assert "server" not in reply.headers
