"""The kinds of values that a function's parameters take, from its annotations, as a JSON schema."""

from __future__ import annotations

import collections.abc
import decimal
import enum
import fractions
import inspect
import os
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any

TEXT, NUMBER, TRUTH, LIST, TABLE, BYTES = "a string", "a number", "true or false", "a list", "a table", "bytes"
RoleKinds = frozenset[str]

#: The kinds of values of each type, the narrower types first.
_TYPES: tuple[tuple[type, str], ...] = (
    (bool, TRUTH),
    (int, NUMBER),
    (float, NUMBER),
    (decimal.Decimal, NUMBER),
    (fractions.Fraction, NUMBER),
    (str, TEXT),
    (os.PathLike, TEXT),
    (bytes, BYTES),
    (bytearray, BYTES),
    (memoryview, BYTES),
    (collections.abc.Mapping, TABLE),
    (collections.abc.Collection, LIST),
)
#: Abstract types of parameters that take any collection, a text included.
_OPEN = (collections.abc.Iterable, collections.abc.Collection, collections.abc.Container, object)
_JSON_TYPES = {TEXT: "string", NUMBER: "number", TRUTH: "boolean", LIST: "array", TABLE: "object", BYTES: "string"}


def annotations_of(function: Callable[..., Any], signature: inspect.Signature) -> dict[str, Any]:
    """Return the annotations of a function's parameters, without those that cannot be resolved here."""
    plain = inspect.unwrap(function)
    target = plain if hasattr(plain, "__annotations__") else getattr(plain, "__call__", plain)  # noqa: B004
    try:
        hints = typing.get_type_hints(target, include_extras=True)
    except (NameError, AttributeError, TypeError, SyntaxError):  # a name that only type checkers import
        hints = {}
    own = {name: one.annotation for name, one in signature.parameters.items() if not isinstance(one.annotation, str)}
    found = {name: hints.get(name, own.get(name, inspect.Parameter.empty)) for name in signature.parameters}
    return {name: given for name, given in found.items() if given is not inspect.Parameter.empty}


def kinds_of(annotation: Any) -> RoleKinds | None:
    """Return the kinds of values that an annotation allows, or None if it does not say.

    >>> sorted(kinds_of(str | None)), sorted(kinds_of(list[str])), kinds_of(Any)
    (['a string'], ['a list'], None)
    """
    if isinstance(annotation, typing.NewType):
        return kinds_of(annotation.__supertype__)
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        return kinds_of(annotation.__origin__)
    if origin in (typing.Union, types.UnionType):
        parts = [kinds_of(one) for one in typing.get_args(annotation) if one is not types.NoneType]
        return None if any(part is None for part in parts) else frozenset().union(*filter(None, parts))
    if origin is typing.Literal:
        return frozenset().union(*(kinds_of(type(one)) or () for one in typing.get_args(annotation)))
    plain = origin or annotation
    if not isinstance(plain, type) or plain in _OPEN:
        return None
    if issubclass(plain, enum.Enum):
        return frozenset({TEXT, NUMBER})
    found = next((kind for one, kind in _TYPES if issubclass(plain, one)), None)
    return None if found is None else frozenset({found})


def schema_of(function: Callable[..., Any], signature: inspect.Signature) -> dict[str, Any]:
    """Return the JSON schema of a function's annotated arguments."""
    annotations = annotations_of(function, signature)
    return {"properties": {name: _property(annotations, name) for name in signature.parameters}}


def _property(annotations: Mapping[str, Any], name: str) -> dict[str, Any]:
    kinds = kinds_of(annotations[name]) if name in annotations else None
    named = sorted({_JSON_TYPES[kind] for kind in kinds or ()})
    return {} if not named else {"type": named[0] if len(named) == 1 else named}
