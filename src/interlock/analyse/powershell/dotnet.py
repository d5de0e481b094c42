"""Calls of .NET and COM, by their table."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from tree_sitter import Node

from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import NONE, Flow
from interlock.analyse.powershell.casts import cast
from interlock.analyse.powershell.containers import make_container
from interlock.analyse.powershell.drives import unix_path
from interlock.analyse.powershell.files import read_file, touch
from interlock.analyse.powershell.methods import METHODS_WITH_CODE
from interlock.analyse.powershell.reflection import INVOKING
from interlock.analyse.powershell.streams import HOLDING, OPENERS
from interlock.analyse.powershell.values import (
    Instance,
    ScriptBlock,
    TextBuilder,
    Type,
    is_known,
    items_of,
    text_of,
    texts_of,
)
from interlock.analyse.scripts.pure import compute
from interlock.analyse.scripts.values import unknown
from interlock.effects import KINDS
from interlock.knowledge.catalogue import read_functions
from interlock.knowledge.function import ORDINALS, Function

if TYPE_CHECKING:
    from interlock.analyse.powershell.expressions import Expressions

MAX_ITEMS_RUN = 8
SENT = frozenset({"secret", "environment", "personal", "carried"})
_DECODED = frozenset({"decoded"})
_DECODING = frozenset({"base64", "hex", "inflate", "deflated", "url"})
_KEEPING = frozenset({"same", "join", "concat", "path"})
_SENDERS = frozenset("write send sendall".split())


def construct(reader: Expressions, name: str, arguments: list[Any], node: Node) -> Any:
    """Make an object: a stream that unpacks gives what was packed, any other is known by its type."""
    name = name.removeprefix("system.")
    _perform_added(reader, (name,), None, arguments, node)
    made = make_container(name, arguments)
    if made is not None:
        return made
    if name in OPENERS:
        return OPENERS[name](reader, arguments, node)
    function = _find(reader, name)
    if function is not None:
        return _perform(reader, name, function, None, arguments, node)
    if name == "string" and arguments:
        return _make_text(arguments)
    return Instance(name, tuple(arguments))


def convert(reader: Expressions, name: str, value: Any, node: Node) -> Any:
    """Return a value as an object of a type; a type that does something when it is made does so here as well."""
    function = _find(reader, name)
    if name in OPENERS:
        return OPENERS[name](reader, [value], node)
    acts = function is not None and (function.arguments or function.effects)
    if function is not None and acts and not isinstance(value, (Instance, ScriptBlock)):
        return _perform(reader, name, function, None, items_of(value), node)
    return cast(name, value)


def described_names(reader: Expressions) -> Collection[str]:
    """Return the names of the methods and types that are described."""
    own = reader.state.reading.knowledge.functions
    names = read_functions("powershell")
    return names.keys() | {name for language, name in own if language == "powershell"} if own else names.keys()


def _make_text(arguments: list[Any]) -> Any:
    """`[string]::new("-", 5)`, `[string]::new($characters)`."""
    if len(arguments) == 2 and isinstance(arguments[1], int):
        return compute("repeat", arguments) or unknown("string")
    return "".join(text_of(one) for one in items_of(arguments[0]))


def call_dotnet(reader: Expressions, owner: Any, name: str, arguments: list[Any] | None, node: Node) -> Any:
    """Call a method by its table; one that is not there gives something unknown from where its arguments are."""
    state = reader.state
    state.reading.call += 1
    kind = owner.name if isinstance(owner, Type) else owner.type if isinstance(owner, Instance) else ""
    given = arguments or []
    _perform_added(reader, (f"{kind}.{name}", f".{name}"), owner, given, node)
    special = METHODS_WITH_CODE.get(f"{kind}.{name}") or METHODS_WITH_CODE.get("." + name)
    if special is not None and arguments is not None:
        value = special(reader, owner, given, node)
        if value is not NotImplemented:
            return value
    function = _find(reader, f"{kind}.{name}") if kind else None
    function = _find(reader, "." + name) if function is None and (arguments is not None or kind) else function
    if function is not None and (arguments is not None or not _takes_first(function)):
        held = None if isinstance(owner, Type) else owner
        return _perform(reader, f"{kind}.{name}".lstrip("."), function, held, given, node)
    if arguments is None and isinstance(owner, Instance) and kind in ("executioncontext", "com.shell.application"):
        return Instance(f"{kind}")
    return _plain(reader, owner, name, given, node)


def _find(reader: Expressions, name: str) -> Function | None:
    """Return the description of a method or a type: the user's own, the shipped one, or None."""
    own = reader.state.reading.knowledge.functions
    if own and ("powershell", name) in own:
        return own["powershell", name]
    return read_functions("powershell").get(name)


def _perform_added(reader: Expressions, names: tuple[str, ...], owner: Any, arguments: list[Any], node: Node) -> None:
    """Emit the effects that files in the workspace add to a method or a type."""
    added = reader.state.reading.knowledge.added_functions
    for name in names if added else ():
        for function in added.get(("powershell", name), ()):
            _perform(reader, name.lstrip("."), function, None if isinstance(owner, Type) else owner, arguments, node)


def _takes_first(function: Function) -> bool:
    """Whether a description begins with what the method is called on, or with its first argument."""
    return next(iter(function.arguments), "") in ("object", "first", "together")


def _plain(reader: Expressions, owner: Any, name: str, given: list[Any], node: Node) -> Any:
    state = reader.state
    for block in given:
        if isinstance(block, ScriptBlock):  # `.ForEach({ … })`, a handler of an event
            for item in items_of(owner)[:MAX_ITEMS_RUN] or [None]:
                reader.run_block(block, [], item)
        elif isinstance(block, Instance) and block.type == "scriptblock":
            reader.run_code(name, block, node)
    if name in INVOKING:
        state.reading.unread(f"what `{name}` calls", state.at(node))
        reader.run_handed(name, [one for item in given for one in items_of(item) if one is not None], node)
    marks = state.marks(owner, given)
    if "socket" in marks and name in _SENDERS:
        state.reading.url("net.send", state.at(node), state.sockets[-1] if state.sockets else "", marks & SENT)
    if isinstance(owner, Instance) and not given:
        return owner
    return state.result(f"{name}()", marks, state.origin([owner, *given]))


def _perform(reader: Expressions, name: str, found: Function, owner: Any, arguments: list[Any], node: Node) -> Any:
    """Put the effects of a call into the reading; return what it gives."""
    state, site = reader.state, reader.state.at(node)
    result: Any = None
    marks, flags = found.result_marks, found.effect_flags
    for argument, role in found.arguments.items():
        for value in _argument_values(argument, owner, arguments):
            made = _act(reader, name, role, value, flags, arguments, node)
            result = made if made is not None else result
    for kind in found.effects:
        carried = state.marks(arguments, owner) & SENT if kind.startswith(("net.", "message.")) else NONE
        if kind == "code.opaque":
            _load(reader, name, flags, arguments, node)
        else:
            named = name if KINDS[kind].resource in ("program", "code", "setting", "defence") else None
            state.reading.emit(kind, site, named, flags | carried)
    if found.result.kind:
        return Instance(found.result.kind, tuple(arguments))
    if found.result.computed:
        return _compute(reader, found.result.computed, name, owner, arguments)
    if result is None or marks:
        return state.result(f"{name}()", marks | state.marks(owner, arguments, result), state.origin([result]))
    return result


def _load(reader: Expressions, name: str, flags: frozenset[str], arguments: list[Any], node: Node) -> None:
    """Report code that a method loads: a file, or bytes that nobody can read."""
    state, site = reader.state, reader.state.at(node)
    if "download" in state.marks(arguments):
        state.reading.emit("code.remote", site, state.origin(arguments) or None)
    first = arguments[0] if arguments else None
    if isinstance(first, str) and any(sign in first for sign in "\\/"):
        touch(state, "code.run", first, site)
    hidden = isinstance(first, (list, TextBuilder)) or (isinstance(first, str) and first in state.decoded)
    state.reading.unread(
        f"what `{name}` loads", site, name, flags | _DECODED if hidden else flags | state.marks(arguments) & _DECODED
    )


def assign_static(reader: Expressions, name: str, value: Any, node: Node) -> None:
    """Set a property of a type: some change what the session trusts, or where it stands."""
    function = _find(reader, name)
    for kind in function.effects if function else ():
        reader.state.reading.emit(kind, reader.state.at(node), name, function.effect_flags if function else NONE)
    reader.state.variables[f"[{name}]"] = value
    if name == "environment.currentdirectory":
        state = reader.state
        state.location = state.reading.places.resolve(unix_path(text_of(value)), state.location)


def _argument_values(argument: str, owner: Any, arguments: list[Any]) -> list[Any]:
    """Return the values of an argument that a description names."""
    if argument == "object":
        return list(owner.arguments) if isinstance(owner, Instance) and owner.arguments else items_of(owner)
    if argument == "together":
        return [arguments]
    if argument == "each":
        return arguments
    at = ORDINALS[argument]
    return items_of(arguments[at]) if at < len(arguments) else [unknown()]


def _act(
    reader: Expressions, name: str, role: str, value: Any, flags: frozenset[str], arguments: list[Any], node: Node
) -> Any:
    """Do to one argument what its role says; return what the call gives, where that is known."""
    state, site = reader.state, reader.state.at(node)
    if role == "command":
        return _start(reader, name, value, node)
    if role == "code":
        return reader.run_code(name, value, node) if not isinstance(value, (bool, int)) and value is not None else None
    if role.startswith("code:"):
        return _run_apart(reader, name, role[5:], value, node)
    for text in texts_of(value) or [text_of(value)]:
        if role == "host":
            state.sockets.append(text)
            state.reading.url("net.connect", site, text, flags)
            return state.result("socket", frozenset({"download", "socket"}))
        if role.startswith("net."):
            carried = state.marks(arguments) & SENT
            state.reading.url(role, site, text, flags - {"download"} | carried)
            _keep_download(reader, flags, arguments)
            return state.result(f"response of {text}", frozenset({"download"}), text)
        if role == "fs.read":
            return read_file(state, text, site, flags)
        state.reading.on(role, site, unix_path(text), flags)
        if role == "fs.write" and len(arguments) > 1:
            _keep_written(reader, text, flags, arguments)
    return None


def _run_apart(reader: Expressions, name: str, language: str, value: Any, node: Node) -> Any:
    """Read code that a method runs by itself, without the names of here."""
    state, site = reader.state, reader.state.at(node)
    for text in texts_of(value) or [text_of(value)]:
        state.reading.emit("code.eval", site)
        state.reading.nest(language, text, site.behind(name))
    return state.result(f"{name}()", state.marks(value))


def _keep_download(reader: Expressions, flags: frozenset[str], arguments: list[Any]) -> None:
    if "download" in flags and len(arguments) > 1:
        state, path = reader.state, unix_path(text_of(arguments[1]))
        full = state.reading.places.resolve(path, state.location) or path
        state.reading.file("fs.write", state.site.replace(cwd=state.location), path, frozenset({"download"}))
        state.reading.files[full] = Flow(None, frozenset({"download"}), text_of(arguments[0]))


def _keep_written(reader: Expressions, path: str, flags: frozenset[str], arguments: list[Any]) -> None:
    """Remember what a file holds now."""
    if "download" in flags:
        return
    state, text = reader.state, "\n".join(texts_of(arguments[1]))
    full = state.reading.places.resolve(unix_path(path), state.location) or path
    state.reading.files[full] = Flow(text if HOLE not in text else None, state.marks(text), state.origin(text))


def _start(reader: Expressions, name: str, value: Any, node: Node) -> Any:
    """`Process.Start(file, arguments)`, `Shell.Run(line)`: a command line, or a program and its arguments."""
    words = [text for item in items_of(value) for text in texts_of(item) if not isinstance(item, (int, bool))]
    if not words:
        return None
    if name.endswith("shellexecute") and "runas" in [word.lower() for word in words]:
        reader.state.reading.emit("privilege.raise", reader.state.at(node), "administrator")
        words = [word for word in words if word.lower() != "runas"]
    return reader.run_line(name, " ".join(words), node)


def _compute(reader: Expressions, pure: str, name: str, owner: Any, arguments: list[Any]) -> Any:
    state = reader.state
    given = arguments if owner is None or (isinstance(owner, (Type, Instance)) and arguments) else [owner, *arguments]
    if pure == "same" and arguments and isinstance(owner, (Type, Instance)):
        given = arguments
    elif pure == "join" and len(arguments) > 2:
        given = [arguments[0], list(arguments[1:])]
    if isinstance(given[0] if given else None, Instance) and pure == "same":
        return given[0]
    if pure in _DECODING:
        given = [one for one in given if not isinstance(one, Type)]  # how it was packed
    state.reading.spend(sum(len(one) for one in given if isinstance(one, (str, list))) // 256)
    if all(is_known(one) for one in given) or pure in _KEEPING:
        value = compute(pure, [_plain_value(one) for one in given])
        if value is not None:
            if pure in _DECODING and isinstance(value, str):
                state.decoded.add(value)
            if name.endswith(HOLDING) and isinstance(value, str):
                state.streams.add(value)
            return value
    marks = state.marks(given)
    return state.result(f"{name}()", marks | {"decoded"} if pure in _DECODING else marks, state.origin(given))


def _plain_value(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain_value(item) for item in value]
    return value if isinstance(value, (str, int)) else text_of(value)
