"""Effects that a call has by its arguments, as the description of its tool says: `{"status": "VOIDED"}`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from interlock.analyse.tools.arguments import Argument
from interlock.knowledge.tool import Tool, ToolCondition
from interlock.payload import plain_key

_UNSET = (None, False, "", 0, ())
_STAR = "\0"  # stands for a star that is meant


def find_conditional(tool: Tool, arguments: Sequence[Argument]) -> Iterator[ToolCondition]:
    """Yield the conditions of a description that hold for a call."""
    for one in tool.when:
        if _is_given(one.arguments, one.values, arguments) and not (
            one.without and _is_given(one.without, (), arguments)
        ):
            yield one


def _is_given(names: Sequence[str], values: Sequence[str], arguments: Sequence[Argument]) -> bool:
    """Whether one of several arguments is given, with one of several values if there are any."""
    if not names:
        return True
    paths = [tuple(map(plain_key, name.split("."))) for name in names]
    return any(_has_value(one, values) for one in arguments if any(_stands_under(one.keys, path) for path in paths))


def _stands_under(keys: tuple[str, ...], path: tuple[str, ...]) -> bool:
    """Whether the steps of a path follow each other among the keys of a value."""
    return any(keys[at : at + len(path)] == path for at in range(len(keys) - len(path) + 1))


def _has_value(one: Argument, values: Sequence[str]) -> bool:
    if not values:
        return one.value not in _UNSET
    return any(_matches(one.low, value.lower()) for value in values)


def _matches(text: str, value: str) -> bool:
    r"""Whether a text is a value in which `*` stands for any text, and `\*` for a star.

    >>> _matches("voided", "void*"), _matches("a@x.com", "*@*"), _matches("draft", "*drafts"), _matches("a:*", r"*\**")
    (True, True, False, True)
    """
    text, value = text.replace("*", _STAR), value.replace(r"\*", _STAR)
    first, *rest = value.split("*")
    if not rest:
        return text == value
    *middle, last = rest
    at = len(first)
    for part in middle:
        found = text.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return text.startswith(first) and text.endswith(last) and at + len(last) <= len(text)
