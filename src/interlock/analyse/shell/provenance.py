"""Where things come from: what a command prints, what it leaves in files, and what a copy holds."""

from __future__ import annotations

import re

from interlock.analyse.reading import REPLACED, Flow, Reading
from interlock.model import Place, Resource

#: What gives bytes for as long as anyone reads.
ENDLESS = frozenset({"/dev/zero", "/dev/random", "/dev/urandom"})
_PERSONAL = frozenset({Place.HOME, Place.SYSTEM, Place.ROOT})
# Programs that print all that a database holds, and programs that stop reading some time.
_DUMPING = frozenset("pg_dump pg_dumpall mysqldump mariadb-dump mongodump".split())
_PICKING = frozenset("jq yq xq dasel gron".split())  # one field out of data
_BOUNDING = frozenset("head dd sed awk".split())
# Programs that print processes which were started here, or which hold a port that anyone may hold.
_OWN = {"jobs": re.compile(r"-p"), "lsof": re.compile(r"-?t?i?(?:tcp)?:(\d{4,5})", re.IGNORECASE)}
# Ports of services that more than one program lives by.
_SERVED = frozenset("1433 1521 2049 2375 2376 2379 3306 5432 5672 6379 6443 9092 9200 11211 27017".split())
# Where what a command prints comes from.
_ORIGINS = {
    "secret.read": frozenset({"secret"}),
    "env.read": frozenset({"environment"}),
    "net.fetch": frozenset({"download"}),
    "net.connect": frozenset({"download"}),
    "net.listen": frozenset({"download"}),
    "vcs.read": frozenset({"history"}),
}


def trace_output(
    program: str, words: list[str], reading: Reading, first: int, marks: frozenset[str], url: str
) -> tuple[frozenset[str], str]:
    """Return where what a command prints comes from, by its effects from `first` on and by its name."""
    for effect in reading.effects[first:]:
        mark = _ORIGINS.get(effect.kind)
        if mark is not None:
            marks |= mark
            if "download" in mark:
                url = effect.resource.name if effect.resource else ""
        elif effect.kind == "fs.read" and effect.resource:
            marks |= _file_marks(program, effect.resource, effect.flags, reading)
    if program in _DUMPING:
        marks |= {"dump"}
    elif program in _PICKING:
        marks |= {"extracted"}
    elif program in _BOUNDING:
        marks -= {"endless"}
    elif program in _OWN and _is_own(_OWN[program], words):
        marks |= {"own_process"}
    return marks, url


def _is_own(pattern: re.Pattern[str], words: list[str]) -> bool:
    """Whether what is looked for is our own: a job of this shell, or who holds a port of no well-known service."""
    found = [match for word in words[1:] if (match := pattern.fullmatch(word))]
    return bool(found) and all(_SERVED.isdisjoint(match.groups()) for match in found)


def _file_marks(program: str, resource: Resource, flags: frozenset[str], reading: Reading) -> frozenset[str]:
    """Return what a file that was read says about what is printed."""
    held = reading.files.get(resource.name) if reading.files else None
    marks = held.marks if held else frozenset[str]()
    shown = "names" not in flags
    if resource.place in _PERSONAL and shown:
        marks |= {"personal"}
    elif resource.place is Place.WORKSPACE and "top" in flags and shown:
        marks |= {"workspace"}
    elif resource.name in ENDLESS and program == "cat":
        marks |= {"endless"}
    elif resource.name.endswith(".pid"):
        marks |= {"own_process"}
    return marks


COPYING = frozenset("cp gcp mv gmv ln install".split())


def record_copies(program: str, reading: Reading, first: int, held: dict[str, Flow]) -> None:
    """Remember what a copy holds: whatever the file held that it was made of."""
    effects = [effect for effect in reading.effects[first:] if effect.resource]
    targets = [effect.resource.name for effect in effects if effect.resource and effect.kind == "fs.write"]
    sources = [effect.resource.name for effect in effects if effect.resource and effect.kind != "fs.write"]
    for source in sources:
        flow = held.get(source)
        if flow is None:
            continue
        for target in targets:  # the file itself, or a folder that it is put into
            reading.files[target] = flow
            reading.files[f"{target.rstrip('/')}/{source.rpartition('/')[2]}"] = flow
        if program not in ("mv", "gmv"):
            reading.files[source] = flow


#: Programs that take an archive apart, into the working folder unless another one is named.
_UNPACKING = frozenset("tar gtar bsdtar unzip 7z 7za unar bsdunzip cpio".split())


def record_origin(program: str, reading: Reading, cwd: str | None, first: int, marks: frozenset[str]) -> None:
    """Remember where what a command wrote came from: a copy of a key is a key."""
    written = [
        effect.resource.name for effect in reading.effects[first:] if effect.kind == "fs.write" and effect.resource
    ]
    if "download" in marks and program in _UNPACKING:
        written.append(cwd or reading.places.cwd or "")
    for name in written:
        if name and reading.files.get(name, REPLACED) is REPLACED:
            reading.files[name] = Flow(None, marks)
