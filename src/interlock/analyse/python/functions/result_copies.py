"""Copies of what a function gives: each call gets containers and objects of its own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

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

MAX_PARTS = 256
_MUTABLE = frozenset({list, dict})
_PLAIN = frozenset({str, bytes, int, float, bool, type(None), Unknown, Ref, Instance})


def _parts_of(value: Any) -> Iterable[Any]:
    kind = type(value)
    if kind is list or kind is tuple:
        return value  # type: ignore[no-any-return]
    if kind is dict:
        return value.values()  # type: ignore[no-any-return]
    if kind is Choice:
        return value.values  # type: ignore[no-any-return]
    if kind is Object:
        return value.attributes.values()  # type: ignore[no-any-return]
    if kind is Partial:
        return [value.function, value.this, *value.arguments, *value.keywords.values()]
    return [value.function] if kind is Property else []


def parts_in(values: list[Any]) -> list[Any] | None:
    """Return everything in values that can change or keep something alive, or None if there is too much of it."""
    seen: dict[int, Any] = {}
    left = [value for value in values if type(value) not in _PLAIN]
    while left:
        value = left.pop()
        identity = id(value)
        if identity in seen:
            continue
        if len(seen) >= MAX_PARTS:
            return None
        seen[identity] = value
        left += [part for part in _parts_of(value) if type(part) not in _PLAIN]
    return list(seen.values())


def container_ids(parts: list[Any]) -> frozenset[int]:
    """Return the identities of the lists and dictionaries among parts."""
    return frozenset([id(one) for one in parts if type(one) in _MUTABLE])


def escapes(parts: list[Any], birth: int) -> bool:
    """Whether there is a function or a class made after `birth` among parts: it keeps the names of one call alive."""
    for one in parts:
        kind = type(one)
        if (kind is PythonFunction and one.scope.birth >= birth) or (kind is Class and one.birth >= birth):
            return True
        if kind is Partial and isinstance(one.this, Object) and one.this.birth >= birth:
            return True
    return False


class Copier:
    """Copies a result: containers and objects made after `birth` anew, others as the call at hand knows them."""

    __slots__ = ("_birth", "_copies", "_now", "_outer", "_pairs")

    def __init__(self, birth: int, now: int, outer: frozenset[int], pairs: dict[Any, Any]) -> None:
        self._birth, self._now, self._outer, self._pairs = birth, now, outer, pairs
        self._copies: dict[int, Any] = {}

    def copy(self, value: Any) -> Any:
        """Return a value for one more call."""
        kind = type(value)
        if kind is list or kind is dict:
            return value if id(value) in self._outer else self._container(value)
        if kind is Object:
            return self._object(value)
        if kind is Choice:
            return Choice(tuple([self.copy(one) for one in value.values]))
        if kind is tuple:
            return tuple([self.copy(one) for one in value])
        if kind is Partial and isinstance(value.this, Object):
            return value._replace(this=self._object(value.this))
        return value

    def _container(self, value: Any) -> Any:
        if id(value) in self._copies:
            return self._copies[id(value)]
        made: Any = type(value)()
        self._copies[id(value)] = made
        if type(value) is list:
            made += [self.copy(one) for one in value]
        else:
            made.update({key: self.copy(one) for key, one in value.items()})
        return made

    def _object(self, value: Object) -> Object:
        if value.birth < self._birth:
            known: Object = self._pairs.get(value, value)
            return known
        made: Object | None = self._copies.get(id(value))
        if made is None:
            made = self._copies[id(value)] = Object(value.kind, self._now, value.tracker)
            made.attributes.update({name: self.copy(one) for name, one in value.attributes.items()})
        return made
