"""The meaning of an operation's name: `ScheduleKeyDeletion` deletes a key, `productDelete` a product."""

from __future__ import annotations

from functools import lru_cache

from interlock.analyse.tools.name_meaning import Meaning, meaning_of
from interlock.analyse.tools.vocabulary import GROUPS
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_content_words import PageWords
from interlock.knowledge.tool_names import split_words

_WORDS = read_table("tool-pages", PageWords)


@lru_cache(maxsize=4096)
def operation_meaning(name: str) -> Meaning:
    """Return the meaning of an operation's name; a noun that stands for a verb counts as the verb.

    >>> operation_meaning("ScheduleKeyDeletion").verb
    'remove'
    """
    words = split_words(name)
    acting = next((at for at, word in enumerate(words) if word in _WORDS.nouns_of_verbs), -1)
    if acting >= 0 and not (words[0] in GROUPS and GROUPS[words[0]] in ("read", "draft")):
        rest = [*words[:acting], *words[acting + 1 :]]
        return meaning_of("_".join([_WORDS.nouns_of_verbs[words[acting]], *rest]), "")
    if len(words) > 1 and words[-1] in GROUPS and words[0] not in GROUPS:  # `productDelete`, `key.rotate`
        return meaning_of("_".join([words[-1], *words[:-1]]), "")
    return meaning_of(name, "")
