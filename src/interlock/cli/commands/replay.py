"""`interlock replay`: past actions decided again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Group, Parameter

from interlock.cli.commands.options import WHICH, Count, Flag

SETUP = Group("Decide with", sort_key=2)
ACTIONS = Group("Which actions", sort_key=3)
RUNNING = Group("How it runs", sort_key=4)


@Parameter(name="*")
@dataclass(frozen=True)
class ReplayOptions:
    """What is replayed, with what, and how."""

    config: Annotated[Path | None, Parameter(group=SETUP)] = None
    "an interlock.toml; by default the configuration in force"
    policies: Annotated[Path | None, Parameter(group=SETUP)] = None
    "a folder of policies, as `interlock policy apply` takes it, in place of those in the store"
    knowledge: Annotated[Path | None, Parameter(group=SETUP)] = None
    "a folder of descriptions, in addition to the configured ones"
    mode: Annotated[str | None, Parameter(group=SETUP)] = None
    "another mode: full, assist, tiers, …"
    python: Annotated[str | None, Parameter(name="--with", group=SETUP)] = None
    "the Python of an environment with another version of Interlock, which then decides"
    since: Annotated[str | None, Parameter(name="--from", group=ACTIONS)] = None
    "only actions from this time on: 2026-03-01, 2026-03-01T09:30+02:00, or 30d for the last 30 days"
    until: Annotated[str | None, Parameter(name="--to", group=ACTIONS)] = None
    "only actions before this time"
    agent: Annotated[str | None, Parameter(group=ACTIONS)] = None
    "only actions of this agent and of the agents below it"
    history: Annotated[str | None, Parameter(group=WHICH)] = None
    "replay what `interlock history export` wrote, a folder or the URL of an object store, instead of a store;"
    " `--store` then only names the store of the policies"
    store: Annotated[str | None, Parameter(group=WHICH)] = None
    "its URL, sqlite:///path or postgresql://…; by default INTERLOCK_STORE, the configured one, or ~/.interlock"
    jobs: Annotated[Count | None, Parameter(group=RUNNING)] = None
    "how many processes; by default one for each core"
    work: Annotated[Path | None, Parameter(group=RUNNING)] = None
    "the folder in which an interrupted replay is continued; by default one in ~/.interlock"
    engine: Annotated[str, Parameter(group=RUNNING)] = "local"
    "local, or ray: a Ray cluster, over an export"
    address: Annotated[str | None, Parameter(group=RUNNING)] = None
    "the address of the Ray cluster; by default RAY_ADDRESS, or a cluster on this machine"
    fail_if: Annotated[tuple[str, ...], Parameter(negative="")] = ()
    "exit with status 3 if a count exceeds a limit, such as `newly-allowed>0`; can be repeated"
    out: Path | None = None
    "also write the report to this file, as Markdown"
    json: Flag = False
    "write the report as JSON"


USUAL_REPLAY = ReplayOptions()


def replay(*, given: ReplayOptions = USUAL_REPLAY) -> int:
    """Decide past actions again, and report which verdicts would be different.

    Without options, everything on record is decided with the configuration in force. Runs are replayed in order, each
    action at its own time and after what its run had done by then. Nothing is run and nothing is changed.

    Examples: `interlock replay --config new.toml`, `interlock replay --policies policies/ --from 30d`,
    `interlock replay --mode assist --agent coder`, `interlock replay --with ../next/.venv/bin/python`,
    `interlock replay --history exports/ --policies policies/ --fail-if 'newly-allowed>0' --out report.md`.

    Counts for `--fail-if`: newly-allowed, newly-stopped, changed, stricter, milder, undecided, unexplained, and
    interruptions (per 100 actions). Exit status: 0 done, 1 error, 3 a limit of `--fail-if` was exceeded.
    """
    from interlock.cli import replay as command

    return command.run(given)
