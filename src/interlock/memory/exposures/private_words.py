"""Words for confidential documents and for tables and columns about people, in many languages."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache, lru_cache

from interlock.knowledge.catalogue import read_table
from interlock.patterns import late

MAX_NAME = 300
#: How many kinds of fields describe a person if they occur together.
MIN_FIELDS = 2
_CAMEL = late(r"(?<=[a-z])(?=[A-Z])")
_SEPARATORS = late(r"[^a-z0-9]+")
_LETTERS = str.maketrans({"ø": "o", "æ": "ae", "ß": "ss", "ł": "l", "ı": "i", "đ": "d", "œ": "oe"})
_SPELLED_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})


def is_private_document(text: str) -> bool:
    """Whether the name of a document says that it is confidential, in one of many languages.

    >>> is_private_document("Gehälter 2025.xlsx"), is_private_document("Menü 2025.pdf")
    (True, False)
    """
    return any(_pattern("documents").search(name) for name in _spellings(text))


def is_about_people(text: str) -> bool:
    """Whether the name of a table or a file says that its rows are about people.

    >>> is_about_people("Kundenliste"), is_about_people("app.medlemmer"), is_about_people("orders")
    (True, True, False)
    """
    return any(_pattern("subjects").search(name) for name in _spellings(text))


def describes_person(names: Iterable[str]) -> bool:
    """Whether several fields hold different facts about one person.

    >>> describes_person(["vorname", "telefon", "betrag"]), describes_person(["telefon", "telefon_2"])
    (True, False)
    """
    kinds = {kind for name in names for kind in _kinds_of(name)}
    return len(kinds) >= MIN_FIELDS


@lru_cache(maxsize=2_048)
def _kinds_of(name: str) -> frozenset[str]:
    spellings = _spellings(name)
    return frozenset(
        found.lastgroup for one in spellings for found in _pattern("fields").finditer(one) if found.lastgroup
    )


def _spellings(text: str) -> tuple[str, ...]:
    """Return a name in lower case with underscores between words: with accents removed, and with them spelled out."""
    low = _CAMEL.sub("_", text[:MAX_NAME]).lower()
    return tuple({_plain(low.translate(_LETTERS)), _plain(low.translate(_SPELLED_OUT).translate(_LETTERS))})


def _plain(text: str) -> str:
    letters = "".join(one for one in unicodedata.normalize("NFKD", text) if not unicodedata.combining(one))
    return f"_{_SEPARATORS.sub('_', letters)}_"


@cache
def _pattern(part: str) -> re.Pattern[str]:
    """Return a pattern with one group for each concept."""
    from interlock.knowledge.table_types.run_memory import PrivateWords

    concepts = getattr(read_table("private-words", PrivateWords), part)
    groups = (f"(?P<{name}>{'|'.join(map(_as_pattern, words))})" for name, words in concepts.items())
    return re.compile(f"_(?:{'|'.join(groups)})(?=_)")


def _as_pattern(word: str) -> str:
    return word.replace("*", "[a-z0-9]*")
