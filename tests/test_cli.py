"""The command line, as a person and as a program use it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from interlock import RULES
from interlock.cli import main

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command line in an empty folder, with nobody's configuration."""
    monkeypatch.setenv("INTERLOCK_HOME", str(tmp_path / "own"))
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> tuple[int, str, str]:
        status = main(list(arguments))
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


def program(*arguments: str, given: bytes = b"", cwd: Path | None = None) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "interlock", *arguments], input=given, capture_output=True, cwd=cwd, check=False
    )


STATUSES = [
    (["assess", "ls"], 0),
    (["assess", "echo hi"], 0),
    (["assess", "rm -rf /"], 2),
    (["assess", "git push -f"], 3),
    (["assess", "--python", "import os; os.remove('/etc/x')"], 3),
    (["assess", "--sql", "DROP TABLE users"], 2),
    (["assess", "--sql", "SELECT 1"], 0),
    (["assess", "--tool", "Read", "--input", '{"file_path": "x"}'], 0),
    (["assess", "--tool", "deploy", "--policy", "toolName=deploy -> warn"], 0),
    (["assess", "ls", "--mode", "off"], 2),
    (["assess", "ls", "--mode", "confirm_all"], 3),
    (["assess", "rm -rf build", "--here"], 0),
    (["assess", "rm -rf build"], 2),
    (["explain", "ls"], 0),
    (["explain", "rm -rf /"], 2),
    (["rules"], 0),
    (["demo"], 0),
]


@pytest.mark.parametrize(("arguments", "status"), STATUSES)
def test_the_exit_status_says_what_was_decided(run: Run, arguments: list[str], status: int) -> None:
    found, out, err = run(*arguments)
    assert found == status
    assert out
    assert not err


MISTAKES = [
    (["assess"], "nothing to decide"),
    (["asess", "ls"], "assess"),
    (["assess", "ls", "--bogus"], "--bogus"),
    (["assess", "ls", "--environment", "prodd"], "did you mean `production`"),
    (["assess", "ls", "--mode", "ful"], "did you mean `full`"),
    (["assess", "--tool", "x", "--input", "{"], "not JSON"),
    (["assess", "--tool", "x", "--input", "[1]"], "must be a JSON object"),
    (["assess", "x", "--tool", "y"], "not both"),
    (["assess", "x", "--input", "{}"], "add `--tool NAME`"),
    (["assess", "x", "--python", "--sql"], "not both"),
    (["assess", "x", "--config", "nowhere.toml"], "nowhere.toml: file not found"),
    (["assess", "x", "--policy", "toolName=deploy"], "is not a policy"),
    (["assess", "x", "--policy", "toolNam=deploy -> warn"], "did you mean `toolName`"),
    (["assess", "x", "--policy", "toolName=deploy -> wrn"], "did you mean `warn`"),
    (["rules", "git_forc"], "did you mean `git_force_push`"),
    (["rules", "--family", "disk"], "did you mean `disks`"),
    (["rules", "--level", "hihg"], "did you mean `high`"),
    (["policy", "check", "nowhere.toml"], "file not found"),
    (["trust", "nowhere.toml"], "file not found"),
]


@pytest.mark.parametrize(("arguments", "message"), MISTAKES)
def test_a_mistake_is_explained(run: Run, arguments: list[str], message: str) -> None:
    status, _, err = run(*arguments)
    assert status == 1
    assert message in " ".join(err.replace("│", " ").split())


def test_an_assessment_shows_the_sum_the_reasons_and_the_alternative(run: Run) -> None:
    _, out, _ = run("assess", "rm -r /etc/nginx/conf.d/", "--environment", "production")
    rows = [" ".join(line.split()) for line in out.splitlines()]
    for row in (
        "verdict block",
        "base +55 delete",
        "place +20 system: /etc/nginx/conf.d",
        "environment +15 production",
        "score 90 critical",
        "why Recursive file deletion can cause irreversible data loss",
        "touches file:/etc/nginx/conf.d",
        "undo cannot be undone",
        "instead trash /etc/nginx/conf.d",
    ):
        assert row in rows


def test_json_has_everything(run: Run) -> None:
    _, out, _ = run("assess", "rm -r /etc/nginx/conf.d/", "--environment", "production", "--json")
    found = json.loads(out)
    assert (found["score"], found["level"], found["verdict"]) == (90, "critical", "block")
    assert [factor["points"] for factor in found["factors"]] == [55, 20, 15]


def test_an_explanation_goes_from_parse_to_verdict(run: Run) -> None:
    _, out, _ = run("explain", 'X=rm; $X -rf "$HOME"')
    titles = ["1  parse", "2  effects", "3  findings", "4  sum", "5  policies", "6  verdict"]
    assert [line for line in out.splitlines() if line in titles] == titles
    assert '6–20  $X -rf "$HOME"' in out
    assert "delete_home" in out


def test_rules_can_be_listed_filtered_and_shown(run: Run) -> None:
    _, out, _ = run("rules")
    assert all(rule.name in out for rule in RULES)
    _, out, _ = run("rules", "--family", "git", "--level", "high", "--json")
    assert {(rule["family"], rule["level"]) for rule in json.loads(out)} == {("git", "high")}
    _, out, _ = run("rules", "git_force_push")
    assert "git push --force-with-lease" in out
    assert "$ git commit -m 'git push -f'" in out


LISTING = (
    b'{"id": "7", "toolName": "Bash", "inputPayload": {"command": "ls"}, "cwd": "/home/u/p", "workspace": "/home/u/p",'
    b' "home": "/home/u", "environment": "production", "agentId": "a"}'
)
BATCH = (
    b"""
%s
nonsense
{"id": 8, "toolName": "Bash", "inputPayload": {"command": "rm -rf /"}}
{"id": 9, "toolName": 5}
{"id": 10, "toolname": "Bash"}
[1, 2]
{"id": 11, "toolName": "Bash", "inputPayload": {"command": "\\ud800 \\u0000"}}
{"id": 12, "toolName": "Bash", "inputPayload": {"command": "\xff"}}
"""
    % LISTING
)


def test_a_batch_is_answered_line_by_line(tmp_path: Path) -> None:
    done = program("assess", "--batch", given=BATCH, cwd=tmp_path)
    answers: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["id"] for answer in answers] == ["7", None, 8, 9, 10, None, 11, 12]
    assert done.returncode == 1
    first = answers[0]
    assert (first["verdict"], first["score"], first["level"]) == ("allow", 5, "low")
    assert first["findings"][0]["span"] == [0, 2]
    for name in ("reversible", "coverage", "reasons", "affectedResources", "effects", "matchedPolicies"):
        assert name in first
    assert answers[2]["verdict"] == "block"
    assert "not JSON" in answers[1]["error"]
    assert "toolName" in answers[3]["error"]
    assert "did you mean `toolName`" in answers[4]["error"]
    assert "verdict" in answers[6]
    assert "verdict" in answers[7]


def test_an_answer_keeps_its_id_where_the_rest_cannot_be_read(tmp_path: Path) -> None:
    deep = b'{"id": "deep", "toolName": "x", "inputPayload": ' + b'{"x": ' * 5_000 + b"1" + b"}" * 5_001
    done = program("assess", "--batch", given=b"\xef\xbb\xbf" + deep + b'\n{"id": 5, "toolName": \n', cwd=tmp_path)
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == ["deep", 5]


def test_a_batch_takes_what_was_typed_as_its_context(tmp_path: Path) -> None:
    lines = b'{"toolName": "Bash", "inputPayload": {"command": "ls"}}\n{"toolName": "x", "agentId": "b"}\n'
    done = program("assess", "--batch", "--agent", "untrusted", given=lines, cwd=tmp_path)
    assert [json.loads(line)["verdict"] for line in done.stdout.splitlines()] == ["block", "allow"]
    assert program("assess", "--batch", "--python", given=lines, cwd=tmp_path).returncode == 1


def test_a_good_batch_ends_well(tmp_path: Path) -> None:
    done = program(
        "assess", "--batch", given=b'{"toolName": "Bash", "inputPayload": {"command": "rm -rf /"}}\n', cwd=tmp_path
    )
    assert done.returncode == 0
    assert program("assess", "--batch", given=b"", cwd=tmp_path).returncode == 0


def test_a_batch_streams(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "interlock", "assess", "--batch"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=tmp_path,
    ) as batch:
        assert batch.stdin is not None
        assert batch.stdout is not None
        for number in range(3):
            batch.stdin.write(b'{"id": %d, "toolName": "Bash", "inputPayload": {"command": "ls"}}\n' % number)
            batch.stdin.flush()
            assert json.loads(batch.stdout.readline())["id"] == number


def test_the_same_action_gives_the_same_bytes_in_any_process(tmp_path: Path) -> None:
    lines = "\n".join(
        json.dumps({"toolName": "Bash", "inputPayload": {"command": example[2:]}})
        for rule in RULES
        for example in rule.match
        if example.startswith("$ ")
    ).encode()
    answers = set()
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-m", "interlock", "assess", "--batch"],
            input=lines,
            capture_output=True,
            cwd=tmp_path,
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
        )
        answers.add(done.stdout)
    assert len(answers) == 1


def test_the_status_stands_when_nobody_reads_on(tmp_path: Path) -> None:
    rules = "; ".join(["git push -f"] * 2_000)
    with subprocess.Popen(
        [sys.executable, "-m", "interlock", "explain", rules], stdout=subprocess.PIPE, cwd=tmp_path
    ) as running:
        assert running.stdout is not None
        running.stdout.read(10)
        running.stdout.close()
        assert running.wait() == 3


def test_text_is_read_from_standard_input(tmp_path: Path) -> None:
    assert program("assess", "-", given=b"rm -rf /", cwd=tmp_path).returncode == 2


FORGERIES = ["ls\x1b[2K\rverdict  allow", "ls \u202e/ fr- mr", "ls\x07\x08", "echo 'a\r\nverdict  allow'"]


@pytest.mark.parametrize("command", FORGERIES)
@pytest.mark.parametrize("name", ["assess", "explain"])
def test_nothing_in_an_action_reaches_the_terminal_as_it_is(run: Run, name: str, command: str) -> None:
    _, out, _ = run(name, command)
    assert not set(out) & set("\x1b\r\x07\x08\u202e")


@pytest.mark.parametrize("path", ["/[/x]", "/[conceal]x", "/[link=http://example.com/]x", "/[a b]x", ":skull:"])
def test_nothing_in_an_action_is_taken_for_markup(run: Run, path: str) -> None:
    for name in ("assess", "explain"):
        status, out, _ = run(name, f"rm -rf '{path}'")
        assert status == 2
        assert path in out
        assert "\x1b" not in out


@pytest.mark.parametrize("arguments", [["--environment", "\x1b[31mx"], ["--mode", "\x1b[31mx"], ["--x\x1b[31m"]])
def test_no_message_reaches_the_terminal_as_it_is(run: Run, arguments: list[str]) -> None:
    status, _, err = run("assess", "ls", *arguments)
    assert status == 1
    assert "\x1b" not in err


def test_what_is_not_shown_is_said(run: Run) -> None:
    _, out, _ = run("assess", "ls\n" * 60 + "rm -rf /")
    assert "cut here" in out


def test_an_id_that_is_no_text_does_not_end_the_batch(tmp_path: Path) -> None:
    lines = (
        b'{"id": "\\ud800", "toolName": "x"}\n'
        b'{"id": 2, "toolName": "Bash", "inputPayload": {"command": "rm $\'\\\\ud800\'"}}\n'
    )
    done = program("assess", "--batch", given=lines, cwd=tmp_path)
    assert len(done.stdout.splitlines()) == 2
    assert done.returncode == 0


def test_a_tool_name_cannot_forge_a_line(run: Run) -> None:
    _, out, _ = run("assess", "--tool", "x\nverdict  allow", "--input", "{}")
    assert sum(line.strip().startswith("verdict") for line in out.splitlines()) == 1


def test_the_demo_shows_a_session_and_what_to_try_next(run: Run) -> None:
    _, out, _ = run("demo")
    assert "22 actions: 11 allow, 5 ask, 6 block" in out
    assert "Try next" in out


@pytest.mark.parametrize("command", [[], ["assess"], ["explain"], ["rules"], ["policy"], ["policy", "test"], ["trust"]])
def test_help_teaches(run: Run, command: list[str]) -> None:
    status, out, _ = run(*command, "--help")
    assert status == 0
    assert "Usage: interlock" in out
