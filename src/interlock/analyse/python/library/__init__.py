"""What Python's functions do: tables from dotted names to the roles of their arguments, one field a file.

A row's meaning is a list of words:

| word | meaning |
|---|---|
| `ARGUMENT:ROLE` | the argument at a position, or `self`, is something: a kind of effect, or one of the roles below |
| a kind | an effect without a resource |
| `+flag` | a flag on each effect |
| `=mark` | what the call gives comes from there: `host_facts`, `screen`, `secret`, … |
| `>class` | what the call gives is an instance, whose methods have rows of their own |

Roles besides kinds: `code:LANGUAGE` is run; `lookup` is a name that the network is asked for; `carry` is data that
goes where the object is connected to, which matters where it is private.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from interlock.analyse.python.library import code, files, machine, network, person, processes

FIELDS = (code, files, machine, network, person, processes)


class Row(NamedTuple):
    """What a function does: roles of its arguments, effects without a resource, flags, and what it gives."""

    roles: tuple[tuple[str, str], ...]
    kinds: tuple[str, ...]
    flags: frozenset[str]
    marks: tuple[str, ...]
    gives: str


@cache
def table() -> dict[str, Row]:
    """Return the rows, taken apart."""
    return {name: _row(meaning) for field in FIELDS for names, meaning in field.ROWS.items() for name in names.split()}


def _row(meaning: str) -> Row:
    roles, kinds, flags, marks, gives = [], [], [], [], ""
    for word in meaning.split():
        argument, colon, role = word.partition(":")
        if word[0] == "+":
            flags.append(word[1:])
        elif word[0] == "=":
            marks.append(word[1:])
        elif word[0] == ">":
            gives = word[1:]
        elif colon:
            roles.append((argument, role))
        else:
            kinds.append(word)
    return Row(tuple(roles), tuple(kinds), frozenset(flags), tuple(marks), gives)
