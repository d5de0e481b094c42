"""Payloads: what an agent hands to a tool, made safe to read. Any nesting, any size, any characters."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

MAX_DEPTH = 16
MAX_LEAVES = 2_000
MAX_TEXT = 2_000_000


def clean(text: str) -> str:
    """Return a text that every parser and JSON can take: no null bytes, no lone surrogates; offsets stay."""
    if text.isascii():
        return text.replace("\0", "\ufffd") if "\0" in text else text
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd")


def text_of(value: Any) -> str | None:
    """Return a payload's value as text: a string, bytes, or an argument list as the shell would write it."""
    if isinstance(value, str):
        return clean(value[:MAX_TEXT])
    if isinstance(value, (bytes, bytearray)):
        return clean(bytes(value[:MAX_TEXT]).decode("utf-8", "replace"))
    if isinstance(value, (list, tuple)) and value and all(isinstance(item, str) for item in value):
        return clean(" ".join(shlex.quote(item) for item in value)[:MAX_TEXT])
    return None


def first_text(payload: Mapping[str, Any], keys: Iterable[str]) -> tuple[str, str] | None:
    """Return the first of the keys that holds a text, with that text."""
    for key in keys:
        if key in payload:
            text = text_of(payload[key])
            if text is not None:
                return key, text
    return None


def texts(payload: Mapping[str, Any], keys: Iterable[str]) -> Iterator[str]:
    """Yield every text under the keys; a list gives each of its texts."""
    for key in keys:
        value = payload.get(key)
        for item in value if isinstance(value, (list, tuple)) else (value,):
            text = text_of(item)
            if text:
                yield text


def leaves(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield every name and value in a payload, however nested, up to a limit."""
    stack: list[tuple[str, Any, int]] = [("", value, 0)]
    count = 0
    while stack and count < MAX_LEAVES:
        name, item, depth = stack.pop()
        count += 1
        if depth < MAX_DEPTH and isinstance(item, Mapping):
            stack.extend(
                (written(key, 200), inner, depth + 1) for key, inner in reversed(list(item.items())[:MAX_LEAVES])
            )
        elif depth < MAX_DEPTH and isinstance(item, (list, tuple)):
            stack.extend((name, inner, depth + 1) for inner in reversed(item[:MAX_LEAVES]))
        else:
            yield name, None if isinstance(item, (Mapping, list, tuple)) else item


def written(value: Any, limit: int) -> str:
    """Return a payload's value as text, whatever it is: nothing of the agent's is called to find out."""
    if isinstance(value, (bytes, bytearray)):
        return bytes(value[:limit]).decode("utf-8", "replace")
    if isinstance(value, str):
        return value[:limit]
    if isinstance(value, int):
        return str(value) if value.bit_length() < 4_000 else "a large number"
    return str(value) if value is None or isinstance(value, float) else type(value).__name__
