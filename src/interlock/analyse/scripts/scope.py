"""The names that a script gives, and what they stand for."""

from __future__ import annotations

from functools import reduce
from typing import Any

from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import NONE, NOTHING, Flow
from interlock.analyse.reading import Reading, Site
from interlock.analyse.scripts.held_texts import HeldTexts
from interlock.analyse.scripts.private_values import SENT, PrivateValues
from interlock.analyse.scripts.syntax import Syntax
from interlock.analyse.scripts.truth import both, either_or, unless_nothing
from interlock.analyse.scripts.values import MAX_ITEMS, Choice, Ref, ScriptFunction, as_text, either, join, unknown

#: Methods of the environment, which are not names of variables.
_METHODS = frozenset(
    (
        "to_h to_a to_hash to_s to_json map flat_map each each_pair each_key each_with_object each_with_index get "
        "fetch set has has_key? key? include? keys values values_at toObject entries inspect select filter filter_map "
        "find find_all reject sort sort_by collect reduce inject group_by partition slice except delete any? all? "
        "size length count"
    ).split()
)


_ENVIRONMENT = frozenset({"environment"})
#: Operators before an equals sign whose result is not computed.
_COMPOUND = frozenset("-= *= /= %= **= x= |= &= ^= <<= >>= >>>= |.= &.= ^.=".split())
#: The key under which a hash keeps what was put into it whose keys are not known.
SPREAD = "…"


class TooDeep(Exception):  # noqa: N818 - a signal between two functions, never shown
    """Brackets in brackets, further than anybody writes."""


class ScriptScope:
    """A script in one language: where its reading stands, and the values of its names."""

    __slots__ = (
        "branches",
        "connected",
        "decoded",
        "exported",
        "first",
        "held",
        "imported",
        "loops",
        "names",
        "opened",
        "printed",
        "private",
        "reading",
        "returns",
        "shells",
        "site",
        "sockets",
        "stdin",
        "steered",
        "syntax",
        "text",
        "whole",
    )

    def __init__(self, reading: Reading, text: str, site: Site, syntax: Syntax, stdin: Flow = NOTHING) -> None:
        self.reading, self.text, self.site, self.syntax, self.stdin = reading, text, site, syntax, stdin
        self.first = len(reading.effects)  # where the effects of the script begin
        self.names: dict[str, Any] = {}
        self.returns: dict[str, Any] = {}  # what functions of the script give
        self.private = PrivateValues()
        self.held = HeldTexts()
        self.exported: dict[str, str] = {}  # variables that the script sets for the programs that it starts
        self.sockets: list[str] = []
        self.printed: list[str] = []
        self.imported: set[str] = set()  # modules that the script loads
        self.connected: dict[str, str] = {}  # library → where the script connected it to
        self.decoded: set[str] = set()  # texts that something else hid
        self.opened: dict[str, Flow] = {}  # files that are open for writing → what was written to them
        self.loops = 0  # how many loops what is read stands in
        self.shells = self.branches = False
        self.steered = False  # whether a command is run that is not in the text
        self.whole = True  # whether all of the text was read

    @property
    def beginning(self) -> Any:
        """Return the place of the text's beginning, as the reader counts places."""
        return (0, 0)

    def where(self, start: Any) -> Site:  # noqa: ARG002 - readers know more
        """Return where a call stands."""
        return self.site.replace(base=-1)

    def words(self) -> set[str]:
        """Return the names and keywords of the text."""
        return set()

    # values

    def taint(self, mark: str, name: str) -> str:
        """Return something unknown that comes from somewhere known."""
        found = unknown(name)
        known = found.strip(HOLE)
        marks = self.stdin.marks | {mark} if mark == "input" else {mark}
        self.reading.taints[known] = self.reading.taints.get(known, frozenset()) | marks
        return found

    def mix(self, *values: Any) -> str:
        """Return something unknown that is made of values, and comes from where they do."""
        found = unknown()
        for mark in self.marks(values):
            found = self.taint(mark, "result")
        return found

    def marks(self, value: Any, depth: int = 6) -> frozenset[str]:
        """Return the marks of everything that a value is made of, or may be."""
        if isinstance(value, str):
            return self.reading.marks(value) if HOLE in value else NONE
        if not depth:
            return NONE
        parts: Any = ()
        if isinstance(value, Ref):
            found = self.reading.marks(unknown(value.name))
            return found if value.owner is None else found | self.marks(value.owner, depth - 1)
        if isinstance(value, (Choice, ScriptFunction)):
            parts = value.values if isinstance(value, Choice) else ()
        elif isinstance(value, (list, tuple, dict)):
            parts = list(value.values()) if isinstance(value, dict) else value
        marks = NONE
        for part in parts[:MAX_ITEMS]:
            marks |= self.marks(part, depth - 1)
        return marks

    def find_sent_marks(self, value: Any) -> frozenset[str]:
        """Return the marks of what a value takes along when it is sent."""
        self.private.note_send(self, value)
        return self.marks(value) & SENT

    def is_environment(self, value: Ref) -> bool:
        """Whether a name stands for the whole environment."""
        return value.name == "ENV" or value.name in self.syntax.environment

    def assign(self, target: str | None, mark: str, value: Any) -> Any:
        """Give a name what it stands for."""
        if target is None:
            return value
        before = self.names.get(target)
        value = self.names[target] = self.merge(before, mark, value)
        return value

    def merge(self, before: Any, mark: str, value: Any) -> Any:
        """Return what a name stands for once it is given a value: where that is not certain, either of the two."""
        if mark == "bind":  # a parameter, or a loop's own name
            return value
        if mark in ("+=", "|=") and isinstance(before, list) and isinstance(value, list):
            return [*before, *value]
        if mark in _COMPOUND and before is not None:
            return either(before, self.mix(before, value))
        if mark in (".=", "+=", "..="):
            return join(before if before is not None else "", value)
        if mark == "||=" and before is not None:
            return either_or(self.syntax.name, before, value)
        if mark in ("??=", "//=") and before is not None:
            return unless_nothing(before, value)
        if mark == "&&=" and before is not None:
            return both(self.syntax.name, before, value)
        if before is not None and before != value and self.is_uncertain():
            return either(before, value)
        return value

    def is_uncertain(self) -> bool:
        """Whether it depends on something that what is being read happens."""
        return self.branches

    def subscript(self, value: Any, key: Any) -> Any:
        """Return an element of a value; only a known list, hash or text with a known key has known elements."""
        if isinstance(value, Choice):
            return reduce(either, [self.subscript(one, key) for one in value.values])
        if isinstance(value, Ref):
            if self.is_environment(value):
                return self.variable(key.name if isinstance(key, Ref) else as_text(key))
            return self.member(value, as_text(key)) if isinstance(key, str) and HOLE not in key else value
        if isinstance(value, dict):
            name = key.name if isinstance(key, Ref) else as_text(key)
            return value[name] if name in value else self.mix(value)
        if isinstance(value, str) and HOLE in value:
            return value  # a part of something unknown
        if isinstance(value, (list, str)) and isinstance(key, int) and -len(value) <= key < len(value):
            return value[key]
        return either(value, self.mix(key)) if isinstance(value, str) else self.mix(value)

    def member(self, value: Any, name: str) -> Any:
        """Return a member of a value."""
        if isinstance(value, Choice):
            return reduce(either, [self.member(one, name) for one in value.values])
        if isinstance(value, dict) and name in value:
            return value[name]
        if isinstance(value, Ref):
            if f"{value.name}.{name}" in self.syntax.inputs:
                return self.taint("input", name)
            if self.is_environment(value) and name not in _METHODS:
                return self.variable(name)
            return Ref(f"{value.name}.{name}"[:200], value.owner)
        return Ref("." + name, value)

    # the environment

    def property(self, value: Ref, start: Any) -> Any:
        """Return a name that is not called: some are read like a variable."""
        return self._whole_environment(start) if self.is_environment(value) else value

    def _whole_environment(self, start: Any) -> Any:
        self.reading.emit("env.read", self.where(start))
        self.private.add("environment", _ENVIRONMENT)
        return self.taint("environment", "environment")

    def variable(self, name: str) -> str:
        """Return a variable of the environment; if its name is unknown, it can be any."""
        if HOLE in name:
            self.reading.emit("env.read", self.site.replace(base=-1))
            self.private.add("environment", _ENVIRONMENT)
            return self.taint("environment", "environment")
        self.reading.emit("env.read", self.site.replace(base=-1), name or None)
        if name in ("HOME", "USERPROFILE"):
            return self.reading.places.home or "~"
        value = unknown(name)
        self.private.add(value, self.reading.marks(value))
        return value
