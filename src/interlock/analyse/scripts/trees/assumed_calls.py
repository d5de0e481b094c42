"""What functions of a script do if anybody calls them with anything, and when that can be left out.

A function is read where it is defined, with parameters that are not known, because something may call it that is not
followed. Where its name stands nowhere but in calls that were followed, it is known what it is given, and what it would
do with anything else is left out.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from interlock.analyse.files.paths import HOLE
from interlock.analyse.scripts.held_texts import CODE
from interlock.analyse.scripts.values import Ref, ScriptFunction, as_text
from interlock.patterns import late

if TYPE_CHECKING:
    from interlock.analyse.scripts.script import Script
    from interlock.model import Effect

Key = tuple[int, int]


def key_of(function: ScriptFunction) -> Key:
    """Return what tells a function from others: its text, and where its body stands there."""
    return (id(function.source), function.body.id if function.body is not None else -1)


class AssumedCalls:
    """The effects of functions that were read with unknown parameters, and the calls of them that were followed."""

    __slots__ = ("any_called", "callers", "effects", "followed", "functions", "given", "ids", "read", "unfollowed")

    def __init__(self) -> None:
        self.functions: dict[Key, ScriptFunction] = {}
        self.effects: dict[Key, list[Effect]] = {}
        self.ids: set[int] = set()  # of those effects
        self.followed: dict[Key, set[Any]] = {}  # where calls stand that were followed
        self.callers: dict[Key, set[Key]] = {}  # the functions in which those calls stand
        self.read: set[Key] = set()  # functions that were read for a call
        self.unfollowed: set[Key] = set()  # functions with a call that was not followed
        self.any_called = False  # whether something is called that may be any of them
        self.given: list[list[Any]] = []  # what the functions are given that are read

    def add(self, function: ScriptFunction, effects: list[Effect]) -> None:
        """Keep what a function does with anything."""
        if function.name:
            key = key_of(function)
            self.functions[key] = function
            self.effects.setdefault(key, []).extend(effects)
            self.ids.update(map(id, effects))

    def note_call(self, script: Script, function: ScriptFunction, callee: Ref, place: Any, active: list[Any]) -> None:
        """Note a call of a function; what is called by something that it is handed to is called later, or again."""
        key = key_of(function)
        source, (first, last) = place
        is_plain = callee.owner is None and "." not in callee.name
        written = _CALLEE.match(source.text[first:last])
        if written is None or function.name.lower() not in written[0].lower():
            self.unfollowed.add(key)
        if script.syntax.name in _OBJECT_FIRST and not is_plain:
            self.unfollowed.add(key)
        self.followed.setdefault(key, set()).add((id(source), first))
        if active:
            self.callers.setdefault(key, set()).add(key_of(active[-1]))

    def find_unneeded(self, script: Script) -> set[int]:
        """Return the ids of the effects of functions that nothing calls but what was followed."""
        if self.any_called or CODE in script.held.unfollowed:  # code may call any function
            return set()
        counts = Counter(_WORD.findall(script.text.lower()))
        return {id(effect) for key in self.functions if self._is_followed(counts, key) for effect in self.effects[key]}

    def _is_followed(self, counts: Counter[str], key: Key, seen: frozenset[Key] = frozenset()) -> bool:
        """Whether all calls of a function were followed, and those of the functions that call it."""
        calls = self.followed.get(key)
        if not calls or key not in self.read or key in self.unfollowed:
            return False
        name = _WORD.search(self.functions[key].name.lower())
        if name is None or counts[name[0]] != 1 + len(calls):
            return False
        callers = self.callers.get(key, set()) & self.functions.keys() - seen - {key}
        return all(self._is_followed(counts, caller, seen | {key}) for caller in callers)


_WORD = late(r"\w+")
#: The name at the beginning of a call.
_CALLEE = late(r"[^\s(]+")
#: Languages in which a method is a function that is given its object first, and may be called like one.
_OBJECT_FIRST = frozenset({"lua", "perl"})


def stays_inside(given: list[Any], arguments: list[Any]) -> bool:
    """Whether a function calls itself with no more than it was given: the same, or what stands below a path.

    >>> stays_inside(["dist"], ["dist/a"]), stays_inside(["dist"], ["/home/u"]), stays_inside(["dist"], ["dist/../.."])
    (True, False, False)
    """
    return not given or all(
        index < len(given) and _is_inside(as_text(given[index]), as_text(argument))
        for index, argument in enumerate(arguments)
        if type(argument) not in (bool, int)
    )


def _is_inside(before: str, after: str) -> bool:
    if before == after:
        return True
    folder = before.removeprefix("./").rstrip("/")
    if not folder or HOLE in folder or ".." in after:
        return False
    return after.removeprefix("./").startswith(f"{folder}/")
