"""Holes: the parts of an action that may differ while its shape stays the same, and what fits into each of them."""

from __future__ import annotations

import math
import posixpath
import re
from collections.abc import Callable
from typing import Any, Literal

import msgspec

from interlock.patterns import late

#: The words that may fill a hole: nothing that a shell expands, quotes or joins, and no look-alike letters.
PLAIN_WORD = late(r"[A-Za-z0-9_@%+=:,./-]{1,200}")
#: Branches that a shape never covers, whatever comes after a slash.
PROTECTED_BRANCHES = ("main", "master", "trunk", "develop", "release", "staging", "production", "prod", "live")
_BRANCH = late(r"[A-Za-z0-9][A-Za-z0-9._-]*(?:/[A-Za-z0-9][A-Za-z0-9._-]*)*")
#: The first parts of names that git takes for another kind of reference.
_REFERENCES = frozenset({"head", "refs", "heads", "tags", "remotes", "fetch_head", "orig_head", "merge_head"})
_PACKAGE = late(r"(?:@[a-z0-9][a-z0-9._-]*/)?[A-Za-z0-9][A-Za-z0-9._-]*(?:(?:@|==)[0-9][A-Za-z0-9.+-]*)?")
_NAME = late(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
#: Identifiers have a digit in them: words such as `all` or `production` choose what happens.
_IDENTIFIER = late(r"(?=[^0-9]*[0-9])[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
#: The ends of words that package managers take for a file in the folder, or for a package to remove or to add.
_NO_PACKAGE = tuple(
    (
        ".tar .tgz .gz .bz2 .xz .zip .whl .egg .rb .gem .deb .rpm .apk .nupkg .jar .snap .flatpak .msi .exe "
        ".json .txt .toml .yml .yaml - +"
    ).split()
)
_ADDRESS_REST = late(r"(?:[A-Za-z0-9_-][A-Za-z0-9._-]*(?:/[A-Za-z0-9_-][A-Za-z0-9._-]*)*/?)?")
_MOST_PARTS = 40

#: Values that a statement compares a column with. In some databases, every text without digits equals 0.
_ROW_NUMBER = late(r"[1-9][0-9]{0,17}")
_ROW_TEXT = late(r"'(?=[^']*[A-Za-z0-9])[A-Za-z0-9 _.@:+-]{1,100}'")

WordKind = Literal["path", "relative", "address", "branch", "package", "name", "number", "identifier", "whole"]
HoleKind = WordKind | Literal["row_number", "row_text", "content", "existing", "edits"]


class Hole(msgspec.Struct, frozen=True, rename="camel"):
    """A part that may differ. `within` is the folder or the beginning of the address, `most` the largest number."""

    kind: HoleKind
    within: str = ""
    most: float = 0

    @property
    def repeats(self) -> bool:
        """Whether several words can fill it: each of them has a separate effect."""
        return self.kind in ("path", "package")

    @property
    def text(self) -> str:
        """The complete description of the values that fit."""
        return _TEXTS[self.kind].format(within=self.within, most=f"{self.most:g}")

    def takes(self, value: Any, folder: str = "") -> bool:
        """Whether a word of a command, or the value of an argument, fits. `folder` is where the command runs."""
        if self.kind in ("number", "whole"):
            return self._takes_number(value)
        if self.kind in _TAKES:
            return _TAKES[self.kind](value)
        if not isinstance(value, str) or PLAIN_WORD.fullmatch(value) is None or value[0] in "-+":
            return False
        if self.kind == "path":
            return _is_plain_path(value) and is_inside(posixpath.join(folder or "/", value), self.within)
        return _FITS[self.kind](value, self.within)

    def takes_resource(self, name: str) -> bool:
        """Whether the resource of an effect fits."""
        return is_inside(name, self.within) if self.kind == "path" else self.takes(name)

    def _takes_number(self, value: Any) -> bool:
        if type(value) not in (int, float):  # neither a bool nor a text of digits
            return False
        if self.kind == "whole":
            return type(value) is int and 0 <= value < 2**53
        return math.isfinite(value) and 0 < value <= self.most


def is_inside(path: str, folder: str) -> bool:
    """Whether an absolute path is strictly inside a folder, with no hidden file or folder between them."""
    path = path.rstrip("/")
    if not folder or not path.startswith(f"{folder}/") or posixpath.normpath(path) != path:
        return False
    rest = path[len(folder) + 1 :]
    return PLAIN_WORD.fullmatch(path) is not None and not any(part.startswith(".") for part in rest.split("/"))


def _is_plain_path(word: str) -> bool:
    """Whether a path only descends, and names every folder on the way."""
    parts = word.removeprefix("/").removesuffix("/").split("/")
    return len(parts) <= _MOST_PARTS and all(part and part not in (".", "..") for part in parts)


def _is_relative(word: str, _: str) -> bool:
    parts = word.removesuffix("/").split("/")
    looks = "/" in word or "." in word  # a bare word may be the name of a task
    return looks and _is_plain_path(word) and not word.startswith("/") and not any(part[:1] == "." for part in parts)


#: Names that tags usually have: versions, and words for the newest of them.
_TAG_NAME = late(
    r"(?i)(?:.*[/@_-])?v\d[\w.+-]*|(?:.*[/@_-])?\d+(?:\.\d+)+[\w.+-]*|\d[\d._-]*(?:[a-z]+[\d._-]*)?"
    r"|(?:.*[/@_-])?(?:latest|stable|nightly|canary|edge|lts|alpha|beta|rc\d*)"
)


def _is_branch(word: str, _: str) -> bool:
    if _TAG_NAME.fullmatch(word) is not None:
        return False
    if _BRANCH.fullmatch(word) is None or word.endswith((".lock", ".")) or ".." in word:
        return False
    return word.split("/")[0].casefold() not in _REFERENCES.union(PROTECTED_BRANCHES)


def _is_package(word: str, _: str) -> bool:
    return _PACKAGE.fullmatch(word) is not None and not word.casefold().endswith(_NO_PACKAGE)


def _is_address(word: str, within: str) -> bool:
    return word.startswith(within) and _ADDRESS_REST.fullmatch(word[len(within) :]) is not None


def _full_match(pattern: re.Pattern[str]) -> Callable[[str, str], bool]:
    return lambda word, _: pattern.fullmatch(word) is not None


def _is_existing(value: Any) -> bool:
    """Whether a value is a text that an edit replaces; without one, it would create the file."""
    return isinstance(value, str) and value != ""


def _is_edits(value: Any) -> bool:
    """Whether a value is a list of edits, each of which replaces a text."""
    return isinstance(value, list) and bool(value) and all(map(_is_edit, value))


def _is_edit(value: Any) -> bool:
    if not isinstance(value, dict) or not set(value) <= {"old_string", "new_string", "replace_all"}:
        return False
    is_text = _is_existing(value.get("old_string")) and isinstance(value.get("new_string"), str)
    return is_text and isinstance(value.get("replace_all", False), bool)


#: Holes that take other values than plain words.
_TAKES: dict[str, Callable[[Any], bool]] = {
    "row_number": lambda value: isinstance(value, str) and _ROW_NUMBER.fullmatch(value) is not None,
    "row_text": lambda value: isinstance(value, str) and _ROW_TEXT.fullmatch(value) is not None,
    "content": lambda value: isinstance(value, str),
    "existing": _is_existing,
    "edits": _is_edits,
}
_FITS: dict[str, Callable[[str, str], bool]] = {
    "relative": _is_relative,
    "address": _is_address,
    "branch": _is_branch,
    "package": _is_package,
    "name": _full_match(_NAME),
    "identifier": _full_match(_IDENTIFIER),
}
_TEXTS = {
    "path": "one or more files or folders in {within}, except hidden ones",
    "relative": "any path below the folder it runs in, except hidden ones",
    "address": "any address that begins with {within}",
    "branch": f"any branch except {', '.join(PROTECTED_BRANCHES)} or a branch below one of them, and no tag",
    "package": "one or more packages from the registry",
    "name": "any name",
    "number": "up to {most}",
    "identifier": "any",
    "whole": "any",
    "row_number": "any positive number",
    "row_text": "any text",
    "content": "any text",
    "existing": "any text",
    "edits": "any edits",
}
_ORIGIN = late(r"https?://[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::[0-9]{1,5})?/", re.ASCII)


def origin_of(address: str) -> str:
    """Return scheme, host and port of a plain address with a slash after them, or an empty text."""
    found = _ORIGIN.match(address)
    return found[0] if found else ""
