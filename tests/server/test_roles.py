"""Authorization: every route is tried by every kind of caller, and the rules about who may answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

import pytest
from litestar.handlers import HTTPRouteHandler

from interlock.access.roles import Right, Role
from interlock.server.app import create_app
from interlock.server.service import Service
from tests.server.client import Client, Reply
from tests.server.conftest import Serve
from tests.server.live_server import Running, application

#: The whole of who may do what. Everything below follows from it and from the routes that there are.
MAY = {
    Right.EVALUATE: {"agent key", "admin key", "admin session"},
    Right.SEE: {"reviewer key", "admin key", "reviewer session", "admin session"},
    Right.ANSWER: {"reviewer key", "admin key", "reviewer session", "admin session"},
    Right.MANAGE: {"admin key", "admin session"},
    Right.PULL: {"machine key", "admin key", "admin session"},
}
EVERYBODY = {"nobody", "agent key", "machine key"} | MAY[Right.SEE]
#: Callers whose key is no longer valid. They get 401, rather than counting as anonymous.
GONE = {"revoked key", "expired key", "key of somebody shut out"}
#: The right that each route requires. A route that is missing here fails the test.
TAKES: dict[tuple[Right, ...], str] = {
    (): """
        GET /healthz
        GET /readyz
        GET /docs
        GET /docs/openapi.json
        GET /openapi
        GET /openapi/openapi.json
        GET /openapi/{path}
        GET /{path}
        GET /static/{file_path}
        HEAD /static/{file_path}
        GET /manifest.webmanifest
        GET /service-worker.js
        GET /sign-in
        GET /sign-in/{secret}
        POST /v1/channels/{name}/slack
        GET /sign-in/oidc/{provider}
        GET /sign-in/oidc/{provider}/callback
        GET /sign-out/{provider}
    """,
    (Right.EVALUATE,): """
        POST /v1/evaluate
        POST /v1/evaluate/batch
        POST /v1/check
        GET /v1/tools
        PUT /v1/tools
        GET /v1/events/{event_id}
        POST /v1/hooks/{agent}
        POST /v1/events
        POST /v1/runs
        POST /v1/runs/{run_id}/complete
        POST /v1/runs/{run_id}/fail
        POST /v1/runs/{run_id}/requests
        POST /v1/approvals/{approval_id}/cancel
    """,
    (Right.EVALUATE, Right.SEE): """
        GET /v1/caller
        GET /v1/runs/{run_id}
        GET /v1/runs/{run_id}/requests
        GET /v1/approvals/{approval_id}
    """,
    (Right.SEE,): """
        GET /v1/stops
        GET /stops
        GET /v1/runs
        GET /v1/approvals
        GET /v1/policies
        GET /v1/policies/{policy_id}
        GET /v1/policies/{policy_id}/versions
        POST /v1/policies/simulate
        GET /v1/policy-revisions
        GET /v1/policy-revisions/{revision}
        POST /v1/policy-revisions/plan
        POST /v1/policies/test
        GET /v1/metrics/risk
        GET /v1/metrics/approvals
        GET /v1/metrics/observed
        GET /v1/audit
        GET /v1/audit/verify
        GET /v1/audit/export
        GET /v1/events/stream
        GET /metrics
        GET /
        GET /overview/export
        GET /actions
        GET /actions/export
        GET /actions/{record_id}
        GET /agents
        GET /agents/{agent_path}
        GET /audit/export
        GET /approvals
        GET /approvals/next
        GET /approvals/{approval_id}
        GET /v1/approvals/{approval_id}/comments
        GET /v1/views
        POST /v1/views
        PATCH /v1/views/{view_id}
        DELETE /v1/views/{view_id}
        POST /v1/views/{view_id}/restore
        POST /views
        POST /views/{view_id}
        GET /audit
        POST /audit
        GET /observe
        GET /reports
        GET /reports/coverage
        GET /reports/{name}
        GET /policies
        GET /policies/{policy_id}
        POST /policies/{policy_id}/check
        POST /policies/{policy_id}/count
        POST /policies/{policy_id}/edit
        GET /policies/{policy_id}/values
        POST /policies/{policy_id}/try
        GET /runs
        GET /settings/channels
        GET /v1/channels
        GET /v1/channels/{name}
        GET /settings/chat-accounts
        GET /runs/{run_path}
        GET /glossary
        GET /machines
        GET /settings
        GET /settings/machines
        GET /settings/notifications
        GET /settings/grants
        GET /v1/grants
        GET /v1/suggestions
        GET /v1/suggestions/{suggestion_id}
        GET /suggestions
        GET /suggestions/{suggestion_id}
        GET /settings/people
        GET /settings/people/{name}
        POST /settings/people/{name}/password
        GET /settings/keys
        GET /settings/keys/{key_id}
        GET /settings/retention
        GET /settings/configuration
        GET /settings/health
        GET /v1/configuration
        GET /v1/machines
        GET /try
        POST /try
        GET /settings/groups
        GET /settings/groups/{name}
        GET /v1/groups
        GET /v1/groups/{name}
        GET /v1/groups/{name}/versions
    """,
    (Right.PULL,): """
        GET /v1/bundle
        POST /v1/machines
    """,
    (Right.ANSWER,): """
        POST /v1/approvals/{approval_id}/approve
        POST /v1/approvals/{approval_id}/reject
        POST /v1/approvals/{approval_id}/extend
        POST /v1/approvals/{approval_id}/override
        POST /v1/grants/{grant_id}/revoke
        POST /v1/suggestions/{suggestion_id}/accept
        POST /v1/suggestions/{suggestion_id}/dismiss
        POST /v1/suggestions/{suggestion_id}/restore
        POST /suggestions/{suggestion_id}/accept
        POST /suggestions/{suggestion_id}/dismiss
        POST /suggestions/{suggestion_id}/restore
        POST /settings/grants/{grant_id}/revoke
        POST /approvals/{approval_id}/extend
        POST /v1/runs/{run_id}/resume
        POST /approvals/{approval_id}/approve
        POST /approvals/{approval_id}/reject
        POST /approvals/{approval_id}/override
        GET /v1/approvals/answers
        POST /v1/approvals/answers
        POST /v1/approvals/{approval_id}/comments
        POST /v1/approvals/{approval_id}/assign
        GET /approvals/answer
        POST /approvals/answer
        POST /approvals/selected
        POST /approvals/{approval_id}/comments
        POST /approvals/{approval_id}/assign
        POST /runs/resume
        POST /agents/stop
        POST /v1/stops
        POST /stops
        POST /v1/pauses
        POST /v1/pauses/end
        POST /pauses
        POST /pauses/end
        POST /settings/notifications
        POST /settings/notifications/browsers
        POST /settings/notifications/destinations
        POST /settings/notifications/destinations/remove
        POST /settings/notifications/test
        POST /settings/channels/test
        POST /settings/chat-accounts
    """,
    (Right.MANAGE,): """
        POST /v1/policies
        POST /v1/suggestions/{suggestion_id}/accept-policy
        POST /suggestions/{suggestion_id}/accept-policy
        PUT /v1/policies/{policy_id}
        DELETE /v1/policies/{policy_id}
        POST /v1/policies/{policy_id}/versions/{version}/restore
        POST /v1/policies/{policy_id}/{switch}
        POST /v1/policy-revisions
        POST /v1/policy-revisions/{revision}/rollback
        GET /v1/keys
        POST /v1/keys
        PATCH /v1/keys/{key_id}
        POST /v1/keys/{key_id}/observe
        POST /v1/keys/{key_id}/enforce
        POST /v1/stops/lift
        POST /stops/lift
        DELETE /v1/keys/{key_id}
        GET /v1/people
        POST /v1/people
        POST /v1/people/{name}/link
        PATCH /v1/people/{name}
        POST /v1/groups
        DELETE /v1/groups/{name}
        PUT /v1/groups/{name}/members/{member}
        DELETE /v1/groups/{name}/members/{member}
        POST /v1/groups/{name}/restore
        GET /v1/identities
        POST /v1/identities
        DELETE /v1/identities/{identity_id}
        POST /settings/groups
        POST /settings/groups/{name}/{change}
        GET /settings/sign-in
        POST /settings/sign-in/link
        POST /settings/sign-in/unlink
        GET /v1/webhooks
        POST /v1/webhooks
        GET /v1/webhooks/{webhook_id}
        PATCH /v1/webhooks/{webhook_id}
        DELETE /v1/webhooks/{webhook_id}
        POST /v1/webhooks/{webhook_id}/test
        GET /v1/webhooks/{webhook_id}/deliveries
        POST /v1/webhooks/{webhook_id}/deliveries/{delivery_id}/retry
        POST /policies/{policy_id}
        POST /policies/{policy_id}/restore
        POST /settings/people
        POST /settings/people/{name}
        GET /settings/keys/new
        POST /settings/keys/new
        POST /settings/keys/{key_id}
        GET /settings/webhooks
        GET /settings/webhooks/new
        POST /settings/webhooks/new
        GET /settings/webhooks/{webhook_id}
        POST /settings/webhooks/{webhook_id}
        POST /settings/webhooks/{webhook_id}/deliveries/{delivery_id}/retry
        POST /settings/retention
        GET /settings/changes/{record_id}/undo
        POST /settings/changes/{record_id}/undo
        POST /policies/{policy_id}/undo
        GET /settings/channels/new
        POST /settings/channels/new
        GET /settings/channels/{name}/edit
        POST /settings/channels/{name}/edit
        POST /v1/channels
        PATCH /v1/channels/{name}
        DELETE /v1/channels/{name}
        POST /v1/channels/{name}/test
        GET /v1/changes
        GET /v1/changes/{record_id}
        POST /v1/changes/{record_id}/undo
    """,
}
#: Signing in and out, which would change the caller, is left out.
AT_THE_DOOR = {"POST /sign-in", "POST /sign-in/{secret}", "POST /sign-out"}
RIGHTS = {line.strip(): rights for rights, lines in TAKES.items() for line in lines.strip().splitlines()}


class Route(NamedTuple):
    """A route as the application has it."""

    method: str
    path: str

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def callers(self) -> set[str]:
        """Whoever is let in."""
        rights = () if self.method == "OPTIONS" else RIGHTS[str(self)]
        return set().union(*(MAY[right] for right in rights)) if rights else EVERYBODY

    @property
    def address(self) -> str:
        """An address of the route, at which there is nothing."""
        return re.sub(r"\{(\w+)\}", lambda found: "7" if found[1] in ("version", "revision") else "nothing", self.path)


def routes() -> Iterator[Route]:
    with application(cast(Service, None)) as app:  # nothing is asked of a service before a request comes
        found = app.routes
    for route in found:
        for handler in getattr(route, "route_handlers", ()):
            assert isinstance(handler, HTTPRouteHandler)
            for method in handler.http_methods:
                yield Route(method, route.path_format)


ROUTES = sorted({route for route in routes() if str(route) not in AT_THE_DOOR}, key=str)


@pytest.fixture(scope="module")
def callers(shared: Running) -> dict[str, Client]:
    people = shared.service.authenticator.people
    people.add("mallory", Role.ADMIN, "test")
    found = {
        "nobody": shared.nobody,
        "agent key": shared.agent("ann"),
        "reviewer key": shared.reviewer("bob"),
        "admin key": shared.admin("eve"),
        "machine key": shared.key(Role.MACHINE, "it"),
        "reviewer session": shared.signed_in("rita", Role.REVIEWER),
        "admin session": shared.signed_in("adam", Role.ADMIN),
        "revoked key": shared.revoked(),
        "expired key": shared.expired(),
        "key of somebody shut out": shared.admin("mallory"),
    }
    people.change("mallory", "test", state="shut out")
    return found


def begun(caller: Client, route: Route) -> Reply:
    """Send a request, and return how the answer begins: a stream has no end."""
    with caller.begun(route.method, route.address, None if route.method in ("GET", "OPTIONS") else b"") as response:
        headers = {name.lower(): value for name, value in response.getheaders()}
        whole = "content-length" in headers
        return Reply(response.status, headers, response.read() if whole else b"")


def is_let_in(reply: Reply) -> bool:
    """Whether a caller passed authentication and authorization, whatever the route then answered."""
    status = status_of(reply)
    if "interlock-status" in reply.headers:
        return status not in (401, 403)
    return status != 401 and not (status == 403 and "requires the right to" in reply.detail)


def status_of(reply: Reply) -> int:
    """Return the status of a reply; hooks are refused with status 200, and name the real one in a header."""
    return int(reply.headers.get("interlock-status", reply.status))


@pytest.mark.parametrize("route", ROUTES, ids=str)
def test_every_route_admits_exactly_the_callers_with_its_right(route: Route, callers: dict[str, Client]) -> None:
    replies = {name: begun(caller, route) for name, caller in callers.items()}
    assert {name for name, reply in replies.items() if is_let_in(reply)} == route.callers
    for name, reply in replies.items():
        refused = {401} if name in GONE | {"nobody"} else {403}
        assert is_let_in(reply) or status_of(reply) in refused, (name, reply)
        assert reply.status < 500, (name, reply)


def test_the_table_knows_every_route_every_right_and_every_caller(callers: dict[str, Client]) -> None:
    assert {str(route) for route in ROUTES if route.method != "OPTIONS"} == set(RIGHTS)
    assert set(MAY) == set(Right)
    assert set(callers) == EVERYBODY | GONE


def test_roles_and_the_table_agree() -> None:
    for right, who in MAY.items():
        for role in Role:
            assert (right in role.rights) == (f"{role.value} key" in who), (right, role)


def test_a_route_without_a_right_fails_at_start_up() -> None:
    from litestar import get

    @get("/forgotten")
    async def forgotten() -> str:
        return ""

    with pytest.raises(RuntimeError, match="does not declare the `right` that it requires"):
        create_app(cast(Service, None), [forgotten])


def test_a_session_alone_is_enough_to_look_and_not_to_write(shared: Running, callers: dict[str, Client]) -> None:
    browser = callers["admin session"].having(x_csrf_token="")
    browser.get("/v1/runs").ok()
    assert browser.post("/v1/runs", {}).status == 403


# whose answer counts


def test_an_agent_never_answers(alone: Running) -> None:
    agent, other = alone.agent("ann"), alone.agent("bob")
    approval_id = alone.asked(agent)["approval"]["approvalId"]
    for caller in (agent, other):
        for verb in ("approve", "reject"):
            reply = caller.post(f"/v1/approvals/{approval_id}/{verb}", {})
            assert reply.status == 403
            assert "which the role `agent` lacks" in reply.detail
    shown = agent.get(f"/v1/approvals/{approval_id}").ok()
    assert shown["state"] == "pending"
    assert shown["challenge"] is None, "an agent is not even shown the questions"


def test_requesters_cannot_approve_their_own_requests(alone: Running) -> None:
    approval_id = alone.asked(alone.agent("ann"))["approval"]["approvalId"]
    people = alone.reviewer("ann"), alone.admin("ann"), alone.signed_in("ann", Role.ADMIN)
    for herself in people:
        reply = alone.approve(herself, approval_id)
        assert reply.status == 403
        assert "started the run, so another person has to approve" in reply.detail
    assert alone.approve(alone.reviewer("bob"), approval_id).ok()["state"] == "approved"


def test_admins_cannot_approve_requests_of_their_own_agents(alone: Running) -> None:
    admin = alone.admin("eve")
    for asking in (alone.agent("eve"), admin):
        approval_id = alone.asked(asking)["approval"]["approvalId"]
        assert alone.approve(admin, approval_id).status == 403
        assert alone.approve(alone.signed_in("eve", Role.ADMIN), approval_id).status == 403


def test_requesters_may_reject_their_own_requests(alone: Running) -> None:
    approval_id = alone.asked(alone.agent("ann"))["approval"]["approvalId"]
    reply = alone.reviewer("ann").post(f"/v1/approvals/{approval_id}/reject", {"reason": "I did not mean it"})
    assert reply.ok()["state"] == "rejected"


def test_two_keys_of_one_person_are_not_two_people(alone: Running) -> None:
    policy = {
        "policyId": "two",
        "action": "require_approval",
        "conditions": [{"field": "toolName", "operator": "equals", "value": "two"}],
        "approval": {"approvers": 2},
    }
    alone.admin("eve").post("/v1/policies", policy).ok(201)
    asked = alone.asked(alone.agent("ann"), {"toolName": "two"})
    assert asked["needs"]["approvers"] == 2
    approval_id = asked["approval"]["approvalId"]
    first, second, herself = alone.reviewer("bob"), alone.admin("bob"), alone.signed_in("bob", Role.REVIEWER)
    assert alone.approve(first, approval_id).ok()["state"] == "pending"
    for again in (first, second, herself):
        reply = alone.approve(again, approval_id)
        assert reply.status == 403
        assert "`bob` has already answered" in reply.detail
    assert alone.approve(alone.reviewer("rita"), approval_id).ok()["state"] == "approved"


def test_only_the_approvers_that_a_policy_names_can_answer(alone: Running) -> None:
    policy = {
        "policyId": "named",
        "action": "require_approval",
        "when": "toolName == 'named'",
        "approval": {"who": ["rita"]},
    }
    alone.admin("eve").post("/v1/policies", policy).ok(201)
    approval_id = alone.asked(alone.agent("ann"), {"toolName": "named"})["approval"]["approvalId"]
    assert "it needs rita" in alone.approve(alone.reviewer("bob"), approval_id).detail
    assert alone.approve(alone.reviewer("rita"), approval_id).ok()["state"] == "approved"


def test_an_agent_sees_its_own_requests_and_runs_and_no_others(alone: Running) -> None:
    agent, sibling, stranger = alone.agent("ann", "bot"), alone.agent("ann", "cat"), alone.agent("bob", "dog")
    asked = alone.asked(agent)
    approval_id, run_id = asked["approval"]["approvalId"], asked["runId"]
    agent.get(f"/v1/approvals/{approval_id}").ok()
    agent.get(f"/v1/runs/{run_id}").ok()
    for other in (sibling, stranger):
        assert other.get(f"/v1/approvals/{approval_id}").status == 404
        assert other.post(f"/v1/approvals/{approval_id}/cancel").status == 404
    assert stranger.get(f"/v1/runs/{run_id}").status == 404
    assert agent.post(f"/v1/approvals/{approval_id}/cancel").ok()["state"] == "cancelled"


# what was changed counts at once


def test_a_key_that_is_taken_back_is_refused_by_the_next_request(alone: Running) -> None:
    admin = alone.admin("eve")
    made = admin.post("/v1/keys", {"name": "ci", "role": "reviewer"}).ok(201)
    program = alone.nobody.having(authorization=f"Bearer {made['secret']}")
    program.get("/v1/runs").ok()
    admin.send("DELETE", f"/v1/keys/{made['key']['keyId']}").ok()
    assert program.get("/v1/runs").status == 401


def test_shutting_a_person_out_ends_their_sessions_and_keys(alone: Running) -> None:
    admin, browser = alone.admin("eve"), alone.signed_in("rita", Role.REVIEWER)
    program = alone.reviewer("rita")
    browser.get("/v1/runs").ok()
    program.get("/v1/runs").ok()
    admin.send("PATCH", "/v1/people/rita", {"active": False}).ok()
    assert browser.get("/v1/runs").status == 401
    assert program.get("/v1/runs").status == 401
    admin.send("PATCH", "/v1/people/rita", {"active": True}).ok()
    program.get("/v1/runs").ok()


def test_a_role_that_was_changed_counts_at_once(alone: Running) -> None:
    admin, browser = alone.admin("eve"), alone.signed_in("adam", Role.ADMIN)
    browser.get("/v1/keys").ok()
    assert "the only admin" in admin.send("PATCH", "/v1/people/adam", {"role": "reviewer"}).detail
    assert "the only admin" in admin.send("PATCH", "/v1/people/adam", {"active": False}).detail
    alone.service.authenticator.people.add("ada", Role.ADMIN, "test")
    admin.send("PATCH", "/v1/people/adam", {"role": "reviewer"}).ok()
    assert browser.get("/v1/keys").status == 403
    browser.get("/v1/runs").ok()


def test_admins_cannot_change_themselves_or_sign_in_as_another_admin(alone: Running) -> None:
    adam = alone.signed_in("adam", Role.ADMIN)
    alone.signed_in("eve", Role.ADMIN)
    assert adam.send("PATCH", "/v1/people/adam", {"role": "reviewer"}).status == 409
    assert adam.post("/v1/people/eve/link").status == 409
    assert adam.post("/v1/people/adam/link").ok()["link"].startswith("http://127.0.0.1:")


def test_a_key_is_shown_once_and_only_its_hash_is_kept(serve: Serve, tmp_path: Any) -> None:
    alone = serve()
    admin = alone.admin("eve")
    secret = admin.post("/v1/keys", {"name": "ci", "role": "agent"}).ok(201)["secret"]
    assert secret.encode() not in admin.get("/v1/keys").body
    assert secret.encode() not in admin.get("/v1/audit/export").body
    alone.service.gate.journal.database.close()
    kept = b"".join(file.read_bytes() for file in tmp_path.glob("store.db*"))
    assert b"access.made" in kept, "the files are those of the store"
    assert secret.encode() not in kept


def test_metrics_are_public_only_if_configured(serve: Serve) -> None:
    opened = serve(open_metrics=True)
    assert opened.nobody.get("/metrics").status == 200


def test_a_key_is_no_more_than_its_owner(alone: Running) -> None:
    alone.service.authenticator.people.add("eve", Role.ADMIN, "test")
    key = alone.admin("eve")
    key.get("/v1/keys").ok()
    alone.service.authenticator.people.change("eve", "test", role="reviewer")
    alone.service.authenticator.clear_cache()
    assert key.get("/v1/keys").status == 403
    key.get("/v1/runs").ok()
