"""Coverage: what never matched, what was not read, and what was not known; drafts change nothing until filled in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import interlock
from interlock.cli import main
from interlock.config.load import load
from interlock.gate import Gate
from interlock.learning import usage
from interlock.learning.coverage import CoverageReport, coverage_report
from interlock.learning.program_draft import draft_program
from interlock.learning.recorded_calls import ProgramCall, calls_in
from interlock.learning.tool_draft import draft_tool
from interlock.learning.usage import count_new_usage, recount_usage
from tests.learning.conftest import TOKEN, WHERE, check

FRESH = (
    "frobctl deploy web",
    "frobctl delete everything --force",
    "frobctl --exec 'rm -rf /'",
    "frobctl get /etc/shadow",
)


def _report(gate: Gate) -> CoverageReport:
    config = load()
    return coverage_report(gate.journal, config.all_policies, config.knowledge)


def test_the_report_names_what_was_not_understood_and_never_matched(gate: Gate) -> None:
    report = _report(gate)
    assert (report.actions, report.partly_read) == (10, 1)
    assert [(gap.name, gap.count) for gap in report.unknown_programs] == [("frobctl", 6)]
    assert [(gap.name, gap.count) for gap in report.unknown_tools] == [("mcp__acme__frobnicate", 2)]
    assert [gap.count for gap in report.unread] == [1]
    assert report.unread[0].example is not None
    assert report.unread[0].example.text == "eval $(cat x)"
    assert "git_force_push" not in report.unused_rules
    assert "delete_home" in report.unused_rules
    assert TOKEN not in report.to_json().decode()


def test_counting_in_parts_and_again_gives_the_same(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    def rows() -> list[tuple[object, ...]]:
        with gate.journal.database.read() as connection:
            return connection.tuples("SELECT * FROM interlock_usage ORDER BY what, at, name, agent_id")

    count_new_usage(gate.journal)
    whole = rows()
    monkeypatch.setattr(usage, "BATCH", 3)
    recount_usage(gate.journal)
    assert rows() == whole
    count_new_usage(gate.journal)
    assert rows() == whole, "no record is counted twice"


def test_names_beyond_the_limit_of_a_day_are_counted_together(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usage, "MAX_PER_DAY", 2)
    for number in range(5):
        check(gate, interlock.Action(tool_name=f"zorble_{number}", agent_id="clerk"))
    count_new_usage(gate.journal)
    with gate.journal.database.read() as connection:
        found = connection.tuples("SELECT name, count FROM interlock_usage WHERE what = 'unknown_tool'")
    assert len(found) == 3
    assert sum(count for _, count in found) == 7


@pytest.mark.parametrize("name", ["frobctl", "mcp__acme__frobnicate"])
def test_a_draft_holds_and_changes_no_verdict(
    gate: Gate, own: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["knowledge", "draft", name]) == 0
    assert "holds" in (shown := capsys.readouterr().out) or "hold" in shown
    text = Path(f"{name}.toml").read_text()
    assert TOKEN not in text
    assert "masked" not in text
    assert main(["knowledge", "draft", name]) == 1, "nothing is overwritten"
    assert main(["knowledge", "draft", name, "--out", "-"]) == 0
    assert text in capsys.readouterr().out
    before = [load().engine().decide(interlock.Action.shell(command, **WHERE)) for command in FRESH]
    (own / "knowledge").mkdir()
    (own / "knowledge" / "draft.toml").write_text(text)
    after = [load().engine().decide(interlock.Action.shell(command, **WHERE)) for command in FRESH]
    assert after == before, "a draft is not in force, wherever it lies"
    if name == "frobctl":
        for part in ("[commands.volume]", '"--region" = { value = "data" }', '"--config" = { value = "fs.write" }'):
            assert part in text
        filled = text.replace("draft = true\n", "", 1).replace('does = "process.run"', 'does = "infra.read"')
        (own / "knowledge" / "draft.toml").write_text(filled)
        assert load().engine().decide(interlock.Action.shell("frobctl volume list")).verdict is interlock.Verdict.ALLOW
        assert {gap.name for gap in _report(gate).unknown_programs} == set(), "what is described is known"


def test_known_and_unseen_names_cannot_be_drafted(gate: Gate, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["knowledge", "draft", "git"]) == 1
    assert "is already described" in capsys.readouterr().err
    assert main(["knowledge", "draft", "neverseen"]) == 1
    assert "no call of `neverseen`" in capsys.readouterr().err
    assert main(["knowledge", "draft", "../x"]) == 1
    assert main(["coverage", "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["unknownPrograms"][0]["name"] == "frobctl"


def test_words_of_an_agent_cannot_write_into_a_draft() -> None:
    hostile = ['x"]\ndoes = "system.read', "--a\n[commands.y]", "-pSecret9", '--b"=1', "deploy", "]"]
    drafted = draft_program("frob", [ProgramCall(hostile, ())] * 3, 1)
    assert "system.read" not in drafted
    assert "Secret9" not in drafted
    assert "commands.y" not in drafted
    drafted = draft_tool("frob", [{'k"\ndoes = "x': 1, "good": "v\n[x]"}], 1)
    assert 'does = "x' not in drafted
    assert "[x]" not in drafted


def test_calls_are_found_in_lines_that_are_cut_or_quoted() -> None:
    assert [call.words for call in calls_in("FOO=1 sudo frob get 'a b' > out; frob put", "frob")] == [
        ["get", "a b"],
        ["put"],
    ]
