"""Places in tool calls: channels, folders, documents and boards, and which of them people outside can see."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from interlock.knowledge.tool_names import split_words
from interlock.memory.calls.arguments import argument_values
from interlock.memory.calls.tool_services import tool_service_of
from interlock.memory.calls.words import memory_words
from interlock.model import Action, Effect
from interlock.payload import leaves

MIN_PLACE, MAX_PLACE = 3, 100
#: Effects by which something is opened to others, and flags of others who are strangers.
_OPENING = frozenset({"document.share", "access.grant", "content.publish"})
_STRANGERS = frozenset({"outside", "unknown", "public"})


def is_place(key: str, value: Any) -> bool:
    """Whether an argument names a place: it is short, and not a message for people."""
    is_short = isinstance(value, str) and 0 < len(value) <= MAX_PLACE and "\n" not in value
    return is_short and key not in memory_words().texts


def find_outside(action: Action, effects: Iterable[Effect]) -> list[str]:
    """Return the places that a call names, if it shares them with outsiders or says that outsiders can see them."""
    if any(effect.kind in _OPENING and not effect.flags.isdisjoint(_STRANGERS) for effect in effects):
        return [value for _, value in argument_values(action.input_payload) if is_item_name(value)]
    found = [(key, value) for key, value in argument_values(action.input_payload) if is_place(key.lower(), value)]
    known = memory_words()
    if _asks_for_readers(action):
        return [value for key, value in found if key.lower().endswith(known.place_ids) or key.lower() in known.places]
    if not any(not known.outside.isdisjoint(split_words(value)) for _, value in found):
        return []
    named = [value for key, value in found if key.lower().endswith(known.place_ids)]
    return [*named, default_place(action.tool_name)] if _is_default(action) else named


def default_place(tool: str) -> str:
    """Return the name under which the default place of a service is remembered, for calls that name none."""
    return f"default of {tool_service_of(tool) or tool}"


def _is_default(action: Action) -> bool:
    return not memory_words().defaults.isdisjoint(split_words(action.tool_name)) or any(
        "default" in key for key in action.input_payload
    )


def _asks_for_readers(action: Action) -> bool:
    """Whether a call asks who can see a place: the agent then knows about outside readers before it writes there."""
    words = split_words(action.tool_name)
    if not memory_words().sharing.isdisjoint(words):
        return True
    return any(isinstance(value, str) and "permissionLevel" in value for _, value in leaves(action.input_payload))


def is_item_name(value: Any) -> bool:
    """Whether a value is the name or the id of what is shared, and not a role or a person.

    >>> is_item_name("Checklist for Varga"), is_item_name("reader"), is_item_name("petra@studio.example")
    (True, False, False)
    """
    return (
        isinstance(value, str)
        and MIN_PLACE <= len(value) <= MAX_PLACE
        and "@" not in value
        and "\n" not in value
        and (" " in value or not value.isalpha())
    )
