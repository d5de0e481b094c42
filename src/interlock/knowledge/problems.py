"""Problems in a description: words that are not in the vocabulary, each with the path of its key."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from interlock.effects import KINDS
from interlock.errors import nearest
from interlock.flags import FLAGS
from interlock.knowledge.command import ExampleEffect
from interlock.knowledge.roles import ALL_ROLES, TOOL_ROLES

KeyPath = tuple[str | int, ...]


class Problem(NamedTuple):
    """An error in a document: a message and the path of the key."""

    message: str
    path: KeyPath


def word_problems(word: str, allowed: Iterable[str], what: str, path: KeyPath) -> Iterator[Problem]:
    """Yield a problem if a word is not in a vocabulary. The message suggests a similar word or where to find all."""
    known = list(allowed)
    if word and word not in known:
        hint = nearest(word, known, "`interlock knowledge words` lists them" if len(known) > 20 else "")
        yield Problem(f"unknown {what} `{word}`{_key_of(path, word)}{hint}", path)


def _key_of(path: KeyPath, word: str) -> str:
    """Return where a word stands: the last key of its path, unless the word is that key.

    >>> _key_of(("commands", "deploy", "does"), "infra.raed")
    ' in `does`'
    """
    key = next((part for part in reversed(path) if isinstance(part, str)), "")
    return f" in `{key}`" if key and key != word else ""


#: Kinds of effects by what people call them.
_MEANT = {
    "money.move": "payment.send",
    "money.send": "payment.send",
    "payment.make": "payment.send",
    "email.send": "message.send",
    "file.read": "fs.read",
    "file.write": "fs.write",
    "file.delete": "fs.delete",
    "record.read": "tool.read",
    "data.read": "tool.read",
    "read": "tool.read",
}


def kind_problems(word: str, path: KeyPath) -> Iterator[Problem]:
    if word in _MEANT:
        yield Problem(f"unknown kind of effect `{word}`{_key_of(path, word)}; did you mean `{_MEANT[word]}`?", path)
        return
    yield from word_problems(word, KINDS, "kind of effect", path)


def flag_problems(words: Iterable[str], path: KeyPath) -> Iterator[Problem]:
    for word in words:
        yield from word_problems(word, FLAGS, "flag", path)


def role_problems(word: str, path: KeyPath) -> Iterator[Problem]:
    return word_problems(word, ALL_ROLES, "role", path)


def declaration_problems(does: str, flags: Iterable[str], roles: Iterable[str]) -> Iterator[Problem]:
    """Yield the words of a declared tool that are not in the vocabulary: its effect, flags and argument roles."""
    yield from kind_problems(does, ())
    yield from flag_problems(flags, ())
    for role in roles:
        yield from word_problems(role, TOOL_ROLES, "role", ())


def pattern_problems(text: str, path: KeyPath) -> Iterator[Problem]:
    try:
        re.compile(text)
    except re.error as error:
        yield Problem(f"`{text}` is not a regular expression: {error}", path)


def effect_problems(effects: Iterable[ExampleEffect], path: KeyPath) -> Iterator[Problem]:
    for effect in effects:
        yield from kind_problems(effect.does, path)
        yield from flag_problems(effect.flags, path)
