"""What an expression of a script is known to be: a text (with holes), a number, a list, a hash, a name, or a choice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from interlock.analyse.files.paths import HOLE, hole

MAX_TEXT = 65_536
MAX_ITEMS = 1_024
MAX_CHOICES = 4
MAX_WAYS = 16
MAX_NAME = 60
#: Beginnings of the names of clients of services and stores.
CLIENTS = ("client ", "store ")
#: The name of the environment in a call that asks it for one variable: `get(ENV, "USER")`.
ASKED_ENVIRONMENT = "asked environment"


class Ref(NamedTuple):
    """Something with a dotted name: a module, a function; `owner` is the value that the name begins at."""

    name: str
    owner: Any = None


class Choice(NamedTuple):
    """One of several values: which of them depends on a condition."""

    values: tuple[Any, ...]


class ScriptFunction(NamedTuple):
    """A function that the script defines: nodes of its tree, and the text that they belong to."""

    name: str
    parameters: Any
    body: Any
    source: Any


def unknown(name: str = "…") -> str:
    """Return a value that the text does not tell."""
    return hole(name.replace(HOLE, "").strip()[:MAX_NAME] or "…")


def is_unknown(text: str) -> bool:
    """Whether nothing of a text is known.

    >>> is_unknown(unknown("a") + " " + unknown("b")), is_unknown("lib/" + unknown("a"))
    (True, False)
    """
    return HOLE in text and not "".join(text.split(HOLE)[::2]).strip()


def is_constant(value: Any) -> bool:
    """Whether a value is a text or number without holes, or a short list of such."""
    if isinstance(value, str):
        return HOLE not in value
    if isinstance(value, list):
        return len(value) <= MAX_ITEMS and all(isinstance(item, (str, int)) and is_constant(item) for item in value)
    return isinstance(value, int)


def as_text(value: Any, depth: int = 4) -> str:
    """Return a value as part of a text, with holes where it is not known."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value) if value.bit_length() < 4_000 else unknown("number")
    if isinstance(value, Ref):
        return (as_text(value.owner, depth - 1) if value.owner is not None and depth else "") + unknown(value.name)
    if isinstance(value, Choice):
        return as_text(value.values[0], depth)
    if isinstance(value, ScriptFunction):
        return unknown(value.name or "function")
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if not depth:
        return unknown()
    given = (unknown() if isinstance(part, Choice) else as_text(part, depth - 1) for part in list(parts)[:MAX_ITEMS])
    return " ".join(given)[:MAX_TEXT]


def join(left: Any, right: Any) -> Any:
    """Return two values joined into one text; a choice stays a choice."""
    if isinstance(left, Choice) or isinstance(right, Choice):
        return join_all([left, right])
    text = as_text(left) + as_text(right)
    return text if len(text) <= MAX_TEXT else unknown("a long text")


def join_all(parts: list[Any]) -> Any:
    """Return parts joined into one text; with choices among them, a choice of the ways in which they can be joined.

    Where there are more ways than are followed, one of them is not known.
    """
    ways = [""]
    for part in parts:
        found = [way + as_text(one) for way in ways for one in choices(part)]
        ways = found if len(found) <= MAX_CHOICES else [*found[: MAX_CHOICES - 1], unknown("text")]
    return Choice(tuple(ways)) if len(ways) > 1 else ways[0]


def either(before: Any, after: Any) -> Any:
    """Return one of two values, which may be choices themselves; what are too many to follow are not known."""
    ways: list[Any] = []
    for value in (before, after):
        for one in value.values if isinstance(value, Choice) else (value,):
            if one not in ways:
                ways.append(one)
    if len(ways) > MAX_CHOICES:
        ways = [*ways[1 - MAX_CHOICES :], unknown("value")]
    return Choice(tuple(ways)) if len(ways) > 1 else ways[0]


def map_text(value: Any, change: Callable[[str], str]) -> Any:
    """Return a text changed, or a choice of texts with each of them changed."""
    if isinstance(value, Choice):
        return Choice(tuple(change(as_text(one)) for one in value.values))
    return change(as_text(value))


def flat(values: list[Any]) -> list[Any]:
    """Return values with the lists among them taken apart."""
    found: list[Any] = []
    for value in values:
        found += value if isinstance(value, list) else [value]
    return found[:MAX_ITEMS]


def choices(value: Any) -> tuple[Any, ...]:
    """Return every value that this one could be."""
    return value.values[:MAX_CHOICES] if isinstance(value, Choice) else (value,)


def alternatives(arguments: list[Any]) -> list[list[Any]]:
    """Return the ways in which a call may be made, where an argument is one of several values."""
    ways = [[]] if not arguments else [arguments]
    for index, argument in enumerate(arguments):
        if type(argument) in _SINGLE:
            continue
        values = _possible(argument)
        if len(values) > 1 or isinstance(argument, Choice):
            ways = [[*way[:index], value, *way[index + 1 :]] for way in ways for value in values][:MAX_WAYS]
    return ways


#: Types of values that are not one of several.
_SINGLE = frozenset({str, int, Ref})


def _possible(value: Any) -> list[Any]:
    """Return every value that an argument may be, also by what a list or a hash holds."""
    if isinstance(value, Choice):
        return list(choices(value))
    if isinstance(value, list) and any(isinstance(item, Choice) for item in value):
        return list(alternatives(value))
    if isinstance(value, dict) and any(isinstance(item, Choice) for item in value.values()):
        return [dict(zip(value, way, strict=True)) for way in alternatives(list(value.values()))]
    return [value]


def shell_word(text: str) -> str:
    """Return a word as a shell would have to be given it: constants quoted, holes open to what they stand for."""
    parts = text.split(HOLE)
    quoted = ["'" + part.replace("'", "'\\''") + "'" for part in parts]
    return (
        "".join(
            part if not at % 2 else f'"{HOLE}{parts[at]}{HOLE}"'
            for at, part in enumerate(quoted)
            if parts[at] or at % 2
        )
        or "''"
    )


def shell_text(words: list[str]) -> str:
    """Return an argument list as a shell text."""
    return " ".join(word if word.isalnum() and word.isascii() else shell_word(word) for word in words)
