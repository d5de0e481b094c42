"""Handmade files: work of people that no program can recreate, and actions that destroy it.

A file that is emptied or replaced is lost unless it was committed, which a command does not show. So a write
that leaves nothing (`truncate`) or replaces a file as a whole (`overwrites`) matters where the file is handmade: source
code, notes, a notebook, or any document below the home folder. Build output, logs and the like are not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import msgspec

from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.files import FileOrigins
from interlock.model import Effect, Place
from interlock.patterns import late

_TABLE = read_table("file-origins", FileOrigins)
_SOURCE_ENDINGS, _DATA_ENDINGS = frozenset(_TABLE.source_endings), frozenset(_TABLE.data_endings)
_ONLY_COPY = late(
    r"(?i)(\.ipynb|\.(db3?|sqlite3?|sqlitedb|duckdb|rdb|mdb)(-wal|-journal)?|/\.[^/]*\.sw[a-p*\[?][^/]*|\.sw[op]|/localhistory(/.*)?|/local.?history(/.*)?"
    r"|/(pg_?data|(postgres(ql)?|mysql|mongo(db)?|redis|minio|mariadb)[-_]data|(data|volumes|storage)/(db|postgres(ql)?|mysql|mongo(db)?"
    r"|redis|minio|mariadb|elasticsearch))(/.*)?"
    r"|/\.history(/.*)?|/mlruns(/.*)?|\.(kdbx|psd|blend))$"
)
#: Folders of a project that people fill, as the last part of a path.
_OWN_FOLDER = late(
    r"(?i)/(src|source|sources|notebooks?|docs|data|datasets?|annotations|labels|research|manuscripts?)/?$"
)
_DATABASE = late(r"(?i)\.(db3?|sqlite3?|sqlitedb|duckdb|rdb|mdb)$")
_COPY_NAME = late(r"(?i)(backup|bak|copy|old|orig|snapshot|archive|export|dump|seed|template|fixture|empty|new|\d{4})")
#: Every file of a folder: a wildcard, or what a listing gave, as the last part of a path.
_SEVERAL = late(r"[*?\[][^/]*$|/\$(?:entry|name|file)$")
_MOUNTED = ("/mnt/", "/media/", "/Volumes/", "/srv/", "/data/", "/run/media/")
_GENERATED = late(
    r"(?i)(^|/)(__init__\.py|conftest\.py|py\.typed|index\.html|\.\w+|[^/]*(generated|\.gen|\.pb|_pb2|\.min|\.lock|bundle|output|results?|report|log|"
    r"tmp|temp|cache|fixture|sample|example|empty|placeholder|test)[^/]*|changelog\.md)$|/(logs?|out|output|results?|reports?|tests?|__tests__"
    r"|spec|fixtures?|testdata|generated|gen|migrations|vendor|third_party|examples?)/"
)
#: Folders below home that hold what programs made or fetched.
_TOOLS = frozenset(_TABLE.tool_folders)
#: Kinds of effects by which files are lost.
CHANGES = frozenset({"fs.write", "fs.move", "fs.delete"})
_KNOWN = frozenset({"rebuilt", "append", "new", "empty"})


class KnownContent(Protocol):
    """The known content of a file."""

    @property
    def text(self) -> str | None: ...


def mark_handmade(
    effects: list[Effect], files: Mapping[str, KnownContent], home: str | None, is_backup: Callable[[str, str], bool]
) -> None:
    """Add flags to changes that lose handmade files: `handmade`, `truncate` or `overwrites`, `only_copy` if deleted."""
    home = home or "~"
    for at, effect in enumerate(effects):
        resource = effect.resource
        if effect.kind not in CHANGES or resource is None or resource.place is None:
            continue
        before = effects[at - 1] if at else None
        if resource.name == "/dev/null" and before is not None and _is_thrown_away(before):
            effects[at - 1] = msgspec.structs.replace(before, kind="fs.delete")  # `mv x /dev/null`
        if not _KNOWN.isdisjoint(effect.flags):
            continue
        if resource.place is Place.SCRATCH and "/LocalHistory" not in resource.name:
            continue
        emptied = _is_blank(files.get(resource.name)) or (before is not None and _reads_nothing(before))
        found = _flags(effect, resource.name, resource.place, emptied, home)
        if not found and effect.kind == "fs.write" and _replaces_database(before, resource.name, is_backup):
            found = ("only_copy", "overwrites")
        if found:
            effects[at] = msgspec.structs.replace(effect, flags=effect.flags.union(found))


def _is_thrown_away(effect: Effect) -> bool:
    """Whether an effect before a write to `/dev/null` moves a file there. Whole folders have other rules."""
    return effect.kind == "fs.move" and "top" not in effect.flags


def _is_blank(content: KnownContent | None) -> bool:
    return content is not None and content.text is not None and not content.text.strip()


def _reads_nothing(effect: Effect) -> bool:
    return effect.kind == "fs.read" and effect.resource is not None and effect.resource.name == "/dev/null"


def _flags(effect: Effect, path: str, place: Place, emptied: bool, home: str) -> Sequence[str]:
    if effect.kind == "fs.delete":
        return ("only_copy",) if _is_only_copy(effect, path, place) else ()
    if effect.kind == "fs.move":
        return ()
    several = _SEVERAL.search(path) is not None
    if place in (Place.WORKSPACE, Place.UNKNOWN):  # a relative path is usually one in the project
        if several and path.endswith(".ipynb"):
            return ("only_copy", "overwrites")
        losing = emptied or not _LOSING.isdisjoint(effect.flags)
        if not losing or not (_is_source(path) or (_is_data(path) and not _GENERATED.search(path))):
            return ()
        return ("handmade", "truncate") if emptied else ("handmade",)
    forced = ("force" in effect.flags or _is_data(path)) and "in_place" not in effect.flags
    replaced = several or (place is Place.HOME and forced)
    lost = emptied or not _LOSING.isdisjoint(effect.flags)
    if not (lost or replaced) or not _is_own(path, place, home, lost or several):
        return ()
    return ("handmade", "truncate") if emptied else ("handmade", "overwrites") if replaced else ("handmade",)


def _is_own(path: str, place: Place, home: str | None, lost: bool) -> bool:
    """Whether a path is a person's own file. One directly in the home folder counts only if it is `lost`."""
    if place is Place.OUTSIDE:
        return path.startswith(_MOUNTED)
    if is_document(path, place, home):
        return True
    name = path[len(home) + 1 :] if lost and home and path.startswith(home + "/") else ""
    return bool(name) and "/" not in name and name[0] != "." and _GENERATED.search(path) is None


def _replaces_database(before: Effect | None, path: str, is_backup: Callable[[str, str], bool]) -> bool:
    """Whether a local database is replaced by another file that was just read or moved and is not a backup."""
    if before is None or before.kind not in ("fs.read", "fs.move") or before.resource is None:
        return False
    source, name = before.resource.name, path.rpartition("/")[2]
    if not _DATABASE.search(path) or not _DATABASE.search(source) or _is_scratch_database(name):
        return False
    return _COPY_NAME.search(name) is None and "/test" not in path and not is_backup(source, path)


def _is_scratch_database(name: str) -> bool:
    """Whether a file is a database for tests by its name."""
    from interlock.analyse.stores.scratch_names import is_scratch_name  # few actions replace or delete a database

    return is_scratch_name(name.partition(".")[0])


_LOSING = frozenset({"truncate", "overwrites"})


def _is_only_copy(effect: Effect, path: str, place: Place) -> bool:
    """Whether the deleted files are usually not, or not all, in a repository: a database, a folder of source code."""
    if "recursive" in effect.flags and place is Place.WORKSPACE and _OWN_FOLDER.search(path):
        return "/test" not in path and _GENERATED.search(path) is None
    if "tracked" in effect.flags or not is_only_copy(path):
        return False
    name = path.rpartition("/")[2]
    return not _is_scratch_database(name) and "_checkpoints" not in path and "/test" not in path


def is_only_copy(path: str) -> bool:
    """Whether a path or a pattern names local databases, notebooks or unsaved work of an editor."""
    return _ONLY_COPY.search(path) is not None


def _is_source(path: str) -> bool:
    return _ending(path) in _SOURCE_ENDINGS and _GENERATED.search(path) is None


def _is_data(path: str) -> bool:
    return _ending(path) in _DATA_ENDINGS


def _ending(path: str) -> str:
    """Return the extension of a path, in lower case."""
    return path.rstrip("\n").rpartition(".")[2].lower() if "." in path else ""


def is_document(path: str, place: Place, home: str | None) -> bool:
    """Whether a path is a person's own file: in a folder below home, except hidden folders and those of tools."""
    if place is not Place.HOME or not home or not path.startswith(home + "/"):
        return False
    first, slash, rest = path[len(home) + 1 :].partition("/")
    return (
        bool(slash or "." not in first) and first not in _TOOLS and not first.startswith(".") and "/." not in f"/{rest}"
    )
