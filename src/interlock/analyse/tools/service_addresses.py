"""Places that a call names as an address: a server on this machine, a registry or a package index for trials."""

from __future__ import annotations

from collections.abc import Sequence

from interlock.analyse.addresses.hosts import host_flags, host_of
from interlock.analyse.tools.arguments import DECLARED, VALUES, Argument
from interlock.analyse.tools.name_meaning import Meaning
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_content_words import RequestWords
from interlock.knowledge.tool_names import split_words
from interlock.patterns import late

_WORDS = read_table("tool-requests", RequestWords)
NONE: frozenset[str] = frozenset()
_PRACTICE = frozenset({"practice_name"})  # which is too little for money, rights, deletions and messages
_HERE = late(
    r"(?i)(?:[a-z][a-z0-9+.-]*://)?(?:[^@/\s]*@)?(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?(?:[/?#].*)?"
)


def place_flags(words: Sequence[str], arguments: Sequence[Argument]) -> frozenset[str]:
    """Return the flags of the place that a call is for; one on this machine or for trials is for practice.

    A registry or an image is the place only of tools that bring something there, by the `words` of their names.
    """
    if not _WORDS.carrying_words.isdisjoint(words):
        places = [one.value for one in arguments if one.key in _WORDS.registry_keys and isinstance(one.value, str)]
        named = [text for text in places if "://" in text or text.startswith(("localhost", "127.0.0.1"))]
        if named:
            return _PRACTICE if all(_is_for_practice(text) for text in named) else NONE
    servers = _servers_here(arguments)
    if not servers:
        return NONE
    connected = all(DECLARED in one.roles or _is_connection(one, words) for one in servers)
    return _CONNECTED if connected and _WORDS.relaying_words.isdisjoint(words) else _PRACTICE


def _servers_here(arguments: Sequence[Argument]) -> list[Argument]:
    """Return the servers that a call names if all are on this machine: `opc.tcp://localhost:53530`, `localhost`."""
    named = [one for one in arguments if one.key in _WORDS.server_keys and isinstance(one.value, str) and one.value]
    if [one for one in arguments if "://" in one.text and one.key not in _WORDS.server_keys]:
        return []
    here = all(one.is_own and _HERE.fullmatch(one.value.strip()) for one in named)
    return named if here else []


def _is_connection(one: Argument, words: Sequence[str]) -> bool:
    """Whether an argument is the address without which a client of a database reaches nothing."""
    return not _WORDS.database_clients.isdisjoint(words) and _DATABASE.match(one.value) is not None


#: The call only reaches this machine, so it is for practice.
_CONNECTED = frozenset({"practice", "practice_name"})
_DATABASE = late(rf"(?i)(?:{'|'.join(_WORDS.database_schemes)})(?:\+\w+)?://")


def service_addresses(meaning: Meaning, arguments: Sequence[Argument]) -> set[str]:
    """Return the addresses of the service that a call is made to, which already has the data.

    `server` and `site_url` name the service by themselves, `gitlab_url` where the tool is named after it, and `url` if
    it is no more than a host. A tool that sends, publishes, exports or copies something may send it to any of them.
    """
    if meaning.verb not in _STAYING or not _WORDS.bringing_words.isdisjoint(meaning.words):
        return set()
    named = [one for one in arguments if len(one.keys) == 1 and isinstance(one.value, str) and "://" in one.value]
    return {one.value for one in named if is_service_address(one.key, one.value, meaning.words)}


def is_service_address(key: str, address: str, words: Sequence[str] = ()) -> bool:
    """Whether an address is that of the service itself, by its key or because it is only a host.

    `words` are those of the tool's name.
    """
    if key in _WORDS.service_words:
        return True
    first, _, last = key.rpartition("_")
    if first and last in _WORDS.address_words:
        return first in _WORDS.service_words or first in words
    return key in _WORDS.address_words and _ORIGIN.fullmatch(address.strip()) is not None


_STAYING = frozenset({"", "read", "draft", "change", "make", "remove", "grant", "approve", "operate"})
_ORIGIN = late(r"(?i)https?://[\w.-]+(?::\d+)?/?")


def _is_for_practice(text: str) -> bool:
    address = text if "://" in text else f"http://{text}"
    if not {"local", "private"}.isdisjoint(host_flags(address)):
        return True
    return not VALUES["practice"].isdisjoint(split_words(host_of(address)))
