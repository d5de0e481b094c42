"""The fields of policies for people who write them: what each means, its type, and the operators that fit."""

from __future__ import annotations

from typing import Literal

import msgspec

from interlock.policy.conditions import DATA_CLASSES, split_field

FieldType = Literal["text", "list", "number", "level", "boolean", "any"]


class FieldInfo(msgspec.Struct, frozen=True):
    """A field: its name, type and group, and a short description."""

    name: str
    type: FieldType
    group: str
    about: str


_ROWS: tuple[tuple[str, FieldType, str, str], ...] = (
    ("toolName", "text", "Action", "name of the tool, such as Bash"),
    ("agentId", "text", "Action", "agent that acts"),
    ("environment", "text", "Action", "environment, such as production"),
    ("user", "text", "Action", "person that the agent acts for"),
    ("tenant", "text", "Action", "customer that the agent acts for"),
    ("runId", "text", "Action", "run that the action belongs to"),
    ("inputPayload", "any", "Action", "argument of the call, by its path"),
    ("metadata", "any", "Action", "metadata of the action, by its path"),
    ("effects.kind", "list", "Effects", "kinds of effects, such as fs.delete"),
    ("effects.changes", "boolean", "Effects", "whether anything is changed"),
    ("resources", "list", "Effects", "files, hosts and other resources, such as file:/etc/hosts"),
    ("data.classes", "list", "Effects", f"kinds of data: {', '.join(DATA_CLASSES)}"),
    ("risk.level", "level", "Risk", "level, from safe to critical"),
    ("risk.score", "number", "Risk", "score from 0 to 100"),
    ("risk.rules", "list", "Risk", "rules that matched"),
    ("run.calls", "number", "Run so far", "actions before this one"),
    ("run.tool_calls", "number", "Run so far", "calls of the same tool before this one"),
    ("run.secrets_read", "number", "Run so far", "secrets that were read"),
    ("run.private_read", "number", "Run so far", "private files that were read"),
    ("run.untrusted", "number", "Run so far", "untrusted content that was read"),
    ("run.requests", "list", "Run so far", "what people asked the agent to do"),
    ("run.metadata", "any", "Run so far", "metadata of the run, by its path"),
    ("drift.new_tool", "boolean", "Drift", "whether the agent's baseline lacks the tool"),
    ("drift.new_host", "boolean", "Drift", "whether its baseline lacks a host that is contacted"),
    ("drift.new_folder", "boolean", "Drift", "whether its baseline lacks a folder that is used"),
    ("drift.rate", "number", "Drift", "actions in the last hour, as a multiple of its usual number"),
)
FIELD_TYPES: dict[str, FieldInfo] = {row[0]: FieldInfo(*row) for row in _ROWS}

#: Operators as people read them.
OPERATOR_LABELS = {
    "equals": "is",
    "not_equals": "is not",
    "in": "is one of",
    "not_in": "is none of",
    "contains": "contains",
    "matches": "matches regex",
    "gt": "is more than",
    "gte": "is at least",
    "lt": "is less than",
    "lte": "is at most",
    "exists": "is present",
}
_CHOICE = ("equals", "not_equals", "in", "not_in")
_ORDER = ("gt", "gte", "lt", "lte")
#: The operators that fit each type.
OPERATORS_OF: dict[FieldType, tuple[str, ...]] = {
    "text": (*_CHOICE, "contains", "matches", "exists"),
    "list": (*_CHOICE, "contains", "matches", "exists"),
    "number": ("equals", "not_equals", *_ORDER, "in", "not_in", "exists"),
    "level": (*_CHOICE, *_ORDER),
    "boolean": ("equals", "not_equals"),
    "any": tuple(OPERATOR_LABELS),
}


def type_of(field: str) -> FieldType:
    """Return the type of a field, which may be a path inside an open one.

    >>> type_of("risk.score"), type_of("inputPayload.amount")
    ('number', 'any')
    """
    info = FIELD_TYPES.get(split_field(field)[0] or field)
    return info.type if info else "any"
