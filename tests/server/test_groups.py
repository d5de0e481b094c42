"""Groups of people: who is in them, who may approve as a member, and how changes are undone."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.access.groups import Groups
from interlock.access.roles import Role
from interlock.audit.keys import KeyRing
from interlock.audit.verify import verify
from tests.server.client import Client
from tests.server.conftest import Serve
from tests.server.live_server import Running

POLICY = {
    "policyId": "oncall",
    "action": "require_approval",
    "when": "toolName == 'deploy'",
    "approval": {"who": ["@oncall"]},
}
DEPLOY = {"toolName": "deploy"}


def with_group(server: Running, *members: str) -> Client:
    """Create the group and a policy that requires it; return an admin."""
    admin = server.admin("eve")
    admin.post("/v1/groups", {"name": "oncall"}).ok(201)
    for name in members:
        admin.send("PUT", f"/v1/groups/oncall/members/{name}").ok()
    admin.post("/v1/policies", POLICY).ok(201)
    return admin


def test_members_approve_and_others_do_not(server: Running) -> None:
    admin = with_group(server, "rita", "rob")
    approval_id = server.asked(server.agent("ann"), DEPLOY)["approval"]["approvalId"]
    assert "it needs @oncall" in server.approve(server.reviewer("bob"), approval_id).detail
    admin.send("DELETE", "/v1/groups/oncall/members/rita").ok()
    assert "it needs @oncall" in server.approve(server.reviewer("rita"), approval_id).detail, (
        "who has left cannot answer"
    )
    admin.send("PUT", "/v1/groups/oncall/members/bob").ok()
    assert server.approve(server.reviewer("bob"), approval_id).status == 403, "he joined after it was opened"
    assert server.approve(server.reviewer("rob"), approval_id).ok()["state"] == "approved"
    assert verify(server.service.journal.database, KeyRing([server.service.journal.key.public])).good


def test_every_change_can_be_undone(alone: Running) -> None:
    admin = with_group(alone, "rita", "rob")
    admin.send("DELETE", "/v1/groups/oncall/members/rita").ok()
    history = alone.reviewer("bob").get("/v1/groups/oncall/versions").ok()["items"]
    assert [one["change"] for one in history] == ["removed rita", "added rob", "added rita", "created"]
    assert {one["actor"] for one in history} == {"eve"}
    restored = admin.post("/v1/groups/oncall/restore", {"version": history[1]["version"]}).ok()
    assert [one["name"] for one in restored["members"]] == ["rita", "rob"]
    admin.send("DELETE", "/v1/groups/oncall").ok(204)
    assert admin.get("/v1/groups/oncall").status == 404
    approval_id = alone.asked(alone.agent("ann"), DEPLOY)["approval"]["approvalId"]
    assert alone.approve(alone.reviewer("rita"), approval_id).status == 403, "nobody is in a deleted group"
    newest = admin.get("/v1/groups/oncall/versions").ok()["items"][0]
    admin.post("/v1/groups/oncall/restore", {"version": newest["version"]}).ok()
    approval_id = alone.asked(alone.agent("ann"), {**DEPLOY, "inputPayload": {"n": 2}})["approval"]["approvalId"]
    assert alone.approve(alone.reviewer("rita"), approval_id).ok()["state"] == "approved"
    assert admin.post("/v1/groups/oncall/restore", {"version": 1}).status == 404


def test_a_group_does_not_widen_a_role_of_the_configuration(serve: Serve) -> None:
    defined = '[approvals]\none_person = false\n[roles]\noncall = ["rita"]\n'
    server = serve(configured=defined)
    admin = server.admin("eve")
    assert "defined in `[roles]`" in admin.post("/v1/groups", {"name": "oncall"}).detail
    groups = Groups(server.service.journal)  # created before the configuration defined the role
    groups.create("oncall", "eve")
    groups.add("oncall", "bob", "eve")
    admin.post("/v1/policies", POLICY).ok(201)
    approval_id = server.asked(server.agent("ann"), DEPLOY)["approval"]["approvalId"]
    assert server.approve(server.reviewer("bob"), approval_id).status == 403
    assert server.approve(server.reviewer("rita"), approval_id).ok()["state"] == "approved"
    page = server.signed_in("adam", Role.ADMIN).having(accept="text/html").get("/settings/groups").body
    assert b"overridden by the configuration" in page


def test_a_group_that_was_changed_in_the_store_is_not_used(alone: Running) -> None:
    with_group(alone, "rita")
    approval_id = alone.asked(alone.agent("ann"), DEPLOY)["approval"]["approvalId"]
    with alone.service.journal.database.write() as connection:
        connection.run("UPDATE interlock_groups SET members = :members", members='[{"name":"bob","source":"local"}]')
    assert alone.agent("ann").post("/v1/evaluate", {**DEPLOY, "inputPayload": {"n": 2}}).status == 503
    assert alone.approve(alone.reviewer("rita"), approval_id).status in (403, 503)
    assert alone.service.gate.approvals.get(approval_id).state.value == "pending"


def test_a_version_that_was_changed_in_the_store_is_not_restored(alone: Running) -> None:
    admin = with_group(alone, "rita")
    version = admin.get("/v1/groups/oncall/versions").ok()["items"][0]["version"]
    with alone.service.journal.database.write() as connection:
        change = "UPDATE interlock_records SET body = replace(body, 'rita', 'root') WHERE seq = :seq"
        connection.run(change, seq=version)
    assert admin.post("/v1/groups/oncall/restore", {"version": version}).status == 503


@pytest.mark.parametrize("name", ["@oncall", "", "a/b", "x" * 101, "a\u202eb", " a"])
def test_odd_names_of_groups_are_refused(shared: Running, name: str) -> None:
    assert shared.admin("eve").post("/v1/groups", {"name": name}).status in (400, 422)
    assert [one.name for one in Groups(shared.service.journal).list()] == []


def test_a_policy_needs_a_group_that_exists_and_has_members(alone: Running) -> None:
    admin = alone.admin("eve")
    assert "`@oncall` is not defined in `[roles]` or as a group" in admin.post("/v1/policies", POLICY).detail
    admin.post("/v1/groups", {"name": "oncall"}).ok(201)
    assert "has no members" in admin.post("/v1/policies", POLICY).detail


def test_machines_get_the_members_of_groups(alone: Running) -> None:
    with_group(alone, "rita")
    assert alone.service.current_bundle().bundle.settings["roles"] == {"oncall": ("rita",)}


def test_the_second_person_is_announced(serve: Serve) -> None:
    server = serve(configured="")
    lead = server.signed_in("lead", Role.ADMIN)

    def added(name: str) -> Any:
        return lead.post("/v1/people", {"name": name, "role": "reviewer"}).ok(201)["notice"]

    assert added("ann") == (
        "You can no longer approve requests from your own agents; ann can. "
        "To keep approving alone, set `approvals.one_person = true`."
    )
    assert added("bob") == ""
