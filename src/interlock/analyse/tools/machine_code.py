"""Codes for machine tools and printers that switch off what keeps them safe, or heat them too far.

`M302 P1` lets a cold extruder push, `M211 S0` lets an axis run into its end, `M85 S0` and `M84 S0` keep motors on for
ever, and `M104 S330` melts the hot end.
"""

from __future__ import annotations

from interlock.analyse.tools.arguments import Argument
from interlock.patterns import late

_CODE = late(r"(?:^|[\n;|])\s*(?:n\d+\s+)?([gm]\d{1,3})((?:\s+[a-z]-?[\d.]*)*)")
_WORD = late(r"([a-z])(-?[\d.]+)")
#: Codes and the words by which they turn a protection off.
_UNSAFE = {
    "m302": (("p", 1.0), ("s", 0.0)),
    "m211": (("s", 0.0),),
    "m85": (("s", 0.0),),
    "m84": (("s", 0.0),),
    "m18": (("s", 0.0),),
    "m564": (("s", 0.0), ("h", 0.0)),
    "m575": (("p", -1.0),),
}
#: Codes that are unsafe by themselves: end stops off, thermal protection off.
_ALWAYS = frozenset({"m121", "m570"})
#: Codes that heat something, and the hottest that it stands.
_HOTTEST = {"m104": 300.0, "m109": 300.0, "m140": 130.0, "m190": 130.0, "m141": 90.0, "m191": 90.0}
MAX_CODE = 20_000


def runs_unsafe_code(one: Argument) -> bool:
    """Whether a text is machine code that takes a protection away or overheats a part."""
    if not isinstance(one.value, str) or not one.low[:1].isalpha():
        return False
    return any(_is_unsafe(found[1], found[2]) for found in _CODE.finditer(one.low[:MAX_CODE]))


def _is_unsafe(code: str, rest: str) -> bool:
    words = {letter: float(number) for letter, number in _WORD.findall(rest) if _is_number(number)}
    if code in _ALWAYS or words.get("s", 0.0) > _HOTTEST.get(code, float("inf")):
        return True
    return any(words.get(letter) == value for letter, value in _UNSAFE.get(code, ()))


def _is_number(text: str) -> bool:
    return text.count(".") <= 1 and any(map(str.isdecimal, text))
