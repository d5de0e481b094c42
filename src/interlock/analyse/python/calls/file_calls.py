"""Calls that open, read, write and move files. What the text writes is kept, so that running it can be analysed."""

from __future__ import annotations

import ast
from typing import Any

from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import NONE, Flow
from interlock.analyse.python.call import PythonCall
from interlock.analyse.python.evaluation.marks import marks_of, unknown_from
from interlock.analyse.python.evaluation.values import MAX_CONSTANT, UNKNOWN, Instance, Unknown, as_text
from interlock.analyse.python.library import find_function
from interlock.analyse.python.library.names import NAMES
from interlock.analyse.reading import Reading, Site
from interlock.analyse.secrets.disclosure import VALUE
from interlock.analyse.shell.output.local_content import content_marks
from interlock.model import Place

_TELLING = {"accounts": frozenset({"host_facts"}), "secret": frozenset({"secret"})}
_DOWNLOAD = frozenset({"download"})
_APPENDS = frozenset({"append"})
_SET_ID = 0o6000
#: What a temporary file or folder that the text makes is called.
MADE = "/tmp/made"
_DROPPED = frozenset({"download", "program"})


def key_of(reading: Reading, site: Site, path: str) -> str:
    """Return the key of a file in `Reading.files`: its resolved path, or its text where parts are unknown."""
    return path if HOLE in path else reading.places.resolve(path, site.cwd) or path


def contents_of(call: PythonCall, path: Any) -> Flow | None:
    """Return the contents of a file that this text wrote, or None."""
    files = call.reading.files
    frame = call.host.state.tracker.frame
    if frame is not None:
        frame.uses_files = True
    return files.get(key_of(call.reading, call.site, as_text(path))) if files else None


def open_file(call: PythonCall) -> Instance:
    """Emit a read or a write of a file that is opened, by its mode; return the open file."""
    if call.name == "pathlib.Path.open":
        path, rest = as_text(call.owner), call.arguments
    else:
        path, rest = call.text(0), call.arguments[1:]
    mode = as_text(rest[0]) if rest else as_text(call.keywords.get("mode", "r"))
    writes = bool(set(mode) & set("wax+")) or HOLE in mode
    appends = "a" in mode or "x" in mode
    held = contents_of(call, path)
    call.reading.file("fs.write" if writes else "fs.read", call.site, path, _APPENDS if appends else NONE)
    if held is not None and writes and HOLE not in mode:
        call.reading.files[key_of(call.reading, call.site, path)] = Flow("") if "w" in mode else held
    function = find_function(call.reading, call.name)
    kind = function.result.kind if function is not None else ""
    return Instance(kind or "file", path, mode, "" if writes else _contents_name(call, path))


def _contents_name(call: PythonCall, path: str) -> str:
    """Return the name that the marks of a file's contents are kept under, or an empty string."""
    place, flags = call.reading.places.resource(path, call.site.cwd)
    known = contents_of(call, path)
    marks = known.marks if known else content_marks(call.reading, path, call.site.cwd)
    for flag in _TELLING.keys() & flags:
        marks |= _TELLING[flag]
    return unknown_from(call.reading, f"contents of {place.name}", *marks).name if marks else ""


def make_temporary(call: PythonCall) -> Any:
    """Return a file in the temporary folder."""
    if call.method == "TemporaryDirectory":
        return MADE
    return [3, MADE] if call.method == "mkstemp" else Instance("file", MADE, "w+")


def read_file(call: PythonCall) -> Any:
    """Return the contents of a file: the text that was written to it, or an unknown value with its marks."""
    owner = call.owner
    if owner.kind == "pathlib.Path":
        call.reading.file("fs.read", call.site, owner.text)
    known = contents_of(call, owner.text)
    if known is not None and known.text is not None:
        return known.text
    return Unknown(owner.source or _contents_name(call, owner.text) or call.method)


def write_file(call: PythonCall, owner: Instance, value: Any) -> Any:
    """Keep what is written to a file, with its marks."""
    reading = call.reading
    marks = marks_of(reading, value) | (reading.marks(value) if isinstance(value, str) else NONE)
    if owner.kind == "pathlib.Path" or "variable" in marks:
        reading.file("fs.write", call.site, owner.text, marks & VALUE)
    text = as_text(value) if isinstance(value, (str, bytes)) else None
    before = contents_of(call, owner.text) if owner.kind == "file" else None
    if before is not None:
        reading.spend(len(before.text or "") // 1_024)
        text = None if text is None or before.text is None else before.text + text
        marks |= before.marks
    if text is not None and (len(text) > MAX_CONSTANT or (HOLE in text and "download" in marks)):
        text = None
    key = key_of(reading, call.site, owner.text)
    if text is None and marks == _FROM_FILES and _edits(reading, key):
        marks |= _OWN_CODE
    reading.files[key] = Flow(text, marks)
    if "download" in marks:
        _flag_program(call, owner.text)
    return UNKNOWN


def _edits(reading: Reading, path: str) -> bool:
    """Whether a file of the project is written that was read before: an edit, not new code from elsewhere."""
    return any(
        effect.kind == "fs.read"
        and effect.resource is not None
        and effect.resource.name == path
        and effect.resource.place is Place.WORKSPACE
        for effect in reading.effects
    )


_FROM_FILES = frozenset({"carried"})
_OWN_CODE = frozenset({"own_code"})


def close_file(call: PythonCall, owner: Instance) -> None:
    """Keep that a file is empty that is opened for writing and closed at once: `open(path, "w").close()`."""
    node = call.place
    at_once = (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Call)
    )
    if at_once and owner.kind == "file" and owner.mode.startswith("w"):
        call.reading.files[key_of(call.reading, call.site, owner.text)] = Flow("")


def save_download(call: PythonCall, path: str, url: str) -> None:
    """Emit the write of a download that goes straight into a file."""
    call.reading.file("fs.write", call.site, path, _DOWNLOAD)
    call.reading.files[key_of(call.reading, call.site, path)] = Flow(None, _DOWNLOAD, url)
    _flag_program(call, path)


def move_contents(call: PythonCall, held: Flow, path: Any) -> None:
    """Give a file the contents of another one: a move or a copy."""
    target = as_text(path)
    call.reading.files[key_of(call.reading, call.site, target)] = held
    if "download" in held.marks:
        _flag_program(call, target)


def _flag_program(call: PythonCall, path: str) -> None:
    if path.lower().endswith(NAMES.program_endings):
        key = key_of(call.reading, call.site, path)
        held = call.reading.files.get(key, Flow(None, _DOWNLOAD))
        call.reading.file("fs.write", call.site, path, _DROPPED)
        call.reading.files[key] = held


def change_mode(call: PythonCall, path: Any) -> None:
    """Emit a change of mode if it makes a downloaded file executable."""
    held = contents_of(call, path)
    mode = call.arguments[-1] if call.arguments else UNKNOWN
    if isinstance(mode, int) and mode & _SET_ID:
        call.reading.file("fs.mode", call.site, as_text(path), frozenset({"set_id"}))
    if held is not None and "download" in held.marks and (not isinstance(mode, int) or mode & 0o111):
        call.reading.file("fs.mode", call.site, as_text(path), _DOWNLOAD)
