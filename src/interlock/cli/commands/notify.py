"""`interlock notify`: how people are notified of requests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from cyclopts import App, Group, Parameter

from interlock.cli.commands.options import USUAL, Flag, Store

group = App(name="notify", help="Choose how people are notified of requests, and send test messages.")
_WHERE, _WHAT, _WHEN = (Group(name, sort_key=at) for at, name in enumerate(("Where", "What", "When"), 2))
PersonOption = Annotated[str | None, Parameter(name="--person")]


@Parameter(name="*")
@dataclass(frozen=True)
class PreferenceOptions:
    """What changes. What is not named stays as it is; an empty text clears a list."""

    to: Annotated[tuple[str, ...], Parameter(group=_WHERE, negative="")] = ()
    "a channel and an address in it, `--to mail=ann@example.com`; can be repeated, and replaces the others"
    levels: Annotated[str | None, Parameter(group=_WHAT)] = None
    "the levels of requests, as high,critical"
    environments: Annotated[str | None, Parameter(group=_WHAT)] = None
    "the environments, as staging,production"
    agents: Annotated[str | None, Parameter(group=_WHAT)] = None
    "the agents, and those below them, as shop,billing"
    only_named: Annotated[bool | None, Parameter(group=_WHAT)] = None
    "only requests that name the person or one of their roles"
    backup: Annotated[bool | None, Parameter(group=_WHEN)] = None
    "only if nobody has answered in time"
    escalate_after: Annotated[int | None, Parameter(group=_WHEN)] = None
    "minutes until the next person is notified; 0 waits until half of the time is over"
    quiet_hours: Annotated[str | None, Parameter(group=_WHEN)] = None
    "when messages wait, as '22:00-07:00 Europe/Berlin'"
    break_through: Annotated[bool | None, Parameter(group=_WHEN)] = None
    "critical requests in production do not wait"
    weekly_report: Annotated[bool | None, Parameter(group=_WHEN)] = None
    "send the weekly report on Mondays"
    drift: Annotated[bool | None, Parameter(group=_WHAT)] = None
    "changes in the behaviour of agents"


UNCHANGED = PreferenceOptions()


@group.default
@group.command(name="list")
def notify_list(*, json: Flag = False, store: Store = USUAL) -> int:
    """List the channels, and who is notified of what.

    Parameters
    ----------
    json
        Write one JSON object per person and line.
    """
    from interlock.cli import notify as command

    return command.list_preferences(store, as_json=json)


@group.command(name="set")
def notify_set(*, person: PersonOption = None, change: PreferenceOptions = UNCHANGED, store: Store = USUAL) -> int:
    """Change how a person is notified. Needs a terminal.

    Examples: `interlock notify set --to mail=ann@example.com --levels high,critical`,
    `interlock notify set --quiet-hours '22:00-07:00 Europe/Berlin' --break-through`.

    Parameters
    ----------
    person
        Who; by default you.
    """
    from interlock.cli import notify as command

    return command.set_preferences(store, person, change)


@group.command(name="test")
def notify_test(channel: str, *, person: PersonOption = None, store: Store = USUAL) -> int:
    """Send a test message through a channel, and report the result.

    Parameters
    ----------
    channel
        The name of the channel, as in `[channels.NAME]`; `browser` for the browsers of the person.
    person
        Who gets it; by default you.
    """
    from interlock.cli import notify as command

    return command.test_channel(store, channel, person)
