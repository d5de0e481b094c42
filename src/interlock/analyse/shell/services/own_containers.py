"""Containers and volumes that a list selects: those of a tool for tests, or of a trial, are nobody else's."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.analyse.files.paths import HOLE
from interlock.analyse.stores.scratch_names import REAL, is_scratch_name
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.clients import Containers
from interlock.patterns import late

#: Tools that start containers for tests and for builds on this machine, by the names that they give to them.
_TOOLS = frozenset(read_table("containers", Containers).test_tools)
_WORDS = late(r"[a-z0-9]+")
_LISTS = frozenset({"ps", "ls", "list"})
_NAMING = ("label=", "name=", "ancestor=", "network=", "volume=")
#: Containers that are stopped: `docker container prune` removes the same ones.
_STOPPED = frozenset({"status=exited", "status=created", "status=dead"})


def lists_own(words: list[str]) -> bool:
    """Whether a command prints the ids of containers or volumes that are for a trial, or that are stopped.

    >>> lists_own("docker ps -aq --filter label=owner=molecule".split()), lists_own("docker ps -aq".split())
    (True, False)
    >>> lists_own("docker ps -q --filter name=web".split()), lists_own("docker volume ls -qf dangling=true".split())
    (False, False)
    """
    if _LISTS.isdisjoint(words[1:4]) or any(HOLE in word for word in words) or not _is_quiet(words):
        return False
    found = list(_filters(words))
    kinds = {text.partition("=")[0] for text in found}
    if len(kinds) < len(found) and not all(map(_is_own, found)):
        return False  # filters of one kind add to each other
    return any(map(_is_own, found)) or ("volume" not in words and bool(found) and _STOPPED.issuperset(found))


def _is_quiet(words: list[str]) -> bool:
    return any(word == "--quiet" or (word[:1] == "-" and word[:2] != "--" and "q" in word) for word in words)


def _filters(words: list[str]) -> Iterator[str]:
    for at, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name == "--filter" and equals:
            yield value
        elif word == "--filter" or (word[:1] == "-" and word[:2] != "--" and word[-1:] == "f"):
            yield "".join(words[at + 1 : at + 2])


def _is_own(text: str) -> bool:
    """Whether a filter selects what a tool for tests has made, or what is named for a trial."""
    if not text.startswith(_NAMING):
        return False
    value = text.partition("=")[2].strip("^$/")
    words = set(_WORDS.findall(value.lower()))
    if not REAL.isdisjoint(words) or any(sign in value for sign in "*|+?[("):
        return False
    return not _TOOLS.isdisjoint(words) or any(is_scratch_name(part) for part in value.replace(":", "=").split("="))
