"""A caller cannot loosen its own judgement: what its key is pinned to counts, whatever it claims."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from interlock.access.people import SHUT_OUT
from interlock.access.roles import Role
from interlock.gate import Gate
from interlock.policy.pins import Pins
from tests.server.live_server import Running, served

WIPE = {"toolName": "Bash", "inputPayload": {"command": "rm -rf /data/prod"}}
DEPLOY = {"toolName": "deploy", "inputPayload": {"service": "web"}}
SETTINGS = """
[approvals]
one_person = false

[[policies]]
policy_id = "bot"
conditions = ["agentId=bot", "toolName=pay"]
action = "block"
"""


@pytest.fixture
def production(own: Path, tmp_path: Path) -> Iterator[Running]:
    """A server in production, on which nothing else is configured."""
    (own / "interlock.toml").write_text(f'environment = "production"\n{SETTINGS}')
    with Gate(store=f"sqlite:///{tmp_path / 'store.db'}") as gate, served(gate) as found:
        yield found


@pytest.fixture
def unset(own: Path, tmp_path: Path) -> Iterator[Running]:
    """A server on which no environment is configured."""
    (own / "interlock.toml").write_text(SETTINGS)
    with Gate(store=f"sqlite:///{tmp_path / 'store.db'}") as gate, served(gate) as found:
        yield found


def verdict(server: Running, action: dict[str, Any], pins: Pins | None = None, **claims: Any) -> dict[str, Any]:
    client = server.key(Role.AGENT, "ann", "bot", **({"pins": pins} if pins else {}))
    found: dict[str, Any] = client.post("/v1/evaluate", {**action, **claims}).ok()
    return found


def test_a_milder_environment_does_not_count(production: Running) -> None:
    found = verdict(production, DEPLOY, environment="development")
    assert found["overruled"] == ["environment `development` (pinned: `production`)"]
    assert found["score"] == verdict_again(production, DEPLOY)["score"]


def verdict_again(server: Running, action: dict[str, Any], **claims: Any) -> dict[str, Any]:
    found: dict[str, Any] = server.key(Role.AGENT, "ann", "other").post("/v1/evaluate", {**action, **claims}).ok()
    return found


def test_a_stricter_environment_counts(production: Running) -> None:
    assert verdict(production, DEPLOY, environment="critical")["score"] > verdict_again(production, DEPLOY)["score"]


def test_a_workspace_that_nobody_pinned_does_not_count(production: Running) -> None:
    found = verdict(production, WIPE, workspace="/data")
    assert (found["verdict"], found["overruled"]) == ("block", ["workspace `/data` (none is pinned)"])


def test_a_home_that_nobody_pinned_does_not_loosen(production: Running) -> None:
    assert verdict(production, WIPE, home="/data")["verdict"] == "block"


@pytest.mark.parametrize("claim", ["/data", "/srv", "/", "/srv/shop/../../data", "/srv/shop2", "relative"])
def test_a_workspace_outside_the_pinned_one_does_not_count(production: Running, claim: str) -> None:
    found = verdict(production, WIPE, Pins(workspaces=("/srv/shop",)), workspace=claim)
    assert (found["verdict"], len(found["overruled"])) == ("block", 1)


def test_a_part_of_the_pinned_workspace_counts(unset: Running) -> None:
    pins = Pins(workspaces=("/srv/shop", "/srv/blog"))
    inside = {"toolName": "Bash", "inputPayload": {"command": "echo x > /srv/blog/web/a.txt"}}
    found = verdict(unset, inside, pins, workspace="/srv/blog/web")
    assert (found["verdict"], found["overruled"]) == ("allow", [])


def test_the_name_of_a_part_of_an_agent_does_not_escape_its_policies(production: Running) -> None:
    pay = {"toolName": "pay", "inputPayload": {"amount": 5}}
    assert verdict(production, pay, agentId="bot/helper")["verdict"] == "block"


def test_a_run_that_names_a_workspace_gets_the_pinned_one(production: Running) -> None:
    client = production.key(Role.AGENT, "ann", "bot", pins=Pins(workspaces=("/srv/shop",)))
    made = client.post("/v1/runs", {"workspace": "/data"}).ok(201)
    assert made["workspace"] == "/srv/shop"


def test_pins_are_set_changed_and_seen(production: Running) -> None:
    admin = production.admin()
    pins = {"workspaces": ["/srv/shop"], "environment": "staging"}
    made = admin.post("/v1/keys", {"name": "ci", "role": "agent", "pins": pins}).ok(201)["key"]
    assert made["pins"] == {"workspaces": ["/srv/shop"], "environment": "staging"}
    path = f"/v1/keys/{made['keyId']}"
    assert admin.send("PATCH", path, {"workspaces": ["/srv/blog"]}).ok()["pins"] == {"workspaces": ["/srv/blog"]}
    [listed] = [one for one in admin.get("/v1/keys").ok()["items"] if one["name"] == "ci"]
    assert listed["pins"] == {"workspaces": ["/srv/blog"]}
    for wrong in ({"workspaces": ["/"]}, {"workspaces": ["srv"]}, {"environment": "produktion"}):
        assert admin.send("PATCH", path, wrong).status in (400, 422)
    assert admin.send("PATCH", "/v1/keys/none", {}).status == 404


def test_a_key_that_is_pinned_later_is_judged_anew(unset: Running) -> None:
    client = unset.key(Role.AGENT, "ann", "bot")
    action = {"toolName": "Bash", "inputPayload": {"command": "rm -rf /srv/shop/build"}, "workspace": "/srv/shop"}
    assert client.post("/v1/evaluate", action).ok()["verdict"] != "allow"
    [key] = [one for one in unset.service.authenticator.keys.list() if one.name == "bot"]
    unset.admin().send("PATCH", f"/v1/keys/{key.key_id}", {"workspaces": ["/srv/shop"]}).ok()
    assert client.post("/v1/evaluate", action).ok()["verdict"] == "allow"


def test_a_key_belongs_to_its_creator_or_to_an_active_person(unset: Running) -> None:
    admin, people = unset.admin("eve"), unset.service.authenticator.people
    people.add("sam", Role.REVIEWER, "eve")
    people.add("gone", Role.REVIEWER, "eve")
    people.change("gone", "eve", state=SHUT_OUT)
    for owner in ("sma", "gone"):
        refused = admin.post("/v1/keys", {"name": "ci", "role": "agent", "owner": owner})
        assert refused.status == 422
        assert f"there is no active person `{owner}`" in refused.body.decode()
    for owner in ("sam", "eve"):
        made = admin.post("/v1/keys", {"name": f"of-{owner}", "role": "agent", "owner": owner}).ok(201)
        assert made["key"]["owner"] == owner
