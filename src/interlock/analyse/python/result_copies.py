"""Copies of what a function gives: each call gets containers and objects of its own."""

from __future__ import annotations

from typing import Any

from interlock.analyse.python.values import Choice, Class, Function, Object, Partial, Property

MAX_PARTS = 256
_MUTABLE = (list, dict)


def _parts_of(value: Any) -> list[Any]:
    kind = type(value)
    if kind is list or kind is tuple:
        return list(value)
    if kind is dict:
        return list(value.values())
    if kind is Choice:
        return list(value.values)
    if kind is Object:
        return list(value.attributes.values())
    if kind is Partial:
        return [value.function, value.this, *value.arguments, *value.keywords.values()]
    return [value.function] if kind is Property else []


def _walk(values: list[Any]) -> list[Any] | None:
    """Return values and everything in them, or None if that is too much."""
    seen: dict[int, Any] = {}
    left = list(values)
    while left:
        value = left.pop()
        parts = _parts_of(value)
        if not parts and type(value) not in (list, dict, Function, Class, Object):
            continue
        if id(value) not in seen:
            if len(seen) >= MAX_PARTS:
                return None
            seen[id(value)] = value
            left += parts
    return list(seen.values())


def containers_in(values: list[Any]) -> frozenset[int] | None:
    """Return the identities of lists and dictionaries in values, or None if there is too much to look through."""
    found = _walk(values)
    return None if found is None else frozenset(id(one) for one in found if type(one) in _MUTABLE)


def escapes(value: Any, birth: int) -> bool:
    """Whether a value holds a function or a class made after `birth`: it keeps the names of one call alive."""
    for one in _walk([value]) or ():
        if type(one) is Function and one.scope.birth >= birth:
            return True
        if type(one) is Class and one.birth >= birth:
            return True
        if type(one) is Partial and isinstance(one.this, Object) and one.this.birth >= birth:
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
            return self._pairs.get(value, value)
        if id(value) not in self._copies:
            made = self._copies[id(value)] = Object(value.kind, self._now, value.tracker)
            made.attributes.update({name: self.copy(one) for name, one in value.attributes.items()})
        return self._copies[id(value)]
