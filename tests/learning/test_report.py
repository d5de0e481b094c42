"""The weekly report: figures of a week and of the one before, as Markdown and as HTML that runs nothing."""

from __future__ import annotations

import json
import re
from datetime import UTC
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

import interlock
from interlock.cli import main
from interlock.gate import Gate
from interlock.learning.report_html import report_html
from interlock.learning.report_markdown import report_markdown
from interlock.learning.usage import count_new_usage
from interlock.learning.week import parse_week, week_of
from interlock.learning.week_report import WeekReport, week_report
from interlock.metrics.counters import count_new_records
from interlock.store.clock import now
from tests.learning.conftest import WHERE, check

EVIL = "bot`|</svg><script>x</script>\n# title"


def _report(gate: Gate) -> WeekReport:
    count_new_records(gate.journal)
    count_new_usage(gate.journal)
    return week_report(gate.journal, week_of(now().wall, UTC), UTC)


def test_the_report_counts_a_week_and_names_what_stopped_actions(gate: Gate) -> None:
    for _ in range(2):
        check(gate, interlock.Action.shell("rm -rf /", agent_id="wild", **WHERE))
    report = _report(gate)
    assert report.figures.actions == 12
    assert report.figures.blocked == 2
    assert report.figures.requests > 0
    assert report.figures.per100 == round(100 * report.figures.requests / 12, 1)
    assert {(one.name, one.count) for one in report.stopped_by} >= {("rule delete_root", 2), ("rule git_force_push", 1)}
    assert {one.name: one.count for one in report.agents}["wild"] == 2
    assert sum(day.actions for day in report.days) == 12
    assert not report.has_before
    later = week_report(gate.journal, week_of(now().wall, UTC).after, UTC)
    assert later.has_before
    assert later.before.actions == 12
    assert later.figures.actions == 0


def test_a_week_has_seven_days_in_its_zone_also_when_clocks_change() -> None:
    for name in ("2026-W13", "2026-W43", "2026-W01", "2020-W53"):
        window = parse_week(name).window(ZoneInfo("Europe/Berlin"))
        assert len(window.starts) == 7, name
    hours = parse_week("2026-W13").window(ZoneInfo("Europe/Berlin")).window
    assert (hours.end - hours.start) // 3_600_000_000 == 7 * 24 - 1
    for wrong in ("2026-W54", "2026-13", "W13", "2026-W0", "0001-W01", "9999-W52"):
        with pytest.raises(interlock.InterlockError, match="is not a week"):
            parse_week(wrong)


def test_nothing_that_an_agent_wrote_is_markup(gate: Gate) -> None:
    check(gate, interlock.Action.shell("rm -rf /", agent_id=EVIL, **WHERE))
    report = _report(gate)
    document, markdown = report_html(report), report_markdown(report)
    assert "<script" not in document
    assert not re.search(r"https?://|src=|url\(|@import|\son\w+=", document), "it loads and runs nothing"
    assert "# title" not in markdown.splitlines()
    assert all(line.count("|") == 4 for line in markdown.splitlines() if "bot" in line)


def test_the_command_writes_files_and_replaces_none(
    gate: Gate, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    week = str(week_of(now().wall, UTC))
    for name in ("week.md", "week.html"):
        assert main(["report", "--week", week, "--zone", "UTC", "--out", name]) == 0
        assert main(["report", "--week", week, "--zone", "UTC", "--out", name]) == 1
        assert main(["report", "--week", week, "--zone", "UTC", "--out", name, "--force"]) == 0
        assert "10 actions" in (tmp_path / name).read_text()
    assert main(["report", "--out", "week.pdf"]) == 1
    assert main(["report", "--zone", "Mars/North"]) == 1
    capsys.readouterr()
    assert main(["report", "--week", week, "--zone", "UTC", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["figures"]["actions"] == 10
