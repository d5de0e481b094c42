"""The kind of a value: all of it that can change what reading a function body with it finds."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import lru_cache
from typing import Any

from interlock.analyse.files.paths import HOLE
from interlock.analyse.files.traits import traits
from interlock.analyse.python.evaluation.marks import ENVIRONMENT
from interlock.analyse.python.evaluation.values import (
    Choice,
    Class,
    Instance,
    Object,
    Partial,
    Property,
    PythonFunction,
    Ref,
    Unknown,
)
from interlock.analyse.record import FrozenRecord
from interlock.analyse.secrets.keys import mentions_secret

MAX_PARTS = 32  # of a container: a larger one is only the same kind as itself
MAX_RUN = 8  # unknown values of one kind in a row: more of them tell nothing new
MANY_NUMBERS = 3  # that one thing could be: a counter, whose values tell nothing
_ANYTHING = ("unknown",)


@lru_cache(maxsize=4096)
def is_plain(name: str) -> bool:
    """Whether the name of an unknown value says nothing about it: `row`, but not `api_token` or `HOME`."""
    if name == "…":
        return True
    if not name.isidentifier() or not name.isascii() or name != name.lower() or mentions_secret(name):
        return False
    return all(map(_tells_nothing, {name, *name.split("_")}))


@lru_cache(maxsize=4096)
def _tells_nothing(word: str) -> bool:
    """Whether a word in a name, or all of it, is neither about secrets nor the name of a file that means something."""
    return not (word and (mentions_secret(word) or traits(f"$x_{word}") or traits(word)))


def is_lasting(value: Any) -> bool:
    """Whether a value is of one kind for as long as it is there, whatever changes in it or around it."""
    return type(value) in _LASTING or (type(value) is PythonFunction and not value.defaults)


#: `object` is what a name stands for that is missing.
_LASTING = frozenset({int, bool, type(None), Class, Object, Property, object})


class Large(FrozenRecord, frozen=True, gc=False):
    """The kind of a container with more parts than are compared: the container itself, while it is of this length."""

    identity: int
    length: int


class ValueKinds:
    """Tells the kinds of values, with the marks and decoded constants known at that time."""

    __slots__ = ("_decoded", "_known", "_left", "_marked", "_stamp", "_taints", "mutations")

    def __init__(self, taints: dict[str, frozenset[str]], decoded: set[str | bytes]) -> None:
        self._taints, self._decoded = taints, decoded
        self._left = 0
        self._marked = False  # whether the value that is being looked through has marks
        self.mutations = 0  # of containers and of attributes
        self._known: dict[int, tuple[Any, Hashable]] = {}  # kinds of containers without marks, until one changes
        self._stamp = (0, 0)

    def note_change(self, attributes: dict[str, Any] | None = None) -> None:
        """Count a change of any container, or only of the attributes of one object or class.

        Objects in a container count by themselves, so that no other container is of another kind afterwards.
        """
        self.mutations += 1
        if attributes is None:
            self._known.clear()
        else:
            self._known.pop(id(attributes), None)

    def of(self, value: Any) -> Hashable:
        """Return the kind of a value. Objects and functions of the text count by class and definition alone."""
        kind = type(value)
        if kind in _AS_THEY_ARE or (kind is str and HOLE not in value and value not in self._decoded):
            return value  # type: ignore[no-any-return]
        if kind is Unknown and value.name not in self._taints:
            return _ANYTHING if is_plain(value.name) else ("unknown", value.name)
        if kind is PythonFunction and not value.defaults:
            return ("function", value.node)
        if kind is Object:
            return ("object", value.kind)
        reader = _READERS.get(kind)
        return reader(self, value) if reader else (kind, id(value))

    def of_all(self, values: Iterable[Any]) -> list[Hashable]:
        """Return the kinds of several values."""
        return [value if type(value) in _AS_THEY_ARE else self.of(value) for value in values]

    def _function(self, value: PythonFunction) -> Hashable:
        return ("function", value.node, *[self._kind_of_value(one) for one in value.defaults.values()])

    def _partial(self, value: Partial) -> Hashable:
        given = [*value.arguments, *value.keywords, *value.keywords.values()]
        return ("partial", self.of(value.function), self.of(value.this), *[self._kind_of_value(one) for one in given])

    def _kind_of_value(self, value: Any) -> Hashable:
        """Return the kind of something that a function holds: other functions and objects are only themselves."""
        return (type(value), id(value)) if type(value) in _OWN else self.of(value)

    def _container(self, value: Any) -> Hashable:
        stamp = (len(self._taints), len(self._decoded))
        if stamp != self._stamp:
            self._known.clear()
            self._stamp = stamp
        known = self._known.get(id(value))
        if known is not None:
            return known[1]
        self._left, self._marked = MAX_PARTS, False
        found = _PARTS[type(value)](self, value)
        if found is None:
            return Large(id(value), len(value) if isinstance(value, (list, tuple, dict)) else 0)
        if not self._marked:
            self._known[id(value)] = (value, found)
        return found

    def _part(self, value: Any) -> Hashable:
        """Return the kind of a part of a container, or None if the container is too large."""
        self._left -= 1
        if self._left < 0:
            return None
        kind = type(value)
        if kind in _AS_THEY_ARE:
            return value  # type: ignore[no-any-return]
        reader = _PARTS.get(kind)
        return reader(self, value) if reader else (kind, id(value))

    def _text(self, value: str) -> Hashable:
        if HOLE in value:
            parts: list[Hashable] = list(value.split(HOLE))
            parts[1::2] = [self._name(str(part)) for part in parts[1::2]]
            return ("text", *parts)
        return ("decoded", value) if value in self._decoded else value

    def _bytes(self, value: bytes) -> Hashable:
        return ("decoded", value) if value in self._decoded else value

    def _name(self, name: str) -> Hashable:
        marks = self._taints.get(name)
        if marks is not None:
            self._marked = True
            return ("unknown", name, marks)
        return _ANYTHING if is_plain(name) else ("unknown", name)

    def _unknown(self, value: Unknown) -> Hashable:
        return self._name(value.name)

    def _ref(self, value: Ref) -> Hashable:
        marks = self._taints.get(ENVIRONMENT if value.name.startswith("os.environ") else value.name)
        if marks is None:
            return ("ref", value.name)
        self._marked = True
        return ("ref", value.name, marks)

    def _instance(self, value: Instance) -> Hashable:
        return ("instance", value.kind, self._text(value.text), value.mode, self._name(value.source))

    def _number(self, value: float | bool) -> Hashable:
        return (type(value), value)

    def _choice(self, value: Choice) -> Hashable:
        if len(value.values) >= MANY_NUMBERS and all(type(one) is int for one in value.values):
            return ("choice", int)
        parts = [self._part(one) for one in value.values]
        return None if self._left < 0 else ("choice", *parts)

    def _list(self, value: list[Any] | tuple[Any, ...]) -> Hashable:
        if len(value) > self._left:
            self._left = -1
            return None
        parts: list[Hashable] = []
        run, last = 0, None
        for one in value:
            if type(one) is Unknown and one.name not in self._taints and is_plain(one.name):
                part: Hashable = _ANYTHING
                self._left -= 1
            else:
                part = self._part(one)
            run = run + 1 if type(part) is tuple and part == last else 1
            if run <= MAX_RUN:
                parts.append(part)
            last = part
        return None if self._left < 0 else ("list", *parts)

    def _dict(self, value: dict[Any, Any]) -> Hashable:
        if len(value) > self._left:
            self._left = -1
            return None
        parts = [(self._part(key), self._part(one)) for key, one in value.items()]
        return None if self._left < 0 else ("dict", *parts)


#: Kinds of values that are of no kind but themselves.
_AS_THEY_ARE = frozenset({int, type(None)})
#: Values that count by themselves where a function or a container holds them.
_OWN = frozenset({PythonFunction, Object, Partial})
_SINGLE: dict[type, Callable[[Any, Any], Hashable]] = {
    str: ValueKinds._text,
    bytes: ValueKinds._bytes,
    bool: ValueKinds._number,
    float: ValueKinds._number,
    Ref: ValueKinds._ref,
    Unknown: ValueKinds._unknown,
    Instance: ValueKinds._instance,
}
#: How the parts of a container are read.
_PARTS = _SINGLE | {
    Choice: ValueKinds._choice,
    list: ValueKinds._list,
    tuple: ValueKinds._list,
    dict: ValueKinds._dict,
}
#: How a value is read that stands by itself.
_READERS = (
    _SINGLE
    | dict.fromkeys((Choice, list, tuple, dict), ValueKinds._container)
    | {
        PythonFunction: ValueKinds._function,
        Partial: ValueKinds._partial,
    }
)
