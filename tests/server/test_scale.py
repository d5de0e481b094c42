"""Large stores: lists, counts and metrics read no more than they show."""

from __future__ import annotations

import itertools

import pytest

from interlock.approval.request import Answer, AnswerVerdict
from tests.server.bulk_data import Watch, many_pending
from tests.server.live_server import Running


def test_ten_thousand_that_wait_are_listed_a_page_at_a_time_and_counted_by_an_index(quiet: Running) -> None:
    running, reviewer = quiet, quiet.reviewer("bob")
    opened = many_pending(running, 10_000)
    for query in ("limit=50", "limit=50&state=pending", "limit=50&state=pending&runId=many", "limit=1&agentId=bot"):
        with Watch(running) as watch:
            page = reviewer.get(f"/v1/approvals?{query}").ok()
        assert len(watch.statements) < 500, query
        assert page["next"]
        for plan in watch.plans():
            assert " INDEX " in plan or "FOR RIGHT PART OF ORDER BY" in plan, (query, plan)
    for sort in ("risk", "left"):
        with Watch(running) as watch:
            reviewer.get(f"/v1/approvals?state=pending&sort={sort}").ok()
        assert any("USING COVERING INDEX interlock_approvals_pending" in plan for plan in watch.plans()), sort
    with Watch(running) as watch:
        shown = reviewer.get("/metrics").body.decode()
    assert "interlock_approvals_pending 10000.0" in shown
    assert ["USING COVERING INDEX" in plan for plan in watch.plans()] == [True]
    with Watch(running) as watch:
        assert running.service.gate.approvals.expire_due() == 0
    assert len(watch.statements) < 500, "one for all of them"
    assert ["USING COVERING INDEX interlock_approvals_" in plan for plan in watch.plans()] == [True]
    with Watch(running) as watch:
        assert [running.service.gate.approvals.count_for(name) for name in ("bob", "zoe")] == [10_000, 0]
        assert running.service.gate.approvals.next_for("zoe") is None
    assert not any(plan.startswith("SCAN interlock_approvals") for plan in watch.plans())
    pages = itertools.islice(reviewer.pages("/v1/approvals", limit=200), 5)
    some = [item["approvalId"] for items in pages for item in items]
    assert some == [approval.approval_id for approval in opened[::-1]][:1_000]


def test_very_many_that_run_out_are_ended_together(quiet: Running) -> None:
    many_pending(quiet, 200, seconds_ago=400)
    with Watch(quiet) as watch:
        found = quiet.reviewer("bob").get("/v1/approvals", limit=500).ok()["items"]
    assert {item["state"] for item in found} == {"expired"}
    assert watch.transactions < 50


def test_the_figures_of_very_many_requests_take_few_questions(quiet: Running) -> None:
    many_pending(quiet, 500)
    with Watch(quiet) as watch:
        assert quiet.reviewer("bob").get("/v1/metrics/approvals").ok()["total"] == 500
    assert len(watch.statements) < 250


def test_invented_names_do_not_flood_the_counters(alone: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("interlock.metrics.counters.MAX_PER_HOUR", 20)
    agent, reviewer = alone.agent("ann", "bot"), alone.reviewer("bob")
    for start in range(0, 60, 30):
        actions = [{"toolName": f"tool-{number}", "runId": "r"} for number in range(start, start + 30)]
        agent.post("/v1/evaluate/batch", {"actions": actions}).ok()
        found = reviewer.get("/v1/metrics/risk", bucket="hour").ok()
    assert found["actions"] == 60, "none is lost"
    with alone.service.journal.database.read() as connection:
        assert connection.value("SELECT count(*) FROM interlock_counts WHERE grain = 3600") < 40


@pytest.mark.parametrize(
    ("query", "index"),
    [
        ("verdict=allow&level=safe", "verdict"),
        ("level=risky", "verdict"),
        ("environment=production", "environment"),
        ("environment=production&verdict=block&level=risky", "environment_and_verdict"),
        ("agent=bot&level=risky", "agent_and_verdict"),
        ("tool=Bash", "tool"),
        ("tool=Bash&verdict=allow", "tool_and_verdict"),
        ("person=ann&verdict=block", "person_and_verdict"),
    ],
)
def test_filtered_actions_are_counted_and_sorted_by_an_index(quiet: Running, query: str, index: str) -> None:
    for sort in ("newest", "level"):
        with Watch(quiet) as watch:
            assert quiet.reviewer("bob").get(f"/actions?{query}&sort={sort}").status == 200
        plans = [plan for plan in watch.plans("interlock_actions a") if "INDEX" in plan]
        assert any(f"COVERING INDEX interlock_actions_by_{index}" in plan for plan in plans), "the count"
        lists = [plan for plan in plans if "COVERING" not in plan]
        if sort == "level" and not index.endswith("verdict"):
            index = f"{index}_and_verdict"
        assert lists
        assert all(f"interlock_actions_by_{index} " in plan for plan in lists), (sort, plans)
        if index.endswith("verdict"):
            assert all("verdict=? AND level=?" in plan for plan in lists), "no other action is read"


def test_all_requests_are_counted_and_the_newest_evaluated(quiet: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("interlock.metrics.approvals.MAX_READ", 3)
    opened, reviewer = many_pending(quiet, 8), quiet.reviewer("bob")
    for number, approval in enumerate(opened[:5]):
        quiet.service.gate.approvals.answer(
            approval.approval_id, Answer(approver=f"ann-{number}", verdict=AnswerVerdict.REJECT)
        )
    with Watch(quiet) as watch:
        found = reviewer.get("/v1/metrics/approvals").ok()
    assert (found["total"], found["states"]["rejected"], found["states"]["pending"]) == (8, 5, 3)
    assert (sorted(found["approvers"]), found["sampled"]) == (["ann-2", "ann-3", "ann-4"], True)
    assert found["waiting"] is not None, "pending requests take no place among those that are evaluated"
    assert not any(plan.startswith("SCAN interlock_approvals") for plan in watch.plans())
