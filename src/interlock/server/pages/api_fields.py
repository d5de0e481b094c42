"""The fields of requests and responses, from their schemas in the OpenAPI description."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

Schema = Mapping[str, Any]
_REFERENCE = "#/components/schemas/"
_JSON = "application/json"
#: How many levels of fields inside fields are listed.
MAX_DEPTH = 2


class ApiField(NamedTuple):
    """A field of a body: its name, which may be a path, its type in words, and whether it is required."""

    name: str
    type: str
    required: bool
    about: str


def list_body_fields(body: Schema | None, components: Mapping[str, Schema]) -> list[ApiField]:
    """Return the fields of a JSON body, or nothing if there is none."""
    schema = ((body or {}).get("content") or {}).get(_JSON, {}).get("schema")
    return [] if schema is None else list(_list_fields(schema, components, "", 0))


def _list_fields(schema: Schema, components: Mapping[str, Schema], prefix: str, depth: int) -> Iterator[ApiField]:
    found = _resolve(schema, components)
    if found.get("type") == "array":
        found, prefix = _resolve(found.get("items", {}), components), f"{prefix}[]."
    required = set(found.get("required", ()))
    for name, part in found.get("properties", {}).items():
        about = part.get("description") or ""
        yield ApiField(f"{prefix}{name}", describe_type(part, components), name in required, about)
        inner = _inner(part, components)
        if inner is not None and depth + 1 < MAX_DEPTH:
            yield from _list_fields(inner, components, f"{prefix}{name}.", depth + 1)


def _inner(part: Schema, components: Mapping[str, Schema]) -> Schema | None:
    """Return the schema of an object inside a field, if it has fields of its own."""
    choices = [one for one in part.get("oneOf", [part]) if one.get("type") != "null"]
    found = _resolve(choices[0], components) if len(choices) == 1 else {}
    return found if found.get("properties") else None


def _resolve(schema: Schema, components: Mapping[str, Schema]) -> Schema:
    name = str(schema.get("$ref", "")).removeprefix(_REFERENCE)
    return components.get(name, schema) if name else schema


def describe_type(schema: Schema, components: Mapping[str, Schema]) -> str:
    """Return a type in words.

    >>> describe_type({"oneOf": [{"type": "string"}, {"type": "null"}]}, {})
    'string or null'
    >>> describe_type({"type": "array", "items": {"enum": ["a", "b"]}}, {})
    'list of `a`, `b`'
    """
    found = _resolve(schema, components)
    if "oneOf" in found:
        return " or ".join(describe_type(one, components) for one in found["oneOf"])
    if "enum" in found:
        return ", ".join("`null`" if one is None else f"`{one}`" for one in found["enum"])
    if found.get("type") == "array":
        return f"list of {describe_type(found.get('items', {}), components)}"
    return str(found.get("type") or "anything")
