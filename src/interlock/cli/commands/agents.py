"""`interlock hook`, `channel`, `install`, `doctor`, `mcp` and `daemon`: the commands for coding agents."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import App, Parameter, validators

from interlock.agents import DEADLINE_SECONDS
from interlock.agents.coding import NAMES
from interlock.cli.commands.options import USUAL, Flag, Store
from interlock.cli.daemon_protocol import IDLE_SECONDS

AgentArgument = Annotated[str, Parameter(help=f"{', '.join(NAMES[:-1])} or {NAMES[-1]}")]
Seconds = Annotated[float, Parameter(validator=validators.Number(gte=0, lte=3_600))]


def hook(
    agent: AgentArgument,
    *,
    event: str | None = None,
    auto_approve: Literal["low", "medium"] | None = None,
    wait: Seconds = 0,
    deadline: Seconds = DEADLINE_SECONDS,
    alone: Flag = False,
    store: Store = USUAL,
) -> int:
    """Decide a coding agent's next action: read its hook call from standard input, write the answer to standard output.

    If the action may run, nothing is printed, so that the agent's own rules still apply. Otherwise the answer is in
    the agent's own format, with a reason that the agent can act on. If anything fails, the action is denied.

    Parameters
    ----------
    event
        The hook event, if the agent's call does not name it.
    auto_approve
        Approve actions up to this level without asking you, if they could be analysed completely.
    wait
        How many seconds to wait for an approval, if the agent cannot ask you itself.
    deadline
        Deny the action after this many seconds. Keep it below the agent's own timeout, after which the action runs.
    alone
        Decide in this process, without the daemon.
    """
    from interlock.cli import hook as command

    config = None if store.config is None else str(store.config)
    options = command.HookOptions(agent, event, auto_approve, wait, deadline, config, store.store, alone)
    return command.run_alone(options)


def channel(*, store: Store = USUAL) -> int:
    """Relay Claude Code's permission prompts to the people who answer approval requests.

    Claude Code starts this as a channel, which is an MCP server. When Claude Code asks you about an action because
    Interlock told it to, a request is opened as well, and the first answer counts: in the terminal, on the web page, or
    in a chat. A prompt whose action cannot be identified exactly stays in the terminal.

    Set it up once with `claude mcp add interlock -- interlock channel`, then start Claude Code with
    `claude --dangerously-load-development-channels server:interlock`.
    """
    from interlock.cli import channel as command

    return command.run(store)


Wait = Annotated[int, Parameter(validator=validators.Number(gte=0, lte=3_000))]


def install(
    agent: AgentArgument | None = None,
    *,
    project: Flag = False,
    dry_run: Flag = False,
    auto_approve: Literal["low", "medium"] | None = None,
    wait: Wait = 0,
    alone: Flag = False,
) -> int:
    """Guard a coding agent: add a hook to its settings, and change nothing else in them.

    Without an agent, list the supported agents and how to install each.
    Installing again changes nothing. `interlock uninstall AGENT` restores the file byte for byte.

    Parameters
    ----------
    project
        Install in the settings of this folder's project, for everyone who works on it, instead of in your own.
    dry_run
        Print the exact change without making it.
    auto_approve
        Approve actions up to this level without asking you, if they could be analysed completely.
    wait
        How many seconds a hook waits for an approval, if the agent cannot ask you itself; 0 denies at once.
    alone
        Let every hook decide in its own process, without the daemon.
    """
    from interlock.agents.settings.command import InstallOptions
    from interlock.cli import install as command

    if agent is None:
        return command.list_agents()
    return command.install(agent, InstallOptions(auto_approve, wait, alone), project=project, dry_run=dry_run)


def uninstall(agent: AgentArgument, *, project: Flag = False, dry_run: Flag = False) -> int:
    """Remove the hook from an agent's settings. Changes that you have made since are kept.

    Parameters
    ----------
    project
        Remove it from the settings of this folder's project.
    dry_run
        Print the exact change without making it.
    """
    from interlock.cli import install as command

    return command.uninstall(agent, project=project, dry_run=dry_run)


def doctor(*, prove: Flag = False) -> int:
    """Check which agents are guarded, and report problems. Exit status: 1 if there are any.

    Parameters
    ----------
    prove
        Send sample calls through each installed hook, exactly as the agent would, and check that dangerous actions are
        denied, that risky ones are asked about, and that no action runs because a hook failed or was slow.
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

    In the client's settings, replace the server's command with `interlock mcp -- npx some-server`, or with
    `interlock mcp --url https://example.com/mcp`. If the client can ask its user, its own dialog does;
    otherwise the call waits in `interlock approvals`.

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
        How many seconds a call waits for an approval, if the client cannot ask its user; 0 denies at once.
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
    options = command_line.GatewayOptions(command, url, name, header, wait, listen, interlock, store, details)
    return command_line.run(options)


daemon = App(name="daemon", help="Run, inspect and stop the daemon that answers hooks.")


@daemon.default
def run(*, idle: Annotated[float, Parameter(validator=validators.Number(gt=0, lte=86_400))] = IDLE_SECONDS) -> int:
    """Answer hooks until none has called for a while. Hooks start the daemon automatically.

    It listens on a socket in your own folder that only your account can open.

    Parameters
    ----------
    idle
        Exit after this many seconds without a hook call.
    """
    from interlock.cli import daemon as command

    return command.run(idle)


@daemon.command
def status() -> int:
    """Show whether a daemon is running."""
    from interlock.cli import daemon as command

    return command.status()


@daemon.command
def stop() -> int:
    """Stop your daemon once its current calls are decided. The next hook starts a new one."""
    from interlock.cli import daemon as command

    return command.stop()
