"""Paths that `mktemp` prints: new ones, by its template and its folder."""

from __future__ import annotations

from interlock.analyse.loading import FRESH
from interlock.patterns import late

_PLAIN = late(r"-[dqu]+|--directory|--quiet|--dry-run|--suffix=[^/]*")
_BELOW = late(r"-[dqu]*t[dqu]*|--tmpdir")
_FOLDER = late(r"-[dqu]*p|--tmpdir=.*")
_FILLED = late(r"X{3,}")
_NEW = late(r"/(?:var/)?tmp/[^/]*")


def temporary_path(words: list[str]) -> str | None:
    """Return a path that stands for the one that `mktemp` prints, or None if it is not known.

    >>> temporary_path(["mktemp", "-d", "/tmp/build.XXXXXX"]), temporary_path(["mktemp", "-d", "out/run.XXXX"])
    ('/tmp/mktemp', 'out/run.mktemp')
    >>> temporary_path(["mktemp", "-d", "-p", "out"]), temporary_path(["mktemp", "../run.XXXX"])
    ('out/mktemp', None)
    """
    folder, template, below = "", "", False
    rest = iter(words[1:])
    for word in rest:
        if _FOLDER.fullmatch(word):
            folder = word.partition("=")[2] or next(rest, "")
        elif _BELOW.fullmatch(word):
            below = True
        elif word == "--suffix":
            next(rest, "")
        elif word[:1] != "-":
            template = word
        elif not _PLAIN.fullmatch(word):
            return None
    if ".." in template or (below and "/" in template):
        return None
    if below or not template:
        path = f"{folder}/mktemp" if folder else FRESH
    elif _FILLED.search(template):
        path = _FILLED.sub("mktemp", f"{folder}/{template}" if folder else template)
    else:
        return None
    return FRESH if _NEW.fullmatch(path) else path
