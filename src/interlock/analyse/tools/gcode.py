"""Codes for machine tools and printers that disable a protection or overheat a part.

`M302 P1` lets a cold extruder push, `M211 S0` lets an axis run into its end, `M85 S0` and `M84 S0` keep motors on for
ever, and `M104 S330` melts the hot end.
"""

from __future__ import annotations

from interlock.analyse.tools.arguments import Argument
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_record_words import MachineCodes
from interlock.patterns import late

_WORDS = read_table("machine-codes", MachineCodes)
_CODE = late(r"(?:^|[\n;|])\s*(?:n\d+\s+)?([gm]\d{1,3})((?:\s+[a-z]-?[\d.]*)*)")
_LETTER_AND_NUMBER = late(r"([a-z])(-?[\d.]+)")
#: Code → the words by which it turns a protection off, each as its letter and its number.
_UNSAFE = {code: [(word[0], float(word[1:])) for word in words] for code, words in _WORDS.unsafe.items()}
MAX_CODE = 20_000


def runs_unsafe_code(one: Argument) -> bool:
    """Whether a text is G-code that disables a protection or overheats a part."""
    if not isinstance(one.value, str) or not one.low[:1].isalpha():
        return False
    return any(_is_unsafe(found[1], found[2]) for found in _CODE.finditer(one.low[:MAX_CODE]))


def _is_unsafe(code: str, rest: str) -> bool:
    words = {letter: float(number) for letter, number in _LETTER_AND_NUMBER.findall(rest) if _is_number(number)}
    if code in _WORDS.always or words.get("s", 0.0) > _WORDS.hottest.get(code, float("inf")):
        return True
    return any(words.get(letter) == value for letter, value in _UNSAFE.get(code, ()))


def _is_number(text: str) -> bool:
    return text.count(".") <= 1 and any(map(str.isdecimal, text))
