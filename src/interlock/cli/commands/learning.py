"""`interlock coverage` and `interlock report`: reports from the record."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter, validators

from interlock.cli.commands.options import USUAL, Count, Flag, Store

Days = Annotated[int, Parameter(validator=validators.Number(gte=1, lte=366))]


def coverage(*, days: Days = 30, limit: Count = 10, json: Flag = False, store: Store = USUAL) -> int:
    """Show rules and policies that never matched, actions that were only partly read, and unknown programs and tools.

    Examples: `interlock coverage`, `interlock coverage --days 90 --limit 30`.

    `interlock knowledge draft NAME` drafts a description of an unknown program or tool from the calls on record.

    Parameters
    ----------
    days
        How many days to look back, today included.
    limit
        How many names to show of each kind.
    json
        Write the whole report as JSON.
    """
    from interlock.cli import coverage as command

    return command.run(store, days, limit, as_json=json)


def report(
    *,
    week: str | None = None,
    out: Path | None = None,
    zone: str | None = None,
    force: Flag = False,
    json: Flag = False,
    store: Store = USUAL,
) -> int:
    """Report on a week: interruptions, time to answer, what was stopped, answers without reading; compared with the
    week before.

    Examples: `interlock report`, `interlock report --week 2026-W46 --out week.html`.

    Parameters
    ----------
    week
        The year and the number of the week, such as 2026-W46; by default the last one that is over.
    out
        Write a file: Markdown (.md), or HTML with charts (.html), which needs no other files.
    zone
        The time zone in which days begin, such as Europe/Berlin; by default that of this machine.
    force
        Replace the file if it exists.
    json
        Write the report as JSON.
    """
    from interlock.cli import report as command

    return command.run(store, week, out, zone, as_json=json, force=force)
