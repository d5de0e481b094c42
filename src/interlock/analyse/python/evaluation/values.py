"""The values that expressions are evaluated to: constants, dotted names, instances, functions, choices, unknowns."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from interlock.analyse.files.paths import HOLE, hole
from interlock.analyse.record import FrozenRecord

if TYPE_CHECKING:
    from interlock.analyse.python.evaluation.scope import PythonScope
    from interlock.analyse.python.functions.summaries import Tracker

MAX_CONSTANT = 65_536
MAX_NAME = 60  # of something unknown, as a person would call it
MAX_CHOICES = 8
MAX_PARTS = 1_024
MAX_LINE = 32  # classes above each other


#: The kind of an instance that is an installed module; its text is the module's file.
MODULE = "importlib.ModuleSpec"


class Ref(FrozenRecord, frozen=True, gc=False):
    """Something with a dotted name: a module, a function, a class."""

    name: str


class Instance(FrozenRecord, frozen=True, gc=False):
    """An object made by a call that is known: a path, an open file, a session.

    `source` is the name of what it gives when it is read, as something unknown.
    """

    kind: str
    text: str = ""
    mode: str = "r"
    source: str = ""


class Unknown(FrozenRecord, frozen=True, gc=False):
    """Something that the text does not tell; `name` is how a person would call it.

    Where it came from is kept by that name. Such names have a space in them, which no variable's has.
    """

    name: str = "…"


class Choice(FrozenRecord, frozen=True, gc=True):
    """One of several values: which of them depends on a condition."""

    values: tuple[Any, ...]


class Partial(NamedTuple):
    """A function with the arguments that it was given beforehand; a method has its object as `this`."""

    function: Any
    arguments: tuple[Any, ...] = ()
    keywords: Mapping[str, Any] = MappingProxyType({})
    this: Any = None


class Property(NamedTuple):
    """A method that is called when it is looked at."""

    function: PythonFunction


#: Decorators that say how a method is called, and nothing else.
_OWN_DECORATORS = frozenset({"property", "staticmethod", "classmethod"})


class PythonFunction:
    """A function of the text: its node, and the names that it sees.

    `named` are its parameters that can be given by position; `is_plain` tells whether it has no others, `is_wrapped`
    whether one of its decorators is other than Python's own.
    """

    __slots__ = ("decorators", "defaults", "is_plain", "is_wrapped", "name", "named", "node", "owner", "scope")

    def __init__(
        self,
        node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
        scope: PythonScope,
        owner: Class | None,
        defaults: dict[str, Any],
    ) -> None:
        self.node, self.scope, self.owner, self.defaults = node, scope, owner, defaults
        self.name: str = "lambda"
        self.decorators: list[ast.expr] = []
        if not isinstance(node, ast.Lambda):
            self.name, self.decorators = node.name, node.decorator_list
        parameters = node.args
        self.named = [parameter.arg for parameter in parameters.args]
        if parameters.posonlyargs:
            self.named = [*(parameter.arg for parameter in parameters.posonlyargs), *self.named]
        self.is_plain = not (parameters.kwonlyargs or parameters.vararg or parameters.kwarg)
        self.is_wrapped = bool(self.decorators) and not _OWN_DECORATORS.issuperset(
            [getattr(mark, "id", "") for mark in self.decorators]
        )

    def has_decorator(self, *names: str) -> bool:
        """Whether a function stands below one of the decorators that change how it is called."""
        marks = self.decorators
        return bool(marks) and any(isinstance(mark, ast.Name) and mark.id in names for mark in marks)


class Class:
    """A class of the text. `sample` is the object that its methods are read with; `birth` is when it was made."""

    __slots__ = ("attributes", "bases", "birth", "line", "name", "sample")

    def __init__(self, name: str, bases: list[Any], birth: int) -> None:
        self.name, self.bases, self.birth = name, bases, birth
        self.attributes: dict[str, Any] = {}
        self.sample: Object | None = None
        above = dict.fromkeys(kind for base in bases if isinstance(base, Class) for kind in base.line)
        self.line: list[Class] = [self, *above][:MAX_LINE]  # where its attributes are looked for

    def find(self, name: str) -> Any:
        """Return what the class has by a name, itself or from its bases, or None."""
        for kind in self.line:
            if name in kind.attributes:
                return kind.attributes[name]
        return None


class Module(Class):
    """A module that this run has written, with the names that it defines."""

    __slots__ = ()


class Object:
    """An object of a class of the text; `birth` is when it was made.

    `viewed` is the object itself, or the one that `super()` shows as an object of its base class.
    """

    __slots__ = ("attributes", "birth", "kind", "tracker", "viewed")

    def __init__(self, kind: Class, birth: int, tracker: Tracker, viewed: Object | None = None) -> None:
        self.kind, self.birth, self.tracker = kind, birth, tracker
        self.viewed = viewed or self
        self.attributes: dict[str, Any] = viewed.attributes if viewed else {}

    def contents(self) -> Iterable[Any]:
        """Return the values of all attributes, and record that a function body depends on them."""
        frame = self.tracker.frame
        if frame is not None and self.birth < frame.birth:
            frame.record(self.viewed, "*", self.attributes)
        return self.attributes.values()


UNKNOWN = Unknown()
ABSTRACT = frozenset({Ref, Instance, Unknown, Choice, Partial, Property, PythonFunction, Class, Module, Object})
CONSTANTS = (str, bytes, int, float, bool, list, tuple, dict, type(None))
_SCALARS = frozenset({str, bytes, int, bool, float, type(None), Ref, Instance, Unknown})


def is_same(first: Any, second: Any) -> bool:
    """Whether two values are equal. Containers are equal to themselves alone, because they may contain themselves."""
    if first is second:
        return True
    return type(first) is type(second) and type(first) in _SCALARS and bool(first == second)


def either(first: Any, second: Any) -> Any:
    """Return a value that could be one or the other."""
    if type(first) is not Choice and type(second) is not Choice:
        return first if is_same(first, second) else Choice((first, second))
    found: list[Any] = []
    for value in (first, second):
        for one in value.values if type(value) is Choice else (value,):
            for other in found:
                if one is other or is_same(one, other):
                    break
            else:
                found.append(one)
    return _choice_of(found)


def either_of(values: list[Any]) -> Any:
    """Return a value that could be any of several."""
    if len(values) < 3:
        return values[0] if len(values) == 1 else either(*values)
    found: dict[Any, Any] = {}
    for value in values:
        for one in value.values if type(value) is Choice else (value,):
            kind = type(one)
            found.setdefault((kind, one) if kind in _SCALARS else id(one), one)
    return _choice_of(list(found.values()))


def _choice_of(found: list[Any]) -> Any:
    """Return a choice of different values, or the only one; of more than are kept, those that came from somewhere."""
    if len(found) == 1:
        return found[0]
    if len(found) > MAX_CHOICES:  # what came from somewhere is worth more than what could be told
        found.sort(key=lambda one: not has_source(one))
    return Choice(tuple(found[:MAX_CHOICES]))


def has_source(value: Any) -> bool:
    """Whether a value tells where it, or a part of it, came from."""
    return (isinstance(value, Unknown) and " " in value.name) or (isinstance(value, str) and HOLE in value)


def is_list(value: Any) -> bool:
    """Whether a value is a list or a tuple of the text."""
    kind = type(value)
    return kind is list or (kind not in ABSTRACT and isinstance(value, tuple))


def as_text(value: Any) -> str:
    """Return a value as part of a string, with a hole where it is not known."""
    kind = type(value)
    if kind is str:
        return value  # type: ignore[no-any-return]
    if kind is Unknown or kind is Ref:
        return hole(value.name.replace(HOLE, "")[:MAX_NAME])
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if kind is Instance:
        return value.text or hole(value.source or value.kind.rpartition(".")[2][:MAX_NAME])
    if kind is Choice:
        return as_text(next((one for one in value.values if has_source(one)), UNKNOWN))
    if isinstance(value, int):
        return str(value) if value.bit_length() < 4_000 else hole("number")
    return str(value) if value is None or isinstance(value, float) else hole("…")


def words_of(value: Any) -> list[str] | None:
    """Return an argument list, with holes where a word is not known."""
    return [as_text(item) for item in value] if is_list(value) else None


def size_of(value: Any) -> int:
    """Return the size of a value, as the cost of looking through it."""
    kind = type(value)
    if kind is str or kind is bytes:
        return len(value)
    if kind in _SIZES:
        return _SIZES[kind]
    if kind is Choice:
        return sum([size_of(one) for one in value.values])
    return 4 * len(value) if isinstance(value, (list, tuple, dict)) else 0


_SIZES: dict[type, int] = {Ref: 4, Unknown: 4, Instance: 16, int: 0, float: 0, bool: 0, type(None): 0}


def is_known(value: Any) -> bool:
    """Whether a value is a constant through and through, and of a size that can be looked through."""
    kind = type(value)
    if kind is str:
        return HOLE not in value
    if kind in ABSTRACT:
        return False
    left, parts = [value], 0
    while left:
        item = left.pop()
        parts += 1
        if parts > MAX_PARTS or type(item) in ABSTRACT or not isinstance(item, CONSTANTS):
            return False
        if isinstance(item, str):
            if HOLE in item:
                return False
        elif isinstance(item, (list, tuple)):
            if len(item) > MAX_PARTS and not _is_flat(item):
                return False
            left += item[:MAX_PARTS]
        elif isinstance(item, dict):
            left += item.values()
    return True


def _is_flat(items: list[Any] | tuple[Any, ...]) -> bool:
    """Whether a long list holds numbers and short texts alone, as one that spells something does."""
    return all(type(item) is int or (type(item) is str and len(item) < 5 and HOLE not in item) for item in items)


def limit_size(value: Any) -> Any:
    """Return a computed constant, or `UNKNOWN` if it is larger than may be kept."""
    kind = type(value)
    if kind is str or kind is list:
        return UNKNOWN if len(value) > MAX_CONSTANT else value
    if kind in _KEPT:
        return value
    if isinstance(value, (bytes, tuple, dict, str, list)):
        return UNKNOWN if len(value) > MAX_CONSTANT else value
    if isinstance(value, int):
        return UNKNOWN if value.bit_length() > 4096 else value
    return value if isinstance(value, float) else UNKNOWN


_KEPT = frozenset({float, bool, type(None), Ref, Instance, Unknown, Choice})
