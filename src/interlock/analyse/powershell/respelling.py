"""Forms of expressions that the grammar mistakes for others, written as something of the same length that it takes.

What they stand for is read from the text itself.
"""

from __future__ import annotations

import re

from interlock.patterns import late

#: The signs that such a form begins with.
RESPELT = frozenset(".?[")
#: A block without statements, which the grammar takes for no argument and no value.
EMPTY_BLOCK = late(r"\{\s*\}")
_FOREACH = late(r"\.foreach(?=\()", re.IGNORECASE)  # a method that the grammar takes for the keyword
_OPTIONAL = late(r"(?<=\w)\?(?=\.\w|\[)")  # `$x?.Name`
#: A type with its assembly, `[A, B, Version=1]`, or in another type: `[A+B]`.
_TYPE = late(r"\[[A-Za-z_][\w.]*(?P<rest>(?:\+\w+)*+(?:,[^\[\]()'\"$]*)?)\]")


def respell(text: str, out: list[str], at: int) -> int:
    """Respell the form at a place, if there is one; return the place behind it.

    >>> out = list("$x.ForEach(1)"); respell("$x.ForEach(1)", out, 2), "".join(out)
    (3, '$x.xorEach(1)')
    """
    if _FOREACH.match(text, at):
        out[at + 1] = "x"
        return at + 1
    if _OPTIONAL.match(text, at):
        out[at] = "x"
        return at + 1
    found = _TYPE.match(text, at)
    if found is None or not found["rest"]:
        return at
    out[found.start("rest") : found.end("rest")] = "x" * len(found["rest"])
    return found.end()
