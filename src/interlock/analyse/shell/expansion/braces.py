"""Brace expansion: `{a,b}` and `{1..3}`."""

from __future__ import annotations

from interlock.analyse.shell.expansion.parameter_operators import MAX_VALUE
from interlock.patterns import late

MAX_EXPANSIONS = 1_024
_BRACES = late(r"\{([^{}]*+)\}")
_RANGE = late(r"-?\d{1,6}\.\.-?\d{1,6}|[a-zA-Z]\.\.[a-zA-Z]")


def expand_braces(text: str) -> list[str]:
    """Return the words that a word with braces expands to, innermost braces first, up to a limit."""
    done: list[str] = []
    left = [text]
    while left and len(done) + len(left) < MAX_EXPANSIONS:
        word = left.pop(0)
        found = next((f for f in _BRACES.finditer(word) if "," in f[1] or _RANGE.fullmatch(f[1])), None)
        if found is None:
            done.append(word)
            continue
        before, after = word[: found.start()], word[found.end() :]
        left[:0] = [(before + item + after)[:MAX_VALUE] for item in _items(found.group(1))]
    return done + left


def _items(body: str) -> list[str]:
    """Return the items of a list `a,b` or a range `1..3`."""
    if "," in body:
        return body.split(",", MAX_EXPANSIONS)
    first, last = body.split("..")
    numeric = first.lstrip("-").isdigit()
    low, high = (int(first), int(last)) if numeric else (ord(first), ord(last))
    step = 1 if low <= high else -1
    found = range(low, high + step, step)[:MAX_EXPANSIONS]
    return [str(item) for item in found] if numeric else [chr(item) for item in found]
