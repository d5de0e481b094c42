"""The state of a shell during analysis: variables, functions, aliases, the working folder."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec
from tree_sitter import Node

from interlock.analyse.files.paths import hole
from interlock.analyse.flow import Flow
from interlock.analyse.reading import Reading, Site
from interlock.analyse.shell.parsing.grammar import ShellSource
from interlock.model import Span

if TYPE_CHECKING:
    from interlock.analyse.shell.call import ShellCall
    from interlock.analyse.shell.states import BranchState

VariableValue = str | list[str]


class Shell(msgspec.Struct, frozen=True):
    """Entry points that modules of the shell analysis call without importing one another."""

    walk: Callable[[Node, ShellScope, Flow], Flow]
    run: Callable[[ShellCall], Flow]
    evaluate: Callable[[str, ShellScope, Flow, Site], Flow]
    substitute: Callable[[Node, ShellScope], Flow]


class ShellFunction:
    """A function's body in the text that defines it, and the `earlier` definition of its name, if there is one."""

    __slots__ = ("_node", "earlier", "number", "source")

    def __init__(self, node: Node, source: ShellSource, earlier: ShellFunction | None = None) -> None:
        self._node, self.source, self.earlier = node, source, earlier
        self.number: int = earlier.number + 1 if earlier else 1

    def text(self) -> str:
        """Return the text of the body."""
        return self.source.of(self._node)

    def walk(self, scope: ShellScope, stdin: Flow) -> Flow:
        """Walk the body in the scope of a call."""
        return scope.shell.walk(self._node, scope, stdin)


CWD = "\0cwd"  # no variable has such a name
CAPTURED = "\0captured"  # set where the output of a command becomes part of another one

TRACED = "\0traced"  # set while the shell prints each command with its values: `set -x`

MAX_REFERENCES = 8
MAX_DEFINITIONS = 4  # of one function or alias

# Usual values of variables that the text does not set.
_USUAL = {
    "TMPDIR": "/tmp",
    "TEMP": "/tmp",
    "TMP": "/tmp",
    "IFS": " ",
    "SHELL": "/bin/bash",
    "BASH": "/bin/bash",
    "0": "bash",
}


class ShellScope:
    """The state of a shell. A subshell works on a copy."""

    __slots__ = (
        "aliases",
        "alternatives",
        "arguments",
        "branches",
        "calling",
        "cwd",
        "depth",
        "functions",
        "keyed",
        "loops",
        "reading",
        "references",
        "returns",
        "shell",
        "source",
        "variables",
        "via",
    )

    def __init__(self, reading: Reading, source: ShellSource, site: Site, shell: Shell) -> None:
        self.reading = reading
        self.shell = shell
        self.source = source
        self.via = site.via
        self.cwd = site.cwd
        self.variables: dict[str, VariableValue] = {}
        self.keyed: dict[str, dict[str, str]] = {}  # associative arrays
        self.references: dict[str, str] = {}  # `declare -n`: name → the variable it refers to
        self.functions: dict[str, ShellFunction] = {}
        self.aliases: dict[str, tuple[str, ...]] = {}  # name → its meanings; of those in branches, any may be in force
        self.alternatives: dict[str, tuple[VariableValue, ...]] = {}  # variable → other values that it could have
        self.arguments: list[str] | None = None
        self.calling: tuple[ShellFunction, ...] = ()
        self.depth = 0
        self.branches = 0  # how many conditions enclose the current statement
        self.loops: list[list[BranchState]] = []  # for each enclosing loop, the states at its `break` and `continue`
        self.returns: list[BranchState] = []  # the states at each `return` of the current function

    def copy(self, alternatives: dict[str, tuple[VariableValue, ...]] | None = None) -> ShellScope:
        """Return a copy for a subshell, whose changes stay inside; with other alternatives, if they are given."""
        twin = ShellScope.__new__(ShellScope)
        twin.reading = self.reading
        twin.source = self.source
        twin.shell = self.shell
        twin.via = self.via
        twin.cwd = self.cwd
        twin.variables = self.variables.copy()
        twin.keyed = self.keyed.copy()
        twin.references = self.references.copy()
        twin.functions = self.functions.copy()
        twin.aliases = self.aliases.copy()
        twin.alternatives = self.alternatives.copy() if alternatives is None else alternatives
        twin.arguments = self.arguments
        twin.calling = self.calling
        twin.depth = self.depth
        twin.branches = self.branches
        twin.loops = []
        twin.returns = []
        return twin

    def define_alias(self, name: str, meaning: str) -> None:
        """Give an alias a meaning, in a branch besides those it has; beyond a few, what it stands for is unknown."""
        known = self.aliases.get(name, ()) if self.branches else ()
        if meaning not in known:
            self.aliases[name] = (*known, meaning) if len(known) < MAX_DEFINITIONS else (hole(name),)

    def add_alternative(self, name: str, value: VariableValue) -> None:
        """Add another value that a variable could have."""
        known = self.alternatives.get(name, ())
        if value not in known:
            self.alternatives[name] = (*known, value)

    def set(self, name: str, value: VariableValue) -> None:
        """Set a variable to a value; it has no other value any more."""
        self.variables[name] = value
        if self.alternatives:
            self.alternatives.pop(name, None)

    def site(self, span: Span) -> Site:
        """Return a location with the wrappers and the working folder of this scope."""
        return Site(span, self.via, self.cwd)

    def resolve_name(self, name: str) -> str:
        """Return the variable that a name refers to: the name itself, unless `declare -n` made it a reference."""
        for _ in range(MAX_REFERENCES if self.references else 0):
            if name not in self.references:
                break
            name = self.references[name]
        return name

    def lookup(self, name: str) -> str | list[str] | None:
        """Return the value of a variable, or None if it is unknown."""
        if self.references:
            name = self.resolve_name(name)
        if self.keyed and name in self.keyed:
            return list(self.keyed[name].values())
        value = self.variables.get(name)
        if value is not None:
            return value
        if name == "HOME":
            return self.reading.places.home or "~"
        if name == "PWD":
            return self.cwd or self.reading.places.cwd
        usual = _USUAL.get(name)
        if usual is not None:
            return usual
        if self.arguments is not None:
            if name.isascii() and name.isdigit() and len(name) < 6:
                index = int(name) - 1
                return self.arguments[index] if 0 <= index < len(self.arguments) else ""
            if name in "@*":
                return list(self.arguments)
        return None

    def value(self, name: str) -> str:
        """Return the value of a variable as one string, with a hole if it is unknown."""
        found = self.variables.get(name)
        if found is None or self.references or self.keyed:
            found = self.lookup(name)
        if type(found) is str:
            return found
        return hole(self.resolve_name(name)) if found is None else " ".join(found)
