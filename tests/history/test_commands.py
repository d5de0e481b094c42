"""`interlock history`: what a person types and sees."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from interlock import Action, Gate
from interlock.cli import main
from interlock.history.views import VIEWS
from tests.reading import WHERE

Run = Callable[..., tuple[int, str, str]]
PAGE = Path(__file__).parents[2] / "docs" / "history.md"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in a folder whose store has two actions, one with a text that would forge a terminal."""
    monkeypatch.setenv("INTERLOCK_HOME", str(tmp_path / "own"))
    monkeypatch.delenv("INTERLOCK_STORE", raising=False)
    monkeypatch.chdir(tmp_path)
    with Gate() as gate:
        for text in ("ls '=1+1'", "echo \u202e \x1b[2Kdone"):
            gate.decide(Action.shell(text, agent_id="=ann", **WHERE))

    def call(*arguments: str) -> tuple[int, str, str]:
        status = main(list(arguments))
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


def test_an_export_is_verified_and_queried(run: Run, tmp_path: Path) -> None:
    status, out, _ = run("history", "export", "out", "--json")
    written = json.loads(out)
    assert (status, written["files"], written["records"]) == (0, 1, written["last"])
    status, out, _ = run("audit", "verify", "out", "--json")
    assert (status, json.loads(out)["good"], json.loads(out)["hash"]) == (0, True, written["hash"])
    assert run("audit", "checkpoint", "--out", "later.json")[0] == 0
    status, out, _ = run("audit", "verify", "out", "--checkpoint", "later.json")
    assert status == 0  # it is for the last record that was exported
    assert run("history", "export", "out")[0] == 0
    (file,) = (tmp_path / "out").glob("day=*/000000000001-*.parquet")
    file.write_bytes(file.read_bytes()[:-1])
    status, out, _ = run("audit", "verify", "out")
    assert (status, out.split()[:2]) == (2, ["not", "verified"])
    assert "was changed after it was exported" in " ".join(out.split())
    status, _, err = run("audit", "verify", str(file))
    assert (status, "name its folder" in err) == (1, True)


def test_a_result_is_written_in_each_form(run: Run, tmp_path: Path) -> None:
    sql = "select seq, agent_id, text from actions order by seq"
    _, out, _ = run("history", "query", sql)
    assert "\\u202e \\x1b[2Kdone" in out
    _, out, _ = run("history", "query", sql, "--json", "--limit", "1")
    assert [json.loads(line)["text"] for line in out.splitlines()] == ["ls '=1+1'"]
    _, out, _ = run("history", "query", sql, "--csv")
    assert [row["agent_id"] for row in csv.DictReader(io.StringIO(out))] == ["'=ann"] * 2
    assert run("history", "query", sql, "--out", "rows.parquet")[:2] == (0, "2 rows in rows.parquet\n")
    assert pq.read_table(tmp_path / "rows.parquet").column_names == ["seq", "agent_id", "text"]
    assert "already exists" in run("history", "query", sql, "--out", "rows.parquet")[2]
    _, out, _ = run("history", "query", "from range(300)", "--limit", "7")
    assert "only the first 7 rows" in out
    assert "not an amount of memory" in run("history", "query", sql, "--memory", "lots")[2]
    assert "choose one of" in run("history", "query", sql, "--csv", "--json")[2]


def test_the_page_and_the_command_list_every_column(run: Run) -> None:
    page, (_, out, _) = PAGE.read_text(), run("history", "views", "--json")
    listed = {view["name"]: view["columns"] for view in map(json.loads, out.splitlines())}
    for view in VIEWS:
        _, _, section = page.partition(f"### `{view.name}`: {view.row}\n")
        rows = [line for line in section.partition("\n#")[0].splitlines() if line.startswith("| `")]
        kinds = ["STRUCT[]" if column.type.startswith("STRUCT") else column.type for column in view.columns]
        expected = [f"| `{c.name}` | `{kind}` | {c.what} |" for c, kind in zip(view.columns, kinds, strict=True)]
        assert rows == expected, view.name
        assert [column["name"] for column in listed[view.name]] == [column.name for column in view.columns]
    assert "started_by" in run("history", "views", "runs")[1]
    assert "did you mean `runs`" in run("history", "views", "run")[2]


def test_a_missing_library_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for arguments in (("history", "export", "out"), ("history", "query", "select 1"), ("audit", "verify", ".")):
        status, _, err = run(*arguments)
        assert (status, err.count("\n"), "needs Arrow; run `pip install 'interlock[history]'`" in err) == (1, 1, True)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("history", "export", ""), "found an empty text"),
        (("history", "export", "file"), "`file` cannot be used: File exists"),
        (("audit", "verify", "nowhere"), "`nowhere` does not exist, neither as a file nor as an export"),
        (("replay", "--out", "nowhere/report.md"), "there is no folder `nowhere`"),
    ],
)
def test_a_wrong_place_is_named_before_anything_is_done(
    run: Run, tmp_path: Path, words: tuple[str, ...], why: str
) -> None:
    (tmp_path / "file").write_text("")
    before = sorted(path.name for path in tmp_path.iterdir())
    status, out, error = run(*words)
    assert (status, out) == (1, "")
    assert why in error.replace(f"{tmp_path}/", "")
    assert sorted(path.name for path in tmp_path.iterdir()) == before
