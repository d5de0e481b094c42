"""A call of a cmdlet read by its description: bound parameters in, effects out."""

from __future__ import annotations

from typing import Any

from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import NONE, Flow
from interlock.analyse.powershell.binding import BoundArguments
from interlock.analyse.powershell.drives import unix_path
from interlock.analyse.powershell.files import read_file, touch
from interlock.analyse.powershell.invocation import Invocation
from interlock.analyse.powershell.values import Instance, ScriptBlock, items_of, text_of, texts_of
from interlock.analyse.secrets.keys import is_key_shape
from interlock.effects import KINDS
from interlock.knowledge.cmdlet import Cmdlet
from interlock.patterns import late

_QUIET_ROLES = frozenset({"data", "subject", "upload"})
_SENT = frozenset({"secret", "environment", "personal", "download"})
_LISTING = frozenset({"get-childitem"})


def apply(call: Invocation, name: str, cmdlet: Cmdlet, bound: BoundArguments) -> Any:
    """Put the effects of a cmdlet into the reading; return what it gives."""
    if bound.is_rehearsal:
        call.state.reading.emit("system.read", call.site, name)
        return None
    if cmdlet.piped and call.piped and cmdlet.piped.lower() not in bound.values:
        bound.values[cmdlet.piped.lower()] = call.given
    if name in _LISTING and not any(one in bound.values for one in ("path", "literalpath")):
        bound.values["path"] = "."
    flags = frozenset(cmdlet.flags).union(*(cmdlet.toggles.get(one, ()) for one in bound.switches))
    first = len(call.state.reading.effects)
    given = _effects(call, cmdlet, bound, flags)
    read = [effect.resource for effect in call.state.reading.effects[first:] if effect.kind == "env.read"]
    if cmdlet.does:
        _does(call, cmdlet, bound, flags)
    elif len(call.state.reading.effects) == first:
        _read_unnamed(call, cmdlet, flags)
    if read and (given is None or None in read):
        if None in read and _shows_all(call):
            call.state.reading.emit("secret.read", call.site, "the environment", _SHOWN)
        return call.state.result("environment", frozenset({"environment"}))
    return _gives(call, name, cmdlet, bound, given)


_SHOWN = frozenset({"printed", "secret"})
# A pipe that shows less than it is given.
_NARROWS = late(r"(?i)\||::|\.(?:name|keys?|count|length|contains)\b")
_SHOWS = late(
    r"(?i)\|\s*(?:format-\w+|f[tlw]|out-\w+|sort-object|sort|convertto-\w+|export-\w+|set-content|tee-object|write-\w+"
    r"|(?:select-object|select)\s+(?:-property\s+)?(?:\*|[\w, ]*\bvalue)"
    r"|(?:select-object|select)\s+-(?:first|last|skip)"
    r"|(?:where-object|where|\?)\s[^|]*(?:token|secret|key|pass|cred|auth|pwd|_pat)[^|]*"
    r"|(?:foreach-object|foreach|%)\s*\{[^|]*\.value[^|]*)"
)


_QUOTED = late(r"\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'")


def _shows_all(call: Invocation) -> bool:
    """Whether all of what a cmdlet reads is shown: nothing behind it in the pipe leaves something out."""
    node = call.node
    while node.parent is not None and node.parent.type != "statement_list":
        node = node.parent
        if "assign" in node.type or "parenthes" in node.type or "sub_expression" in node.type:
            return False
    text = _QUOTED.sub(lambda found: found[0].replace("|", " "), call.reader.text(node))
    return len(_NARROWS.findall(text)) == len(_SHOWS.findall(text))


def _effects(call: Invocation, cmdlet: Cmdlet, bound: BoundArguments, flags: frozenset[str]) -> Any:
    """Do to each value what its role says; return what was read."""
    roles, given = cmdlet.roles, None
    _run_blocks(call, [value for name, value in bound.values.items() if roles.get(name, "data") in _QUIET_ROLES])
    ordered = sorted(bound.values, key=lambda name: roles.get(name, "data") == "fs.write")  # what is written comes last
    for name in ordered:
        role, value = roles.get(name, "data"), bound.values[name]
        if role == "code":
            call.reader.run_code(cmdlet.names[0], value, call.node)
        elif role.startswith("code:"):
            for text in texts_of(value):
                call.state.reading.emit("code.eval", call.site)
                call.state.reading.nest(role[5:], text, call.site.behind(cmdlet.names[0]))
        elif role == "command":
            call.reader.run_line(cmdlet.names[0], text_of(value), call.node)
        elif role == "pattern":
            for text in texts_of(value):
                if is_key_shape(text):
                    call.state.reading.emit("fs.read", call.site, text, frozenset({"secret_search"}))
        elif role in KINDS:
            read = _each(call, role, value, flags)
            given = read if read is not None else given
    return given


def _run_blocks(call: Invocation, values: list[Any]) -> None:
    """Run the blocks among values, and in hashes among them: `Sort-Object { … }`, `Select-Object @{e={ … }}`."""
    item = (items_of(call.given) or [call.state.result("item", frozenset({"input"}))])[0]
    for value in values:
        for one in items_of(value):
            for inner in one.values() if isinstance(one, dict) else [one]:
                if isinstance(inner, ScriptBlock):
                    call.reader.run_block(inner, [], item)


def _each(call: Invocation, role: str, value: Any, flags: frozenset[str]) -> Any:
    state, found = call.state, []
    for text in _texts(call, value):
        if role == "fs.read" and "names" not in flags:
            found.append(read_file(state, text, call.site, flags))
        elif role.startswith("net."):
            carried = state.marks(text) & {"secret", "environment"}
            state.reading.url(role, call.site, text, flags - {"download"} | carried)
            found.append(state.result(f"response of {text}", frozenset({"download"}), text))
        elif role == "fs.write" and "download" in flags:
            touch(state, role, text, call.site, flags)
            keep_download(call, text)
        else:
            touch(state, role, text, call.site, flags)
    return found[0] if len(found) == 1 else found or None


def _texts(call: Invocation, value: Any) -> list[str]:
    """Return the texts of a value; a block stands for what it gives for an item that comes in."""
    if not isinstance(value, ScriptBlock):
        return texts_of(value)
    return texts_of(call.reader.run_block(value, [], (items_of(call.given) or [None])[0]))


def keep_download(call: Invocation, path: str, url: str = "") -> None:
    """Remember that a file was fetched."""
    state, plain = call.state, unix_path(path)
    full = state.reading.places.resolve(plain, state.location) or plain
    url = url or next((one for argument in call.arguments for one in texts_of(argument.value) if "://" in one), "")
    state.reading.files[full] = Flow(None, frozenset({"download"}), url)


def _does(call: Invocation, cmdlet: Cmdlet, bound: BoundArguments, flags: frozenset[str]) -> None:
    roles = cmdlet.roles
    names = [
        text for name, value in bound.values.items() if roles.get(name) == "subject" for text in _plain_texts(value)
    ]
    marks = call.marks() & _SENT if cmdlet.does.startswith(("net.", "message.")) else NONE
    if cmdlet.does == "message.send" and any(e.kind == "secret.read" for e in call.state.reading.effects[-4:]):
        marks |= {"secret"}
    if cmdlet.does == "process.signal":
        marks |= call.state.marks(names, call.given) & {"own_process"}
    for name in names[:8] or [""]:
        if name and cmdlet.does.startswith("package."):
            call.state.reading.on(cmdlet.does, call.site, name, flags)
        else:
            call.state.reading.emit(cmdlet.does, call.site, name.replace(HOLE, "$") or None, flags | marks)


def _plain_texts(value: Any) -> list[str]:
    return [text_of(one) for one in items_of(value) if not isinstance(one, (dict, ScriptBlock))]


def _read_unnamed(call: Invocation, cmdlet: Cmdlet, flags: frozenset[str]) -> None:
    """Read a call in which nothing is named: what it does, it does to something that is not known."""
    roles = [role for role in cmdlet.roles.values() if role in KINDS]
    kind = roles[0] if roles else "system.read"
    if call.piped and kind == "fs.read":
        kind = "out.print"
    call.state.reading.emit(kind, call.site, None, flags)


def _gives(call: Invocation, name: str, cmdlet: Cmdlet, bound: BoundArguments, given: Any) -> Any:
    """Return what a cmdlet gives: what it was given, what it read, or something unknown."""
    described, state = cmdlet.result, call.state
    if described.kind == "input":
        value = call.given if call.piped else next((one for one in bound.values.values() if one is not None), None)
        return value if given is None else given
    if given is not None:
        return given
    if cmdlet.does == "out.print" and not (described.kind or described.marks):
        return None if name.startswith(("write-", "out-", "set-", "clear-")) else state.result(name)
    marks = frozenset(described.marks) | (call.marks() if not name.startswith(("remove-", "stop-", "set-")) else NONE)
    if described.kind == "paths":
        paths = [text for one in ("path", "literalpath") for text in texts_of(bound.values.get(one))]
        known = [path for path in paths if HOLE not in path and not any(sign in path for sign in "*?")]
        if known and name in ("get-item", "resolve-path", "convert-path") and len(known) == len(paths):
            return known[0] if len(known) == 1 else known
        if paths and name == "get-childitem":
            return _below(paths, [*texts_of(bound.values.get("include")), *texts_of(bound.values.get("filter"))])
        named = " ".join(_plain_texts(list(bound.values.values())))
        return state.result(f"{name} {named}"[:60], frozenset(marks))
    if described.kind:
        return Instance(described.kind, tuple(_plain_texts(list(bound.values.values()))))
    return state.result(name, frozenset(marks))


def _below(paths: list[str], names: list[str]) -> Any:
    """Return what is found below folders: by the names that are looked for, else anything."""
    found = []
    for path in paths[:8]:
        plain = path.rstrip("\\/") if path.strip("\\/.") else path
        if any(sign in path for sign in "*?"):
            found.append(path)
        else:
            found += [f"{plain}/{name}" for name in names[:8] or ["*"]]
    return found[0] if len(found) == 1 else found
