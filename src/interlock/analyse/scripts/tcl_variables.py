"""Variables and lists of Tcl: the commands that set, change and read them."""

from __future__ import annotations

from collections.abc import Callable

from interlock.analyse.files.paths import HOLE, hole
from interlock.analyse.scripts.tcl_words import format_list, split_list

COMPUTED = hole("computed text")
MAX_TEXT = 65_536


def plain_name(name: str) -> str:
    """Return the name of a variable or a command without the mark of the global namespace."""
    return name.removeprefix("::")


class TclVariables:
    """The variables of a script: what each holds, and which name stands for another."""

    __slots__ = ("linked", "names")

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.linked: dict[str, str] = {}  # what `upvar` makes another name of

    def set_value(self, rest: list[str]) -> str | None:
        """`set name value`, `set name`."""
        if len(rest) > 1:
            name = plain_name(rest[0])
            self.names[name] = rest[1]
            self._set_linked(name, rest[1])
            return rest[1]
        return self.names.get(plain_name(rest[0])) if rest else None

    def _set_linked(self, name: str, value: str) -> None:
        """Set what a name is another name of; where that is not known, any variable may hold something else now."""
        other = self.linked.get(name)
        if other is None or other == name:
            return
        for one in [other] if HOLE not in other else [one for one in self.names if one not in self.linked]:
            self.names[one] = value if HOLE not in other else COMPUTED

    def forget(self, names: list[str]) -> None:
        """Forget what variables hold that a command puts something into."""
        for name in map(plain_name, names):
            self.names[name] = hole(name.replace(HOLE, ""))
            self._set_linked(name, self.names[name])

    def declare(self, rest: list[str]) -> None:
        """`variable name value …`."""
        for name, value in zip(rest[::2], rest[1::2], strict=False):
            self.names[plain_name(name)] = value

    def forget_first(self, rest: list[str]) -> None:
        """`lset name …`: an element changes."""
        self.forget(rest[:1])

    def scan(self, rest: list[str]) -> str:
        """`scan text format name …`."""
        self.forget(rest[2:])
        return hole("number")

    def match(self, rest: list[str]) -> str:
        """`regexp pattern text name …`."""
        self.forget([one for one in rest if one[:1] != "-"][2:])
        return hole("number")

    def link(self, rest: list[str]) -> None:
        """`upvar 1 other name …`, `upvar other name`."""
        for other, name in zip(rest[len(rest) % 2 :: 2], rest[len(rest) % 2 + 1 :: 2], strict=False):
            self.linked[plain_name(name)] = plain_name(other)

    def assign_elements(self, rest: list[str]) -> None:
        """`lassign list name …`: each name holds an element."""
        words = split_list(rest[0]) if rest and HOLE not in rest[0] else []
        for at, name in enumerate(rest[1:]):
            self.names[plain_name(name)] = words[at] if at < len(words) else hole(name.replace(HOLE, ""))

    def append(self, rest: list[str]) -> str | None:
        """`append name value …`."""
        name = plain_name(rest[0]) if rest else ""
        self.names[name] = value = (self.names.get(name, "") + "".join(rest[1:]))[:MAX_TEXT]
        return value

    def append_elements(self, rest: list[str]) -> str | None:
        """`lappend name element …`."""
        name = plain_name(rest[0]) if rest else ""
        self.names[name] = value = f"{self.names.get(name, '')} {format_list(rest[1:])}".strip()[:MAX_TEXT]
        return value


def format_words(rest: list[str]) -> str:
    """`list word …`."""
    return format_list(rest)


def join_trimmed(rest: list[str]) -> str:
    """`concat word …`."""
    return " ".join(word.strip() for word in rest)


def join_list(rest: list[str]) -> str:
    """`join list separator`."""
    return (rest[1] if len(rest) > 1 else " ").join(split_list(rest[0] if rest else ""))


def find_element(rest: list[str]) -> str | None:
    """`lindex list index`, as far as both are known."""
    words = split_list(rest[0]) if len(rest) == 2 and HOLE not in rest[0] else []
    at = rest[1] if len(rest) > 1 else ""
    return words[int(at)] if at.isdigit() and int(at) < len(words) else None


VARIABLE_COMMANDS: dict[str, Callable[[TclVariables, list[str]], str | None]] = {
    "set": TclVariables.set_value,
    "append": TclVariables.append,
    "lappend": TclVariables.append_elements,
    "upvar": TclVariables.link,
    "variable": TclVariables.declare,
    **dict.fromkeys(("lset", "lpop", "ledit"), TclVariables.forget_first),
    "scan": TclVariables.scan,
    "regexp": TclVariables.match,
    "lassign": TclVariables.assign_elements,
}
LIST_COMMANDS: dict[str, Callable[[list[str]], str | None]] = {
    "list": format_words,
    "concat": join_trimmed,
    "join": join_list,
    "lindex": find_element,
}
