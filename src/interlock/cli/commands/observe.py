"""`interlock observe`: the agents and keys that are only observed, and the actions that would have been stopped."""

from __future__ import annotations

from typing import Annotated

from cyclopts import App, Parameter, validators

from interlock.cli.commands.options import USUAL, Flag, Store

group = App(
    name="observe",
    help="See what Interlock would stop before it does.\n\n"
    "Observed actions are decided and recorded as usual, and run. Floors, the rules that protect Interlock itself, "
    "and `interlock stop` are still enforced. To observe agents, add `[observe]` to your interlock.toml; to observe an "
    "API key, run `interlock keys observe NAME`.",
)
Days = Annotated[int, Parameter(validator=validators.Number(gte=1, lte=366))]


@group.default
def observe_list(*, json: Flag = False, store: Store = USUAL) -> int:
    """List the agents and keys that are only observed, until when, and how to enforce their verdicts.

    Parameters
    ----------
    json
        Write one JSON object per line.
    """
    from interlock.cli import observe as command

    return command.show(store, as_json=json)


@group.command(name="report")
def observe_report(
    *, days: Days = 7, agent: str | None = None, limit: Days = 3, json: Flag = False, store: Store = USUAL
) -> int:
    """Show which observed actions would have needed an approval or been blocked, by rule and policy.

    Example: `interlock observe report --days 7 --agent shop-agent`.

    Parameters
    ----------
    days
        How many days to look back.
    agent
        Only this agent and those below it.
    limit
        How many different actions to show for each rule or policy.
    json
        Write the report as JSON.
    """
    from interlock.cli import observe as command

    return command.report(store, days, agent, limit, as_json=json)
