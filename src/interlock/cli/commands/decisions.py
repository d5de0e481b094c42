"""`interlock assess`, `explain`, `rules`, `accuracy` and `demo`: how actions are decided."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from interlock.cli.commands.context_options import CommandText, ContextOptions, Input


def assess(
    text: CommandText = None,
    *,
    given: Input | None = None,
    batch: Annotated[bool, Parameter(negative="")] = False,
    json: Annotated[bool, Parameter(negative="")] = False,
    context: ContextOptions | None = None,
) -> int:
    """Show what an action would do, how risky it is, and the verdict.

    Examples: `interlock assess "rm -r /etc/nginx/conf.d/" --environment production`,
    `interlock assess --python "import os; os.remove('x')"`, `interlock assess --sql "DROP TABLE users"`,
    `interlock assess --tool deploy --input '{"env": "production"}'`, `interlock assess --batch < actions.jsonl`.

    Parameters
    ----------
    text
        A shell command (or Python or SQL); `-` reads it from standard input.
    batch
        Read one JSON action per line from standard input, and write one JSON decision per line.
    json
        Write the decision as JSON.
    """
    from interlock.cli import assess as command

    return command.run(text, given or Input(), context or ContextOptions(), batch=batch, as_json=json)


def explain(text: CommandText = None, *, given: Input | None = None, context: ContextOptions | None = None) -> int:
    """Show every step of a decision: parse, effects, findings, sum, policies, verdict.

    Parameters
    ----------
    text
        A shell command (or Python or SQL); `-` reads it from standard input.
    """
    from interlock.cli import explain as command

    return command.run(text, given or Input(), context or ContextOptions())


def rules(
    name: str | None = None,
    *,
    family: str | None = None,
    level: str | None = None,
    standard: str | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """List the rules, or show one with its examples.

    `interlock rules --standard ASI03` lists the rules for one risk or technique of OWASP, ATLAS or ATT&CK.

    Parameters
    ----------
    name
        The rule to show.
    family
        Only rules of this family.
    level
        Only rules of this level.
    standard
        Only rules with this id of OWASP Agentic, MITRE ATLAS or MITRE ATT&CK: ASI02, AML.T0101, T1485.
    json
        Write JSON.
    """
    from interlock.cli import rules as command

    return command.run(name, family, level, standard, as_json=json)


def accuracy(
    file: Path,
    *,
    limit: int | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
    page: Path | None = None,
    reviewer: Annotated[bool, Parameter(negative="")] = False,
    context: ContextOptions | None = None,
) -> int:
    """Measure the engine on labelled actions: what it stopped, by source and kind, and every wrong verdict.

    A row is `{"kind": "shell", "input": "ls", "label": "benign", "source": "mine"}`; kinds are shell, python,
    sql and tool (whose input is `{"tool": NAME, "arguments": {…}}`). `dangerous` and `benign` rows are scored.
    A row runs in a project at /home/user/project unless it says otherwise with `cwd`, `workspace` and `home`.

    Parameters
    ----------
    file
        A JSONL file of labelled actions. They are analysed, never run.
    limit
        List at most this many wrong verdicts of each kind; by default all of them.
    json
        Write the figures and the wrong verdicts as JSON.
    page
        Write the figures into this Markdown page, between its markers.
    reviewer
        Also ask the configured reviewer about what it may lift, in rows that say with `requests` what the person
        asked for; print what it lifted, and what it cost in time and tokens.
    """
    from interlock.cli import accuracy as command

    return command.run(file, context or ContextOptions(), limit=limit, as_json=json, page=page, reviewer=reviewer)


def demo() -> int:
    """Play a short agent session through the gate."""
    from interlock.cli import demo as command

    return command.run()
