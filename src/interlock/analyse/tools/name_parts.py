"""The words of a name, put together or taken apart: names of services are whole, `deleteuser` is two words."""

from __future__ import annotations

from interlock.analyse.tools.vocabulary import (
    BRANDS,
    GROUPS,
    is_known,
    is_verb_only,
    object_of,
)
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_name_words import ToolNameWords

_WORDS = read_table("tool-names", ToolNameWords)


def merge_brands(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return words with the names of services put together: `PayPal` is not a payment."""
    merged: list[str] = []
    for word in words:
        if merged and merged[-1] + word in BRANDS:
            merged[-1] += word
        else:
            merged.append(word)
    return tuple(merged)


LONG = 7  # letters of the shortest word that can be taken apart


def separate(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return words with those taken apart that are a verb and an object: `deleteuser`.

    Beside a verb, a word that could be taken apart is the name of something: `trustpilot_list_reviews`.
    """
    unknown = [word for word in words if len(word) >= LONG and not is_known(word)]
    if not unknown or any(map(is_verb_only, words)):
        return words
    if not _WORDS.firm_looks.isdisjoint(words[1:-1]):
        return words
    parts: list[str] = []
    for word in words:
        cut = _cut(word) if word in unknown else 0
        parts += (word[:cut], word[cut:]) if cut else (word,)
    return tuple(parts)


def _cut(word: str) -> int:
    for at in range(min(len(word) - 4, 10), 2, -1):
        head = word[:at]
        if (at > 3 or head in ("add", "get", "set", "del")) and head in GROUPS and object_of(word[at:]):
            return at
    return 0
