"""Law: no field of an action that a caller sets lowers a verdict below the one under its pins."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock import Action, Engine, Verdict
from interlock.memory.state import RunState
from interlock.model import Ask, Decision
from interlock.policy.needs import CHALLENGE_ORDER
from interlock.policy.pins import NO_PINS, Pins, apply_pins, stricter
from interlock.policy.policies import Policy, as_condition

DEPLOYS = as_condition("toolName=deploy")
POLICIES = [
    Policy("staging", "no deployments", [as_condition("environment=staging"), DEPLOYS], Verdict.BLOCK),
    Policy("bot", "bot does not pay", [as_condition("agentId=bot"), as_condition("toolName=pay")], Verdict.BLOCK),
]
NAMES = ["acme", "globex", "ann", "bob"]
CONDITIONS = [
    *(f"{field}{sign}{name}" for field in ("tenant", "user") for sign in ("=", "!=") for name in NAMES),
    *(f"{field}{sign}true" for field in ("metadata.approved", "run.metadata.approved") for sign in ("=", "!=")),
    "environment=production",
    "agentId=bot",
    "toolName=deploy",
]
EXPRESSIONS = [
    'tenant == "acme" && user != "bob"',
    "run.metadata.approved == true || metadata.approved == true",
    'run.requests.exists(text, text.contains("deploy"))',
]
#: Policies in which every field that a caller sets decides, in either direction.
policies = st.lists(
    st.builds(
        Policy,
        st.uuids().map(str),
        conditions=st.lists(st.sampled_from(CONDITIONS), max_size=2).map(lambda some: [*map(as_condition, some)]),
        action=st.sampled_from(list(Verdict)),
        when=st.sampled_from([None, None, None, *EXPRESSIONS]),
        missing=st.sampled_from(["differs", "differs", "matches"]),
        approval=st.sampled_from([None, Ask(approvers=3, who=("ann", "bob", "eve")), Ask(challenge="quiz")]),
    ),
    max_size=4,
)
PATHS = ["/srv/shop", "/srv/shop/web", "/srv", "/data", "/", "/srv/shop/../../data", "/home/bot", "relative", "~"]
ENVIRONMENTS = ["development", "staging", "production", "critical", "dev", "PROD", "elsewhere"]
claims = st.fixed_dictionaries(
    {},
    optional={
        "environment": st.sampled_from(ENVIRONMENTS),
        "workspace": st.sampled_from(PATHS),
        "home": st.sampled_from(PATHS),
        "agent_id": st.sampled_from(["bot", "bot/helper", "bot/a/b"]),
        "user": st.sampled_from(NAMES),
        "tenant": st.sampled_from(NAMES),
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
    user=st.sampled_from([None, "ann"]),
    tenant=st.sampled_from([None, "acme"]),
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


#: What a caller says about its run.
states = st.builds(
    RunState,
    metadata=st.sampled_from([{}, {"approved": True}, {"approved": False}]),
    requests=st.sampled_from([(), ("deploy it",)]),
)


def decide(engine: Engine, action: Action, known: Pins, state: RunState) -> Decision:
    pinned = apply_pins(action, known, state)
    decision = engine.decide(pinned.action, state)
    for view in pinned.others:
        decision = stricter(decision, engine.decide(view.action, view.state))
    return decision


def is_as_strict(one: Decision, other: Decision) -> bool:
    """Whether a decision is at least as strict as another one: its verdict, and what an approval takes."""
    if one.verdict is not other.verdict or one.needs is None or other.needs is None:
        return one.verdict >= other.verdict
    ranks = [CHALLENGE_ORDER.index(needs.challenge) for needs in (one.needs, other.needs)]
    enough = one.needs.approvers >= other.needs.approvers and ranks[0] >= ranks[1]
    return enough and set(one.needs.who) >= set(other.needs.who)


@given(st.sampled_from(ACTIONS), claims, states, pins, policies)
def test_a_claim_never_loosens(
    action: dict[str, Any], claimed: dict[str, Any], state: RunState, known: Pins, added: list[Policy]
) -> None:
    engine = Engine(policies=[*POLICIES, *added])
    with_claims = decide(engine, Action(**action, cwd="/srv/shop", **claimed), known, state)
    without = decide(engine, Action(**action, cwd="/srv/shop"), known, RunState())
    assert is_as_strict(with_claims, without)
    if not {"docstring", "hints", "metadata"} & claimed.keys():
        assert with_claims.assessment.score >= without.assessment.score


DECISIVE = (Verdict.ALLOW, Verdict.BLOCK)
SINGLE_POLICIES = [
    *(Policy("p", conditions=[as_condition(one)], action=verdict) for one in CONDITIONS for verdict in DECISIVE),
    *(Policy("p", when=one, action=verdict) for one in EXPRESSIONS for verdict in DECISIVE),
    *(Policy("p", conditions=[as_condition(one)], approval=Ask(approvers=3)) for one in CONDITIONS),
]
#: What a caller says about an action, or about its run.
SINGLE_CLAIMS: list[tuple[dict[str, Any], RunState]] = [
    *(({field: name}, RunState()) for field in ("user", "tenant") for name in NAMES),
    ({"metadata": {"approved": True}}, RunState()),
    *(({}, said) for said in (RunState(metadata={"approved": True}), RunState(requests=("deploy it",)))),
    ({}, RunState(tenant="acme", user="ann")),
]


@pytest.mark.parametrize(
    "policy", SINGLE_POLICIES, ids=lambda one: f"{one.when or one.conditions[0]} {one.action.value}"
)
def test_no_single_claim_loosens_a_single_policy(policy: Policy) -> None:
    engine = Engine(policies=[policy])
    for action in (ACTIONS[3], ACTIONS[-1]):
        for known in (Pins(strict=True), Pins(strict=True, tenant="acme"), Pins(strict=True, user="ann")):
            without = decide(engine, Action(**action), known, RunState())
            for claimed, state in SINGLE_CLAIMS:
                found = decide(engine, Action(**action, **claimed), known, state)
                assert is_as_strict(found, without), (claimed, state, known)


@given(st.sampled_from(ACTIONS), claims)
def test_without_pins_an_action_counts_as_it_is(action: dict[str, Any], claimed: dict[str, Any]) -> None:
    given_action = Action(**action, **claimed)
    pinned = apply_pins(given_action, NO_PINS)
    assert (pinned.others, pinned.overruled) == ((), ())
    assert pinned.action == given_action


def test_a_claim_of_another_tenant_is_overruled_and_still_counts_against_the_caller() -> None:
    engine = Engine(policies=[Policy("globex", "", [as_condition("tenant=globex")], Verdict.BLOCK)])
    known = Pins(tenant="acme", user="ann")
    pinned = apply_pins(Action(tool_name="get_report", tenant="globex", user="ann"), known)
    assert (pinned.action.tenant, pinned.action.user) == ("acme", "ann")
    assert pinned.overruled == ("tenant `globex` (pinned: `acme`)",)
    state = RunState()
    assert decide(engine, Action(tool_name="get_report"), known, state).verdict is Verdict.ALLOW
    assert decide(engine, Action(tool_name="get_report", tenant="globex"), known, state).verdict is Verdict.BLOCK


@pytest.mark.parametrize("claim", ["prod", "Production", None])
def test_another_spelling_is_no_claim(claim: str | None) -> None:
    pinned = apply_pins(Action(tool_name="x", environment=claim), Pins(environment="production"))
    assert (pinned.action.environment, pinned.others, pinned.overruled) == ("production", (), ())


def test_a_schema_that_a_caller_claims_lets_nothing_run() -> None:
    schema = {"properties": {"amount": {}, "api_mode": {"enum": ["live", "test"]}}}
    paid = Action(tool_name="create_payout", input_payload={"amount": 900, "api_mode": "test"}, input_schema=schema)
    assert Engine().decide(paid).allowed
    others = apply_pins(paid, Pins(strict=True)).others
    assert not all(Engine().decide(view.action).allowed for view in others)
