"""Safe access to payloads of any nesting, size and characters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from interlock.patterns import late
from interlock.sanitise import clean

MAX_DEPTH = 16
MAX_LEAVES = 2_000
MAX_KEY = 100
MAX_TEXT = 2_000_000
#: The types of a value that is one piece, and of one with keys: `dict` first, since a check against `Mapping` is slow.
SCALARS = (str, int, float)
MAPPINGS = (dict, Mapping)


def text_of(value: Any) -> str | None:
    """Return a string or bytes as clean text, or None for any other value."""
    if isinstance(value, str):
        return clean(value[:MAX_TEXT])
    if isinstance(value, (bytes, bytearray)):
        return clean(bytes(value[:MAX_TEXT]).decode("utf-8", "replace"))
    return None


_HUMP = late(r"(?<=[a-z0-9])(?=[A-Z])")


def plain_key(key: object) -> str:
    """Return a key in the spelling of the tables: `filePath` and `File-Path` are `file_path`."""
    return _plain(key[:MAX_KEY]) if isinstance(key, str) else ""


def key_of(name: Any) -> str:
    """Return the name of a value in a mapping, which may be no text, in the spelling of the tables."""
    return _plain((name if type(name) is str else format_value(name, MAX_KEY))[:MAX_KEY])


@lru_cache(maxsize=4096)
def _plain(key: str) -> str:
    return (key if key.islower() else _HUMP.sub("_", key)).replace("-", "_").lower()


def texts(payload: Any, keys: Iterable[str]) -> list[str]:
    """Return every text under the keys at any depth, in the order of the keys."""
    return texts_among(leaves(payload), keys)


def texts_among(walked: Iterable[tuple[str, Any]], keys: Iterable[str]) -> list[str]:
    """Return every text under the keys among the leaves of a payload, in the order of the keys."""
    return texts_under(with_plain_keys(walked), dict.fromkeys(keys))


def with_plain_keys(walked: Iterable[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Return the leaves of a payload with their keys in the spelling of the tables."""
    return [(_plain(name[:MAX_KEY]), value) for name, value in walked]


def texts_under(spelled: Iterable[tuple[str, Any]], keys: Mapping[str, object]) -> list[str]:
    """Return every text under the keys among leaves with plain keys, in the order of the keys."""
    found: dict[str, list[str]] = {}
    for key, value in [one for one in spelled if one[0] in keys]:
        text = text_of(value)
        if text and text.strip():
            found.setdefault(key, []).append(text)
    return [text for key in keys if key in found for text in found[key]] if found else []


def is_truncated(payload: Any) -> bool:
    """Whether a payload exceeds the limits of size and depth, so that a part of it is not read."""
    return is_cut(leaves(payload))


def is_cut(walked: Iterable[tuple[str, Any]]) -> bool:
    """Whether leaves of a payload are not all of it."""
    return bool([value for _, value in walked if value is CUT])


CUT = object()


def leaves(value: Any, depth: int = 0, most: int = MAX_LEAVES) -> list[tuple[str, Any]]:
    """Return every key and value in a payload at any depth, and `CUT` for the rest past the limits.

    `depth` is how deep the payload lies in another one, and `most` how many values may be read.
    """
    found: list[tuple[str, Any]] = []
    _add_leaves("", value, depth, [most], found)
    return found


def _add_leaves(name: str, item: Any, depth: int, left: list[int], found: list[tuple[str, Any]]) -> bool:
    """Add the leaves of a value, and return whether that was all of it; `left` holds how many values may be read."""
    left[0] -= 1
    if left[0] < 0:
        found.append((name, CUT))
        return False
    if isinstance(item, SCALARS):
        found.append((name, item))
        return True
    mapping = isinstance(item, MAPPINGS)
    if not mapping and not isinstance(item, (list, tuple)):
        found.append((name, item))
        return True
    if depth >= MAX_DEPTH and item:
        found.append((name, CUT))
        return False
    parts = item.items() if mapping else [(name, part) for part in item[: MAX_LEAVES + 1]]
    room = left[0]
    for key, part in parts:
        own = key[:MAX_KEY] if type(key) is str else format_value(key, MAX_KEY)
        if room > 0 and isinstance(part, SCALARS):
            room -= 1
            found.append((own, part))
            continue
        left[0] = room
        if not _add_leaves(own, part, depth + 1, left, found):
            return False
        room = left[0]
    left[0] = room
    return True


def format_value(value: Any, limit: int) -> str:
    """Return any value of a payload as text, without calling methods of unknown objects."""
    if isinstance(value, str):
        return value[:limit]
    if isinstance(value, (bytes, bytearray)):
        return bytes(value[:limit]).decode("utf-8", "replace")
    if isinstance(value, int):
        return str(value) if value.bit_length() < 4_000 else "a large number"
    return str(value) if value is None or isinstance(value, float) else "" if value is CUT else type(value).__name__
