"""Places that a call names as an address: a server on this machine, a registry or a package index for trials."""

from __future__ import annotations

from collections.abc import Sequence

from interlock.analyse.hosts import host_flags, host_of
from interlock.analyse.tools.arguments import VALUES, Argument
from interlock.knowledge.tool_names import split_words
from interlock.patterns import late

_PLACE_KEYS = frozenset(
    "registry registry_url repository repository_url repo_url index index_url image endpoint_url server_url base_url "
    "api_base api_url publish_registry target_registry remote_url".split()
)
NONE: frozenset[str] = frozenset()
_PRACTICE = frozenset({"practice_name"})  # which is too little for money, rights, deletions and messages


#: Keys of the one server that a call is for, whatever protocol it speaks.
_SERVER_KEYS = frozenset(
    "url uri endpoint host server addr broker connection_string dsn database_url node_url rpc_url rpc bmc "
    "emulator_host".split()
)
_HERE = late(
    r"(?i)(?:[a-z][a-z0-9+.-]*://)?(?:[^@/\s]*@)?(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?(?:[/?#].*)?"
)


#: Words of tools that bring something to a registry, an index or a server, or get it from there.
_CARRYING = frozenset(
    "publish push upload deploy release pull install download fetch image package build registry mirror tag".split()
)


def place_flags(words: Sequence[str], arguments: Sequence[Argument]) -> frozenset[str]:
    """Return the flags of the place that a call is for; one on this machine or for trials is for practice.

    A registry or an image is the place only of tools that bring something there, by the `words` of their names.
    """
    carries = not _CARRYING.isdisjoint(words)
    places = [one.value for one in arguments if carries and one.key in _PLACE_KEYS and isinstance(one.value, str)]
    named = [text for text in places if "://" in text or text.startswith(("localhost", "127.0.0.1"))]
    if named:
        return _PRACTICE if all(_is_for_practice(text) for text in named) else NONE
    return _PRACTICE if _is_here(arguments) else NONE


def _is_here(arguments: Sequence[Argument]) -> bool:
    """Whether the only servers that a call names are on this machine: `opc.tcp://localhost:53530`, `localhost:8080`."""
    named = [one for one in arguments if one.key in _SERVER_KEYS and isinstance(one.value, str) and one.value]
    others = any("://" in one.text for one in arguments if one.key not in _SERVER_KEYS)
    return bool(named) and not others and all(one.is_own and _HERE.fullmatch(one.value.strip()) for one in named)


def _is_for_practice(text: str) -> bool:
    address = text if "://" in text else f"http://{text}"
    if not {"local", "private"}.isdisjoint(host_flags(address)):
        return True
    return not VALUES["practice"].isdisjoint(split_words(host_of(address)))
