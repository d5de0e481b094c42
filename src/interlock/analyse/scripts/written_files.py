"""Files that a script writes: what they hold is kept, and read where the script or a later command runs them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interlock.analyse.addresses.hosts import is_url
from interlock.analyse.files.paths import HOLE, is_hole
from interlock.analyse.flow import NONE, Flow
from interlock.analyse.loading import is_foreign_code
from interlock.analyse.scripts.values import as_text, unknown
from interlock.knowledge.function import ORDINALS, Function

if TYPE_CHECKING:
    from interlock.analyse.scripts.script import Script

#: A file that was opened: whoever holds it may write more than is seen.
_EMPTY = Flow("", frozenset({"part"}))
_CHANGED = frozenset({"changed"})
#: A file that was opened and to which nothing known is written.
_UNKNOWN = Flow(None, _CHANGED)
_FOREIGN = frozenset({"foreign"})
_UNREADABLE, _UNREAD = frozenset({"changed", "decoded", "extracted"}), frozenset({"unread"})
_LOADED = frozenset({"foreign", "loader"})
_DOWNLOADED = Flow(None, frozenset({"download"}))
#: Roles of an argument whose content, not its name, reaches the file.
_SOURCES = frozenset({"fs.read", "fs.move", "file_or_url"})


def keep_written(script: Script, name: str, found: Function, arguments: list[Any]) -> None:
    """Keep what is written to a file, so that whatever runs or reads the file later knows it."""
    roles = {ORDINALS[at]: role for at, role in found.arguments.items() if at in ORDINALS}
    place = next((at for at, role in roles.items() if role == "fs.write"), -1)
    content = 1 - place
    if place not in (0, 1) or len(arguments) < 2 or not isinstance(arguments[place], str):
        return
    written, path = arguments[content], arguments[place]
    if not isinstance(written, (str, list)) or HOLE in path:
        return
    files, full = script.reading.files, _resolve(script, path)
    text = written if isinstance(written, str) else "\n".join(as_text(line) for line in written)
    role = roles.get(content, "")
    if role.startswith("net.") or (role in _SOURCES and is_url(text)):
        files[full] = _DOWNLOADED
    elif role in _SOURCES:
        files[full] = files.get(_resolve(script, text), Flow())
    else:
        held = files.get(full) if "append" in name.lower() else None
        files[full] = _flow(script, held, text)


def is_open(script: Script, value: Any) -> bool:
    """Whether a value stands for a file that the script has opened for writing."""
    return isinstance(value, str) and is_hole(value) and _resolve(script, value.strip(HOLE)) in script.opened


def open_written(script: Script, path: str) -> str:
    """Open a file for writing; return what stands for it."""
    handle = unknown(path)
    if HOLE not in path:
        full = _resolve(script, path)
        script.opened[_resolve(script, handle.strip(HOLE))] = _EMPTY
        script.reading.files.setdefault(full, _UNKNOWN)
    return handle


def append_written(script: Script, owner: Any, arguments: list[Any]) -> None:
    """Keep what is written to a file that the script has opened: `f:write(text)`, `fwrite($f, $text)`."""
    if not isinstance(owner, str) or not is_hole(owner):
        return
    full = _resolve(script, owner.strip(HOLE))
    held = script.opened.get(full)
    if held is not None:
        text = as_text(arguments)
        flow = _flow(script, held, text)
        if is_hole(text.strip()):  # nothing of it is known
            flow = Flow(None, flow.marks | _CHANGED)
        script.reading.files[full] = script.opened[full] = flow


def run_written(script: Script, name: str, path: str, start: Any) -> bool:
    """Read a file that the script runs and that this action wrote or downloaded; return whether it is known."""
    held = script.reading.files.get(_resolve(script, path)) if HOLE not in path else None
    if held is None and not is_url(path):
        foreign = HOLE not in path and is_foreign_code(script.reading, path, script.site.cwd)
        if foreign:
            script.reading.file("code.run", script.where(start), path, _FOREIGN)
        return foreign
    if held is None or "download" in held.marks:
        script.reading.emit("code.remote", script.where(start), path)
        return True
    if held.text is None:
        flags = held.marks & _UNREADABLE or _UNREAD
        script.reading.unread(f"what this run wrote to `{path[:60]}`", script.where(start), path, flags)
        return False
    script.code(name, script.syntax.name, held.text, start)
    return True


def load_foreign(script: Script, arguments: list[Any], start: Any) -> None:
    """Report a library or a file of code that a script loads from a foreign path, such as `/tmp`."""
    path = arguments[0] if arguments else None
    if (
        isinstance(path, str)
        and "/" in path
        and HOLE not in path
        and is_foreign_code(script.reading, path, script.site.cwd)
    ):
        script.reading.file("code.run", script.where(start), path, _LOADED)


def _resolve(script: Script, path: str) -> str:
    return script.reading.places.resolve(path, script.site.cwd) or path


def _flow(script: Script, held: Flow | None, text: str) -> Flow:
    """Return what a file holds after a text was added to what it held."""
    marks = script.reading.marks(text) | (held.marks if held is not None else NONE)
    if held is not None:
        known = held.text is not None
        text = (held.text or "") + text
        return Flow(text if known and (HOLE not in text or "download" not in marks) else None, marks)
    return Flow(text if HOLE not in text or "download" not in marks else None, marks)
