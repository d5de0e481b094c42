"""Files that Python opens, fills, moves: what they hold is remembered, so that running them can be read."""

from __future__ import annotations

from typing import Any

from interlock.analyse.paths import HOLE
from interlock.analyse.python.arguments import argument
from interlock.analyse.python.library.files import OPENERS, PROGRAM_ENDINGS
from interlock.analyse.python.marks import marked, marks_of
from interlock.analyse.python.values import UNKNOWN, Instance, Unknown, as_text
from interlock.analyse.reading import NONE, Flow, Reading, Site

_TELLING = {"secret": frozenset({"secret"}), "accounts": frozenset({"host_facts"})}
_DROPPED = frozenset({"download", "program"})


def key_of(reading: Reading, site: Site, path: str) -> str:
    """Return by which name a file is remembered; one that is not known by the text that stands for it."""
    return path if HOLE in path else reading.places.resolve(path, site.cwd) or path


def open_file(
    reading: Reading, site: Site, name: str, arguments: list[Any], keywords: dict[str, Any], owner: Any
) -> Instance:
    """Read the opening of a file by its mode."""
    if name == "pathlib.Path.open":
        path, rest = as_text(owner), arguments
    else:
        path, rest = as_text(argument(arguments, keywords, 0)), arguments[1:]
    mode = as_text(rest[0]) if rest else as_text(keywords.get("mode", "r"))
    writes = bool(set(mode) & set("wax+")) or HOLE in mode
    reading.file("fs.write" if writes else "fs.read", site, path)
    source = "" if writes else _source(reading, site, path)
    return Instance(OPENERS[name], path, mode, source)


def _source(reading: Reading, site: Site, path: str) -> str:
    """Return the name of what a file holds, where that is known to come from somewhere."""
    place, flags = reading.places.resource(path, site.cwd)
    known = reading.files.get(key_of(reading, site, path)) if reading.files else None
    marks = (known.marks if known else NONE) | _TELLING.get(max(flags & _TELLING.keys(), default=""), NONE)
    return marked(reading, f"contents of {place.name}", *marks).name if marks else ""


def made_temporary(name: str) -> Any:
    """Return a file in the temporary folder."""
    if name == "tempfile.TemporaryDirectory":
        return "/tmp/made"
    if name == "tempfile.mkstemp":
        return [3, "/tmp/made"]
    return Instance("file", "/tmp/made", "w+")


def contents(reading: Reading, site: Site, name: str, owner: Instance) -> Any:
    """Return what a file holds: what this text wrote, or something unknown that may be known to be secret."""
    if owner.kind == "pathlib.Path":
        reading.file("fs.read", site, owner.text)
    known = reading.files.get(key_of(reading, site, owner.text)) if reading.files else None
    if known is not None and known.text is not None:
        return known.text
    source = owner.source or _source(reading, site, owner.text)
    return Unknown(source or name.rpartition(".")[2])


def store(reading: Reading, site: Site, owner: Instance, arguments: list[Any]) -> Any:
    """Read what is put into a file."""
    if owner.kind == "pathlib.Path":
        reading.file("fs.write", site, owner.text)
    value = arguments[0] if arguments else UNKNOWN
    key = key_of(reading, site, owner.text)
    marks = marks_of(reading, value) | (reading.marks(value) if isinstance(value, str) else NONE)
    text = as_text(value) if isinstance(value, (str, bytes)) else None
    before = reading.files.get(key) if owner.kind == "file" else None
    if before is not None:
        text = None if text is None or before.text is None else before.text + text
        marks |= before.marks
    if text is not None and HOLE in text:
        text = None if "download" in marks else text
    reading.files[key] = Flow(text, marks)
    if "download" in marks:
        _flag_program(reading, site, owner.text)
    return UNKNOWN


def drop(reading: Reading, site: Site, path: str, url: str) -> None:
    """Read a download that goes straight into a file."""
    reading.file("fs.write", site, path, frozenset({"download"}))
    reading.files[key_of(reading, site, path)] = Flow(None, frozenset({"download"}), url)
    _flag_program(reading, site, path)


def _flag_program(reading: Reading, site: Site, path: str) -> None:
    if path.lower().endswith(PROGRAM_ENDINGS):
        reading.file("fs.write", site, path, _DROPPED)
        reading.files.setdefault(key_of(reading, site, path), Flow(None, frozenset({"download"})))


def held_by(reading: Reading, site: Site, path: Any) -> Flow | None:
    """Return what a file holds that this text filled."""
    return reading.files.get(key_of(reading, site, as_text(path))) if reading.files else None


def hand_over(reading: Reading, site: Site, held: Flow, path: Any) -> None:
    """Let a file hold what another one held."""
    target = as_text(path)
    reading.files[key_of(reading, site, target)] = held
    if "download" in held.marks:
        _flag_program(reading, site, target)


def change_mode(reading: Reading, site: Site, path: Any, mode: list[Any]) -> None:
    """Read a change of mode: what was downloaded and may now be run is a program."""
    held = held_by(reading, site, path)
    runs = not mode or not isinstance(mode[0], int) or mode[0] & 0o111
    if held is not None and "download" in held.marks and runs:
        reading.file("fs.mode", site, as_text(path), frozenset({"download"}))
