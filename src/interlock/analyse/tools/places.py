"""Places that a call names as an address: a registry on this machine, a package index for trials."""

from __future__ import annotations

from collections.abc import Iterable

from interlock.analyse.hosts import host_flags, host_of
from interlock.analyse.tools.arguments import VALUES, Argument
from interlock.knowledge.tool_names import split_words

_PLACE_KEYS = frozenset(
    "registry registry_url repository repository_url repo_url index index_url image endpoint_url server_url base_url "
    "api_base api_url publish_registry target_registry remote_url".split()
)
NONE: frozenset[str] = frozenset()
_PRACTICE = frozenset({"practice"})


def place_flags(arguments: Iterable[Argument]) -> frozenset[str]:
    """Return the flags of the place that a call is for; one on this machine or for trials is for practice."""
    places = [one.value for one in arguments if one.key in _PLACE_KEYS and isinstance(one.value, str)]
    named = [text for text in places if "://" in text or text.startswith(("localhost", "127.0.0.1"))]
    return _PRACTICE if named and all(_is_for_practice(text) for text in named) else NONE


def _is_for_practice(text: str) -> bool:
    address = text if "://" in text else f"http://{text}"
    if not {"local", "private"}.isdisjoint(host_flags(address)):
        return True
    return not VALUES["practice"].isdisjoint(split_words(host_of(address)))
