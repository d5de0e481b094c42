"""Parts of texts and lists, as functions of script languages count them, and the values of hashes."""

from __future__ import annotations

from typing import Any

from interlock.analyse.scripts.values import as_text, flat


def _whole(value: Any) -> Any:
    """Return a text or a list to take a part of."""
    return value if isinstance(value, list) else as_text(value)


def take_slice(arguments: list[Any]) -> Any:
    """`text.slice(start, end)`: negative places count from the end.

    >>> take_slice(["xrm -rf", 1]), take_slice([["a", "b", "c"], 0, -1])
    ('rm -rf', ['a', 'b'])
    """
    places = [int(place) for place in arguments[1:3]]
    return _whole(arguments[0])[places[0] if places else 0 : places[1] if len(places) > 1 else None]


def take_between(arguments: list[Any]) -> Any:
    """`text.substring(start, end)`: the smaller place comes first, and none is negative.

    >>> take_between(["xrm -rf", 3, 1]), take_between(["xrm", -1])
    ('rm', 'xrm')
    """
    text = as_text(arguments[0])
    places = [max(int(place), 0) for place in arguments[1:3]] + [len(text)] * (len(arguments) < 3)
    return text[min(places) : max(places)]


def take_length(arguments: list[Any]) -> Any:
    """`substr(text, start, length)`: a negative length leaves out so much at the end.

    >>> take_length(["xrm -rf", 1, 2]), take_length(["xrm", -2]), take_length(["rmxx", 0, -2])
    ('rm', 'rm', 'rm')
    """
    rest = _whole(arguments[0])[int(arguments[1]) :]
    return rest if len(arguments) < 3 else rest[: int(arguments[2])]


def take_counted(arguments: list[Any]) -> Any:
    """Lua's `text:sub(first, last)`: places are counted from one, and the last one belongs to the part.

    >>> take_counted(["xrm", 2]), take_counted(["xrmx", 2, -2]), take_counted(["rmx", 1, 2])
    ('rm', 'rm', 'rm')
    """
    text = as_text(arguments[0])
    first, last = int(arguments[1]), int(arguments[2]) if len(arguments) > 2 else -1
    end = last + 1 or None if last < 0 else last
    return text[first - 1 if first > 0 else first : end]


def drop_first(arguments: list[Any]) -> list[Any]:
    """`list.drop(2)`."""
    return _list(arguments[0])[int(arguments[1]) :]


def take_values(arguments: list[Any]) -> list[Any]:
    """`Object.values(hash)`, `array_values($list)`."""
    return list(arguments[0].values()) if isinstance(arguments[0], dict) else _list(arguments[0])


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(value)
    return list(value)


def flatten(arguments: list[Any]) -> list[Any]:
    """`list.flatten`, as deep as lists stand in it."""
    found = flat(arguments)
    while any(isinstance(one, list) for one in found):
        found = flat(found)
    return found


def leave_out_nothing(arguments: list[Any]) -> list[Any]:
    """`list.compact`: without what is empty."""
    return [one for one in _list(arguments[0]) if one != ""]


def strip_prefix(arguments: list[Any]) -> str:
    """`text.delete_prefix("x")`."""
    return as_text(arguments[0]).removeprefix(as_text(arguments[1]))


def strip_suffix(arguments: list[Any]) -> str:
    """`text.delete_suffix("x")`."""
    return as_text(arguments[0]).removesuffix(as_text(arguments[1]))
