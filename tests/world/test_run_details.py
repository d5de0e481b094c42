"""What a run is for: its user, tenant, metadata and requests, in every thread, task, process and run below it."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from interlock import Action, ActionRefused, Gate, RunExecutor, Verdict, carry_run
from interlock.audit.digest import action_digest
from interlock.audit.identity import user_name
from interlock.audit.read import RecordFilter, read_all
from interlock.cli import main
from interlock.errors import ConflictError, ForbiddenError, InvalidActionError, TamperedError
from interlock.store.clock import Moment
from interlock.store.tables import runs

POLICIES = """
[[policies]]
policy_id = "acme"
conditions = ["tenant=acme", "toolName=deploy"]
action = "block"

[[policies]]
policy_id = "globex"
conditions = ["tenant=globex", "toolName=get_report"]
action = "block"

[[policies]]
policy_id = "urgent"
conditions = ["run.metadata.urgent=true", "toolName=get_user"]
action = "block"
"""
DEPLOY, REPORT = Action(tool_name="deploy"), Action(tool_name="get_report")
CARD = "4111 1111 1111 1111"


@pytest.fixture
def gate(configured: Callable[[str], Gate]) -> Gate:
    return configured(POLICIES)


def because(gate: Gate, action: Action = DEPLOY) -> str:
    return gate.decide(action).because


def test_a_run_is_for_somebody_in_every_thread_and_task(gate: Gate) -> None:
    async def in_tasks() -> list[str]:
        return list(await asyncio.gather(asyncio.to_thread(because, gate), asyncio.create_task(decide_later())))

    async def decide_later() -> str:
        await asyncio.sleep(0)
        return because(gate)

    def add() -> None:
        found.append(because(gate))

    found: list[str] = []
    with gate.run("bot", user="ann", tenant="acme") as run, RunExecutor(1) as pool:
        found.append(because(gate))
        found.append(pool.submit(because, gate).result())
        thread = threading.Thread(target=carry_run(add))
        thread.start()
        thread.join()
        found += asyncio.run(in_tasks())
    assert found == ["policy `acme`"] * 5
    kept = gate.runs.get(run.run_id)
    assert (kept.user, kept.tenant, kept.metadata) == ("ann", "acme", {})
    assert because(gate) != "policy `acme`"


def test_an_action_cannot_claim_another_tenant_than_its_run(gate: Gate) -> None:
    with gate.run("bot", user="ann", tenant="acme"):
        assert gate.decide(Action(tool_name="deploy", tenant="initech")).because == "policy `acme`"
        found = gate.decide(Action(tool_name="get_report", tenant="globex", user="bob"))
    assert found.verdict is Verdict.BLOCK, "a claim can make it stricter"
    assert found.overruled == ("user `bob` (pinned: `ann`)", "tenant `globex` (pinned: `acme`)")
    [_, record] = [line.record for line in read_all(gate.journal.database, RecordFilter(kind="decision"))]
    assert (record.data["user"], record.data["tenant"]) == ("ann", "acme")


def test_a_run_inside_another_has_what_that_has(gate: Gate) -> None:
    given = {"urgent": True}
    with gate.run("lead", user="ann", tenant="acme", metadata=given, request="close T-1"):
        with gate.run("lead/helper", metadata={"step": 2}) as inner:
            assert (because(gate), because(gate, Action(tool_name="get_user"))) == ("policy `acme`", "policy `urgent`")
            with gate.run("lead/helper/deep", tenant="acme") as deep:
                assert because(gate) == "policy `acme`"
                assert deep.details.metadata == {"urgent": True, "step": 2}
        wrong: dict[str, Any]
        for wrong in ({"user": "bob"}, {"tenant": "globex"}, {"metadata": {"urgent": False}}):
            with pytest.raises(ForbiddenError, match="the parent run"), gate.run("x", **wrong):
                pytest.fail("it began")
    kept = gate.runs.get(inner.run_id)
    assert (kept.user, kept.tenant, kept.metadata) == ("ann", "acme", {"urgent": True, "step": 2})
    assert gate.runs.state(inner.run_id).requests == ("close T-1",)


def test_another_process_that_joins_a_run_knows_what_it_is_for(gate: Gate, store: str) -> None:
    with gate.run("bot", run_id="r1", tenant="acme", metadata={"urgent": True}):
        because(gate)
        with Gate(store=store) as other:
            with other.run("bot", run_id="r1"):
                assert because(other) == "policy `acme`"
                assert because(other, Action(tool_name="get_user")) == "policy `urgent`"
            with pytest.raises(ConflictError, match="began with another `tenant`"):
                other.run("bot", run_id="r1", tenant="globex").__enter__()
            with pytest.raises(ConflictError, match="began with other `metadata`"):
                other.run("bot", run_id="r1", metadata={"urgent": False}).__enter__()


def test_a_run_for_one_tenant_does_not_go_on_inside_a_run_for_another(gate: Gate) -> None:
    with gate.run("helper", run_id="helper", tenant="globex"):
        because(gate)
    with gate.run("helper", run_id="nobody"):
        because(gate)
    with gate.run("lead", tenant="acme"):
        for run_id in ("helper", "nobody"):
            with pytest.raises(ForbiddenError, match="is for tenant `acme`"), gate.run("helper", run_id=run_id):
                pytest.fail("it went on")
            with pytest.raises(ForbiddenError, match="is for tenant `acme`"):
                gate.decide(Action(tool_name="deploy", run_id=run_id))
            with pytest.raises(ForbiddenError, match="is for tenant `acme`"):
                gate.session_of(user_name(), run_id, "helper", None)


def test_actions_without_a_run_are_kept_apart_by_whom_they_are_for(gate: Gate) -> None:
    for tenant in ("acme", "globex", "acme"):
        gate.decide(Action(tool_name="note", tenant=tenant))
    assert sorted((run.tenant, count) for run, count in gate.runs.list()) == [("acme", 2), ("globex", 1)]


def test_what_a_run_is_for_is_masked_and_shown(gate: Gate, store: str, capsys: pytest.CaptureFixture[str]) -> None:
    secrets = {"password": "hunter2", "nested": {"note": f"card {CARD}"}, "key": "ghp_" + "a" * 36, "size": 3}
    with gate.run("bot", run_id="r1", user="ann", tenant="acme", metadata=secrets, request=f"pay with {CARD}"):
        because(gate)
    text = "".join(line.body for line in read_all(gate.journal.database, RecordFilter(run_id="r1")))
    shown = json.dumps(gate.runs.get("r1").to_dict())
    assert main(["runs", "show", "r1", "--store", store]) == 0
    printed = capsys.readouterr().out
    for secret in ("hunter2", CARD, "ghp_a"):
        assert secret not in text + shown + printed
    assert "user: ann" in printed
    assert "tenant: acme" in printed
    assert "metadata.size: 3" in printed
    assert "metadata.nested: " in printed
    assert main(["runs", "--json", "--store", store]) == 0
    assert json.loads(capsys.readouterr().out)["tenant"] == "acme"
    assert '"tenant":"acme"' in text, "exports have it with the start of the run"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"user": ""}, "`user` must be a name"),
        ({"user": " "}, "`user` must be a name"),
        ({"tenant": "x" * 201}, "`tenant` must be a name"),
        ({"tenant": 7}, "`tenant` must be a name"),
        ({"user": "ghp_" + "a" * 36}, "`user` looks like a key"),
        ({"metadata": {"a": object()}}, "`metadata.a` is not JSON: found `object`"),
        ({"metadata": {"a": [float("nan")]}}, "`metadata.a.0` is not JSON"),
        ({"metadata": {1: "a"}}, "a key in `metadata` is not a string"),
        ({"metadata": {"a": 2**70}}, "`metadata.a` is not JSON"),
        ({"metadata": {"a": "x" * 8_000}}, "at most 8,000 are kept"),
        ({"metadata": {str(at): at for at in range(51)}}, "has 51 keys"),
        ({"metadata": {"a": [[[[[[[[[]]]]]]]]]}}, "nested more than 8 levels deep"),
        ({"metadata": ["a"]}, "`metadata` must be an object"),
    ],
)
def test_what_cannot_be_kept_is_refused(given: dict[str, Any], said: str) -> None:
    with Gate.temporary() as gate, pytest.raises(InvalidActionError) as refused, gate.run("bot", **given):
        pytest.fail("it began")
    assert said in str(refused.value)


def test_a_run_that_was_changed_outside_is_not_joined(gate: Gate, store: str) -> None:
    with gate.run("bot", run_id="r1", tenant="acme"):
        because(gate)
        with gate.journal.database.write() as connection:
            connection.update(runs, {"run_id": "r1"}, context=None)
        with Gate(store=store) as other, other.run("bot", run_id="r1"), pytest.raises(ActionRefused) as refused:
            because(other)
    assert isinstance(refused.value.__cause__, TamperedError)


def test_the_time_is_the_clock_of_the_store(
    configured: Callable[[str], Gate], store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = configured('[[policies]]\npolicy_id = "2001"\naction = "block"\nwhen = "now.getFullYear() == 2001"\n')
    monkeypatch.setattr("interlock.gate.run_decider.now", lambda: Moment(1_000_000_000_000_000, "", 0))
    monkeypatch.setattr("interlock.store.clock.now", lambda: Moment(1_000_000_000_000_000, "", 0))
    expected = Verdict.BLOCK if store.startswith("sqlite") else Verdict.ALLOW  # PostgreSQL has a clock of its own
    assert gate.decide(REPORT).verdict is expected


def test_an_approval_for_one_tenant_is_none_for_another() -> None:
    push = Action.shell("git push --force origin main")
    owners = [{}, {"tenant": "acme"}, {"tenant": "globex"}, {"user": "acme"}]
    assert len({action_digest("store", msgspec.structs.replace(push, **owner)) for owner in owners}) == 4


def test_hours_that_cannot_be_read_are_named_with_their_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "p.toml"
    file.write_text('[[policies]]\npolicy_id = "p"\naction = "block"\noutside = "Mon-Fri 09:00-17:00 Europe/Berln"\n')
    assert main(["policy", "check", str(file)]) != 0
    said = capsys.readouterr().err
    assert "p.toml:4" in said
    assert "did you mean `Europe/Berlin`?" in said
