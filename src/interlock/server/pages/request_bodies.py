"""The body of a request in the API reference: its fields, their types, and what they mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

#: How many tables inside tables are shown.
MAX_DEPTH = 3
_ANY = "any"
Schema = Mapping[str, Any]


class BodyField(msgspec.Struct, frozen=True):
    """A field of a body: its name with the tables around it, its type, and whether it is required."""

    name: str
    type: str
    required: bool
    description: str


class Body(msgspec.Struct, frozen=True):
    """The body of a request: what it is, and its fields."""

    description: str
    fields: list[BodyField]


def describe_body(whole: Schema, operation: Schema) -> Body | None:
    """Return the JSON body that an operation takes, or None."""
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if content is None:
        return None
    found = _resolve(whole, content["schema"])
    return Body(str(found.get("description", "")), _fields(whole, found, "", 1))


def _fields(whole: Schema, schema: Schema, prefix: str, depth: int) -> list[BodyField]:
    required, result = schema.get("required", ()), []
    for name, given in schema.get("properties", {}).items():
        field = _resolve(whole, given)
        words = given.get("description") or field.get("description") or ""
        result.append(BodyField(prefix + name, _type(whole, given), name in required, str(words)))
        if depth < MAX_DEPTH:
            for ending, inner in _tables_in(whole, given):
                result += _fields(whole, inner, f"{prefix}{name}{ending}.", depth + 1)
    return result


def _tables_in(whole: Schema, schema: Schema) -> list[tuple[str, Schema]]:
    """Return the tables that a value may be, or may be a list of, with the ending of its name."""
    found = []
    for one in _choices(whole, schema):
        inside = _choices(whole, one["items"]) if one.get("items") else []
        found += [("", one)] if "properties" in one else [("[]", item) for item in inside if "properties" in item]
    return found


def _choices(whole: Schema, schema: Schema) -> list[Schema]:
    """Return the schemas that a value may have."""
    found = _resolve(whole, schema)
    return [_resolve(whole, one) for one in found.get("oneOf") or found.get("anyOf") or [found]]


def _type(whole: Schema, schema: Schema) -> str:
    names = dict.fromkeys(_type_of_one(whole, one) for one in _choices(whole, schema))
    return " or ".join([name for name in names if name != _ANY] or [_ANY])


def _type_of_one(whole: Schema, schema: Schema) -> str:
    if "enum" in schema:
        return ", ".join(str(one) for one in schema["enum"])
    if "const" in schema:
        return str(schema["const"])
    kind = schema.get("type", _ANY)
    if kind == "array":
        return f"list of {_type(whole, schema['items'])}" if schema.get("items") else "list"
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def _resolve(whole: Schema, schema: Schema) -> Schema:
    """Return a schema, or the one that it refers to."""
    reference = schema.get("$ref")
    if reference is None:
        return schema
    found: Schema = whole["components"]["schemas"][reference.rpartition("/")[2]]
    return found
