"""`interlock hook`, `channel`, `install`, `doctor`, `mcp` and `daemon`: the commands for coding agents."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import App, Parameter, validators

from interlock.agents import DEADLINE_SECONDS
from interlock.agents.coding import NAMES
from interlock.cli.commands.options import USUAL, Flag, Store
from interlock.cli.wire import IDLE_SECONDS

AgentName = Annotated[str, Parameter(help=f"{', '.join(NAMES[:-1])} or {NAMES[-1]}")]
Seconds = Annotated[float, Parameter(validator=validators.Number(gte=0, lte=3_600))]


def hook(
    agent: AgentName,
    *,
    event: str | None = None,
    auto_approve: Literal["low", "medium"] | None = None,
    wait: Seconds = 0,
    deadline: Seconds = DEADLINE_SECONDS,
    alone: Flag = False,
    store: Store = USUAL,
) -> int:
    """Answer a coding agent that is about to act: its call on standard input, the answer on standard output.

    Nothing is printed for what may run, so that the agent's own rules go on to apply. A refusal comes in the
    agent's own dialect, with a reason that it can act on. Every failure is a refusal.

    Parameters
    ----------
    event
        Which event this hook is for, where the agent's call does not say so.
    auto_approve
        Approve in your place what is at most so risky and was read in full. You are not asked about that any more.
    wait
        How many seconds to wait for an approval, where the agent cannot ask you itself.
    deadline
        After so many seconds the answer is no. An agent lets an action run when its hook takes too long.
    alone
        Decide in this process; do not ask the daemon, and do not start one.
    """
    from interlock.cli import hook as command

    config = None if store.config is None else str(store.config)
    options = command.HookOptions(agent, event, auto_approve, wait, deadline, config, store.store, alone)
    return command.run_alone(options)


def channel(*, store: Store = USUAL) -> int:
    """Relay Claude Code's permission prompts to the people who answer approval requests.

    Claude Code starts this as a channel, which is an MCP server. When Claude Code asks you about an action because
    Interlock told it to, a request is opened as well, and the first answer counts: in the terminal, on the web page, or
    in a chat. A prompt whose action is not known exactly stays in the terminal.

    Set it up once with `claude mcp add interlock -- interlock channel`, then start Claude Code with
    `claude --dangerously-load-development-channels server:interlock`.
    """
    from interlock.cli import channel as command

    return command.run(store)


Wait = Annotated[int, Parameter(validator=validators.Number(gte=0, lte=3_000))]


def install(
    agent: AgentName | None = None,
    *,
    project: Flag = False,
    dry_run: Flag = False,
    auto_approve: Literal["low", "medium"] | None = None,
    wait: Wait = 0,
    alone: Flag = False,
) -> int:
    """Guard a coding agent: enter a hook into its settings, and change nothing else in them.

    Without an agent, list the agents: where each is guarded already, and what to type for the others.
    Done twice it changes nothing; `interlock uninstall AGENT` puts the file back as it was, to the byte.

    Parameters
    ----------
    project
        In the settings of the project in this folder, for everybody who works in it, instead of your own.
    dry_run
        Print the exact change, and make none.
    auto_approve
        Approve in your place what is at most so risky and was read in full: you are asked less.
    wait
        How many seconds a hook waits for an approval that the agent cannot ask for itself; 0 refuses at once.
    alone
        Let every hook decide by itself, without the daemon.
    """
    from interlock.agents.settings.command import InstallOptions
    from interlock.cli import install as command

    if agent is None:
        return command.list_agents()
    return command.install(agent, InstallOptions(auto_approve, wait, alone), project=project, dry_run=dry_run)


def uninstall(agent: AgentName, *, project: Flag = False, dry_run: Flag = False) -> int:
    """Take the hook out of an agent's settings again. What you have changed since stays.

    Parameters
    ----------
    project
        Out of the settings of the project in this folder.
    dry_run
        Print the exact change, and make none.
    """
    from interlock.cli import install as command

    return command.uninstall(agent, project=project, dry_run=dry_run)


def doctor(*, prove: Flag = False) -> int:
    """Print which agents are guarded, here and everywhere, and what is wrong. Status 1 if anything is.

    Parameters
    ----------
    prove
        Send harmless calls through each installed hook, exactly as the agent would, and show that what is dangerous is
        denied, that what needs a person is asked about, and that nothing runs because a hook failed or was slow.
    """
    from interlock.cli import install as command

    return command.doctor(prove=prove)


def mcp(
    *command: Annotated[str, Parameter(allow_leading_hyphen=True)],
    url: str | None = None,
    name: str | None = None,
    header: Annotated[tuple[str, ...], Parameter(negative="")] = (),
    wait: Seconds = 0,
    listen: str | None = None,
    interlock: Annotated[str | None, Parameter(env_var="INTERLOCK_URL")] = None,
    user: str | None = None,
    tenant: str | None = None,
    metadata: Annotated[tuple[str, ...], Parameter(negative="")] = (),
    store: Store = USUAL,
) -> int:
    """Relay between an MCP client and an MCP server, and decide every tool call before it runs.

    Enter it in the client's settings in place of the server: `interlock mcp -- npx some-server`, or
    `interlock mcp --url https://example.com/mcp`. The client's own dialog asks the person, if it has
    one; else the call waits in `interlock approvals`.

    Parameters
    ----------
    command
        The server's command line, after `--`.
    url
        The address of a server that speaks streamable HTTP.
    name
        The server's name in policies, as in `mcp__NAME__tool`; by default from the command or the URL.
    header
        A header for the server, as in 'Authorization: Bearer $TOKEN', where $TOKEN is a variable; can be repeated.
    wait
        How many seconds a call waits for an approval that the client cannot ask for itself; 0 refuses at once.
    listen
        A local port, such as `8811`, for clients that connect over streamable HTTP. They must send the token in
        `INTERLOCK_MCP_TOKEN`, or the one that is printed.
    interlock
        The URL of an Interlock server that decides instead of a local store, such as https://interlock.example;
        `INTERLOCK_KEY` holds the API key.
    user
        The person that the client's agent acts for, for policies and records.
    tenant
        The customer or organisation that it acts for.
    metadata
        Metadata of the runs, as in `team=payments`; can be repeated.
    """
    from interlock.cli import mcp as command_line
    from interlock.model import RunDetails

    details = RunDetails(user=user, tenant=tenant, metadata=command_line.parse_metadata(metadata))
    return command_line.run(command, url, name, header, wait, listen, interlock, store, details)


daemon = App(name="daemon", help="The daemon that answers hooks: started by the first of them, ends when idle.")


@daemon.default
def run(*, idle: Annotated[float, Parameter(validator=validators.Number(gt=0, lte=86_400))] = IDLE_SECONDS) -> int:
    """Answer hooks until none has come for a while. Hooks start it themselves.

    It listens on a socket in your own folder that only your account can open.

    Parameters
    ----------
    idle
        After so many seconds without a hook it ends.
    """
    from interlock.cli import daemon as command

    return command.run(idle)


@daemon.command
def status() -> int:
    """Print whether a daemon listens."""
    from interlock.cli import daemon as command

    return command.status()


@daemon.command
def stop() -> int:
    """End every daemon of this account, after the calls that it is deciding. The next hook starts another."""
    from interlock.cli import daemon as command

    return command.stop()
