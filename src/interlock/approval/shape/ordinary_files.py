"""Ordinary files: text, or code that Interlock analyses, and no configuration of other programs."""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import cache

from interlock.analyse.files.traits import traits
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.files import CodeFiles

#: Endings of texts, and of languages whose code is read in full when it is written.
_ORDINARY = frozenset("txt md rst adoc csv css scss less py pyw js mjs cjs jsx ts tsx rb php pl lua".split())
#: Files with such endings that others obey, besides those that programs are known to take code from.
_OBEYED = ("*requirements*.txt", "*constraints*.txt", "*makefile*", "interlock*", "*hook*", "*setting*", "*config*")


def is_ordinary_file(path: str) -> bool:
    """Whether a file is text or code that says nothing about what other programs do.

    >>> [is_ordinary_file(f"/shop/src/{name}") for name in ("cart.py", "Makefile", "conftest.py", "run.sh")]
    [True, False, False, False]
    """
    lower = path.casefold()
    name = lower.rpartition("/")[2]
    if name.rpartition(".")[2] not in _ORDINARY or traits(path):
        return False
    return not any(_matches(lower, name, pattern) for pattern in _patterns())


def _matches(path: str, name: str, pattern: str) -> bool:
    return fnmatchcase(path, f"*/{pattern}") if "/" in pattern else fnmatchcase(name, pattern)


@cache
def _patterns() -> tuple[str, ...]:
    """Return the names of files that configure programs, in lower case, without names that stand for a language."""
    names = {name.casefold() for entry in read_table("code-files", CodeFiles).inputs for name in entry.names}
    return (*_OBEYED, *sorted(name for name in names if name.removeprefix("*.") not in _ORDINARY))
