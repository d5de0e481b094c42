"""Copies: a file that is copied into a folder keeps its name, and a pattern or a folder stands for the files in it."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator, Mapping
from itertools import islice

from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import Flow
from interlock.analyse.reading import Reading
from interlock.analyse.shadowing import takes_effect
from interlock.analyse.shell.call import ShellCall
from interlock.model import Effect, Place

#: Options that keep existing files at the destination.
KEEPING = frozenset("-n -u -i --no-clobber --update --update=none --update=older --interactive -nv -vn -rn -an".split())
MAX_COPIES = 200
_SOURCES = frozenset({"fs.read", "fs.move", "secret.read", "disk.read"})
_MOVING = frozenset({"mv", "gmv"})
_CHANGED = frozenset({"changed"})
_PATTERN = frozenset("*?[")
_OUTSIDE = frozenset({Place.HOME, Place.SYSTEM, Place.ROOT})


def read_copies(call: ShellCall, first: int, held: Mapping[str, Flow], *, uncertain: bool) -> None:
    """Report copies that take effect under their names, and record the content of all of them."""
    reading = call.scope.reading
    effects = [effect for effect in reading.effects[first:] if effect.resource]
    targets = [effect for effect in effects if effect.kind == "fs.write"]
    sources = [one.resource.name for one in effects if one.resource and one.kind in _SOURCES]
    for target in targets:
        _report_named(call, sources, target, held)
    for target in targets if held else ():
        _record(reading, sources, target, held, uncertain=uncertain)
    if held and call.program not in _MOVING:
        reading.files.update({source: held[source] for source in sources if source in held})


def _report_named(call: ShellCall, sources: list[str], target: Effect, held: Mapping[str, Flow]) -> None:
    """Report the copies that take effect by their names: of Interlock's files, and of start-up files elsewhere."""
    reading, resource = call.scope.reading, target.resource
    if resource is None or HOLE in resource.name:
        return
    outside, places = resource.place in _OUTSIDE, reading.places
    copies = (copy for source in sources for _, copy in copies_of(source, resource.name, held))
    for copy in dict.fromkeys(islice(copies, MAX_COPIES)):
        if copy != resource.name and (places.guards(copy) or (outside and takes_effect(copy, places.home or "~"))):
            reading.file("fs.write", call.site, copy, target.flags & _KEPT)


_KEPT = frozenset({"link", "hard_link", "force"})


def _record(reading: Reading, sources: list[str], target: Effect, held: Mapping[str, Flow], *, uncertain: bool) -> None:
    """Record the content of copies: the content of their source, or unknown if it may be another."""
    name = target.resource.name if target.resource else ""
    for source in sources:
        found = [(path, copy) for path, copy in islice(copies_of(source, name, held), MAX_COPIES) if path in held]
        if source in held:
            found.insert(0, (source, name))  # a file, or the folder that it is copied into
        for path, copy in found:
            flow = held[path]
            if uncertain and copy in held:
                flow = Flow(None, flow.marks | held[copy].marks | _CHANGED)
            reading.files[copy] = flow


def copies_of(source: str, target: str, held: Mapping[str, Flow]) -> Iterator[tuple[str, str]]:
    """Yield the files that a source stands for, each with its path once it is copied into a folder.

    A file of the run in a folder that is copied may end up in a folder of the same name, or without it.

    >>> list(copies_of("/p/a.sh", "/bin", {})), list(copies_of("/p/*.sh", "/bin", {"/p/b.sh": Flow(), "/p/c": Flow()}))
    ([('/p/a.sh', '/bin/a.sh')], [('/p/b.sh', '/bin/b.sh')])
    >>> [copy for _, copy in copies_of("/p/home", "/root", {"/p/home/.ssh/rc": Flow()})]
    ['/root/home', '/root/.ssh/rc', '/root/home/.ssh/rc']
    """
    folder, depth = target.rstrip("/"), source.count("/")
    base = source.rpartition("/")[2]
    if _PATTERN.isdisjoint(source):
        yield source, f"{folder}/{base}"
    for path in held:
        if path.startswith(f"{source}/"):
            inner = path[len(source) + 1 :]
            yield path, f"{folder}/{inner}"
            yield path, f"{folder}/{base}/{inner}"
        elif not _PATTERN.isdisjoint(source):
            parts = path.split("/")
            if fnmatch.fnmatchcase("/".join(parts[: depth + 1]), source):
                yield path, f"{folder}/{'/'.join(parts[depth:])}"
