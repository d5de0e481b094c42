"""Files and other places that PowerShell reaches by a path: the registry, the environment, certificates, variables."""

from __future__ import annotations

import re
from typing import Any

from interlock.analyse.addresses.destinations import share_address
from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import NONE, NOTHING, VOUCHED, Flow
from interlock.analyse.loading import is_downloaded, script_flags
from interlock.analyse.powershell.drives import unix_path
from interlock.analyse.powershell.state import PowerShellState
from interlock.analyse.powershell.values import lines_of, text_of
from interlock.analyse.reading import Site
from interlock.analyse.scripts.values import unknown
from interlock.analyse.shell.output.provenance import read_marks
from interlock.effects import READS
from interlock.patterns import late

_PROVIDER = late(r"(?:[\w.]+\\)?(\w+)::(.*)", re.DOTALL)
_REGISTRY = late(r"HK(?:LM|CU|CR|U|CC)(?:[:\\/]|$)|HKEY_\w+|Registry:", re.IGNORECASE)
_DRIVE = late(r"(\w{2,}):(.*)", re.DOTALL)
_ROOTED = late(r"[\\/~]|\w+:")
_REGISTERED = frozenset({"registry"})
_NOWHERE = frozenset({"", "nul", "/dev/null", "$null"})
_PROVIDED = frozenset({"env", "variable", "function", "alias", "cert", "wsman"})


def is_registry(path: str) -> bool:
    """Whether a path names a key of the registry."""
    return _REGISTRY.match(path) is not None


def full_key(drive: str, path: str) -> str:
    r"""Return the key of the registry that a path names where a session stands in one; nothing for a file.

    >>> full_key(r"HKCU:\Software", "Run"), full_key(r"HKCU:\Software", r"C:\x"), full_key("", "x")
    ('HKCU:\\Software\\Run', '', '')
    """
    if is_registry(path):
        return path
    return f"{drive}\\{path}" if drive and not _ROOTED.match(path) else ""


def touch(state: PowerShellState, kind: str, path: str, site: Site, flags: frozenset[str] = NONE) -> None:
    """Add an effect on what a path names: a file, a key of the registry, or something of the session."""
    share = share_address(path) if kind == "fs.write" else ""
    if share:
        state.reading.url("net.send", site, path, frozenset({"copy", "carried"}), share)
    provider = _PROVIDER.fullmatch(path)
    if provider:
        path = f"{provider[1]}:{provider[2]}" if provider[1].lower() != "filesystem" else provider[2]
    path = full_key(state.drive, path) or path
    if _REGISTRY.match(path):
        read = kind in READS or "names" in flags
        state.reading.emit("system.read" if read else "system.change", site, path, _REGISTERED)
        return
    drive = _DRIVE.fullmatch(path)
    if drive and drive[1].lower() in _PROVIDED and "//" not in drive[2][:2]:
        _touch_provider(state, kind, drive[1].lower(), drive[2].strip("\\/"), site)
        return
    if unix_path(path).lower() in _NOWHERE:
        return
    path = unix_path(path)
    if kind == "code.run" and HOLE not in path:
        if is_downloaded(state.reading, path, state.location):
            state.reading.emit("code.remote", site, path)
            return
        flags |= script_flags(state.reading, path, state.location)
    state.reading.on(kind, site, path, flags)


def _touch_provider(state: PowerShellState, kind: str, drive: str, name: str, site: Site) -> None:
    read = kind in READS
    if drive == "env":
        if read:
            state.reading.emit("env.read", site, name.upper() or None)
        elif kind == "fs.delete":
            state.variables[f"env:{name.lower()}"] = ""
            state.reading.emit("out.print", site)
    elif drive == "cert":
        state.reading.emit("system.read" if read else "defence.disable", site, f"Cert:\\{name}")
    elif drive == "wsman":
        state.reading.emit("system.read" if read else "system.change", site, f"WSMan:\\{name}")
    else:
        state.reading.emit("out.print", site)


def read_file(state: PowerShellState, path: str, site: Site, flags: frozenset[str] = NONE) -> Any:
    """Read a file; what it holds is known where this action wrote it, and secret where the file is."""
    reading = state.reading
    plain = unix_path(path)
    full = reading.places.resolve(plain, state.location) or plain
    held = reading.files.get(full, state.unnamed.get(path))
    first = len(reading.effects)
    touch(state, "fs.read", path, site, flags)
    if held is not None and held.text is not None:
        return held.text
    marks = held.marks if held is not None else frozenset({"carried"})
    made = {effect.kind for effect in reading.effects[first:]}
    marks |= frozenset().union(*(read_marks(one, reading) for one in reading.effects[first:])) & VOUCHED
    if "secret.read" in made:
        marks |= {"secret"}
    if "env.read" in made:
        marks |= {"environment"}
    return state.result(f"contents of {path}", marks, held.url if held is not None else "")


def write_file(
    state: PowerShellState, path: str, value: Any, site: Site, flags: frozenset[str] = NONE, *, append: bool = False
) -> None:
    """Write a file, and remember what it holds now."""
    if HOLE in path and path.strip(HOLE) == path[1:-1] and not state.marks(path):
        path = unknown(path.strip(HOLE))
    reading, plain = state.reading, unix_path(path)
    full = reading.places.resolve(plain, state.location) or plain
    before = reading.files.get(full) if append else None
    touch(state, "fs.write", path, site, flags | {"append"} if append else flags)
    text = lines_of(value)
    if append and before is not None and before.text is not None and text is not None:
        text = before.text + text
    if _REGISTRY.match(path):
        return
    part = frozenset({"part"}) if append and before is None else NONE
    flow = Flow(None if text is None else text + "\n", state.marks(value) | part, state.origin(text_of(value)))
    if HOLE not in full:
        reading.files[full] = flow
    else:  # any file with such a name may hold any of the texts
        state.unnamed[path] = state.unnamed.get(path, NOTHING).then(flow)
