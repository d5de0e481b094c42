"""Private places: folders below home in which applications keep settings, data and credentials.

A file there can hold credentials by the shape of its name, whichever application it belongs to.
"""

from __future__ import annotations

from functools import lru_cache

from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.files import PrivatePlaces
from interlock.patterns import late

_TABLE = read_table("private-places", PrivatePlaces)
_CONTAINERS, _SETTINGS = frozenset(_TABLE.containers), frozenset(_TABLE.settings)
_WHOLES = frozenset(_TABLE.wholes)
_HARMLESS, _TELLING = frozenset(_TABLE.harmless), frozenset(_TABLE.telling)
_ORDINARY = _TABLE.ordinary_endings
_HOME = late(r"(?i)^(?:~[^/]*|/(?:home|users)/[^/]+|/root|/?[a-z]:/users/[^/]+)/(.+)$")
_WORDS = late(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")
_FOLDER = late(r"[^.]*(?<!rc)(?<!globals)(?<!dirs)|(?:com|org|io|net)\.[\w.-]+(?<!plist)|\*")
_GLOBBED = late(r"\[[^\]]*\]|[*?]+")
_NONE: frozenset[str] = frozenset()
_PRIVATE = frozenset({"secret", "app_private"})
_WHOLE = _PRIVATE | {"whole"}
_OTHERS = frozenset({"app_settings"})


@lru_cache(maxsize=4096)
def private_flags(path: str) -> frozenset[str]:
    """Return the flags of a path below home: `app_private` if it can hold credentials, `app_settings` for settings.

    >>> sorted(private_flags("/home/u/.config/frobnicate/token.json"))
    ['app_private', 'app_settings', 'secret']
    >>> sorted(private_flags("/home/u/.config/frobnicate/theme.toml"))
    ['app_settings']
    >>> sorted(private_flags("/home/u/.config/nvim/lua/tokens.json")), sorted(private_flags("/home/u/work/token.json"))
    ([], [])
    """
    found = _HOME.match(path.replace("\\", "/"))
    if found is None:
        return _NONE
    inner = found[1].rstrip("/")
    names = inner.lower().split("/")
    if not _is_application(names) or _is_harmless(names):
        return _NONE
    container, depth = _container_of(names)
    if not depth and len(names) == 1 and names[0] not in _WHOLES:
        return _NONE  # a file or folder of its own in home, of which the table of names knows more
    flags = _OTHERS if container in _SETTINGS and len(names) > depth else _NONE
    if len(names) <= depth or (not depth and names[0] in _WHOLES and len(names) == 1):
        return flags | _WHOLE  # all applications at once
    if depth and len(names) == depth + 1 and _FOLDER.fullmatch(names[-1]):
        return flags | _WHOLE  # all that one application keeps
    return flags | _PRIVATE if _can_hold_credentials(inner.split("/")[max(depth, 1) :]) else flags


def _is_application(names: list[str]) -> bool:
    return names[0][:1] == "." or names[0] in ("library", "appdata", "snap")


def _is_harmless(names: list[str]) -> bool:
    return any("/".join(names[:length]) in _HARMLESS for length in range(1, min(len(names), 4) + 1))


def _container_of(names: list[str]) -> tuple[str, int]:
    """Return the folder of applications that a path is in, and how many names it has."""
    for length in (2, 1):
        container = "/".join(names[:length])
        if container in _CONTAINERS:
            return container, length
    return "", 0


def _can_hold_credentials(names: list[str]) -> bool:
    """Whether a file of an application can hold credentials, by the words in its name or in that of its folder."""
    if not names or names[-1].lower().endswith(_ORDINARY):
        return False
    return any(
        not _TELLING.isdisjoint(word.lower() for word in _WORDS.findall(_GLOBBED.sub("", name))) for name in names[-2:]
    )
