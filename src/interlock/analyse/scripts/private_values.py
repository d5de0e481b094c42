"""Taint of unknown values: what a script sends without a known origin may be any private data that it has read.

Values are not followed through fields, containers, exceptions and threads. So a value of unknown origin that is sent to
another machine gets the marks of all private data that the script reads. Data is excluded once it is used to sign in:
in a header that signs a request, or in a call of a library that the script imports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interlock.analyse.files.paths import HOLE, hole, holes
from interlock.analyse.flow import NONE
from interlock.analyse.scripts.values import Choice, Ref
from interlock.model import Effect

if TYPE_CHECKING:
    from interlock.analyse.reading import Reading
    from interlock.analyse.scripts.scope import ScriptScope

#: Marks of data of this machine, which matter where it is sent.
SENT = frozenset(
    "secret environment carried personal records workspace dump screen clipboard keys recording host_facts".split()
)
#: Destinations on this machine or in this network, or trusted ones.
_NEAR = frozenset({"local", "private", "trusted"})
#: Modules that keep and pass on what they are given.
_KEEPING = frozenset("events util stream fs os path buffer url querystring worker_threads async_hooks vm".split())
_PRIVATE = SENT - {"carried"}
_SECRET, _ENVIRONMENT = frozenset({"secret"}), frozenset({"environment"})
_DEPTH = 6


class PrivateValues:
    """The private data that a script reads, and the effects that send values of unknown origin."""

    __slots__ = ("known", "read", "sends")

    def __init__(self) -> None:
        self.read: dict[str, frozenset[str]] = {}  # name of a value → its marks
        self.known: set[str] = set()  # names of unknown values whose origin is known
        self.sends: list[int] = []  # effects that send something of unknown origin

    def add(self, value: str, marks: frozenset[str]) -> None:
        """Note a value that the script reads from outside its text."""
        name = value.strip(HOLE)
        self.known.add(name)
        if not marks.isdisjoint(_PRIVATE):
            self.read[name] = marks & _PRIVATE

    def add_effects(self, reading: Reading, first: int) -> None:
        """Note what code has read that the script runs: the code may give it back."""
        for effect in reading.effects[first:]:
            named = effect.resource.name if effect.resource is not None else ""
            if effect.kind == "secret.read":
                self.read[named] = _SECRET
            elif effect.kind == "env.read":
                marks = reading.marks(hole(named)) if named else _ENVIRONMENT
                if not marks.isdisjoint(_PRIVATE):
                    self.read[named or "environment"] = marks

    def account(self, scope: ScriptScope, value: Any) -> None:
        """Note that private data goes where it belongs."""
        for name in _names_in(value, _DEPTH):
            self.read.pop(name, None)
            if "environment" in scope.reading.taints.get(name, NONE):
                self.read.pop("environment", None)

    def record_arguments(self, scope: ScriptScope, callee: Ref, arguments: list[Any]) -> None:
        """Note what a library is given that the script imports."""
        module = callee.name.partition(".")[0]
        if self.read and module in scope.imported and module not in _KEEPING:
            self.account(scope, arguments)

    def note_send(self, scope: ScriptScope, value: Any) -> None:
        """Note that the next effect sends a value, if the origin of a part of it is not known."""
        taints = scope.reading.taints
        if any(name not in self.known and name not in taints for name in _names_in(value, _DEPTH)):
            self.sends.append(len(scope.reading.effects))

    def close(self, scope: ScriptScope) -> None:
        """Add the marks of all private data that was read to the effects that send values of unknown origin."""
        marks = frozenset().union(*self.read.values()) if self.read else NONE
        effects = scope.reading.effects
        for at in self.sends if marks else ():
            one = effects[at] if at < len(effects) else None
            if one is not None and one.kind.startswith(("net.", "message.")) and _NEAR.isdisjoint(one.flags):
                effects[at] = Effect(
                    one.kind, one.resource, one.flags | marks, one.span, one.via, one.call, one.summary
                )


def _names_in(value: Any, depth: int) -> list[str]:
    """Return the names of the unknown parts of a value."""
    if isinstance(value, str):
        return holes(value) if HOLE in value else []
    if isinstance(value, Ref):
        return _names_in(value.owner, depth - 1) if depth and value.owner is not None else [value.name]
    parts: Any = list(value.values()) if isinstance(value, dict) else value
    if isinstance(value, Choice):
        parts = value.values
    if not depth or not isinstance(parts, (list, tuple)):
        return []
    return [name for part in parts for name in _names_in(part, depth - 1)]
