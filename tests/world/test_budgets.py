"""Budgets: limits of policies are counted in the store, exactly, whoever asks at the same time."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from interlock import Action, ActionRefused, ConfigError, Gate, Verdict
from interlock.policy.limits import Limit
from interlock.policy.policies import Policy
from tests.reading import WHERE

REFUNDS = """
[[policies]]
policy_id = "refunds"
conditions = ["toolName=tidy_up"]
action = "block"
limit = { most = 5, per = "hour", by = "everyone" }
"""
SPENDING = """
second_opinion = false

[[policies]]
policy_id = "spending"
conditions = ["toolName=tidy_up", "inputPayload.currency=EUR"]
action = "block"
limit = { most = 1000, per = "day", of = "inputPayload.amount" }
"""
A_RUN = """
[[policies]]
policy_id = "a-run"
conditions = ["toolName=tidy_up"]
action = "block"
limit = { most = 2, per = "run" }
"""


def tidy(**given: object) -> Action:
    return Action(tool_name="tidy_up", input_payload={"room": "a", **given}, **WHERE)


def runs(gate: Gate, action: Action, agent: str = "bot", run: str = "r1") -> bool:
    with gate.run(agent_id=agent, run_id=run):
        try:
            gate.check(action)
        except ActionRefused:
            return False
        return True


def test_so_many_an_hour(configured: Callable[[str], Gate]) -> None:
    gate = configured(REFUNDS)
    assert [runs(gate, tidy(), agent=f"bot{n}", run=f"r{n}") for n in range(7)] == [True] * 5 + [False] * 2


def test_at_the_same_time_no_more_than_so_many(configured: Callable[[str], Gate]) -> None:
    gates = [configured(REFUNDS), configured(REFUNDS)]

    def once(number: int) -> bool:
        return runs(gates[number % 2], tidy(number=number), run=f"r{number}")

    with ThreadPoolExecutor(12) as threads:
        assert sum(threads.map(once, range(24))) == 5


def test_a_file_that_uses_the_id_of_a_stored_policy_begins_no_new_count(configured: Callable[[str], Gate]) -> None:
    stored = Policy("refunds", action=Verdict.BLOCK, limit=Limit(2, "day"))
    configured("").policies.save(stored, "ann", known=None)
    assert [runs(configured(""), tidy()) for _ in range(3)] == [True, True, False]
    other = '[[policies]]\npolicy_id = "refunds"\nconditions = ["toolName=other"]\naction = "warn"\n'
    assert not runs(configured(other), tidy())


def test_so_much_a_day_for_each_agent(configured: Callable[[str], Gate]) -> None:
    gate = configured(SPENDING)
    amounts = [400, 500, 200, 100]
    assert [runs(gate, tidy(amount=one, currency="EUR")) for one in amounts] == [True, True, False, True]
    assert runs(gate, tidy(amount=900, currency="EUR"), agent="other", run="r2")
    assert runs(gate, tidy(amount=5_000, currency="USD"), run="r3"), "the policy is about another currency"


@pytest.mark.parametrize("amount", [None, "much", -5, "nan", True])
def test_an_amount_that_cannot_be_told_is_too_much(configured: Callable[[str], Gate], amount: object) -> None:
    assert not runs(configured(SPENDING), tidy(amount=amount, currency="EUR"))


def test_so_many_a_run(configured: Callable[[str], Gate]) -> None:
    gate = configured(A_RUN)
    assert [runs(gate, tidy(), run="r1") for _ in range(3)] == [True, True, False]
    assert runs(gate, tidy(), run="r2")


def test_what_did_not_run_is_not_counted(configured: Callable[[str], Gate]) -> None:
    gate = configured(
        A_RUN + '[[policies]]\npolicy_id = "no"\nconditions = ["inputPayload.room=b"]\naction = "block"\n'
    )
    assert not any(runs(gate, tidy(room="b")) for _ in range(5))
    assert runs(gate, tidy())


def test_the_reason_says_which_policy_and_how_much(configured: Callable[[str], Gate]) -> None:
    gate = configured(A_RUN)
    with gate.run(agent_id="bot", run_id="r1"):
        gate.check(tidy())
        gate.check(tidy())
        with pytest.raises(ActionRefused, match="policy `a-run` allows at most 2 actions a run; 2 so far, and 1 more"):
            gate.check(tidy())


def test_a_limit_is_checked_when_it_is_written() -> None:
    with pytest.raises(ConfigError, match="must be stricter than `allow`"):
        Policy("p", action=Verdict.ALLOW, limit=Limit(1, "hour"))
    with pytest.raises(ConfigError, match="names a number of the action"):
        Limit(1, "hour", of="toolName")
