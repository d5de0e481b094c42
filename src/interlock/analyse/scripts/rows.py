"""What a function does, as the tables write it: a row of words.

| word | meaning |
|---|---|
| `N:ROLE`, `*:ROLE`, `self:ROLE` | an argument, all of them, or what it is called on; see below |
| a kind of effect | an effect without a resource |
| `+flag` | a flag on every effect |
| `>mark` | where the result comes from: `download`, `input`, … |
| `=name` | the result is computed: see `pure.py` |
| `@name` | what only a function of ours can tell: see `script.py` |

A role is a kind of effect, `code:LANGUAGE`, `code` (in the same language), `shell` (the text, or the words, of a
command), `url` (a file or an address), `host`, or `open`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from interlock.effects import KINDS

ROLES = frozenset({"code", "shell", "url", "host"})
SPECIALS = frozenset(
    (
        "print line perl_open open include module request curl unpack function timer command environment send peer "
        "connect apply requirer behind_two behind_three"
    ).split()
)


class Row(NamedTuple):
    """What a function does."""

    roles: tuple[tuple[str, str], ...] = ()
    kinds: tuple[str, ...] = ()
    flags: frozenset[str] = frozenset()
    marks: frozenset[str] = frozenset()
    pure: str = ""
    special: str = ""


@lru_cache(maxsize=1024)
def row(meaning: str) -> Row:
    """Return a row taken apart; a word that means nothing is refused."""
    roles, kinds, flags, marks, pure, special = [], [], [], [], "", ""
    for word in meaning.split():
        argument, colon, role = word.partition(":")
        if word[0] == "+":
            flags.append(word[1:])
        elif word[0] == ">":
            marks.append(word[1:])
        elif word[0] == "=":
            pure = word[1:]
        elif word[0] == "@":
            special = word[1:]
        elif colon:
            roles.append((argument, role))
        else:
            kinds.append(word)
    unknown = [role for _, role in roles if role not in KINDS and role not in ROLES and not role.startswith("code:")]
    unknown += [kind for kind in kinds if kind not in KINDS]
    if unknown or (special and special not in SPECIALS):
        raise ValueError(f"unknown words in the row `{meaning}`: {unknown or special}")
    return Row(tuple(roles), tuple(kinds), frozenset(flags), frozenset(marks), pure, special)
