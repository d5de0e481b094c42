"""`interlock report`: the report on a week, in the terminal or as a file."""

from __future__ import annotations

import sys
from datetime import datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from interlock.cli.open_store import open_store
from interlock.cli.suggest import find_open_suggestions
from interlock.cli.usage_progress import count_usage
from interlock.errors import InterlockError
from interlock.learning.report_html import report_html
from interlock.learning.report_markdown import report_markdown
from interlock.learning.week import last_week, parse_week
from interlock.learning.week_report import WeekReport, week_report
from interlock.metrics.counters import count_new_records
from interlock.sanitise import plain
from interlock.show import print_json_lines
from interlock.store.clock import now

if TYPE_CHECKING:
    from interlock.cli.commands.options import Store

_FORMATS = {".md": report_markdown, ".html": report_html}


def run(store: Store, week: str | None, out: Path | None, zone: str | None, *, as_json: bool, force: bool) -> int:
    """Print the report on a week, or write it to a file."""
    where = _zone(zone)
    wanted = last_week(now().wall, where) if week is None else parse_week(week)
    if out is not None and out.suffix.lower() not in _FORMATS:
        raise InterlockError(f"`{plain(str(out))}` must end with `.md` or `.html`")
    if out is not None and out.exists() and not force:
        raise InterlockError(f"`{plain(str(out))}` already exists; add `--force` to replace it")
    with open_store(store.store, store.config) as found:
        count_new_records(found.journal)
        count_usage(found.journal)
        report = week_report(found.journal, wanted, where, find_open_suggestions(found))
    if as_json:
        print_json_lines([report])
    elif out is None:
        sys.stdout.write(report_markdown(report))
    else:
        _write(out, report)
    return 0


def _write(out: Path, report: WeekReport) -> None:
    try:
        out.write_text(_FORMATS[out.suffix.lower()](report), "utf-8")
    except OSError as error:
        raise InterlockError(f"`{plain(str(out))}` cannot be written: {error.strerror}") from None
    print(f"wrote {plain(str(out))}: week {report.week}, {report.label}")


def _zone(name: str | None) -> tzinfo:
    """Return the zone with a name, or that of this machine."""
    try:
        return ZoneInfo(name) if name else datetime.now().astimezone().tzinfo or ZoneInfo("UTC")
    except (KeyError, ValueError, OSError):
        raise InterlockError(
            f"unknown time zone `{plain(str(name))[:60]}`; write one such as `Europe/Berlin`"
        ) from None
