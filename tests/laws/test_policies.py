"""Laws of policies: the strictest wins, in any order; an allow never lowers a block."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from interlock import Action, Condition, Engine, Policy, Verdict
from tests.reading import WHERE

TOOLS = ["deploy", "Bash", "query"]
ENVIRONMENTS = ["staging", "production", None]

conditions = st.one_of(
    st.builds(Condition, st.just("toolName"), st.sampled_from(["equals", "not_equals"]), st.sampled_from(TOOLS)),
    st.builds(Condition, st.just("environment"), st.just("equals"), st.sampled_from(["staging", "production"])),
    st.builds(Condition, st.just("inputPayload.env"), st.just("equals"), st.just("x")),
    st.builds(Condition, st.just("inputPayload.env"), st.just("exists"), st.booleans()),
    st.builds(Condition, st.just("risk.score"), st.sampled_from(["gt", "lte"]), st.integers(0, 100)),
    st.builds(Condition, st.just("inputPayload.count"), st.just("gt"), st.just(3)),
)
expressions = st.sampled_from(
    [None, 'toolName == "deploy"', "inputPayload.count > 2", "risk.score >= 50", "1 / inputPayload.zero == 1"]
)


@st.composite
def policies(draw: st.DrawFn) -> list[Policy]:
    return [
        Policy(
            policy_id=f"p{number}",
            conditions=tuple(draw(st.lists(conditions, max_size=2))),
            when=draw(expressions),
            action=draw(st.sampled_from(list(Verdict))),
            enabled=draw(st.booleans()),
        )
        for number in range(draw(st.integers(0, 6)))
    ]


actions = st.builds(
    Action,
    tool_name=st.sampled_from(TOOLS),
    input_payload=st.fixed_dictionaries(
        {},
        optional={
            "env": st.sampled_from(["x", None]),
            "count": st.one_of(st.integers(0, 5), st.just("many")),
            "zero": st.just(0),
        },
    ),
    environment=st.sampled_from(ENVIRONMENTS),
    **{name: st.just(value) for name, value in WHERE.items()},
)
modes = st.sampled_from(["off", "assist", "full", "auto_approve", "auto_deny", "confirm_all"])


@given(policies(), actions, modes, st.randoms(use_true_random=False))
def test_the_order_of_policies_means_nothing(
    given_policies: list[Policy], action: Action, mode: str, chance: random.Random
) -> None:
    shuffled = list(given_policies)
    chance.shuffle(shuffled)
    first = Engine(given_policies, mode).decide(action)
    second = Engine(shuffled, mode).decide(action)
    assert first.to_wire() == second.to_wire()


@given(policies(), actions, modes)
def test_no_policy_is_milder_than_the_decision(given_policies: list[Policy], action: Action, mode: str) -> None:
    decision = Engine(given_policies, mode).decide(action)
    assert all(match.action <= decision.verdict for match in decision.matched_policies)


@given(policies(), actions, modes)
def test_the_decision_is_the_strictest_of_policies_and_mode(
    given_policies: list[Policy], action: Action, mode: str
) -> None:
    decision = Engine(given_policies, mode).decide(action)
    by_mode = Engine([], mode).decide(action).verdict
    matched = [match.action for match in decision.matched_policies]
    explicit = any(m.action is Verdict.ALLOW and not m.error for m in decision.matched_policies) and mode != "off"
    assert decision.verdict == max([Verdict.ALLOW if explicit else by_mode, *matched])
    assert bool(decision.overrides) == (explicit and by_mode > Verdict.ALLOW)


@given(policies(), actions, modes)
def test_allowing_everything_lowers_no_policy_and_no_floor(
    given_policies: list[Policy], action: Action, mode: str
) -> None:
    allow = Policy(policy_id="zz", action=Verdict.ALLOW)
    before = Engine(given_policies, mode).decide(action)
    after = Engine([*given_policies, allow], mode).decide(action)
    strictest = max((match.action for match in before.matched_policies), default=Verdict.ALLOW)
    assert after.verdict >= strictest
    floor = Action.shell("rm -rf /", **WHERE)
    assert Engine([*given_policies, allow], mode).decide(floor).verdict is Verdict.BLOCK


@given(policies(), actions)
def test_a_policy_that_breaks_asks_at_least(given_policies: list[Policy], action: Action) -> None:
    decision = Engine(given_policies, "auto_approve").decide(action)
    for match in decision.matched_policies:
        if match.error:
            assert decision.verdict >= Verdict.REQUIRE_APPROVAL
            assert match.policy_id.startswith("p")
