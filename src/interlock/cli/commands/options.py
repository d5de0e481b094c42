"""Options that several commands share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Group, Parameter, validators

WHICH = Group("Which store", sort_key=9)
Flag = Annotated[bool, Parameter(negative="")]
Count = Annotated[int, Parameter(validator=validators.Number(gte=1, lte=100_000))]
Place = Annotated[int, Parameter(validator=validators.Number(gte=0, lt=2**62))]


@Parameter(name="*")
@dataclass(frozen=True)
class Store:
    """Which store."""

    store: Annotated[str | None, Parameter(group=WHICH)] = None
    "its URL, sqlite:///path or postgresql://…; by default INTERLOCK_STORE, the configured one, or ~/.interlock"
    config: Annotated[Path | None, Parameter(group=WHICH)] = None
    "an interlock.toml; by default the nearest one in this folder or above"


#: The options of a command that is given none.
USUAL = Store()
