"""Provenance: marks such as `secret` and `download` on what a command prints, writes and copies."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from interlock.analyse.flow import REPLACED, Flow
from interlock.analyse.reading import Reading
from interlock.analyse.secrets.disclosure import VALUE
from interlock.analyse.shell.output.partial_views import SEARCHING
from interlock.analyse.shell.output.secret_sources import is_diagnostic_file
from interlock.knowledge.catalogue import programs_in, read_table
from interlock.knowledge.table_types.commands import Hosts
from interlock.knowledge.table_types.files import FileOrigins
from interlock.lazy import LazyModule
from interlock.model import Effect, Place, Resource
from interlock.patterns import late

if TYPE_CHECKING:
    from interlock.analyse.shell.services import own_containers
    from interlock.memory.exposures import record_names
else:
    own_containers = LazyModule("interlock.analyse.shell.services.own_containers")
    record_names = LazyModule("interlock.memory.exposures.record_names")

#: Devices that never reach their end.
ENDLESS = frozenset({"/dev/zero", "/dev/random", "/dev/urandom"})
#: Endings of scripts and of templates of scripts.
_SCRIPTS = read_table("file-origins", FileOrigins).script_endings
_PERSONAL = frozenset({Place.HOME, Place.SYSTEM, Place.ROOT})
_SINGLE = frozenset({"personal"})
_SWEEP = frozenset({"sweep"})
_WHOLE = _SINGLE | _SWEEP  # a search through a whole home folder or system
# Programs that print a whole database.
_DUMPING = programs_in("database-dumpers")
_PICKING = programs_in("pickers")
BOUNDING = frozenset("head dd sed awk".split())  # stop reading an endless input
# Programs that print process ids, and arguments that limit them to our own jobs or to holders of an ordinary port.
_OWN = {"jobs": late(r"-p"), "lsof": late(r"-?t?i?(?:tcp)?:(\d{4,5})", re.IGNORECASE)}
# Ports of shared services, whose processes are not ours.
_SERVED = frozenset(read_table("hosts", Hosts).shared_ports)
# Flag of an effect → the marks that it puts on the command's output. A session is a token that is printed.
_FLAGS = {"session": VALUE, "clipboard": frozenset({"clipboard"})}
# Kind of effect → the marks that it puts on the command's output.
_ORIGINS = {
    "secret.read": frozenset({"secret"}),
    "env.read": frozenset({"environment"}),
    "net.fetch": frozenset({"download"}),
    "net.connect": frozenset({"download"}),
    "net.listen": frozenset({"download"}),
    "vcs.read": frozenset({"history"}),
}


#: Options by which git shows names and subjects only.
_SUBJECTS = frozenset("--oneline --name-only --name-status --stat --shortstat --count".split())


def trace_output(
    program: str, words: list[str], reading: Reading, first: int, marks: frozenset[str], url: str
) -> tuple[frozenset[str], str]:
    """Return the marks and the source URL of a command's output, by its effects from `first` on and its name."""
    own = named = True
    for effect in reading.effects[first:]:
        kind, flags = effect.kind, effect.flags
        if kind in _ORIGINS:
            if kind == "vcs.read" and not _SUBJECTS.isdisjoint(words):
                continue
            mark = _ORIGINS[kind]
            marks |= mark
            if "download" in mark:
                url = effect.resource.name if effect.resource else ""
        elif kind == "fs.read":
            if effect.resource:
                found = _file_marks(program, effect.resource, flags, reading)
                own, named = own and "own_code" in found, named and "own_process" in found
                marks |= found
        elif kind == "db.read" and effect.resource and record_names.is_records_file(f"{effect.resource.name}.csv"):
            marks |= _RECORDS
        if flags and not _TELLING.isdisjoint(flags):
            for flag in flags & _TELLING:
                marks |= _FLAGS[flag]
    if not own:  # one of several files is no script of the project
        marks -= _OWN_CODE if named else _VOUCHING
    return _program_marks(program, words, marks) if program in _MARKING else marks, url


#: Flags of effects that put marks on the output.
_TELLING = frozenset(_FLAGS)
_OWN_CODE = frozenset({"own_code"})
_RECORDS = frozenset({"records"})
_VOUCHING = frozenset({"own_code", "own_process"})


def _program_marks(program: str, words: list[str], marks: frozenset[str]) -> frozenset[str]:
    """Return the marks with those that a program adds or takes away by what it is."""
    if program in _DUMPING:
        return marks | {"dump"}
    if program in _PICKING:
        return marks | {"extracted"}
    if program in BOUNDING:
        return marks - {"endless"}
    if program in _ENGINES:
        return marks | {"own_process"} if own_containers.lists_own(words) else marks
    return marks | {"own_process"} if program in _OWN and _is_own(_OWN[program], words) else marks


#: Programs that list containers and volumes.
_ENGINES = frozenset("docker podman nerdctl finch".split())
#: Programs that `_program_marks` is about.
_MARKING = _DUMPING | _PICKING | BOUNDING | _ENGINES | _OWN.keys()


def _is_own(pattern: re.Pattern[str], words: list[str]) -> bool:
    """Whether the processes asked for are our own: jobs of this shell, or holders of a port of no shared service."""
    found = [match for word in words[1:] if (match := pattern.fullmatch(word))]
    return bool(found) and all(_SERVED.isdisjoint(match.groups()) for match in found)


def read_marks(effect: Effect, reading: Reading) -> frozenset[str]:
    """Return the marks of the content of a file that was read."""
    return _file_marks("", effect.resource, effect.flags, reading) if effect.resource else frozenset()


def _file_marks(program: str, resource: Resource, flags: frozenset[str], reading: Reading) -> frozenset[str]:
    """Return the marks that reading a file puts on the output."""
    marks = reading.content_marks(resource.name)
    shown = "names" not in flags
    if shown and record_names.is_records_file(resource.name):
        marks |= _RECORDS
    if resource.place is Place.WORKSPACE and resource.name.endswith(_SCRIPTS):
        marks |= {"own_code"}
    if shown and "recursive" in flags and _OWN_FOLDERS.match(resource.name):
        marks |= _RECORDS
    if resource.place in _PERSONAL and shown:
        marks |= _WHOLE if "top" in flags else _SINGLE
    elif resource.place in _PERSONAL and "top" in flags and program in SEARCHING:
        marks |= _SWEEP  # only the names of what is found: `grep -rl x ~`
    elif resource.place is Place.WORKSPACE and "top" in flags and shown:
        marks |= {"workspace"}
    elif resource.name in ENDLESS and program in ("cat", ""):  # or redirected to the input
        marks |= {"endless"}
    elif resource.name.endswith(".pid"):
        marks |= {"own_process"}
    if shown and resource.place is not Place.WORKSPACE and is_diagnostic_file(resource.name):
        marks |= {"diagnostics"}
    return marks


# Whole folders below home in which people keep what is theirs.
_OWN_FOLDERS = late(
    r"(?i)^(?:/home/[^/]+|/Users/[^/]+|/root)/(?:documents|desktop|pictures|photos|mail|maildir|private|personal|scans)(?:/|$)"
)
_DATABASE = late(r"(?i)\.(?:db3?|sqlite3?|sqlitedb|duckdb|rdb|mdb)$")


def record_backup(program: str, reading: Reading, first: int) -> None:
    """Record the copy of a database that `cp` makes under another name."""
    effects = reading.effects[first:]
    if (
        program not in ("cp", "gcp")
        or len(effects) != 2
        or effects[0].kind != "fs.read"
        or effects[1].kind != "fs.write"
    ):
        return
    source, copy = effects[0].resource, effects[1].resource
    if source and copy and _DATABASE.search(source.name) and _DATABASE.search(copy.name) and source.name != copy.name:
        reading.backups[copy.name] = source.name


#: Programs that put a file's packed content in its place, and what they add to its name.
PACKING = {
    program: ending
    for ending, programs in read_table("file-origins", FileOrigins).packed.items()
    for program in programs
}


#: Programs that replace a packed file with its unpacked content.
_IN_PLACE = programs_in("in-place-decompressors")
PACKERS = PACKING.keys() | _IN_PLACE
_PACKED = (*dict.fromkeys(PACKING.values()), ".tgz", ".txz", ".tbz2")


def record_packed(program: str, reading: Reading, first: int, before: dict[str, Flow]) -> None:
    """Give packed and unpacked files the marks of the files that they were made from."""
    for effect in reading.effects[first:]:
        name = effect.resource.name if effect.resource else ""
        if name not in before:
            continue
        packed = next((ending for ending in _PACKED if name.endswith(ending)), "")
        if packed:
            reading.files[name.removesuffix(packed)] = Flow(None, before[name].marks)
        elif program in PACKING:
            reading.files[f"{name}{PACKING[program]}"] = Flow(None, before[name].marks)


_SPLITTING = frozenset({"split", "csplit", "gsplit"})
#: Programs that unpack an archive, into the working folder unless another one is named.
_UNPACKING = programs_in("unpackers")


def record_origin(program: str, reading: Reading, cwd: str | None, first: int, marks: frozenset[str]) -> None:
    """Put the marks of a command's input on the files it wrote, so that a copy of a key is known as a key."""
    written = [
        effect.resource.name for effect in reading.effects[first:] if effect.kind == "fs.write" and effect.resource
    ]
    if "download" in marks and program in _UNPACKING:
        written.append(cwd or reading.places.cwd or "")
    if program in _SPLITTING:
        written = [f"{name}*" for name in written]  # the parts have names that begin so
    for name in written:
        if name and reading.files.get(name, REPLACED) is REPLACED:
            reading.files[name] = Flow(None, marks)
