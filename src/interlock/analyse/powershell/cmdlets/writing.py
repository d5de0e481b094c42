"""Cmdlets that write what they are given, so that it is known afterwards what a file holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from interlock.analyse.flow import Flow
from interlock.analyse.powershell.binding import BoundArguments, bind
from interlock.analyse.powershell.cmdlets import CMDLETS
from interlock.analyse.powershell.cmdlets.reading import apply
from interlock.analyse.powershell.drives import unix_path
from interlock.analyse.powershell.files import touch, write_file
from interlock.analyse.powershell.invocation import Invocation
from interlock.analyse.powershell.parameters import Parameters
from interlock.analyse.powershell.values import texts_of

_PLACES = "Path LiteralPath PSPath FilePath LP"
_CONTENT = Parameters(
    positional="Path Value",
    valued=(
        "Path LiteralPath PSPath FilePath LP Value InputObject Encoding Filter Include Exclude Stream Width "
        "Credential Variable"
    ),
    switches="Force NoNewline Append NoClobber PassThru AsByteStream NoOverwrite",
)
_TEE = msgspec.structs.replace(_CONTENT, positional="FilePath InputObject")
_ITEM = Parameters(
    positional="Path",
    valued="Path Name ItemType Type Value Target Credential Options",
    switches="Force",
)
_NEW = frozenset({"new"})


def _paths(bound: BoundArguments) -> list[str]:
    return [path for name in _PLACES.lower().split() for path in texts_of(bound.values.get(name))]


def _content(call: Invocation, *, append: bool = False) -> Any:
    bound = bind(call.arguments, _CONTENT)
    if bound.is_rehearsal:
        call.state.reading.emit("system.read", call.site, "Set-Content")
        return None
    value = bound.values.get("value", bound.values.get("inputobject", call.given))
    paths = _paths(bound)
    for path in paths:
        write_file(call.state, path, value, call.site, append=append or "append" in bound.switches)
    if not paths:
        call.state.reading.emit("fs.write", call.site)
    return None


def _append(call: Invocation) -> Any:
    return _content(call, append=True)


def _tee(call: Invocation) -> Any:
    """`Tee-Object`: into a file, and on."""
    bound = bind(call.arguments, _TEE)
    value = bound.values.get("inputobject", call.given)
    for path in _paths(bound):
        write_file(call.state, path, value, call.site, append="append" in bound.switches)
    if "variable" in bound.values:
        call.state.set(bound.text("variable"), value, call.site)
    return value


#: Kinds of links → the flag of effects that make one.
_LINKS = {
    "symboliclink": frozenset({"link"}),
    "junction": frozenset({"link"}),
    "hardlink": frozenset({"hard_link"}),
}


def _new_item(call: Invocation) -> Any:
    """`New-Item`: a file, a folder, a link, a key."""
    bound = bind(call.arguments, _ITEM)
    if bound.is_rehearsal:
        call.state.reading.emit("system.read", call.site, "New-Item")
        return None
    names = texts_of(bound.values.get("name")) or [""]
    folders = texts_of(bound.values.get("path", call.given if call.piped else None)) or [""]
    kind = (bound.text("itemtype") or bound.text("type")).lower()
    paths = ["\\".join(part for part in (folder, name) if part) for folder in folders for name in names]
    for path in paths:
        if kind in _LINKS:
            target = bound.text("value") or bound.text("target")
            touch(call.state, "fs.read", target, call.site, _LINKS[kind] | {"names"})
            touch(call.state, "fs.write", path, call.site, _LINKS[kind] | _NEW)
        elif "value" in bound.values:
            write_file(call.state, path, bound.values["value"], call.site, _NEW)
        else:
            touch(call.state, "fs.write", path, call.site, _NEW)
    return paths[0] if len(paths) == 1 else paths


def _copy(call: Invocation, name: str = "copy-item") -> Any:
    """`Copy-Item`, `Move-Item`, `Expand-Archive`: what a copy holds is what the file held that it was made of."""
    state, cmdlet = call.state, CMDLETS[name]
    bound = bind(call.arguments, cmdlet)
    reading = state.reading
    sources = texts_of(bound.values.get("path", bound.values.get("literalpath", call.given)))
    targets = [one for key in ("destination", "newname", "destinationpath") for one in texts_of(bound.values.get(key))]
    if name == "expand-archive" and not targets:
        targets = [_stem(source) for source in sources]
    held = {one: reading.files.get(_full(call, one)) for one in sources} if reading.files else {}
    given = apply(call, name, cmdlet, bound)
    if not bound.is_rehearsal:
        for source, flow in held.items():
            if flow is not None:
                for target in targets:
                    _keep(call, source, target, flow)
    return targets[0] if len(targets) == 1 else given


def _stem(path: str) -> str:
    """Return the folder that an archive is unpacked into, unless another one is named."""
    return unix_path(path).rpartition("/")[2].rpartition(".")[0] or "."


def _keep(call: Invocation, source: str, target: str, flow: Flow) -> None:
    full = _full(call, target)
    call.state.reading.files[full] = flow
    call.state.reading.files[f"{full.rstrip('/')}/{unix_path(source).rpartition('/')[2]}"] = flow


def _full(call: Invocation, path: str) -> str:
    plain = unix_path(path)
    return call.state.reading.places.resolve(plain, call.state.location) or plain


def _out_null(call: Invocation) -> Any:
    call.state.reading.emit("out.print", call.site)
    return None


def _read_back(call: Invocation) -> Any:
    """`Get-Content`: what a file holds, in lines."""
    bound = bind(call.arguments, CMDLETS["get-content"])
    value = apply(call, "get-content", CMDLETS["get-content"], bound)
    if isinstance(value, str) and "raw" not in bound.switches and "\0" not in value:
        lines = value.removesuffix("\n").split("\n")
        return lines[0] if len(lines) == 1 else lines
    return value


def _transcribe(call: Invocation) -> Any:
    for argument in call.arguments:
        for path in texts_of(argument.value):
            touch(call.state, "fs.write", path, call.site)
    call.state.reading.emit("out.print", call.site)


WRITING: dict[str, Callable[[Invocation], Any]] = {
    **dict.fromkeys(("set-content", "out-file"), _content),
    "add-content": _append,
    "tee-object": _tee,
    **dict.fromkeys(("new-item", "new-itemdirectory"), _new_item),
    "copy-item": _copy,
    "move-item": lambda call: _copy(call, "move-item"),
    "rename-item": lambda call: _copy(call, "rename-item"),
    "expand-archive": lambda call: _copy(call, "expand-archive"),
    "compress-archive": lambda call: _copy(call, "compress-archive"),
    "out-null": _out_null,
    "get-content": _read_back,
    "start-transcript": _transcribe,
}
