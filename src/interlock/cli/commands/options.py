"""Options that several commands share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Group, Parameter, validators

WHICH = Group("Which store", sort_key=9)
PINNED = Group("Pins", sort_key=2)
Flag = Annotated[bool, Parameter(negative="")]
Count = Annotated[int, Parameter(validator=validators.Number(gte=1, lte=100_000))]
RecordNumber = Annotated[int, Parameter(validator=validators.Number(gte=0, lt=2**62))]


@Parameter(name="*")
@dataclass(frozen=True)
class Store:
    """Which store."""

    store: Annotated[str | None, Parameter(group=WHICH)] = None
    "its URL, sqlite:///path or postgresql://…; by default INTERLOCK_STORE, the configured one, or ~/.interlock"
    config: Annotated[Path | None, Parameter(group=WHICH)] = None
    "an interlock.toml; by default the nearest one in this folder or above"


@Parameter(name="*")
@dataclass(frozen=True)
class PinOptions:
    """Facts about the agent that holds a key. The agent can only claim something stricter."""

    workspace: Annotated[tuple[str, ...], Parameter(group=PINNED, negative="")] = ()
    "the project folder that the agent works in; can be repeated. Other folders are ignored"
    environment: Annotated[str | None, Parameter(group=PINNED)] = None
    "the environment that the agent works in, such as production; it cannot claim a less strict one"
    home: Annotated[str | None, Parameter(group=PINNED)] = None
    "the home folder on the agent's machine"
    user: Annotated[str | None, Parameter(group=PINNED)] = None
    "the person that the agent acts for"
    tenant: Annotated[str | None, Parameter(group=PINNED)] = None
    "the customer or organisation that it acts for"
    asks_user: Annotated[Flag, Parameter(group=PINNED)] = False
    "the agent's program may ask its own user where one person's answer is enough, as frameworks and MCP clients do"
    trusted: Annotated[Flag, Parameter(group=PINNED)] = False
    "the key is for your own program, not for an agent: its claims count unless a pin contradicts them"


#: The options of a command that is given none.
USUAL = Store()
UNPINNED = PinOptions()
