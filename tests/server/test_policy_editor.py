"""The policy editor below its pages: counts, undo, reviews, and attempts to misuse them."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

import pytest

from interlock.access.roles import Role
from interlock.model import Ask
from interlock.policies.loosening import find_policy_loosening
from interlock.policy.conditions import Condition
from interlock.policy.expression_problems import check_growth, find_expression_problem
from interlock.policy.limits import Limit
from interlock.policy.policies import Policy
from interlock.server import policy_simulation
from interlock.server.live_counts import LiveCounts
from interlock.server.pages.policy_list import COLUMNS
from interlock.server.problems import RequestError
from tests.server.client import Client, Reply
from tests.server.live_server import Running

BASH = {"field": "toolName", "path": "", "operator": "equals", "value": "Bash"}
DRAFT = {"policyId": "draft", "action": "block", "enabled": "on", **BASH}
HOSTILE = '"><img src=x onerror=alert(1)>'


@pytest.fixture(scope="module")
def past(shared: Running) -> Running:
    """A server on which agents did a few things."""
    agent = shared.agent("ann")
    for number in range(30):
        command = "npm publish" if number % 3 else "git push --force origin main"
        agent.post("/v1/evaluate", {"toolName": "Bash", "inputPayload": {"command": command}}).ok()
        agent.post("/v1/evaluate", {"toolName": "get_user", "inputPayload": {HOSTILE: 1}, "tenant": HOSTILE}).ok()
    return shared


@pytest.fixture(scope="module")
def rita(past: Running) -> Client:
    return past.signed_in("rita", Role.ADMIN)


def send(client: Client, path: str, form: dict[str, Any]) -> Reply:
    """Send a form, as a page does."""
    body = urlencode({"csrf": client.headers["x-csrf-token"], **form}, doseq=True).encode()
    return client.having(content_type="application/x-www-form-urlencoded").send("POST", path, body)


def count(client: Client, form: dict[str, Any]) -> dict[str, Any]:
    """Return the final count of a draft."""
    reply = send(client, "/policies/new/count", form)
    assert reply.status == 200, reply.body[:300]
    lines = [json.loads(line) for line in reply.body.splitlines()]
    assert [line["isFinal"] for line in lines] == [False] * (len(lines) - 1) + [True]
    return dict(lines[-1])


def test_the_live_count_is_the_simulation(past: Running, rita: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy_simulation, "PART", 7)  # so that there are several parts
    found = count(rita, DRAFT)
    policy = {"policyId": "draft", "action": "block", "conditions": [{k: BASH[k] for k in BASH if k != "path"}]}
    simulated = rita.post("/v1/policies/simulate", {"policies": [policy]}).ok()
    assert found["matched"] == simulated["matched"] == 30
    for name in ("changed", "newlyAllowed"):
        assert found[name] == simulated[name]
    assert found["counted"] == simulated["actions"] == 60
    assert found["words"].startswith("Matches 30 of the last 60 actions and changes 30 verdicts.")
    assert {one["text"] for one in found["examples"]} == {"npm publish", "git push --force origin main"}
    assert count(rita, {**DRAFT, "enabled": ""})["words"].startswith("Would match 30 of")
    assert count(rita, {**DRAFT, "policyId": ""})["matched"] == 30  # before it has an id


def test_a_policy_in_force_is_counted_though_it_changes_nothing(past: Running, rita: Client) -> None:
    row = {"field": "effects.kind", "path": "", "operator": "equals", "value": "package.publish"}
    rita.post(
        "/v1/policies",
        {"policyId": "in-force", "action": "warn", "conditions": [{k: row[k] for k in row if k != "path"}]},
    ).ok(201)
    found = count(rita, {"policyId": "in-force", "action": "warn", "enabled": "on", **row})
    assert (found["matched"], found["changed"]) == (20, 0)
    assert found["words"] == "Matches 20 of the last 60 actions; no verdict changes."


def test_a_catastrophic_pattern_takes_bounded_time(
    past: Running, rita: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each search of such a pattern takes as long as one may, and there are hundreds; the count stops in between."""
    for number in range(12):
        past.agent("ann").post("/v1/evaluate", {"toolName": "a" * (60 + number) + "!", "inputPayload": {}}).ok()
    monkeypatch.setattr("interlock.server.live_counts.MAX_SECONDS", 0.2)
    row = {**BASH, "operator": "matches", "value": "^(?=(a|aa|aaa)*b)"}
    found = count(rita, {**DRAFT, **{name: [value] * 10 for name, value in row.items()}})
    assert found["counted"] < 5
    assert "Counting stopped" in found["words"]


@pytest.mark.parametrize(
    "expression",
    [
        '"a"' + '.replace("a", "aaaaaaaaaa")' * 12 + ".size() > 5",
        '["aaaaaaaa"]' + "".join(f".map(x{n}, x{n} + x{n})" for n in range(40)) + ".size() > 1",
        "[r'\\'].map(x, x + x).map(y, y + y).map(z, z + z).size() > 1 // '",
        "// '\n['a'].map(x, x + x).map(y, y + y).map(z, z + z).size() > 1",
    ],
)
def test_an_expression_that_builds_endless_texts_is_refused(rita: Client, expression: str) -> None:
    assert "very long texts" in send(rita, "/policies/new/check", {**DRAFT, "when": expression}).ok()["error"]
    trial = {"policy": {"policyId": "x", "action": "block", "when": expression}, "action": {"toolName": "a"}}
    assert rita.post("/v1/policies/test", trial).status == 422


def test_ordinary_expressions_are_not_refused() -> None:
    for text in (
        'toolName.matches("a+") && [1].exists(x, x > 0)',
        "effects.exists(e, e.kind == 'a+b') || " * 5 + "true",
    ):
        check_growth(text)
        assert find_expression_problem(text) is None


@pytest.mark.parametrize(
    ("expression", "line", "column", "message"),
    [
        ("risk.scor > 3", 1, 5, "Unknown name `risk.scor`; did you mean `risk.score`?"),
        ("toolName == 'a' &&\n  toolNam == 'b'", 2, 3, "Unknown name `toolNam`; did you mean `toolName`?"),
        ("toolName.startWith('a')", 1, 19, "Unknown name `startWith`; did you mean `startsWith`?"),
        ("risk.score > ", 1, 13, "The expression ends too early."),
        ("toolName = 'a'", 1, 10, "To compare, write `==`."),
        ("risk.score > 'a'", 1, 12, "`>` does not apply to int, string."),
    ],
)
def test_an_error_in_an_expression_has_its_place(
    rita: Client, expression: str, line: int, column: int, message: str
) -> None:
    found = send(rita, "/policies/new/check", {**DRAFT, "when": expression}).ok()
    place = found["place"]
    assert (place["part"], place["line"], place["column"], place["message"]) == ("when", line, column, message)
    assert place["excerpt"] == expression.split("\n")[line - 1].rstrip()


def test_a_wrong_row_is_named(rita: Client) -> None:
    rows = {
        "field": ["toolName", "risk.score"],
        "path": ["", ""],
        "operator": ["equals", "gte"],
        "value": ["a", "high"],
    }
    found = send(rita, "/policies/new/check", {**DRAFT, **rows}).ok()
    assert found["error"] == "Condition 2: `risk.score` is a number, found `high`."
    assert (found["place"]["part"], found["place"]["row"]) == ("row", 1)


@pytest.mark.parametrize(
    "form",
    [
        {"value": "x" * 500_000},
        {name: ["toolName" if name == "field" else "equals" if name == "operator" else "a"] * 2_000 for name in BASH},
        {"when": "(" * 3_900},
        {"most": "9" * 4_000},
        {"asText": "on", "text": "[" * 49_000},
        {"asText": "on", "text": "[[policies]]\npolicy_id = 'x'\naction = 'block'\nconditions = " + "[" * 5_000},
    ],
)
def test_huge_values_are_refused(rita: Client, form: dict[str, Any]) -> None:
    reply = send(rita, "/policies/new/check", {**DRAFT, **form})
    assert reply.status == 413 or reply.ok()["error"]


def test_a_new_count_replaces_the_one_before() -> None:
    """A reader has one count at a time, and cannot begin them without end."""
    counts = LiveCounts()
    first, other = counts.begin("rita"), counts.begin("bob")
    second = counts.begin("rita")
    assert (first.is_set(), second.is_set(), other.is_set()) == (True, False, False)
    with pytest.raises(RequestError) as refused:
        [counts.begin("rita") for _ in range(20)]
    assert refused.value.detail == "too many counts; wait a moment"


def test_forms_of_other_sites_and_without_a_token_are_refused(rita: Client) -> None:
    for path in ("/policies/new/count", "/policies/new/edit", "/policies/new", "/policies/draft/undo"):
        form = rita.having(content_type="application/x-www-form-urlencoded", x_csrf_token="")
        assert form.send("POST", path, urlencode(DRAFT).encode()).status == 403
        foreign = rita.having(content_type="application/x-www-form-urlencoded", origin="https://evil.example")
        assert foreign.send("POST", path, urlencode(DRAFT).encode()).status == 403


def test_values_that_agents_chose_are_escaped_and_bounded(rita: Client) -> None:
    page = rita.get("/policies/new").body.decode()
    assert HOSTILE not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page  # offered as a tenant, as text
    assert rita.get("/policies/new/values", field="tenant", text="").ok() == {"values": [HOSTILE]}
    found = rita.get("/policies/new/values", field="toolName", text="github_create").ok()["values"]
    assert "github_create_issue" in found
    assert len(found) <= 50
    assert rita.get("/policies/new/values", field="toolName", text="x" * 10_000).status == 400


def test_stored_texts_are_escaped_everywhere(rita: Client) -> None:
    given = {"policyId": "hostile", "name": "<b>n</b>", "description": HOSTILE, "action": "warn"}
    rows = [{"field": "toolName", "operator": "equals", "value": "</textarea><script>1</script>"}]
    rita.post("/v1/policies", {**given, "conditions": rows, "when": "toolName != '</textarea><b>'"}).ok(201)
    pages = [rita.get(path).body.decode() for path in ("/policies", "/policies/hostile")]
    known = pages[1].partition('name="known" value="')[2].partition('"')[0].replace("&#34;", '"')
    pages.append(send(rita, "/policies/hostile", {"button": "disable", "known": known}).body.decode())
    for page in pages:
        assert "<b>n" not in page
        assert "<script>1" not in page
        assert "</textarea><" not in page.replace("</textarea></label>", "").replace("</textarea><input", "")


def versions(client: Client, name: str) -> list[tuple[int, str, bool]]:
    found = client.get(f"/v1/policies/{name}/versions").ok()
    items = found["items"] if isinstance(found, dict) else found
    return [(one["version"], one["policy"]["action"], one.get("removed", False)) for one in items]


def save(client: Client, name: str, **form: Any) -> Reply:
    known = tag(client, name) if name != "new" else ""
    return send(client, f"/policies/{name}", {**DRAFT, "known": known, "button": "save", **form})


def tag(client: Client, name: str) -> str:
    page = client.get(f"/policies/{name}").body.decode()
    return page.partition('name="known" value="')[2].partition('"')[0].replace("&#34;", '"')


def test_the_last_change_is_undone_whatever_it_was(past: Running, rita: Client) -> None:
    assert save(rita, "new", policyId="undone").headers["location"] == "/policies/undone?saved=1"
    assert save(rita, "undone", action="warn").status == 303
    assert send(rita, "/policies/undone/undo", {"known": '"store-1"'}).status == 412  # not the newest any more
    assert send(rita, "/policies/undone/undo", {"known": '"store-2"'}).status == 303
    assert versions(rita, "undone")[0] == (3, "block", False)
    compared = rita.get("/policies/undone?old=1&new=2").body.decode().partition('id="comparison"')[2]
    assert "- action: block" in compared
    assert "+ action: warn" in compared
    assert "These versions are the same." in rita.get("/policies/undone?old=1&new=3").body.decode()
    assert rita.get("/policies/undone?old=1&new=9").status == 404
    assert send(rita, "/policies/undone", {"button": "delete", "known": '"store-3"'}).status == 303
    assert rita.get("/v1/policies/undone").status == 404
    assert send(rita, "/policies/undone/undo", {"known": '"store-4"'}).status == 303
    assert rita.get("/v1/policies/undone").ok()["policy"]["action"] == "block"
    save(rita, "new", policyId="brief")
    send(rita, "/policies/brief/undo", {"known": '"store-1"'})
    assert rita.get("/v1/policies/brief").status == 404  # it did not exist before
    save(rita, "untrusted-agents", policyId="untrusted-agents")
    send(rita, "/policies/untrusted-agents/undo", {"known": '"store-1"'})
    assert rita.get("/v1/policies/untrusted-agents").ok()["policy"]["name"] == "Untrusted agents"  # as it is shipped
    assert (
        past.signed_in("rob", Role.REVIEWER)
        .having(content_type="application/x-www-form-urlencoded")
        .send("POST", "/policies/undone/undo", b"known=x")
        .status
        == 403
    )


def test_a_review_shows_what_would_change_and_changes_nothing(past: Running, rita: Client) -> None:
    rita.post(
        "/v1/policies",
        {
            "policyId": "strict",
            "action": "block",
            "conditions": [{"field": "toolName", "operator": "equals", "value": "Bash"}],
        },
    ).ok(201)
    page = save(rita, "strict", action="allow", button="review").body.decode()
    for words in (
        "This change loosens what is enforced.",
        "- action: block",
        "+ action: allow",
        "Newly allowed",
        "Save version 2",
    ):
        assert words in page, words
    stricter = save(rita, "new", policyId="stricter", button="review").body.decode()
    assert "loosens" not in stricter
    removal = save(rita, "strict", button="remove").body.decode()
    assert "It removes a policy that blocks." in removal
    assert versions(rita, "strict") == [(1, "block", False)]
    assert rita.get("/v1/policies/stricter").status == 404
    same = save(rita, "new", policyId="same", action="warn", button="review").body.decode()
    assert "Policy <code>strict</code> has the same conditions" in same
    replaced = save(rita, "deployments", policyId="deployments", button="review").body.decode()
    assert "This replaces a built-in policy." in replaced
    rita.send("DELETE", "/v1/policies/strict")


def test_rows_change_and_turn_into_text_without_scripts(rita: Client) -> None:
    rows = {"field": ["toolName", "user"], "path": ["", ""], "operator": ["equals", "in"], "value": ["a", "b, c"]}
    page = send(rita, "/policies/new/edit", {**DRAFT, **rows, "button": "up-1"}).body.decode()
    values = [part.partition('"')[0] for part in page.split('class="value" name="value" value="')[1:]]
    assert values == ["b, c", "a"]
    assert (
        send(rita, "/policies/new/edit", {**DRAFT, **rows, "button": "add"}).body.decode().count("data-condition") == 3
    )
    text = send(rita, "/policies/new/edit", {**DRAFT, **rows, "button": "text"}).body.decode()
    assert "{ field = &#34;user&#34;, operator = &#34;in&#34;, value = [&#34;b&#34;, &#34;c&#34;] }," in text
    only = (
        "[[policies]]\npolicy_id = 'x'\naction = 'block'\nconditions = ['toolName=a']\napproval = { liftable = true }"
    )
    kept = send(rita, "/policies/new/edit", {"asText": "on", "text": only, "button": "rows"})
    assert kept.status == 422
    assert "This policy can only be shown as text." in kept.body.decode()
    assert "liftable = true" in kept.body.decode()


@pytest.mark.parametrize("column", [*COLUMNS, "nothing", "<b>"])
@pytest.mark.parametrize("order", ["asc", "desc"])
def test_the_list_is_sorted(rita: Client, column: str, order: str) -> None:
    page = rita.get("/policies", sort=column, order=order)
    assert page.status == 200
    assert b"<b>" not in page.body


def test_what_loosens_is_named() -> None:
    def policy(**more: Any) -> Policy:
        return Policy("a", conditions=[Condition("toolName", "equals", "x")], **more)

    strict = policy(approval=Ask(approvers=2, who=("ann",), reason=True, model=True, challenge="quiz"))
    assert find_policy_loosening(None, policy(action="block")) == []
    assert find_policy_loosening(policy(action="warn"), policy(action="block")) == []
    assert find_policy_loosening(policy(action="block", enabled=False), None) == []
    for old, new, words in (
        (None, policy(action="allow"), "allows actions"),
        (policy(action="block"), policy(action="block", enabled=False), "switches off"),
        (policy(action="block"), policy(action="require_approval"), "instead of blocking"),
    ):
        assert words in find_policy_loosening(old, new)[0]
    assert len(find_policy_loosening(strict, policy(approval=Ask(liftable=True)))) == 6
    assert find_policy_loosening(policy(), strict) == []
    limited = policy(limit=Limit(5, "hour"))
    assert find_policy_loosening(policy(), limited) == [
        "it applies only beyond a limit: at most 5 actions an hour for this agent"
    ]
    assert find_policy_loosening(limited, policy(limit=Limit(4, "hour"))) == []
