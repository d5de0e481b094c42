"""Laws of watching: a loop never lowers a verdict, and looking once or listing devices passes."""

from __future__ import annotations

import pytest

from interlock import Action, Engine
from interlock.levels import Verdict

ENGINE = Engine()
WHERE = {"cwd": "/home/u/project", "workspace": "/home/u/project", "home": "/home/u"}
LOOKS = ["scrot app.png", "grim app.png", "maim app.png"]
LOOPS = ["while true; do {}; sleep 5; done", "while sleep 9; do {}; done", "for i in $(seq 1 5000); do {}; done"]


def verdict(text: str) -> Verdict:
    return ENGINE.decide(Action.shell(text, **WHERE)).verdict


@pytest.mark.parametrize("look", LOOKS)
def test_looking_once_passes_and_a_loop_asks(look: str) -> None:
    assert verdict(look) is Verdict.ALLOW
    assert [loop for loop in LOOPS if verdict(loop.format(look)) is Verdict.ALLOW] == []


@pytest.mark.parametrize("count", [1, 5, 50, 99])
def test_a_few_containers_pass(count: int) -> None:
    assert verdict(f"for i in $(seq 1 {count}); do docker run -d --rm redis; done") is Verdict.ALLOW


@pytest.mark.parametrize("count", [100, 1_000, 100_000])
def test_a_crowd_of_containers_asks(count: int) -> None:
    assert verdict(f"for i in $(seq 1 {count}); do docker run -d --rm redis; done") is not Verdict.ALLOW


@pytest.mark.parametrize("statement", ["UPDATE {} SET a = 1 WHERE id = 1", "DELETE FROM {} WHERE id = 1"])
@pytest.mark.parametrize("table", ["audit_log", "app.audit_events", "login_audit_trail"])
def test_trails_are_only_added_to(statement: str, table: str) -> None:
    def on(text: str) -> Verdict:
        return ENGINE.decide(Action.sql(text, **WHERE)).verdict

    assert on(statement.format(table)) is not Verdict.ALLOW
    assert on(statement.format("orders")) is Verdict.ALLOW
    assert on(f"INSERT INTO {table} VALUES (1)") is Verdict.ALLOW
