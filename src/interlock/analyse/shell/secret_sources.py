"""Commands whose output may hold secrets: logs and settings of running programs, and the issuers of keys."""

from __future__ import annotations

from interlock.knowledge.catalogue import read_table
from interlock.knowledge.tables import SecretWords

_WORDS = read_table("secret-words", SecretWords)

#: Names of services, in upper case, whose variables hold keys: `env | grep STRIPE`.
ISSUERS = frozenset(word.upper() for word in _WORDS.issuers)
#: Program → subcommands that print logs, settings or a screen; an empty set stands for every call.
DIAGNOSTICS = {entry[0]: frozenset(entry[1:]) for entry in _WORDS.diagnostics}


def prints_diagnostics(program: str, words: list[str]) -> bool:
    """Whether a command prints logs, settings or a screen of running programs.

    >>> prints_diagnostics("docker", ["docker", "logs", "api"]), prints_diagnostics("docker", ["docker", "ps"])
    (True, False)
    """
    known = DIAGNOSTICS.get(program)
    return known is not None and (not known or not known.isdisjoint(words))
