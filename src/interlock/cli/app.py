"""The commands and their options."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, Group, Parameter

import interlock
from interlock.cli.commands import (
    agents,
    approvals,
    audit,
    central,
    changes,
    chat_accounts,
    config,
    evidence,
    grants,
    groups,
    history,
    knowledge,
    learning,
    notify,
    observe,
    policies,
    replay,
    runs,
    serve,
    store,
    suggest,
)
from interlock.cli.commands.options import USUAL, Store

app = App(
    name="interlock",
    help="Decides, before it runs, whether an AI agent's action may run.\n\n"
    "Try `interlock assess 'rm -rf build'`, then `interlock explain` to see every step.\n\n"
    "Exit status: 0 allowed or warned, 1 an error in the call or the configuration, 2 blocked, 3 needs approval.",
    version=interlock.__version__,
)
policy = App(name="policy", help="Check, test and apply policies; see and undo what was applied.")
app.command(policy)
policies.register(policy)
chat_accounts.register(notify.group)
PARTS = (
    approvals,
    grants,
    runs,
    audit,
    evidence,
    history,
    store,
    knowledge,
    observe,
    central,
    notify,
    groups,
    config,
    changes,
)
for part in PARTS:
    app.command(part.group)
for command in (agents.install, agents.uninstall, agents.doctor, agents.hook, agents.mcp, agents.channel):
    app.command(command)
app.command(agents.daemon)
app.command(replay.replay)
app.command(serve.serve)
app.command(serve.keys)
app.command(serve.people)
app.command(groups.identities)
app.command(learning.coverage)
app.command(learning.report)
app.command(suggest.group)

WHERE = Group("Where it runs (if unknown, the worst is assumed)", sort_key=2)
HOW = Group("How it is decided", sort_key=3)


@Parameter(name="*")
@dataclass(frozen=True)
class ContextOptions:
    """Where an action runs, and the configuration that decides it."""

    environment: Annotated[str | None, Parameter(name=["--environment", "-e"], group=WHERE)] = None
    "development, staging, production or critical"
    cwd: Annotated[str | None, Parameter(group=WHERE)] = None
    "the folder that relative paths are relative to"
    workspace: Annotated[str | None, Parameter(group=WHERE)] = None
    "the project folder, in which changes are expected"
    home: Annotated[str | None, Parameter(group=WHERE)] = None
    "the home folder, for `~`"
    here: Annotated[bool, Parameter(negative="", group=WHERE)] = False
    "assume that it runs in this folder: sets cwd, workspace and home"
    agent: Annotated[str | None, Parameter(group=WHERE)] = None
    "the id of the agent that acts"
    user: Annotated[str | None, Parameter(group=WHERE)] = None
    "the person that the agent acts for"
    tenant: Annotated[str | None, Parameter(group=WHERE)] = None
    "the customer or organisation that it acts for"
    at: Annotated[str | None, Parameter(group=WHERE)] = None
    "the time of the action, for policies that depend on it, such as 2026-03-29T09:30+02:00; by default now"
    mode: Annotated[str | None, Parameter(group=HOW)] = None
    "off, assist, full, tiers, challenges, auto_approve, …; see docs/policies.md"
    config: Annotated[Path | None, Parameter(group=HOW)] = None
    "an interlock.toml; by default the nearest one in this folder or above"
    policy: Annotated[tuple[str, ...], Parameter(group=HOW, negative="")] = ()
    "an additional policy in short form, `--policy 'toolName=deploy -> block'`; can be repeated"


@Parameter(name="*")
@dataclass(frozen=True)
class Input:
    """The language of the text, or a tool call."""

    python: Annotated[bool, Parameter(negative="")] = False
    "the text is Python"
    sql: Annotated[bool, Parameter(negative="")] = False
    "the text is SQL"
    tool: str | None = None
    "the name of a tool that is called, instead of a text"
    input: str | None = None
    "the tool's input, as JSON"


CommandText = Annotated[str | None, Parameter(allow_leading_hyphen=True)]


@app.command
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


@app.command
def explain(text: CommandText = None, *, given: Input | None = None, context: ContextOptions | None = None) -> int:
    """Show every step of a decision: parse, effects, findings, sum, policies, verdict.

    Parameters
    ----------
    text
        A shell command (or Python or SQL); `-` reads it from standard input.
    """
    from interlock.cli import explain as command

    return command.run(text, given or Input(), context or ContextOptions())


@app.command
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


@policy.command(name="check")
def policy_check(file: Path, *, store: Store = USUAL) -> int:
    """Check policies; an error names the line and what to write instead.

    Parameters
    ----------
    file
        A TOML file with `[[policies]]`, such as an interlock.toml, or the same in JSON; or a folder of such files, as
        `interlock policy apply` takes it.
    """
    from interlock.cli import policy as command

    return command.check(file, store)


@policy.command(name="test")
def policy_test(
    file: Path,
    text: CommandText = None,
    *more: Path,
    given: Input | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
    junit: Path | None = None,
    context: ContextOptions | None = None,
) -> int:
    """Run files of test cases, or show which policies of a file match one action.

    A file with `[[cases]]` is run: each case has an action and the expected verdict. Exit status: 0 if all
    cases pass, 1 if one fails. With a file of policies, one action is tried: `interlock policy test FILE 'git push'`.

    Parameters
    ----------
    file
        A file of cases, or a policy file.
    text
        A shell command to try, instead of `--tool NAME --input JSON`; or another file of cases.
    more
        More files of cases.
    json
        Write JSON.
    junit
        Write the results of the cases to this file, in the XML that CI systems read.
    """
    from interlock.cli import policy as command
    from interlock.cli import policy_cases

    if policy_cases.are_cases(file):
        files = [file, *([Path(text)] if text is not None else []), *more]
        return policy_cases.run(files, context or ContextOptions(), junit, as_json=json)
    return command.test(file, text, given or Input(), context or ContextOptions(), as_json=json)


@app.command
def stop(
    agent: str | None = None,
    *,
    key: str | None = None,
    all: Annotated[bool, Parameter(negative="")] = False,  # noqa: A002
    reason: str = "",
    lift: Annotated[bool, Parameter(negative="")] = False,
    list: Annotated[bool, Parameter(negative="")] = False,  # noqa: A002
    json: Annotated[bool, Parameter(negative="")] = False,
    store: Store = USUAL,
) -> int:
    """Refuse every action of an agent, an API key, or all agents, until a person lifts the stop.

    Examples: `interlock stop shop-agent`, `interlock stop --key ci --reason 'leaked'`,
    `interlock stop --all --reason 'odd emails'`, `interlock stop --all --lift`.

    Parameters
    ----------
    agent
        The agent; agents below it are stopped as well.
    key
        An API key, by its name, its id, or the beginning of its id: every action sent with it is refused,
        whichever agent it names.
    all
        Stop every agent that uses this store.
    reason
        The reason. Agents and everyone with access to the records can read it.
    lift
        Lift the stop. This needs a person at a terminal.
    list
        List the stops and pauses in force.
    json
        Write the list as JSON.
    """
    from interlock.cli import stop as command

    if list:
        return command.show(store, as_json=json)
    return command.change(store, agent, key, everything=all, reason=reason, lift=lift)


@app.command
def pause(
    agent: str | None = None,
    *,
    for_: Annotated[str, Parameter(name="--for")] = "",
    key: str | None = None,
    all: Annotated[bool, Parameter(negative="")] = False,  # noqa: A002
    reason: str = "",
    store: Store = USUAL,
) -> int:
    """Hold the actions of an agent, an API key, or all agents for some time, or until somebody resumes them.

    Callers that wait go on once the pause ends; other actions are refused meanwhile.

    Examples: `interlock pause shop-agent --for 15m`, `interlock pause --all --reason 'release'`.

    Parameters
    ----------
    agent
        The agent; agents below it are paused as well.
    for_
        How long, such as 15m, 1h or 1d; without it, until `interlock resume`.
    key
        An API key, by its name, its id, or the beginning of its id.
    all
        Pause every agent that uses this store.
    reason
        The reason. Agents and everyone with access to the records can read it.
    """
    from interlock.cli import pause as command

    return command.pause(store, agent, key, everything=all, length=for_, reason=reason)


@app.command
def resume(
    agent: str | None = None,
    *,
    key: str | None = None,
    all: Annotated[bool, Parameter(negative="")] = False,  # noqa: A002
    store: Store = USUAL,
) -> int:
    """End the pause of an agent, an API key, or all agents. This needs a person at a terminal.

    `interlock stop --lift` lifts a stop.

    Parameters
    ----------
    agent
        The agent.
    key
        An API key, by its name, its id, or the beginning of its id.
    all
        End the pause of all agents. Agents that were paused one by one stay paused.
    """
    from interlock.cli import pause as command

    return command.resume(store, agent, key, everything=all)


@app.command
def trust(file: Path = Path("interlock.toml"), *, revoke: Annotated[bool, Parameter(negative="")] = False) -> int:
    """Trust a configuration inside the workspace, with exactly its current content, so that it may also loosen.

    Parameters
    ----------
    file
        The file to trust. Read it first: an agent may have written it.
    revoke
        Trust the file no longer.
    """
    from interlock.cli import trust as command

    return command.run(file, revoke=revoke)


@app.command
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


@app.command
def demo() -> int:
    """Play a short agent session through the gate."""
    from interlock.cli import demo as command

    return command.run()


def read_standard_input() -> str:
    """Return all of standard input as text; invalid UTF-8 is replaced."""
    data: Any = sys.stdin.buffer.read()
    return str(data.decode("utf-8", "replace"))
