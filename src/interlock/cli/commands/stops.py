"""`interlock stop`, `pause` and `resume`: stop or pause agents and API keys."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from interlock.cli.commands.options import USUAL, Store


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
