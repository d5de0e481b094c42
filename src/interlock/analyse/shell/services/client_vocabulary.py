"""Vocabulary of service clients (`aws`, `gcloud`, …): verbs, and the resources that other words name."""

from __future__ import annotations

from functools import lru_cache

from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.clients import Clients
from interlock.patterns import late

_TABLE = read_table("clients", Clients)
READ, PREPARE, CHANGE, DESTROY = range(4)
_DOES = {"read": READ, "prepare": PREPARE, "change": CHANGE, "destroy": DESTROY}
VerbMeaning = tuple[int, str]


def _verbs(also_nouns: bool) -> dict[str, VerbMeaning]:
    return {
        word: (_DOES[verb.does], "".join(verb.flags))
        for verb in _TABLE.verbs
        if verb.also_nouns is also_nouns
        for word in verb.words
    }


_VERBS = _verbs(also_nouns=False)
_NOUNS = _verbs(also_nouns=True)
# `remove-…` detaches a member or a tag; resources themselves are deleted by `delete-…`.
_BY_PREFIX = {**_VERBS, "remove": (CHANGE, "detached")}
_CAMEL = late(r"(?<=[a-z0-9])(?=[A-Z])")
#: First words of commands about the client itself.
OWN_COMMANDS = frozenset(_TABLE.own_commands)
#: First words of tools that build and serve a project, where the first word is the verb.
TOOL_COMMANDS = frozenset(_TABLE.tool_commands)
#: Word → class of resource.
CLASSES = {word: "".join(entry.flags) for entry in _TABLE.resources for word in entry.words}


def find_verb(words: list[str], start: int, span: int) -> tuple[int, VerbMeaning] | None:
    """Return the position of a command's verb and what it does. A whole word is preferred to part of a word.

    >>> find_verb(["ec2", "delete-volume"], 1, 1)
    (1, (3, ''))
    >>> find_verb(["compute", "instances", "list", "delete"], 1, 5)
    (2, (0, ''))
    >>> find_verb(["secrets", "versions", "destroy", "1"], 1, 5)
    (2, (3, ''))
    """
    places = range(start, min(start + span, len(words)))
    for reader in (_VERBS.get, _verb_at_start, _verb_at_end, _NOUNS.get, _noun_at_start):
        for at in places:
            found = reader(words[at])
            if found is not None:
                return _verb_after(words, at) or (at, found)
    return None


def _verb_after(words: list[str], at: int) -> tuple[int, VerbMeaning] | None:
    """Return the verb after a word that is rather its object: `schema publish`, `logs export`."""
    word = words[at]
    if word not in _NOUNS or _NOUNS[word][0] != READ or not (word in _OBJECTS or _PLURAL.fullmatch(word)):
        return None
    found = _NOUNS.get(words[at + 1]) if at + 1 < len(words) else None
    return (at + 1, found) if found is not None and found[0] == CHANGE else None


_OBJECTS = frozenset({"schema", "metadata", "dashboard", "query", "log"})


def names_listing(words: list[str]) -> bool:
    """Whether a command without a verb lists what its last word names: `linodes types`, `apps`.

    >>> names_listing(["linodes", "types"]), names_listing(["dns", "access"]), names_listing(["cluster"])
    (True, False, False)
    """
    return bool(words) and _PLURAL.fullmatch(words[-1]) is not None


_PLURAL = late(r"[a-z][a-z-]*[a-rt-z]s")


def shows_credentials(words: list[str]) -> bool:
    """Whether a command that reads shows passwords or keys, by its words, rather than lists what there is.

    >>> shows_credentials(["databases", "mysql-creds-view"]), shows_credentials(["credentials", "list"])
    (True, False)
    """
    if "get-credentials" in words:  # which only writes the settings of another client
        return False
    split = [split_word(word) for word in words]
    parts = {part for word in split for part in word}
    if parts.isdisjoint(_CREDENTIALS) or parts.isdisjoint(_SHOWING) or not parts.isdisjoint(_LISTING):
        return False
    return any([part for part in word if part not in _SHOWING][-1:] in _LAST for word in split)


_CREDENTIALS = frozenset({"creds", "credentials", "password", "passwords", "passwd", "connectionstring", "connstring"})
_LAST = [[word] for word in _CREDENTIALS]
_SHOWING = frozenset({"view", "show", "get", "print", "dump", "reveal", "export", "read", "fetch", "cat"})
_LISTING = frozenset(
    {"list", "ls", "describe", "policy", "status", "expiry", "check", "metadata", "report", "kubeconfig"}
)


def split_word(word: str) -> tuple[str, ...]:
    """Return the parts of a word of a command: `DeleteVolume` and `delete-volume` have the same."""
    return _split(word[:100])


@lru_cache(maxsize=1024)
def _split(word: str) -> tuple[str, ...]:
    return tuple(_CAMEL.sub("-", word).lower().replace("_", "-").split("-"))


def _verb_at_start(word: str) -> VerbMeaning | None:
    """Return the verb that a word begins with: `delete-volume`, `DeleteVolume`."""
    parts = split_word(word)
    return (_VERBS.get("-".join(parts[:2])) or _BY_PREFIX.get(parts[0])) if len(parts) > 1 else None


def _verb_at_end(word: str) -> VerbMeaning | None:
    """Return the verb that a word ends with: `instance-delete`."""
    parts = split_word(word)
    return _VERBS.get(parts[-1]) if len(parts) > 1 else None


def _noun_at_start(word: str) -> VerbMeaning | None:
    """Return the verb that a word begins with, among words that can also be nouns: `run-instances`."""
    parts = split_word(word)
    return _NOUNS.get(parts[0]) if len(parts) > 1 else None


@lru_cache(maxsize=1024)
def classes_of(words: tuple[str, ...]) -> frozenset[str]:
    """Return the classes of resources that a command's words name: whole, after a verb, or in parts.

    >>> sorted(classes_of(("ec2", "delete-route-table")))
    ['compute', 'network']
    """
    found = set()
    for word in words:
        name = CLASSES.get(word) or CLASSES.get(word.partition("-")[2])
        found |= {name} if name else {CLASSES[part] for part in word.split("-") if part in CLASSES}
    return frozenset(found)
