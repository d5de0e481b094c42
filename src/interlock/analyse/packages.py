"""Packages: classification of package names by their source and by similarity to popular names."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.projects import Packages
from interlock.patterns import late

_TABLE = read_table("packages", Packages)
_GENUINE = frozenset((*_TABLE.popular, *_TABLE.genuine))
_POPULAR = frozenset(_TABLE.popular)
_CRITICAL = frozenset(_TABLE.critical)
_COMPROMISED = frozenset(_TABLE.compromised)

_VCS = late(
    r"^(?:git\+|hg\+|svn\+|bzr\+|git://|git@|github:|gitlab:|bitbucket:|gist:)|^(?!nixpkgs)[\w.-]+/[\w.-]+(?:#.+)$|@\s*(?:git\+|https?://)"
)
_ARCHIVE = late(
    r"\.(?:whl|tar\.gz|tgz|zip|deb|rpm|apk|vsix|gem|crate|nupkg|pkg\.tar\.\w+|snap|flatpak|AppImage|pkg|msi)$"
)
_LOCAL = late(r"^(?:\.{0,2}/|~|file:|\.{1,2}$)")
_NAME_END = late(r"[@=<>~!\[; ]")
_SCOPED = late(r"^(@[\w.-]+)/([\w.-]+)")


def plain_name(text: str) -> str:
    """Return a package's name without scope, version or extras.

    >>> plain_name("@scope/tool@1.2"), plain_name("black[d]==24.1"), plain_name("prisma@latest")
    ('tool', 'black', 'prisma')
    """
    scoped = _SCOPED.match(text) if text[:1] == "@" else None
    return _NAME_END.split(scoped[2] if scoped else text, maxsplit=1)[0]


MAX_NAME = 300
MIN_NAME = 5


_KERNEL = late(r"(?:linux-(?:image|modules|generic)|kernel-(?:core|default|modules|lts))\b")


_VERSIONED = late(r"-[\d.]+$|\*+$")  # `gcc-12`, `python3*`


def package_flags(text: str) -> frozenset[str]:
    """Return the flags of a package's name: `url`, `file`, `lookalike`, `critical`, or none.

    >>> [sorted(package_flags(name)) for name in ("git+https://example.com/x", "reqeusts", "flask")]
    [['url'], ['lookalike'], []]
    """
    return _flags(text[:MAX_NAME])


@lru_cache(maxsize=1024)
def _flags(text: str) -> frozenset[str]:
    """Return the flags of a package, cached."""
    if ("://" in text and not text.startswith("file://")) or _VCS.search(text):
        return frozenset({"url", "plain_http"} if text.startswith("http://") else {"url"})
    if _ARCHIVE.search(text):
        return frozenset({"file"})
    if _LOCAL.match(text):
        return frozenset({"local"})
    scoped = _SCOPED.match(text)
    found = {"lookalike"} if any(map(_looks_like_another, _find_imitable_names(text, scoped))) else set()
    name = plain_name(text)
    if name in _CRITICAL or _VERSIONED.sub("", name) in _CRITICAL or _KERNEL.match(text):
        found.add("critical")
    if not _COMPROMISED.isdisjoint((text.replace("==", "@"), _without_version(text))):
        found.add("compromised")
    return frozenset(found)


def _without_version(text: str) -> str:
    """Return a package's name with its scope: `@a/b` of `@a/b@1.0`."""
    return text[:1] + re.split(r"[@=]", text[1:], maxsplit=1)[0]


def _find_imitable_names(text: str, scoped: re.Match[str] | None) -> list[str]:
    """Return the names in a package's name that can imitate another one: a scope, an owner, the name itself."""
    if scoped:
        spelled = _fold(scoped[2])  # `@anthropic-ai/claude-c0de`
        return [scoped[1], scoped[1][1:], *([scoped[2]] if spelled != scoped[2] and spelled in _POPULAR else ())]
    if text.startswith(_FORGES):  # a module of Go is named after its repository
        return [_VERSION.sub("", part) for part in plain_name(text).split("/")[1:3]]
    name = plain_name(text)
    publisher, dot, _ = name.partition(".")  # of an editor's extension: `ms-python.python`
    return [name, publisher] if dot and len(publisher) > MIN_NAME else [name]


_DIGITS = str.maketrans("0135", "oles")


def _fold(name: str) -> str:
    """Return a name with digits that stand for letters replaced by them."""
    return name.translate(_DIGITS)


_FORGES = ("github.com/", "gitlab.com/", "bitbucket.org/")
_VERSION = late(r"(?:\.v\d+|v\d+)$")


def _looks_like_another(name: str) -> bool:
    """Whether a name is one typing error away from the name of a popular package."""
    name = name.lower()
    if not name.isascii():  # letters of another script that look like plain ones: `lоdash`
        return any(letter.isalpha() for letter in name if not letter.isascii())
    if len(name) < MIN_NAME or name in _GENUINE:
        return False
    if len(name) == MIN_NAME:  # short names have too many neighbours, but for two letters that changed places
        return any(name[:at] + name[at + 1] + name[at] + name[at + 2 :] in _POPULAR for at in range(1, MIN_NAME - 1))
    table = _near_names()
    for near in _deletions(name) | {name}:
        for known in table.get(near, ()):
            if known[0] == name[0] and abs(len(known) - len(name)) <= 1:
                return True
    return False


def _deletions(name: str) -> set[str]:
    """Return the variants of a name with one letter left out, except the first."""
    return {name[:at] + name[at + 1 :] for at in range(1, len(name))}


@cache
def _near_names() -> dict[str, tuple[str, ...]]:
    """Return a table from each popular name, and each of its deletions, to the popular names."""
    found: dict[str, list[str]] = {}
    for name in sorted(_TABLE.popular):
        if len(name) >= 6:
            for near in _deletions(name) | {name}:
                found.setdefault(near, []).append(name)
    return {near: tuple(names) for near, names in found.items()}
