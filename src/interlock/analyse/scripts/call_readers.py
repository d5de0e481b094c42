"""Readers that descriptions of functions name: how files are opened, requests made, programs started."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from interlock.analyse.addresses.hosts import is_url
from interlock.analyse.files.paths import HOLE, holes
from interlock.analyse.scripts.callables import report_unknown_callee
from interlock.analyse.scripts.changes import change_by_call
from interlock.analyse.scripts.compiled.readers import READERS as COMPILED_READERS
from interlock.analyse.scripts.function_readers import FUNCTION_READERS
from interlock.analyse.scripts.values import Ref, as_text, choices, flat, is_unknown, unknown
from interlock.analyse.scripts.working_folder import enter_folder
from interlock.analyse.scripts.written_files import append_written, open_written, run_written
from interlock.analyse.secrets.disclosure import holds_value
from interlock.knowledge.function import NO_FUNCTION, Function
from interlock.patterns import late

if TYPE_CHECKING:
    from interlock.analyse.scripts.script import Script

Special = Callable[["Script", Function, Any, list[Any], Any], Any]


def _option(arguments: list[Any], *names: str) -> Any:
    """Return an argument that is given by name."""
    for argument in arguments:
        if isinstance(argument, dict):
            for name in names:
                if name in argument:
                    return argument[name]
    for at, argument in enumerate(arguments[:-1]):
        if isinstance(argument, Ref) and argument.name in names:
            return arguments[at + 1]
        if isinstance(argument, str) and argument in names:
            return arguments[at + 1]
    return None


#: Languages whose functions are given some of their arguments by name.
_NAMING = frozenset({"r", "julia"})


def _print(script: Script, found: Function, _owner: Any, arguments: list[Any], start: Any) -> None:
    written = _option(arguments, "file") if script.syntax.name == "r" else None
    if written is not None:
        script.reading.file("fs.write", script.where(start), as_text(written))
        texts = [one for one in arguments if isinstance(one, str) and one != written]
        append_written(script, open_written(script, as_text(written)), texts)
        return
    if script.syntax.name in _NAMING and arguments and isinstance(arguments[-1], dict):
        named = list(arguments[-1].values())
        arguments = [argument for argument in arguments[:-1] if argument not in named]
    values = [argument for argument in arguments if not isinstance(argument, Ref)] if len(arguments) > 1 else arguments
    if any(isinstance(argument, Ref) and argument.name.lower() == "stderr" for argument in arguments):
        return
    for value in values if values else values[:1]:
        for one in choices(value):
            script.printed.append(as_text(one) + ("\n" if found.reader == "line" else ""))


def _perl_open(script: Script, _found: Function, _owner: Any, arguments: list[Any], start: Any) -> Any:
    """`open(F, "cmd|")`, `open(F, "|-", "cmd")`, `open(F, ">", "file")`, and the rest of them."""
    given = [as_text(argument) for argument in arguments[1:]]
    if not given:
        return None
    mode = given[0].strip()
    value: Any = None
    if len(given) > 1:
        if "|" in mode:
            value = script.command("open", given[1] if len(given) == 2 else given[1:], start)
        elif "&" not in mode:
            value = _open_path(script, given[1], ">" in mode or "+" in mode, start)
    elif mode.startswith("|") or mode.endswith("|"):
        value = script.command("open", mode.strip("|"), start)
    elif mode.startswith((">&", "<&")):
        pass
    else:
        value = _open_path(script, mode.lstrip("<>+ "), mode.startswith((">", "+")), start)
    handle = arguments[0]
    if isinstance(handle, (Ref, str)):
        name = handle.name if isinstance(handle, Ref) else handle.strip(HOLE)
        script.names[name] = value if value is not None else unknown(name)
    return value


def _open_path(script: Script, path: str, writes: bool, start: Any) -> Any:
    if not writes:
        return script.url(path, NO_FUNCTION, start)
    script.reading.file("fs.write", script.where(start), path)
    return open_written(script, path)


def _open(script: Script, _found: Function, _owner: Any, arguments: list[Any], start: Any) -> Any:
    """`open(path, mode)`; a path that begins with `|` is a command in Ruby."""
    path = as_text(arguments[0]) if arguments else unknown()
    mode = as_text(arguments[1]) if len(arguments) > 1 else "r"
    if path.startswith("|"):
        return script.command("open", path[1:], start)
    return _open_path(script, path, bool(set(mode) & set("wax+")) and HOLE not in mode, start)


def _write_stream(script: Script, _found: Function, _owner: Any, arguments: list[Any], start: Any) -> Any:
    """`fs.createWriteStream(path)`."""
    return _open_path(script, as_text(arguments[0]) if arguments else unknown(), True, start)


def _write_handle(script: Script, _found: Function, _owner: Any, arguments: list[Any], start: Any) -> None:
    """`fwrite($handle, "text")`: a file that is open, or a socket."""
    if len(arguments) < 2:
        return
    append_written(script, arguments[0], arguments[1:2])
    if "socket" in script.marks(arguments[0]):
        marks = script.find_sent_marks(arguments[1])
        script.reading.url("net.send", script.where(start), script.sockets[-1] if script.sockets else "", marks)


def _module(script: Script, _found: Function, _owner: Any, arguments: list[Any], start: Any) -> Any:
    from interlock.analyse.scripts.modules import load_module

    return load_module(script, as_text(arguments[0]) if arguments else "", start)


def _library(script: Script, _found: Function, _owner: Any, arguments: list[Any], _start: Any) -> None:
    """`library(DBI)`, `using LibPQ`: its functions are known by their own names."""
    from interlock.analyse.scripts.modules import import_library

    import_library(script, arguments)


def _request(script: Script, found: Function, _owner: Any, arguments: list[Any], start: Any) -> Any:
    """A request: where to, by which method, and what it takes along."""
    reading = script.reading
    if arguments and isinstance(arguments[0], str) and arguments[0].upper() in _VERBS:
        arguments = [*arguments[1:], {"method": arguments[0]}]
    host = _option(arguments, "host", "hostname", "url", "uri", "PeerAddr", "PeerHost", "baseURL")
    target = as_text(arguments[0]) if arguments and not isinstance(arguments[0], dict) else ""
    if host is not None and (not target or target.isidentifier()):
        target = as_text(host)
    method = as_text(_option(arguments, "method", "type") or "").upper()
    body = _option(arguments, "body", "data", "json", "content", "postData", "form", "Content")
    sends = "sends" in found.effect_flags or body is not None or method not in ("", "GET", "HEAD", "OPTIONS")
    marks = _request_marks(script, arguments)
    if "secret" in marks and _SIGN_IN.search(target) and not _is_local_secret(script, arguments):
        marks -= {"secret"}  # a password typed into a form is sent to the service that the person signs in to
    if isinstance(body, str) and holds_value(body):
        marks |= {"secret"}
    reading.url("net.send" if sends else "net.fetch", script.where(start), target, marks)
    return script.result(f"response of {target}", frozenset({"download"}))


#: Addresses of an application's own service at which people sign in, without the name of a host.
_SIGN_IN = late(
    rf"(?i)^(?:{HOLE}[^{HOLE}]*{HOLE})?/(?!/)(?:[\w-]+/){{0,4}}"
    r"(?:log-?in|sign-?in|sign-?up|register|sessions?|auth|oauth2?|tokens?|passwords?(?:-reset)?|users?|accounts?)(?:[/?]|$)"
)


def _is_local_secret(script: Script, arguments: list[Any]) -> bool:
    """Whether a request takes along a secret of this machine, and not only a variable that is named like one."""
    marks = script.reading.taints
    return any("secret" in marks.get(name, ()) for name in holes(as_text(arguments)))


def _request_marks(script: Script, arguments: list[Any]) -> frozenset[str]:
    """Return the marks of what a request takes along, except for headers that carry credentials by design."""
    values: list[Any] = []
    for argument in arguments:
        if isinstance(argument, dict):
            headers = argument.get("headers")
            values += [value for name, value in argument.items() if name != "headers"]
            if isinstance(headers, dict):
                values += [value for name, value in headers.items() if not _SIGNING.search(name)]
                script.private.account(script, [value for name, value in headers.items() if _SIGNING.search(name)])
        else:
            values.append(argument)
    return script.find_sent_marks(values)


_SIGNING = late(r"(?i)authorization|token|api-?key|auth|secret|signature|cookie")
_VERBS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})


def _curl(script: Script, _found: Function, _owner: Any, arguments: list[Any], start: Any) -> Any:
    """`curl_setopt(handle, OPTION, value)`."""
    option = arguments[1].name.upper() if len(arguments) > 2 and isinstance(arguments[1], Ref) else ""
    if option.endswith("URL"):
        marks = script.find_sent_marks(arguments[2])
        script.reading.url("net.fetch", script.where(start), as_text(arguments[2]), marks)
    elif option.endswith(("HTTPHEADER", "USERPWD", "BEARER", "PASSWORD")):
        script.private.account(script, arguments[2])
    elif option.endswith(("POSTFIELDS", "_POST", "INFILE")):
        script.reading.emit("net.send", script.where(start), None, script.find_sent_marks(arguments[2]))
    return None


def _unpack(script: Script, _found: Function, owner: Any, arguments: list[Any], _start: Any) -> Any:
    """Ruby's `"…".unpack1("m")` and `["…"].pack("H*")`: what is packed stands before."""
    items = owner if isinstance(owner, list) else [owner]
    return script.compute("pack", "pack", None, [*arguments[:1], *items])


def _function(script: Script, _found: Function, _owner: Any, arguments: list[Any], start: Any) -> Any:
    """`new Function(…, body)`: the last argument is code."""
    found: Any = None
    for body in choices(arguments[-1]) if arguments else ():
        found = script.code("Function", script.syntax.name, as_text(body), start)
    return found


#: Names that stand for nothing, and those of arguments that are no words of a command.
_NO_WORDS = frozenset("nil null undefined none t true false options opts cb callback done next".split())


def _is_word(script: Script, at: int, argument: Any) -> bool:
    """Whether an argument is a word of a command, or its words: a name stands for one where a word is expected."""
    if not isinstance(argument, Ref):
        return True
    if argument.name in script.function_names() or argument.name.lower() in _NO_WORDS:
        return False
    return at == 0 or script.knows(argument) or (at == 1 and argument.name[:1] != ":")


def _command(script: Script, _found: Function, _owner: Any, arguments: list[Any], start: Any) -> Any:
    """A program with its words: `spawn("rm", ["-rf", "x"])`, `{cmd: […]}`, `{args: […]}`, `{shell: true}`."""
    values = [argument for at, argument in enumerate(arguments) if _is_word(script, at, argument)]
    command = _option(values, "cmd", "command")
    words = flat([value for value in values if not isinstance(value, dict)])
    if command is not None:
        words = flat([command])
    more = _option(values, "args")
    if more is not None:
        words += flat([more])
    if _option(values, "shell") is not None or len(words) == 1:
        return script.command("spawn", " ".join(as_text(word) for word in words), start)
    return script.command("spawn", words, start) if words else None


def _include(script: Script, _found: Function, _owner: Any, arguments: list[Any], start: Any) -> Any:
    """A file that is read as code; from an address, it is remote code."""
    for one in choices(arguments[0]) if arguments else ():
        _include_file(script, as_text(one), start)


def _include_file(script: Script, path: str, start: Any) -> None:
    if is_url(path) or "download" in script.reading.marks(path):
        script.reading.emit("code.remote", script.where(start), path)
    elif path.startswith("data:"):
        script.code("include", script.syntax.name, as_text(script.url(path, NO_FUNCTION, start)), start)
    elif HOLE in path and script.reading.marks(path) & {"decoded", "input"}:
        script.opaque("a file whose name is given", path, start)
    elif is_unknown(path) or (HOLE not in path and not run_written(script, "include", path, start)):
        script.reading.file("code.run", script.where(start), path)
        script.reading.opaque.append(f"a script: `{path[:60]}`")


def _search_path(script: Script, _found: Function, _owner: Any, arguments: list[Any], start: Any) -> Any:
    """`set_include_path(…)`, `$LOAD_PATH.unshift(…)`, `ini_set("auto_prepend_file", …)`."""
    from interlock.analyse.scripts.search_paths import SETTINGS, add_search_path

    if script.syntax.name == "php" and len(arguments) > 1:
        arguments = arguments[1:] if as_text(arguments[0]) in SETTINGS else []
    add_search_path(script, arguments, start)


def _set_environment(script: Script, _found: Function, _owner: Any, arguments: list[Any], _start: Any) -> Any:
    """`putenv("NAME=value")`, `Sys.setenv(NAME = "value")`."""
    from interlock.analyse.scripts.child_environment import set_by_text, set_variable

    for argument in arguments:
        if isinstance(argument, dict):
            for name, value in argument.items():
                set_variable(script, name, value)
        else:
            set_by_text(script, as_text(argument))


def _send(script: Script, found: Function, owner: Any, arguments: list[Any], start: Any) -> Any:
    """A function that is called by its name: `send(:system, "…")`, `call_user_func('system', '…')`."""
    first = arguments[0] if arguments else ""
    if isinstance(first, list) and first:
        first = first[-1]
    name = first.name if isinstance(first, Ref) else as_text(first)
    if script.syntax.name == "ruby" and isinstance(first, Ref) and not script.knows(first):
        report_unknown_callee(script, unknown(name), arguments[1:], start)
    if HOLE in name or (isinstance(first, Ref) and not script.knows(first)):
        script.report_computed_member(owner, unknown(name.strip(HOLE)), start)
    if HOLE in name:
        return script.call_unknown(name, arguments[1:], start)
    if not name:
        return None
    if owner is not None:
        change_by_call(script, name, owner, arguments[1:])
    if not script.knows(Ref(name)) and owner is not None:  # `socket.send(text)`
        sent = script.describe_unknown(f".{found.reader}", owner, arguments, start)
        if script.syntax.name == "ruby" and name.rstrip("?!=").isidentifier():
            return script.call(script.member(owner, name), flat(arguments[1:]), start)
        return sent
    return script.call(Ref(name), flat(arguments[1:]), start)


def _requirer(_script: Script, _found: Function, _owner: Any, _arguments: list[Any], _start: Any) -> Any:
    """`createRequire(…)` gives another `require`."""
    return Ref("require")


def _behind(count: int) -> Special:
    """Return what reads a command that stands behind so many handles."""

    def read(script: Script, _found: Function, _owner: Any, arguments: list[Any], start: Any) -> Any:
        return script.command("open", arguments[count:], start)

    return read


def _profile(script: Script, _found: Function, _owner: Any, arguments: list[Any], start: Any) -> Any:
    """A browser that is started with a profile: whoever steers it is signed in as its owner."""
    folder = _option(arguments, "userDataDir", "user_data_dir", "profile")
    texts = [argument for argument in arguments[:1] if isinstance(argument, str)]
    path = as_text(folder) if folder is not None else texts[0] if texts else ""
    if path and HOLE not in path[:1]:
        script.reading.file("fs.read", script.where(start), path)


def _read(script: Script, found: Function, _owner: Any, arguments: list[Any], start: Any) -> Any:
    """Julia's `read`: a file, or a command that has run."""
    first = arguments[0] if arguments else ""
    is_path = isinstance(first, str) and first and "\n" not in first and not first.startswith(HOLE)
    return script.act("read", "fs.read", first, found, start) if is_path else first


def _peer(script: Script, _found: Function, _owner: Any, arguments: list[Any], start: Any) -> Any:
    """`IO::Socket::INET->new(PeerAddr => …)`, or one that listens."""
    host = _option(arguments, "PeerAddr", "PeerHost")
    if host is None and _option(arguments, "LocalPort", "Listen", "LocalAddr") is not None:
        script.reading.emit("net.listen", script.where(start))
        script.sockets.append("a listener")
        return script.result("socket", frozenset({"download", "socket"}))
    target = host if host is not None else (arguments or [unknown()])[0]
    return script.act("connect", "host", target, NO_FUNCTION, start)


def _connect(script: Script, _found: Function, _owner: Any, arguments: list[Any], start: Any) -> Any:
    """`connect(port, host)`, `connect({host, port})`."""
    host = _option(arguments, "host", "hostname", "path")
    texts = [argument for argument in arguments if isinstance(argument, str) and not argument.isdigit()]
    if host is None and texts:
        host = texts[0]
    if host is None and not any(isinstance(argument, int) for argument in arguments):
        return None
    return script.act("connect", "host", host if host is not None else "localhost", NO_FUNCTION, start)


SPECIAL: dict[str, Special] = {
    "print": _print,
    "line": _print,
    "perl_open": _perl_open,
    "open": _open,
    "module": _module,
    "library": _library,
    "request": _request,
    "curl": _curl,
    "enter_folder": enter_folder,
    "unpack": _unpack,
    "function": _function,
    "command": _command,
    "include": _include,
    "search_path": _search_path,
    "send": _send,
    "set_environment": _set_environment,
    "peer": _peer,
    "profile": _profile,
    "read": _read,
    "connect": _connect,
    "requirer": _requirer,
    "write_handle": _write_handle,
    "write_stream": _write_stream,
    "command_behind_one": _behind(1),
    "command_behind_two": _behind(2),
    "command_behind_three": _behind(3),
    **FUNCTION_READERS,
    **COMPILED_READERS,
}
