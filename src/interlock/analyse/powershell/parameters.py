"""The parameters of cmdlets that code reads, and those that every cmdlet has."""

from __future__ import annotations

from functools import cached_property

import msgspec

#: Parameters that every cmdlet has: whether they take a value, and their other names.
COMMON = {
    "erroraction": True,
    "ea": True,
    "warningaction": True,
    "wa": True,
    "informationaction": True,
    "infa": True,
    "progressaction": True,
    "errorvariable": True,
    "ev": True,
    "warningvariable": True,
    "wv": True,
    "informationvariable": True,
    "iv": True,
    "outvariable": True,
    "ov": True,
    "outbuffer": True,
    "ob": True,
    "pipelinevariable": True,
    "pv": True,
    "verbose": False,
    "vb": False,
    "debug": False,
    "db": False,
    "whatif": False,
    "wi": False,
    "confirm": False,
    "cf": False,
}


class Parameters(msgspec.Struct, frozen=True, dict=True):
    """The names of a cmdlet's parameters: those with a value, switches, and those of values without a name."""

    positional: str = ""
    valued: str = ""
    switches: str = ""

    @cached_property
    def order(self) -> list[str]:
        """The parameters of values without a name, as they are compared."""
        return self.positional.lower().split()

    @cached_property
    def roles(self) -> dict[str, str]:
        """Every parameter with a value, as it is compared. What the value means, the code knows."""
        return dict.fromkeys([*self.valued.lower().split(), *self.order], "data")

    @cached_property
    def toggles(self) -> dict[str, tuple[str, ...]]:
        """Every parameter without a value, as it is compared."""
        return dict.fromkeys(self.switches.lower().split(), ())
