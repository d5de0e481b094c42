"""Ignore files: `.gitignore`, `.dockerignore` and the like."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from interlock.analyse.files.traits import traits
from interlock.patterns import late

IGNORE_FILES = (".gitignore", ".dockerignore", ".npmignore", ".git/info/exclude")
#: Flags of a change after which secrets are no longer kept out.
UNIGNORED = frozenset({"unignored"})
#: A command of sed that deletes the lines with a pattern, or empties them.
_DELETED = late(
    r"(?:^|[;{\n])\s{0,9}(?:/(?P<old>(?:[^/\\\n]|\\.){1,200})/\s{0,9}d|s(?P<mark>[^\w\s\\])(?P<gone>.{1,200}?)(?P=mark)(?P=mark))"
)
_SIGNS = late(r"\\(?P<kept>.)|[\^$*]")


def hides_secret(line: str) -> bool:
    """Whether a line of an ignore file keeps secrets out of a repository, an image or a package.

    >>> [hides_secret(line) for line in (".env", "*.pem", "/secrets/", "dist/", "!.env")]
    [True, True, True, False, False]
    """
    name = line.strip("/*")
    if not name or line[:1] in ("#", "!"):
        return False
    return "secret" in traits(name if name[:1] != "." or "/" in name or line[:1] != "*" else f"key{name}")


def lets_secret_in(scripts: Iterable[str]) -> bool:
    """Whether scripts of sed delete a line from an ignore file that keeps secrets out."""
    return any(hides_secret(line) or hides_secret(f"*{line}") for line in _find_deleted_lines(scripts))


def _find_deleted_lines(scripts: Iterable[str]) -> Iterator[str]:
    """Yield the lines that scripts of sed delete, as far as their patterns are plain.

    >>> list(_find_deleted_lines([r"/^\\.env$/d", "s#^dist/##"]))
    ['.env', 'dist/']
    """
    for script in scripts:
        for found in _DELETED.finditer(script):
            yield _SIGNS.sub(lambda sign: sign["kept"] or "", found["old"] or found["gone"])
