"""How a script begins to run: where its file is, which arguments it gets, and whether it is imported instead."""

from __future__ import annotations

from interlock.analyse.files.paths import HOLE
from interlock.analyse.record import FrozenRecord

_GLOBS = frozenset("*?[")


class ScriptStart(FrozenRecord, frozen=True, gc=False):
    """The start of a Python file. `arguments` is None if they are not known.

    `imported`: the file is loaded as a module, so its `__main__` block does not run. `tested`: pytest loads it, and
    passes fixtures to the parameters of tests and fixtures.
    """

    path: str
    arguments: tuple[str, ...] | None = None
    imported: bool = False
    tested: bool = False


def arguments_after(words: list[str], name: str) -> tuple[str, ...] | None:
    """Return what follows the name of a script or a module in a command, if each word stands for exactly one argument.

    >>> arguments_after(["python", "a.py", "x", "2"], "a.py"), arguments_after(["python", "a.py", "*.log"], "a.py")
    (('x', '2'), None)
    """
    if name not in words:
        return None
    given = tuple(words[words.index(name) + 1 :])
    return None if any(HOLE in word or not _GLOBS.isdisjoint(word) for word in given) else given
