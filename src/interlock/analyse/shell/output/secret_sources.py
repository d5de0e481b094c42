"""Commands whose output may hold secrets: logs and settings of running programs, and the issuers of keys."""

from __future__ import annotations

from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.files import SecretWords
from interlock.patterns import late

_WORDS = read_table("secret-words", SecretWords)

#: Names of services, in upper case, whose variables hold keys: `env | grep STRIPE`.
ISSUERS = frozenset(word.upper() for word in _WORDS.issuers)
#: Program → subcommands that print logs, settings or a screen; an empty set stands for every call.
DIAGNOSTICS = {entry[0]: frozenset(entry[1:]) for entry in _WORDS.diagnostics}
#: Words of commands about settings, of which one is asked for by its name.
ASKING = frozenset(_WORDS.asking)
#: Options by which programs show what they would otherwise hide.
REVEALING = frozenset(_WORDS.revealing_options)
#: Folders of logs, dumps and services of the machine.
_FOLDERS = _WORDS.diagnostic_folders


def is_diagnostic_file(path: str) -> bool:
    """Whether a file holds a log of the machine or of a tool, or says how a service is started.

    >>> is_diagnostic_file("/var/log/app.log"), is_diagnostic_file("/home/u/project/app.log")
    (True, False)
    """
    return path.startswith(_FOLDERS) or "/_logs/" in path or "/.cache/" in path or _SHELLS.match(path) is not None


# Start-up files of a person's shells, in which many keep keys.
_SHELLS = late(
    r"^(?:/home/[^/]+|/root|/Users/[^/]+|~)/\.(?:bash(?:rc|_profile|_login|_aliases)|profile|zsh(?:rc|env)|zprofile|zlogin"
    r"|kshrc|cshrc|config/fish/(?:config\.fish|conf\.d/.*)|config/environment\.d/.*)$"
)


def prints_diagnostics(program: str, words: list[str]) -> bool:
    """Whether a command prints logs, settings or a screen of running programs.

    >>> prints_diagnostics("docker", ["docker", "logs", "api"]), prints_diagnostics("docker", ["docker", "ps"])
    (True, False)
    """
    known = DIAGNOSTICS.get(program)
    return known is not None and (not known or not known.isdisjoint(words))
