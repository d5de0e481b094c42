"""The JSON schema of a tool's arguments, as the tool's server declares it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interlock.analyse.tools.arguments import DECLARED, Argument
from interlock.payload import plain_key

#: Roles that make a call harmless. They count only for arguments that the tool has.
_EASING = frozenset({"rehearsal", "state", "environment", "fields", "revealing"})
MAX_PROPERTIES = 100
MAX_TEXT = 200
_KEPT = ("type", "format", "enum", "const")


def outline(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a schema that the analysis uses: names, types, formats, enums, short descriptions.

    Which of them are required is kept as well.
    """
    found = schema.get("properties")
    if not isinstance(found, Mapping):
        return {}
    kept = {str(name)[:MAX_TEXT]: _property(part) for name, part in list(found.items())[:MAX_PROPERTIES]}
    wanted = read_required_names(schema)
    required = [name for name in kept if plain_key(name) in wanted]
    return {"properties": kept, "required": required} if required else {"properties": kept}


def _property(part: Any) -> dict[str, Any]:
    if not isinstance(part, Mapping):
        return {}
    kept = {key: part[key] for key in _KEPT if isinstance(part.get(key), (str, list))}
    if isinstance(part.get("description"), str):
        kept["description"] = part["description"][:MAX_TEXT]
    return kept


def read_declared_names(schema: Mapping[str, Any]) -> frozenset[str] | None:
    """Return the names of the arguments that a tool has, or None if its schema is unknown."""
    properties = schema.get("properties")
    return frozenset(map(plain_key, properties)) if isinstance(properties, Mapping) else None


def read_required_names(schema: Mapping[str, Any]) -> frozenset[str]:
    """Return the names of the arguments that a call of a tool has to have."""
    required = schema.get("required")
    return frozenset([plain_key(name) for name in required if isinstance(name, str)] if type(required) is list else ())


def select_declared(payload: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the arguments that a tool has, or None if it has all of them or its schema is unknown."""
    declared = read_declared_names(schema)
    if declared is None:
        return None
    found = {name: value for name, value in payload.items() if plain_key(name) in declared}
    return found if len(found) < len(payload) else None


def ignore_undeclared(arguments: list[Argument], schema: Mapping[str, Any]) -> list[Argument]:
    """Return the arguments; those that the tool does not have cannot make the call a rehearsal.

    An agent may add `dry_run: true` to a call of a tool that ignores it.
    """
    declared = read_declared_names(schema) if schema else None
    if declared is None:
        return arguments
    return [
        one.with_roles(one.roles | {DECLARED})
        if one.keys and one.keys[0] in declared
        else one
        if not one.keys or one.roles.isdisjoint(_EASING)
        else one.with_roles(one.roles - _EASING)
        for one in arguments
    ]
