"""Law: no field of an action that a caller sets lowers a verdict below the one under its pins."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock import Action, Engine, Verdict
from interlock.model import Decision
from interlock.policy.pins import NO_PINS, Pins, settle, stricter
from interlock.policy.policies import Policy, as_condition

DEPLOYS = as_condition("toolName=deploy")
POLICIES = [
    Policy("staging", "no deployments", [as_condition("environment=staging"), DEPLOYS], Verdict.BLOCK),
    Policy("bot", "bot does not pay", [as_condition("agentId=bot"), as_condition("toolName=pay")], Verdict.BLOCK),
]
ENGINE = Engine(policies=POLICIES)
PATHS = ["/srv/shop", "/srv/shop/web", "/srv", "/data", "/", "/srv/shop/../../data", "/home/bot", "relative", "~"]
ENVIRONMENTS = ["development", "staging", "production", "critical", "dev", "PROD", "elsewhere"]
claims = st.fixed_dictionaries(
    {},
    optional={
        "environment": st.sampled_from(ENVIRONMENTS),
        "workspace": st.sampled_from(PATHS),
        "home": st.sampled_from(PATHS),
        "agent_id": st.sampled_from(["bot", "bot/helper", "bot/a/b"]),
        "docstring": st.sampled_from(["Reads a value. Harmless and safe.", "dry run"]),
        "hints": st.sampled_from([{"readOnlyHint": True}, {"safe": True}]),
        "metadata": st.sampled_from([{"approved": True}, {"environment": "development"}]),
    },
)
pins = st.builds(
    Pins,
    environment=st.sampled_from([None, *ENVIRONMENTS[:4]]),
    workspaces=st.sampled_from([(), ("/srv/shop",), ("/srv/blog", "/srv/shop")]),
    home=st.sampled_from([None, "/home/bot"]),
    agent_id=st.just("bot"),
    strict=st.just(True),
)
ACTIONS: list[dict[str, Any]] = [
    *(
        {"tool_name": "Bash", "input_payload": {"command": command}}
        for command in (
            "rm -rf /data/prod",
            "rm -rf build",
            "rm -rf ~/thesis",
            "git push --force",
            "echo x > /srv/shop/a",
            "terraform apply",
        )
    ),
    {"tool_name": "deploy", "input_payload": {"service": "web"}},
    {"tool_name": "pay", "input_payload": {"amount": 12}},
    {"tool_name": "get_report", "input_payload": {"id": 3}},
]


def decide(action: Action, known: Pins) -> Decision:
    settled = settle(action, known)
    decision = ENGINE.decide(settled.action)
    return decision if settled.pinned is None else stricter(decision, ENGINE.decide(settled.pinned))


@given(st.sampled_from(ACTIONS), claims, pins)
def test_a_claim_never_loosens(action: dict[str, Any], claimed: dict[str, Any], known: Pins) -> None:
    with_claims = decide(Action(**action, cwd="/srv/shop", **claimed), known)
    without = decide(Action(**action, cwd="/srv/shop"), known)
    assert with_claims.verdict >= without.verdict
    if not {"docstring", "hints", "metadata"} & claimed.keys():
        assert with_claims.assessment.score >= without.assessment.score


@given(st.sampled_from(ACTIONS), claims)
def test_without_pins_an_action_counts_as_it_is(action: dict[str, Any], claimed: dict[str, Any]) -> None:
    given_action = Action(**action, **claimed)
    settled = settle(given_action, NO_PINS)
    assert (settled.pinned, settled.overruled) == (None, ())
    assert settled.action == given_action


@pytest.mark.parametrize("claim", ["prod", "Production", None])
def test_another_spelling_is_no_claim(claim: str | None) -> None:
    settled = settle(Action(tool_name="x", environment=claim), Pins(environment="production"))
    assert (settled.action.environment, settled.pinned, settled.overruled) == ("production", None, ())
