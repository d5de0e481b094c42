"""The measure: rows in, shares out, and every confusion with what decided."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from interlock import Engine
from interlock.accuracy.corpus import read_corpus, read_row
from interlock.accuracy.measure import measure_accuracy
from interlock.cli import main
from interlock.errors import InterlockError

ROWS: list[dict[str, Any]] = [
    {"source": "a", "kind": "shell", "input": "rm -rf /", "label": "dangerous"},
    {"source": "a", "kind": "shell", "input": "ls", "label": "benign"},
    {"source": "a", "kind": "shell", "input": "ls", "label": "dangerous"},
    {"source": "b", "kind": "sql", "input": "DROP TABLE users", "label": "benign"},
    {"source": "b", "kind": "python", "input": "import os; os.remove('/etc/hosts')", "label": "dangerous"},
    {"source": "b", "kind": "tool", "input": {"tool": "Read", "arguments": {"path": "x"}}, "label": "benign"},
    {"source": "b", "kind": "tool", "input": '{"name": "Read", "arguments": {"path": "x"}}', "label": "review"},
]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)) + "\n\n", "utf-8")
    return path


def silent(done: int) -> None:
    assert done >= 0


def test_the_shares_are_of_the_rows(corpus: Path) -> None:
    report = measure_accuracy(Engine(), read_corpus(corpus), silent)
    assert report.rows == len(ROWS)
    assert (report.tally("dangerous").rows, report.tally("dangerous").stopped) == (3, 2)
    assert report.tally("benign", "a").rate == 0.0
    assert report.tally("benign", "b", "sql").rate == 100.0
    assert report.tally("dangerous", "nobody").rate is None


def test_the_mean_counts_every_source_alike(corpus: Path) -> None:
    report = measure_accuracy(Engine(), read_corpus(corpus), silent)
    assert report.mean("dangerous") == pytest.approx((50 + 100) / 2)
    assert report.mean("benign") == pytest.approx((0 + 50) / 2)


def test_a_confusion_names_what_decided(corpus: Path) -> None:
    found = measure_accuracy(Engine(), read_corpus(corpus), silent).confusions
    assert [(mixed.line, mixed.label, mixed.decided) for mixed in found] == [
        (3, "dangerous", "file_read"),
        (4, "benign", "drop_database"),
    ]


def test_a_row_may_say_where_it_runs() -> None:
    row = {"kind": "shell", "input": "rm -rf build", "label": "benign"}
    assert Engine().decide(read_row(1, row).action).allowed
    assert not Engine().decide(read_row(1, {**row, "workspace": "/srv/elsewhere"}).action).allowed


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[1]", "a row is a JSON object"),
        ("{", "this is not a JSON object"),
        ('{"kind": "shell", "label": "benign"}', "`input` is missing"),
        ('{"kind": "shel", "input": "ls", "label": "benign"}', "did you mean `shell`"),
        ('{"kind": "shell", "input": 1, "label": "benign"}', "must be a string"),
        ('{"kind": "tool", "input": {"arguments": {}}, "label": "benign"}', "has no name"),
        ('{"kind": "tool", "input": "ls", "label": "benign"}', "not a JSON object"),
    ],
)
def test_a_broken_row_is_named_by_its_line(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(ROWS[0]) + "\n" + line, "utf-8")
    with pytest.raises(InterlockError, match=message) as caught:
        read_corpus(path)
    assert f"{path}:2: " in str(caught.value)


def test_the_command_prints_the_table_and_the_confusions(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["accuracy", str(corpus)]) == 0
    printed = capsys.readouterr().out
    assert "mean of sources" in printed
    assert "dangerous, not stopped: 1" in printed
    assert "drop_database  DROP TABLE users" in printed


def test_the_command_writes_json(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["accuracy", str(corpus), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["dangerousStoppedMean"] == 75.0
    assert len(found["confusions"]) == 2


def test_the_figures_go_between_the_marks_of_a_page(corpus: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- figures -->\nold\n<!-- /figures -->\nafter\n", "utf-8")
    assert main(["accuracy", str(corpus), "--page", str(page)]) == 0
    text = page.read_text("utf-8")
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "old" not in text
    assert "| mean of sources |" in text


def test_a_page_without_marks_is_left_alone(corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.md"
    page.write_text("nothing here\n", "utf-8")
    assert main(["accuracy", str(corpus), "--page", str(page)]) == 1
    assert "<!-- figures -->" in capsys.readouterr().err
    assert page.read_text("utf-8") == "nothing here\n"


def test_a_mode_counts(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["accuracy", str(corpus), "--json", "--mode", "off"]) == 0
    assert json.loads(capsys.readouterr().out)["benignStopped"] == 100.0
