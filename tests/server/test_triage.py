"""Triage over HTTP: filters, bulk answers, comments, assignments and views, and attempts to misuse them."""

from __future__ import annotations

import html
import re
from typing import Any
from urllib.parse import urlencode

import pytest

from interlock.access.roles import Role
from interlock.approval.request import ApprovalState
from interlock.server.bulk_answers import MAX_AT_ONCE
from tests.server.bulk_data import many_pending
from tests.server.client import Client, Reply
from tests.server.conftest import Serve
from tests.server.live_server import Running

CONFIRM = {
    "policyId": "notes",
    "action": "require_approval",
    "conditions": [{"field": "toolName", "operator": "equals", "value": "note"}],
}
#: Nobody has to take a quiz to approve this.
NOTE = {"toolName": "note", "inputPayload": {"text": "hello"}}
FORM = "application/x-www-form-urlencoded"


@pytest.fixture(scope="module")
def agent(shared: Running) -> Client:
    shared.admin("eve").post("/v1/policies", CONFIRM).ok(201)
    return shared.agent("ann", "bot")


@pytest.fixture(scope="module")
def rita(shared: Running) -> Client:
    return shared.signed_in("rita", Role.REVIEWER)


def asked(running: Running, agent: Client, action: dict[str, Any], **more: Any) -> str:
    return str(running.asked(agent, {**action, **more})["approval"]["approvalId"])


def send(browser: Client, path: str, *fields: tuple[str, str]) -> Reply:
    """Send a form as the page sends it."""
    body = urlencode([("csrf", browser.headers["x-csrf-token"]), *fields]).encode()
    return browser.having(content_type=FORM, x_csrf_token="").send("POST", path, body)


def preview(caller: Client, verdict: str, ids: list[str]) -> Any:
    query = urlencode([("verdict", verdict), *(("approvalId", one) for one in ids)])
    return caller.get(f"/v1/approvals/answers?{query}")


def answer(caller: Client, shown: Any, **changes: Any) -> Reply:
    body = {name: shown[name] for name in ("verdict", "requests", "ticket")}
    return caller.post("/v1/approvals/answers", {**body, **changes})


def state(running: Running, approval_id: str) -> ApprovalState:
    return running.service.gate.approvals.get(approval_id).state


def test_the_list_is_filtered_and_sorted(shared: Running, agent: Client) -> None:
    bob = shared.reviewer("bob")
    staging = asked(shared, agent, NOTE, environment="staging", runId="f1", cwd="/srv/shop")
    live = asked(shared, agent, NOTE, environment="prod", runId="f2", cwd="/srv/shop")

    def ids(**query: Any) -> list[str]:
        found = bob.get("/v1/approvals", state="pending", **query).ok()["items"]
        return [one["approvalId"] for one in found if one["approvalId"] in (staging, live)]

    assert ids(sort="risk") == ids(sort="newest") == [live, staging]
    assert ids(sort="oldest") == [staging, live]
    assert ids(environment="production") == ids(runId="f2") == [live]
    assert ids(toolName="note", q="hello", mine="true") == [live, staging]
    assert ids(level="critical") == ids(assignee="me") == ids(age="1d") == []
    item = next(one for one in bob.get("/v1/approvals").ok()["items"] if one["approvalId"] == live)
    assert (item["environment"], item["place"]["folder"]) == ("production", "shop")
    for query in ("sort=score", "state=pending&level=huge", "sort=risk", "age=2d"):
        assert bob.get(f"/v1/approvals?{query}").status in (400, 422), query


def test_equal_requests_are_approved_together(shared: Running, agent: Client) -> None:
    ids = [asked(shared, agent, NOTE, runId=f"g{number}") for number in range(3)]
    bob = shared.reviewer("bob")
    shown = preview(bob, "approve", ids).ok()
    late = asked(shared, agent, NOTE, runId="g-late")
    results = answer(bob, shown, reason="all fine").ok()
    assert [(one["approvalId"], one["state"], one["error"]) for one in results] == [
        (one, "approved", "") for one in ids
    ]
    assert state(shared, late) is ApprovalState.PENDING, "it was not shown"
    given = shared.service.gate.approvals.get(ids[1]).answers[0]
    assert (given.approver, given.reason) == ("bob", "all fine")
    again = answer(bob, shown).ok()
    assert all("already approved" in one["error"] for one in again)


def test_a_quiz_is_never_skipped_and_different_requests_are_not_approved_together(
    shared: Running, agent: Client
) -> None:
    bob, push = shared.reviewer("bob"), {"toolName": "Bash", "inputPayload": {"command": "git push --force origin q"}}
    quiz = asked(shared, agent, push, runId="q1")
    note = asked(shared, agent, NOTE, runId="q2")
    shown = preview(bob, "approve", [quiz, note]).ok()
    assert [one["approvalId"] for one in shown["requests"]] == [note]
    assert shown["left"] == [{"approvalId": quiz, "why": "needs the quiz on its own page"}]
    added = {"approvalId": quiz, "digest": shared.service.gate.approvals.get(quiz).digest}
    assert answer(bob, shown, requests=[*shown["requests"], added]).status == 422
    other = asked(shared, agent, {**NOTE, "inputPayload": {"text": "other"}}, runId="q3")
    assert "these requests differ" in preview(bob, "approve", [note, other]).detail
    rejected = answer(bob, preview(bob, "reject", [quiz, note, other]).ok(), reason="not today").ok()
    assert {one["state"] for one in rejected} == {"rejected"}


def test_a_bulk_answer_is_bound_to_what_was_shown(shared: Running, agent: Client) -> None:
    ids = [asked(shared, agent, {**NOTE, "inputPayload": {"text": "bound"}}, runId=f"b{n}") for n in range(2)]
    bob = shared.reviewer("bob")
    shown = preview(bob, "approve", ids).ok()
    first, second = shown["requests"]
    altered = [{**first, "digest": "0" * 64}, second]
    at, _, signature = shown["ticket"].partition(".")
    attempts: tuple[dict[str, Any], ...] = (
        {"requests": altered},
        {"requests": [first]},
        {"requests": [first, first, second]},
        {"requests": [first, {**second, "approvalId": ids[0]}]},
        {"verdict": "reject"},
        {"ticket": ""},
        {"ticket": f"{int(at) - 10**12}.{signature}"},
        {"requests": [first] * (MAX_AT_ONCE + 1)},
        {"requests": []},
    )
    for changes in attempts:
        assert answer(bob, shown, **changes).status in (400, 422), changes
    assert answer(shared.reviewer("rob"), shown).status == 422, "somebody else's ticket"
    assert {state(shared, one) for one in ids} == {ApprovalState.PENDING}
    assert preview(bob, "approve", [ids[0][:12]]).status == 404, "no answer goes by a part of an id"
    herself = preview(shared.reviewer("ann"), "approve", ids).ok()
    assert herself["requests"] == []
    assert "started the run" in herself["left"][0]["why"]


def test_reading_takes_time(shared: Running, agent: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("interlock.approval.challenge.challenge.READING_SECONDS", 1_000.0)
    one = asked(shared, agent, {**NOTE, "inputPayload": {"text": "slow"}}, runId="slow")
    bob = shared.reviewer("bob")
    (result,) = answer(bob, preview(bob, "approve", [one]).ok()).ok()
    assert result["state"] == "pending"
    assert "read for at least" in result["error"]


def test_very_many_are_never_answered_at_once(serve: Serve) -> None:
    alone = serve()
    ids = [one.approval_id for one in many_pending(alone, 150)]
    browser = alone.signed_in("rita", Role.REVIEWER)
    assert browser.get(f"/approvals/answer?{urlencode([('id', one) for one in ids])}").status == 422
    page = browser.get(f"/approvals/answer?verdict=reject&group={ids[0]}")
    assert page.status == 200
    shown = re.findall(r'name="shown" value="([^"]+)"', page.body.decode())
    assert len(shown) == MAX_AT_ONCE, "the first hundred of the group, and exactly these"
    ticket = re.search(r'name="ticket" value="([^"]+)"', page.body.decode())
    assert ticket
    fields = [("shown", html.unescape(one)) for one in shown]
    reply = send(browser, "/approvals/answer", ("verdict", "reject"), ("ticket", ticket[1]), *fields)
    assert b"100 requests rejected" in reply.body
    assert alone.service.gate.approvals.count() == 50


def test_comments_are_shown_as_text(shared: Running, agent: Client, rita: Client) -> None:
    one = asked(shared, agent, NOTE, runId="talk")
    text = "<script>alert(1)</script>\n\u202eevil"
    assert send(rita, f"/approvals/{one}/comments", ("text", text)).status == 303
    page = rita.get(f"/approvals/{one}").body.decode()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;\n\\u202eevil" in page
    assert "<script>alert" not in page
    assert "\u202e" not in page
    bob = shared.reviewer("bob")
    bob.post(f"/v1/approvals/{one}/comments", {"text": "by a key"}).ok(201)
    assert [(kept["author"], kept["text"][:8]) for kept in bob.get(f"/v1/approvals/{one}/comments").ok()] == [
        ("rita", "<script>"),
        ("bob", "by a key"),
    ]
    assert bob.get(f"/v1/approvals/{one}").ok()["comments"] == 2
    assert bob.post(f"/v1/approvals/{one}/comments", {"text": " "}).status == 422
    assert bob.post("/v1/approvals/none/comments", {"text": "x"}).status == 404


def test_agents_neither_comment_nor_assign_nor_answer_many(shared: Running, agent: Client) -> None:
    one = asked(shared, agent, NOTE, runId="agent")
    for path, body in (
        (f"/v1/approvals/{one}/comments", {"text": "please approve"}),
        (f"/v1/approvals/{one}/assign", {"assignee": "bob"}),
        ("/v1/approvals/answers", {"verdict": "approve", "requests": [], "ticket": ""}),
        ("/v1/views", {"name": "x"}),
    ):
        assert agent.post(path, body).status == 403, path
    assert agent.get(f"/v1/approvals/{one}/comments").status == 403


def test_assigned_to_people_who_may_answer(shared: Running, agent: Client, rita: Client) -> None:
    shared.signed_in("ann", Role.ADMIN)
    one = asked(shared, agent, NOTE, runId="mine")
    assert send(rita, f"/approvals/{one}/assign", ("assignee", "rita")).status == 303
    bob = shared.reviewer("bob")
    assert bob.get(f"/v1/approvals/{one}").ok()["assignee"] == "rita"
    for name, status in (("nobody-known", 422), ("bot", 422), ("ann", 403)):
        assert bob.post(f"/v1/approvals/{one}/assign", {"assignee": name}).status == status, name
    assert "assigned to rita" in rita.get("/approvals?assignee=me").body.decode()
    assert bob.post(f"/v1/approvals/{one}/assign", {"assignee": None}).ok()["changed"]


@pytest.mark.parametrize("back", ["https://evil.example", "//evil.example", "javascript:alert(1)", "state=x&q=\r\n"])
def test_forms_lead_nowhere_else(shared: Running, agent: Client, rita: Client, back: str) -> None:
    one = asked(shared, agent, NOTE, runId="back")
    reply = send(rita, "/approvals/selected", ("id", one), ("button", "assign"), ("assignee", "me"), ("back", back))
    assert (reply.status, reply.headers["location"]) == (303, "/approvals")
    reply = send(rita, "/approvals/selected", ("id", one), ("button", "reject"), ("back", back))
    assert reply.headers["location"] == f"/approvals/answer?verdict=reject&id={one}&back="
    page = rita.get(f"/approvals/answer?{urlencode({'verdict': 'reject', 'id': one, 'back': back})}").body.decode()
    assert "evil.example" not in page
    assert "javascript:" not in page
    saved = send(rita, "/views", ("name", f"View {back!a}"), ("query", back))
    assert saved.headers.get("location") in ("/approvals", None)


def test_views_are_saved_shared_renamed_deleted_and_restored(shared: Running, rita: Client) -> None:
    saved = send(rita, "/views", ("name", "<b>Prod</b>"), ("query", "environment=production"), ("shared", "1"))
    assert saved.headers["location"] == "/approvals?environment=production"
    bob = shared.reviewer("bob")
    (view,) = [one for one in bob.get("/v1/views").ok() if one["owner"] == "rita" and one["query"]]
    assert "&lt;b&gt;Prod&lt;/b&gt;" in rita.get("/approvals").body.decode()
    assert bob.send("DELETE", f"/v1/views/{view['viewId']}").status == 403
    assert send(rita, f"/views/{view['viewId']}", ("button", "change"), ("name", "Live")).status == 303
    assert view["viewId"] not in {one["viewId"] for one in bob.get("/v1/views").ok()}, "it is private again"
    gone = send(rita, f"/views/{view['viewId']}", ("button", "delete"))
    page = rita.get(gone.headers["location"]).body.decode()
    assert "was deleted" in page
    assert "Undo" in page
    assert send(rita, f"/views/{view['viewId']}", ("button", "restore")).status == 303
    assert ">Live" in rita.get("/approvals").body.decode()


@pytest.mark.parametrize(
    "path",
    ["/approvals/selected", "/approvals/answer", "/approvals/x/comments", "/approvals/x/assign", "/views", "/views/x"],
)
def test_forms_of_other_sites_are_refused(rita: Client, path: str) -> None:
    for headers in ({"x_csrf_token": ""}, {"origin": "https://evil.example"}, {"sec_fetch_site": "cross-site"}):
        reply = rita.having(content_type=FORM, **headers).send("POST", path, b"id=x&csrf=0")
        assert reply.status == 403, (path, headers)


def test_a_policy_is_drafted_and_tested_at_once(shared: Running, agent: Client) -> None:
    push = {"toolName": "Bash", "inputPayload": {"command": "git push --force origin draft"}}
    found = shared.asked(agent, {**push, "runId": "draft", "environment": "staging"})
    admin = shared.signed_in("adam", Role.ADMIN)
    for source in (found["decisionId"], found["approval"]["approvalId"]):
        page = html.unescape(admin.get(f"/policies/new?from={source}").body.decode())
        assert 'value="git_force_push"' in page
        assert 'value="staging"' in page
        assert "past actions" in page
        assert 'value="require_approval" checked' in page
    page = html.unescape(admin.get(f"/policies/new?from={source}&action=allow").body.decode())
    assert 'effects.all(effect, effect.kind in ["vcs.push"])' in page
    assert admin.get("/policies/new?from=nothing").status == 404
    assert admin.get(f"/policies/new?from={source}&action=sudo").status == 400
