"""Paths: where they are (`Place`), their points, and what their names mean (traits).

A path may have holes: parts whose value is unknown, written `\\0name\\0`. A hole counts as empty, which is the worst
case: `/$x` is the root and `~/$x` is home.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from posixpath import normpath

from interlock.analyse.files.private_places import private_flags
from interlock.analyse.files.traits import is_known_public, traits
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.files import Folders
from interlock.model import Place, Resource

_TABLE = read_table("folders", Folders)

HOLE = "\0"


def hole(name: str) -> str:
    """Return the placeholder of an unknown part of a text."""
    return f"\0{name}\0"


def is_hole(text: str) -> bool:
    """Whether a text is a single hole."""
    return text.startswith(HOLE) and text.endswith(HOLE) and text.count(HOLE) == 2


def format_holes(text: str) -> str:
    """Return a text for display: holes as `$name`, and without characters that JSON cannot hold."""
    if HOLE in text:
        parts = text.split(HOLE)
        if len(parts) % 2 == 0:  # the last hole has no end
            parts[-2:] = [HOLE.join(parts[-2:])]
        parts[1::2] = [f"${name}" for name in parts[1::2]]
        text = "".join(parts)
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def holes(text: str) -> list[str]:
    """Return the names of a text's holes; one without an end is none."""
    return text.split(HOLE)[1:-1:2] if HOLE in text else []


def _is_named(path: str) -> bool:
    """Whether the part of a path in which something is unknown begins with a name: `/tmp/out-$$`, not `/tmp/$X`."""
    return HOLE in path and path.partition(HOLE)[0].rpartition("/")[2].strip("._-") != ""


def variable(name: str) -> str:
    """Return a valid variable name for a hole."""
    return re.sub(r"\W", "_", name) or "_"


# Prefix → place and points. The longest prefix wins.
PLACES: dict[str, tuple[Place, int]] = {
    folder: (Place(entry.place), entry.points) for entry in _TABLE.places for folder in entry.folders
}

#: Caches below home, which programs recreate.
CACHES = _TABLE.caches
#: Folders for temporary files of all programs.
TEMPORARY = frozenset(_TABLE.temporary)
_PERIPHERALS = _TABLE.peripherals

#: Parents of home folders.
HOMES = _TABLE.homes

#: Folders that a build or an install recreates.
REBUILT = frozenset(_TABLE.rebuilt)


def is_build_output(path: str) -> bool:
    """Whether a path below a project lies in a folder that a build or an install recreates.

    >>> is_build_output("web/dist"), is_build_output("src"), is_build_output("../dist")
    (True, False, False)
    """
    names = path.split("/")
    return names[0][:1] not in ("", "~") and ".." not in names and not REBUILT.isdisjoint(names)


#: How many paths are kept with what they are, and how long one may be: a loop writes to the same few again and again.
MAX_DESCRIBED, MAX_KNOWN = 1_024, 256
#: The longest path that systems accept.
MAX_PATH = 4_096

_SHAPE = frozenset({"secret", "app_private", "whole"})
_OUTSIDE = (Place.OUTSIDE, 0)
_UNKNOWN = (Place.UNKNOWN, 0)
WORKSPACE_POINTS = -15
#: The file with the settings of a project.
_SETTINGS = "interlock.toml"


class Places:
    """Classification of paths for one action, given its working folder, workspace and home."""

    __slots__ = ("_described", "_guarded", "_private", "_table", "cwd", "home", "workspace")

    def __init__(
        self,
        *,
        cwd: str | None = None,
        workspace: str | None = None,
        home: str | None = None,
        extra: Mapping[str, tuple[Place, int]] | None = None,
        private: Callable[[str], bool] | None = None,
        guarded: Callable[[str], bool] | None = None,
    ) -> None:
        cwd, workspace, home = (text if text and len(text) <= MAX_PATH else None for text in (cwd, workspace, home))
        self.home = normpath(home) if home and home.startswith("/") else None
        table = PLACES
        if self.home or extra or workspace:
            table = dict(PLACES)
            if self.home and self.home != "/":
                table[self.home] = (Place.HOME, 0)
            if extra:
                table.update(extra)
        for home_folder in {"~", self.home or "~"} if table is not PLACES else ():
            for cache in CACHES:
                table.setdefault(f"{home_folder}/{cache}", (Place.SCRATCH, -10))
        self._table = table
        self._private = private
        self._guarded = guarded
        self._described: dict[tuple[str, str | None], tuple[Resource, frozenset[str], str | None]] = {}
        self.workspace = self._accept_workspace(workspace)
        if self.workspace:
            table[self.workspace] = (Place.WORKSPACE, WORKSPACE_POINTS)
        self.cwd = normpath(cwd) if cwd and cwd.startswith(("/", "~")) else None

    def _accept_workspace(self, workspace: str | None) -> str | None:
        """Return the workspace, or None if it contains a whole home or the system, which must stay protected."""
        if not workspace or not workspace.startswith(("/", "~")):
            return None
        path = normpath(self._expand_home(workspace))
        place, _ = self._look_up(path)
        if place is Place.HOME and not self.is_top(path, place):
            return path
        if place is Place.SYSTEM and path.startswith(("/var/", "/usr/src/")):
            return path
        return path if place in (Place.OUTSIDE, Place.SCRATCH, Place.WORKSPACE) else None

    def _expand_home(self, path: str) -> str:
        if path[0] == "~" and (len(path) == 1 or path[1] == "/"):
            return (self.home or "~") + path[1:]
        return path

    def resolve(self, path: str, cwd: str | None = None) -> str | None:
        """Return the absolute path, with `..` resolved as text, or None if its start is unknown."""
        if not path:
            return self.cwd if cwd is None else cwd
        if len(path) > MAX_PATH:
            return None
        first = path[0]
        if first == "~":
            path = self._expand_home(path)
        elif first != "/":
            base = self.cwd if cwd is None else cwd
            if not base or base[0] == HOLE or path[0] == HOLE:
                return None
            path = f"{base}/{path}"
        if HOLE in path:
            known, _, rest = path.partition(HOLE)
            if "/.." in rest:
                return None
            path = known.rpartition("/")[0] or "/"
        if "/." in path or "//" in path or path[-1] == "/":
            path = normpath(path)
            if path.startswith("//"):
                path = path[1:]
        return path

    def _look_up(self, path: str) -> tuple[Place, int]:
        """Return the place and points of the longest known prefix of a path."""
        table = self._table
        if path.startswith(_PERIPHERALS):
            return _OUTSIDE
        while True:
            entry = table.get(path)
            if entry is not None:
                return entry
            cut = path.rfind("/")
            if cut <= 0:
                break
            path = path[:cut]
        if path.startswith("~"):
            return Place.HOME, 0  # `~someone`
        return _OUTSIDE

    def locate(self, path: str, cwd: str | None = None) -> tuple[Place, int, str | None]:
        """Return the place of a path, its points, and the absolute path if it is known."""
        full = self.resolve(path, cwd)
        if full is None:
            return (*_UNKNOWN, None)
        if full == "/" or full == "/*":
            return Place.ROOT, 30, "/"
        return (*self._look_up(full), full)

    def is_top(self, full: str, place: Place) -> bool:
        """Whether the path is the top of a place: the root, a home, the workspace, or a system folder."""
        full = full.removesuffix("/*")
        if place is Place.WORKSPACE:
            return full == self.workspace
        if place is Place.OUTSIDE:
            return False
        if place is Place.HOME:
            parent, _, name = full.rpartition("/")
            return full in ("~", self.home, "/root", *HOMES) or (parent in HOMES and bool(name)) or parent == ""
        if place is Place.SCRATCH:
            return full in TEMPORARY
        return full in self._table or full == ""

    def guards(self, path: str) -> bool:
        """Whether a path belongs to the running Interlock, or is where it looks for the settings of the project."""
        if self._guarded is not None and self._guarded(path):
            return True
        return self.workspace is not None and path == f"{self.workspace}/{_SETTINGS}"

    def resource(self, path: str, cwd: str | None = None) -> tuple[Resource, frozenset[str]]:
        """Return the file at a path as a resource, with its traits as flags."""
        known = self._described.get((path, cwd))
        if known is None:
            known = self._describe(path, cwd)
            if len(path) <= MAX_KNOWN:
                if len(self._described) >= MAX_DESCRIBED:
                    self._described.clear()
                self._described[path, cwd] = known
        resource, flags, full = known
        if self._private and self._private(full or path):
            flags = flags | {"secret"}
        if self._guarded and full and self._guarded(full):
            flags = flags | {"guard_config"}
        return resource, flags

    def _describe(self, path: str, cwd: str | None) -> tuple[Resource, frozenset[str], str | None]:
        """Return the file at a path, the flags of its name and its place, and its absolute path if it is known."""
        place, points, full = self.locate(path, cwd)
        name = format_holes(full if full and HOLE not in path else path)
        flags = traits(full or path)
        if HOLE in path:  # the known parts around a hole have traits too
            flags = flags | traits(format_holes(path))
        if place is Place.HOME and full:
            found = private_flags(full)
            if found:  # what is known of a name says more than its shape
                flags = flags | (found - _SHAPE if "secret" in flags or is_known_public(full) else found)
        if full is None:
            if path.strip("./*") == "":
                flags = flags | {"top"}
        else:
            if place is Place.WORKSPACE and self.workspace:
                inner = full[len(self.workspace) + 1 :]
                if is_build_output(inner):
                    flags = flags | {"rebuilt"}
                elif "*" in inner and inner.strip("*./") == "":
                    flags = flags | {"top"}
            if self.is_top(full, place) and not (place is Place.SCRATCH and _is_named(path)):
                flags = flags | {"top"}
        return Resource("file", name, place, points), flags, full
