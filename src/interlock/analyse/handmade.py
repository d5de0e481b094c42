"""Handmade files: what people write and programs cannot make again, and what an action leaves of it.

A file that is emptied or replaced is gone unless it was committed, which nobody can tell from a command. So a write
that leaves nothing (`truncate`) or replaces a file as a whole (`overwrites`) matters where the file is handmade: source
code, notes, a notebook, or any document below the home folder. Build output, logs and the like are not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec

from interlock.analyse.scratch_names import is_scratch_name
from interlock.model import Effect, Place
from interlock.patterns import late

_SOURCE = late(
    r"(?i)\.(py|pyi|ipynb|[cm]?[jt]sx?|vue|svelte|go|rs|rb|php|pl|lua|java|kt|kts|scala|cs|fs|swift|mm?|c|cc|cpp|cxx|h|hpp|hs|ml"
    r"|ex|exs|erl|clj|dart|jl|r|rmd|qmd|sol|zig|nim|sql|sh|bash|zsh|fish|ps1|md|mdx|rst|adoc|org|tex|bib|html?|s?css|sass|less"
    r"|proto|graphql|tf|docx?|odt|xlsx|ods|pptx?|key|psd|ai|sketch|fig|blend)$"
)
_DATA = late(
    r"(?i)\.(csv|tsv|xlsx?|ods|parquet|feather|db3?|sqlite3?|duckdb|mdb|accdb|ledger|journal|beancount|gnucash|mbox|pst|sav|dta)$"
)
_ONLY_COPY = late(
    r"(?i)(\.ipynb|\.(db3?|sqlite3?|sqlitedb|duckdb|rdb|mdb)|/\.[^/]*\.sw[a-p*\[?][^/]*|\.sw[op]|/localhistory(/.*)?|/local.?history(/.*)?"
    r"|/(pg_?data|(postgres(ql)?|mysql|mongo(db)?|redis|minio|mariadb)[-_]data|(data|volumes|storage)/(db|postgres(ql)?|mysql|mongo(db)?"
    r"|redis|minio|mariadb|elasticsearch))(/.*)?"
    r"|/\.history(/.*)?|/mlruns(/.*)?|\.(kdbx|psd|blend))$"
)
_GENERATED = late(
    r"(?i)(^|/)(__init__\.py|conftest\.py|py\.typed|index\.html|\.\w+|[^/]*(generated|\.gen|\.pb|_pb2|\.min|\.lock|bundle|output|results?|report|log|"
    r"tmp|temp|cache|fixture|sample|example|empty|placeholder|test)[^/]*|changelog\.md)$|/(logs?|out|output|results?|reports?|tests?|__tests__"
    r"|spec|fixtures?|testdata|generated|gen|migrations|vendor|third_party|examples?)/"
)
#: Folders below home that hold what programs made or fetched.
_TOOLS = frozenset(
    "go bin Downloads tmp temp snap Library AppData miniconda3 anaconda3 miniforge3 opt sdk Android node_modules venv "
    "perl5 gems lib".split()
)
_CHANGES = frozenset({"fs.write", "fs.move", "fs.delete"})
_KNOWN = frozenset({"rebuilt", "append", "new", "empty"})


class Content(Protocol):
    """What is known about the content of a file."""

    @property
    def text(self) -> str | None: ...


def mark_handmade(effects: list[Effect], files: Mapping[str, Content], home: str | None) -> None:
    """Add flags to changes that lose handmade files: `handmade`, `truncate` or `overwrites`, `only_copy` if deleted."""
    for at, effect in enumerate(effects):
        resource = effect.resource
        if effect.kind not in _CHANGES or resource is None or resource.place is None:
            continue
        if resource.place is Place.SCRATCH or not _KNOWN.isdisjoint(effect.flags):
            continue
        emptied = _is_blank(files.get(resource.name)) or (at > 0 and _reads_nothing(effects[at - 1]))
        found = _flags(effect, resource.name, resource.place, emptied, home)
        if found:
            effects[at] = msgspec.structs.replace(effect, flags=effect.flags.union(found))


def _is_blank(content: Content | None) -> bool:
    return content is not None and content.text is not None and not content.text.strip()


def _reads_nothing(effect: Effect) -> bool:
    return effect.kind == "fs.read" and effect.resource is not None and effect.resource.name == "/dev/null"


def _flags(effect: Effect, path: str, place: Place, emptied: bool, home: str | None) -> Sequence[str]:
    if effect.kind == "fs.delete":
        return ("only_copy",) if _is_only_copy(effect, path) else ()
    forced = "force" in effect.flags or _DATA.search(path) is not None
    replaced = place is Place.HOME and "in_place" not in effect.flags and forced
    if effect.kind == "fs.move" or not (emptied or replaced or not _LOSING.isdisjoint(effect.flags)):
        return ()
    if not (is_document(path, place, home) if place is Place.HOME else _is_source(path)):
        return ()
    return ("handmade", "truncate") if emptied else ("handmade", "overwrites") if replaced else ("handmade",)


_LOSING = frozenset({"truncate", "overwrites"})


def _is_only_copy(effect: Effect, path: str) -> bool:
    """Whether a deleted file is usually in no repository."""
    if "tracked" in effect.flags or not is_only_copy(path):
        return False
    name = path.rpartition("/")[2]
    return not is_scratch_name(name.partition(".")[0]) and "_checkpoints" not in path and "/test" not in path


def is_only_copy(path: str) -> bool:
    """Whether a path or a pattern names local databases, notebooks or unsaved work of an editor."""
    return _ONLY_COPY.search(path) is not None


def _is_source(path: str) -> bool:
    return _SOURCE.search(path) is not None and _GENERATED.search(path) is None


def is_document(path: str, place: Place, home: str | None) -> bool:
    """Whether a path is a person's own file: in a folder below home that is neither hidden nor full of tools."""
    if place is not Place.HOME or not home or not path.startswith(home + "/"):
        return False
    first, slash, rest = path[len(home) + 1 :].partition("/")
    return (
        bool(slash or "." not in first) and first not in _TOOLS and not first.startswith(".") and "/." not in f"/{rest}"
    )
