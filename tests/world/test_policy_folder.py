"""Policies of a folder applied to a store on this machine, without a server."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from interlock import Action, ActionRefused, Condition, Gate, Policy, Verdict
from interlock.cli import main
from interlock.store.database import Database


@pytest.fixture
def folder(store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("INTERLOCK_STORE", store)
    folder = tmp_path / "team"
    folder.mkdir()
    return folder


def write(folder: Path, **actions: str) -> None:
    """Write a policy for each tool."""
    texts = (
        f'[[policies]]\npolicy_id = "{tool}"\naction = "{action}"\nconditions = ["toolName={tool}"]\n'
        for tool, action in actions.items()
    )
    (folder / "policies.toml").write_text("".join(texts))


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str]:
    status = main(["policy", *map(str, words)])
    printed = capsys.readouterr()
    return status, printed.out + printed.err


def verdict(gate: Gate, tool: str) -> str:
    try:
        return gate.check(Action(tool_name=tool)).decision.verdict.value
    except ActionRefused as refused:
        return str(refused.decision.verdict.value)


def verdicts(gate: Gate, *tools: str) -> list[str]:
    verdict(gate, "any")  # the next decision follows what another process has written, also if that is milder
    return [verdict(gate, tool) for tool in tools]


def test_a_folder_is_applied_to_a_store_by_a_person(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, alpha="block", beta="warn")
    with Gate() as gate:
        for command in (["apply", folder], ["rollback", 1]):
            status, said = run(capsys, *command)
            assert (status, "a person has to run it at a terminal" in said) == (2, True), said
        assert run(capsys, "apply", folder, "--dry-run")[0] == 3
        assert verdicts(gate, "alpha", "beta") == ["allow", "allow"]

        monkeypatch.setattr("interlock.cli.policy_target.require_person", lambda _: None)
        assert run(capsys, "apply", folder)[0] == 0
        assert verdicts(gate, "alpha", "beta") == ["block", "warn"]
        assert run(capsys, "apply", folder, "--dry-run")[0] == 0
        write(folder, alpha="warn")
        status, said = run(capsys, "apply", folder, "--dry-run", "--json")
        assert (status, set(json.loads(said)["simulation"]["transitions"])) == (3, {"block → warn", "warn → allow"})
        assert run(capsys, "apply", folder)[0] == 0
        assert verdicts(gate, "alpha", "beta") == ["warn", "allow"]
        assert run(capsys, "rollback", 1)[0] == 0
        assert verdicts(gate, "alpha", "beta") == ["block", "warn"]
        assert run(capsys, "restore", "alpha", 2)[0] == 0
        assert verdicts(gate, "alpha") == ["warn"]
    assert run(capsys, "history", "alpha", "--old", 9)[0] == 1
    _, said = run(capsys, "history", "alpha", "--old", 1, "--new", 4)
    assert re.search(r"version 1 → version 4\n.*- action: block\n.*\+ action: warn", said)
    assert "no differences" in run(capsys, "history", "alpha", "--old", 2)[1]
    _, said = run(capsys, "history")
    assert re.findall(r"revision (\d)", said)[:1] == ["3"]
    assert "team" in said
    shown = json.loads(run(capsys, "show", "alpha", "--version", 1, "--json")[1])
    assert (shown["origin"]["name"], shown["origin"]["commit"], shown["revision"]) == ("team", "", 1)
    assert "built in" in run(capsys, "show", "sensitive-files")[1]
    assert run(capsys, "show", "nothing")[0] == 1


def test_a_version_that_was_changed_in_the_database_does_not_come_back(
    folder: Path, store: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("interlock.cli.policy_target.require_person", lambda _: None)
    for action in ("block", "require_approval"):
        write(folder, alpha=action)
        assert run(capsys, "apply", folder)[0] == 0
    database = Database(store)
    with database.write() as connection:
        connection.run("UPDATE interlock_policies SET body = replace(body, '\"block\"', '\"allow\"') WHERE version = 1")
    database.close()
    for command, status in ((["rollback", 1], 2), (["restore", "alpha", 1], 1)):
        found, said = run(capsys, *command)
        assert (found, "was changed outside Interlock and is not used" in said) == (status, True), said
    with Gate() as gate:
        assert verdicts(gate, "alpha") == ["require_approval"]


def test_a_policy_cannot_be_made_an_origins_own_in_the_database(
    folder: Path, store: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the next apply would remove what a person wrote."""
    monkeypatch.setattr("interlock.cli.policy_target.require_person", lambda _: None)
    with Gate() as gate:
        for action in (Verdict.WARN, Verdict.BLOCK):
            by_hand = Policy("by-hand", "", [Condition("toolName", "equals", "alpha")], action)
            gate.policies.save(by_hand, "eve", known=None)
        forged = "UPDATE interlock_policies SET origin = :origin, revision = 1 WHERE version = 1"
        with gate.journal.database.write() as connection:
            connection.run(forged, origin='{"name":"team"}')
        write(folder, beta="block")
        status, said = run(capsys, "apply", folder, "--overwrite")
        assert (status, "was changed outside Interlock and is not used" in said) == (2, True), said
        assert verdicts(gate, "alpha", "beta") == ["block", "allow"]
