"""How a cmdlet is described.

| key | meaning |
|---|---|
| `names` | the cmdlets that it describes |
| `does` | a kind of effect that the call has as a whole; its resource is the value in the role `name` |
| `order` | the parameters that values without a name belong to, in order; the last one takes all that are left |
| `takes` | parameters with a value, and the role of the value: a kind of effect, or a word from below |
| `switches` | parameters without a value, and the flag that they put on every effect |
| `piped` | the parameter that what comes through the pipe belongs to |
| `gives` | where what comes out is from; `input` hands on what came in |

Roles that are no kinds of effects: `-` (of no interest), `name` (what the call is about), `upload` (data that is
sent), `code` (PowerShell, as a text or a block), `command` (a command line of Windows), `pattern` (what is looked for:
a search for keys is told from any other).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import msgspec

from interlock.effects import KINDS

ROLES = frozenset({"-", "name", "upload", "code", "command", "pattern"})

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


class Cmdlet(msgspec.Struct, frozen=True, dict=True):
    """What is known about a cmdlet."""

    names: str
    does: str = ""
    order: str = ""
    takes: Mapping[str, str] = {}
    switches: Mapping[str, str] = {}
    piped: str = ""
    gives: str = ""
    flags: str = ""

    @cached_property
    def roles(self) -> dict[str, str]:
        """Return every parameter with a value, in lower case, and its role."""
        found = {name.lower(): role for names, role in self.takes.items() for name in names.split()}
        for name in self.order.lower().split():
            found.setdefault(name, "-")
        unknown = [role for role in found.values() if role not in KINDS and role not in ROLES]
        if unknown or (self.does and self.does not in KINDS):
            raise ValueError(f"unknown words in the cmdlet `{self.names}`: {unknown or self.does}")
        return found

    @cached_property
    def toggles(self) -> dict[str, str]:
        """Return every parameter without a value, in lower case, and its flag."""
        return {name.lower(): flag for names, flag in self.switches.items() for name in names.split()}
