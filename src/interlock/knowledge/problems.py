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
from interlock.knowledge.usual_words import KINDS_MEANT, LANGUAGES_MEANT, ROLES_MEANT

KeyPath = tuple[str | int, ...]


class Problem(NamedTuple):
    """An error in a document: a message and the path of the key.

    `missing` is a key that the table at the path lacks, and `meant` the one that an unknown key probably stands for.
    """

    message: str
    path: KeyPath
    missing: str = ""
    meant: str = ""


def word_problems(word: str, allowed: Iterable[str], what: str, path: KeyPath, meant: str = "") -> Iterator[Problem]:
    """Yield a problem if a word is not in a vocabulary.

    The message suggests `meant`, else a similar word, or where to find all.
    """
    known = list(allowed)
    if word and word not in known:
        all_words = "`interlock knowledge words` lists them" if len(known) > 20 else ""
        hint = f"; did you mean `{meant}`?" if meant in known else nearest(word, known, all_words)
        yield Problem(f"unknown {what} `{word}`{_key_of(path, word)}{hint}", path)


def _key_of(path: KeyPath, word: str) -> str:
    """Return where a word stands: the last key of its path, unless the word is that key.

    >>> _key_of(("commands", "deploy", "does"), "infra.raed")
    ' in `does`'
    """
    key = next((part for part in reversed(path) if isinstance(part, str)), "")
    return f" in `{key}`" if key and key != word else ""


def kind_problems(word: str, path: KeyPath) -> Iterator[Problem]:
    """Yield a problem if a word is not a kind of effect."""
    if word in FLAGS and word not in KINDS:
        yield Problem(f'`{word}` is a flag, not a kind of effect; write `flags = ["{word}"]`', path)
        return
    yield from word_problems(word, KINDS, "kind of effect", path, KINDS_MEANT.get(word.lower(), ""))


def flag_problems(words: Iterable[str], path: KeyPath) -> Iterator[Problem]:
    """Yield a problem for each word that is not a flag."""
    for word in words:
        if word in KINDS:
            yield Problem(f'`{word}` is a kind of effect, not a flag; write `does = "{word}"`', path)
        else:
            yield from word_problems(word, FLAGS, "flag", path)


def role_problems(word: str, path: KeyPath, roles: Iterable[str] = ALL_ROLES) -> Iterator[Problem]:
    """Yield a problem if a word is not one of the roles that a value can have."""
    if word == "code" and word not in roles:
        yield Problem(f"unknown role `code`{_key_of(path, word)}; write the language too: `code:shell`", path)
        return
    meant = KINDS_MEANT.get(word.lower(), "") or ROLES_MEANT.get(word.lower(), "")
    if word in FLAGS and word not in roles and not meant:
        yield Problem(f'`{word}`{_key_of(path, word)} is a flag, not a role; write `flags = ["{word}"]`', path)
        return
    before, _, language = word.lower().replace(".", ":", 1).partition(":")
    if before == "code" and language:
        meant = f"code:{LANGUAGES_MEANT.get(language, language)}"
    yield from word_problems(word, roles, "role", path, meant)


def language_problems(word: str, languages: Iterable[str], path: KeyPath) -> Iterator[Problem]:
    """Yield a problem if a word is not one of the languages."""
    plain = word.lower().removeprefix("code:")
    yield from word_problems(word, languages, "language", path, LANGUAGES_MEANT.get(plain, plain))


def declaration_problems(does: str, flags: Iterable[str], roles: Iterable[str]) -> Iterator[Problem]:
    """Yield the words of a declared tool that are not in the vocabulary: its effect, flags and argument roles."""
    yield from kind_problems(does, ())
    yield from flag_problems(flags, ())
    for role in roles:
        yield from role_problems(role, (), TOOL_ROLES)


def url_problems(docs: str) -> Iterator[Problem]:
    """Yield a problem if the address of a manual is not an https URL."""
    if docs and not docs.startswith("https://"):
        yield Problem(f"`docs` must be an https URL, found `{docs}`", ("docs",))


def pattern_problems(text: str, path: KeyPath) -> Iterator[Problem]:
    try:
        re.compile(text)
    except re.error as error:
        yield Problem(f"`{text}` is not a regular expression: {error}", path)


def effect_problems(effects: Iterable[ExampleEffect], path: KeyPath) -> Iterator[Problem]:
    for effect in effects:
        yield from kind_problems(effect.does, path)
        yield from flag_problems(effect.flags, path)
