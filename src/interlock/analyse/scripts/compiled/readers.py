"""Readers of calls in compiled languages: builders of commands and requests, formats, buffers, walks."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from interlock.analyse.files.paths import HOLE
from interlock.analyse.scripts.values import Choice, Ref, as_text, flat, unknown
from interlock.knowledge.function import NO_FUNCTION, Function
from interlock.patterns import late

if TYPE_CHECKING:
    from interlock.analyse.scripts.script import Script

_SENT = frozenset({"secret", "environment", "carried"})
_PLACE = late(r"\{\{|\}\}|\{(?:(\w*)(?:[:!][^{}]*)?)\}")
_SQL = late(
    r"(?i)\s*(?:drop|delete|truncate|update|insert|select|alter|create|grant|revoke|with|copy|call|exec|replace)\b"
)
#: Fields that name a program, and those that hold its arguments.
_PROGRAMS = ("FileName", "launchPath", "executableURL", "executable", "Path", "program")
_ARGUMENTS = ("Arguments", "ArgumentList", "arguments", "Args", "args")
#: Properties of a machine that are folders.
_FOLDERS = {"user.home": "~", "user.dir": ".", "java.io.tmpdir": "/tmp"}


def _begin_command(_script: Script, _found: Function, _owner: Any, arguments: list[Any], _start: Any) -> Any:
    """`Command::new("sh")`: a list of words, which later calls add to."""
    return flat(arguments) or [unknown("program")]


def _add_words(_script: Script, _found: Function, owner: Any, arguments: list[Any], _start: Any) -> Any:
    """`.arg("-c")`, `.args(["a", "b"])`: more words of the command that is put together."""
    if isinstance(owner, list):
        owner += flat(arguments)
    return owner if owner is not None else unknown("command")


def _start_command(script: Script, _found: Function, owner: Any, _arguments: list[Any], start: Any) -> Any:
    """`.spawn()`, `.run()`: start the command that was put together, as words or as an object with fields."""
    if isinstance(owner, dict):
        return _start_object(script, owner, start)
    if isinstance(owner, list) and owner and isinstance(owner[0], str):
        return script.command("spawn", list(owner), start)
    return None


def _start_object(script: Script, fields: dict[str, Any], start: Any) -> Any:
    program = next((fields[name] for name in _PROGRAMS if name in fields), None)
    inner = next((value for value in fields.values() if isinstance(value, dict)), None)
    if program is None:
        return _start_object(script, inner, start) if inner is not None else None
    given = next((fields[name] for name in _ARGUMENTS if name in fields), "")
    if isinstance(given, str):
        return script.command("start", f"{as_text(program)} {given}".strip(), start)
    words = flat([given])
    if words and as_text(words[0]) == as_text(program).rpartition("/")[2]:  # `Args` repeats the program
        words = words[1:]
    return script.command("start", [program, *words], start)


def _make_object(_script: Script, _found: Function, _owner: Any, arguments: list[Any], _start: Any) -> Any:
    """`new ProcessStartInfo("sh", "-c x")`, `Process()`: an object whose fields say what it starts."""
    fields: dict[str, Any] = {}
    given = [argument for argument in arguments if not isinstance(argument, dict)]
    for argument in arguments:
        if isinstance(argument, dict):
            fields.update(argument)
    if given:
        fields.setdefault("FileName", given[0])
    if len(given) > 1:
        fields.setdefault("Arguments", given[1])
    return fields


def _start_program(script: Script, _found: Function, owner: Any, arguments: list[Any], start: Any) -> Any:
    """`Process.Start("sh", "-c x")`, `Process.Start(info)`, `process.Start()`."""
    first = arguments[0] if arguments else owner
    if isinstance(first, dict):
        return _start_object(script, first, start)
    listed = next((argument for argument in arguments[1:] if isinstance(argument, list)), None)
    if listed is not None and isinstance(first, str):  # `readProcess "sh" ["-c", x] ""`
        return script.command("start", [first, *listed], start)
    words = flat(arguments)
    if not words:
        return None
    if len(arguments) == 2 and isinstance(arguments[1], str):
        return script.command("start", f"{as_text(words[0])} {as_text(words[1])}", start)
    return script.command("start", words, start)


def _run_image(script: Script, _found: Function, _owner: Any, arguments: list[Any], start: Any) -> Any:
    """`execl("/bin/sh", "sh", "-c", x, NULL)`: the words repeat the program."""
    words = [as_text(word) for word in flat(arguments) if not _is_end(word)]
    if len(words) > 1 and words[0].rpartition("/")[2] == words[1].rpartition("/")[2]:
        del words[1]
    return script.command("exec", words, start) if words else None


def _is_end(word: Any) -> bool:
    """Whether an argument is no word: `NULL` behind the last one, an empty text, a number, a table of variables."""
    return (isinstance(word, Ref) and word.name.lower() in ("null", "environ", "envp")) or (
        not word or not isinstance(word, (str, Ref, Choice))
    )


def _format_places(script: Script, _found: Function, _owner: Any, arguments: list[Any], _start: Any) -> Any:
    """`format!("{}/{name}", home)`: a text with values in braces."""
    template = as_text(arguments[0]) if arguments else ""
    values = iter(argument for argument in arguments[1:] if not isinstance(argument, dict))

    def fill(found: re.Match[str]) -> str:
        if found[0] in ("{{", "}}"):
            return found[0][0]
        name = found[1]
        if name and not name.isdigit():
            held = script.names.get(name)
            return as_text(held) if held is not None else unknown(name)
        return as_text(next(values, unknown()))

    return _PLACE.sub(fill, template)


def _print_places(script: Script, found: Function, owner: Any, arguments: list[Any], start: Any) -> Any:
    """`println!("{}", x)`."""
    script.printed.append(as_text(_format_places(script, found, owner, arguments, start)) + "\n")


def _print_format(script: Script, _found: Function, _owner: Any, arguments: list[Any], _start: Any) -> Any:
    """`printf("%s", x)`; a handle may stand before it."""
    if arguments and isinstance(arguments[0], Ref) and arguments[0].name.lower() in ("stderr", "stdout"):
        if arguments[0].name.lower() == "stderr":
            return
        arguments = arguments[1:]
    script.printed.append(as_text(script.compute("format", "format", None, arguments)))


def _fill_buffer(script: Script, found: Function, _owner: Any, arguments: list[Any], _start: Any) -> Any:
    """`snprintf(buffer, size, "%s/x", home)`, `strcat(buffer, "x")`: the first argument is what is written to."""
    if len(arguments) < 2:
        return None
    texts = [argument for argument in arguments[1:] if not isinstance(argument, int)]
    while texts and isinstance(texts[0], Ref) and len(texts) > 1:  # `sizeof buffer`
        texts = texts[1:]
    value = as_text(script.compute("format", "format", None, texts)) if texts else ""
    target = arguments[0]
    adds = "append" in found.effect_flags
    if isinstance(target, Ref):
        script.names[target.name] = value
    else:
        for name, held in list(script.names.items()):
            if held is target or (held == target and isinstance(held, str)):
                script.names[name] = as_text(held) + value if adds else value
                break
    return as_text(target) + value if adds and isinstance(target, str) else value


def _property(script: Script, _found: Function, _owner: Any, arguments: list[Any], _start: Any) -> Any:
    """`System.getProperty("user.home")`, `Environment.GetFolderPath(…UserProfile)`."""
    name = arguments[0].name.rpartition(".")[2] if arguments and isinstance(arguments[0], Ref) else ""
    name = name or (as_text(arguments[0]) if arguments else "")
    if name in ("user.home", "UserProfile", "Personal", "MyDocuments"):
        return script.reading.places.home or "~"
    return _FOLDERS.get(name, unknown(name))


def _home(script: Script, _found: Function, _owner: Any, _arguments: list[Any], _start: Any) -> Any:
    """The home folder."""
    return script.reading.places.home or "~"


def _temporary(_script: Script, _found: Function, _owner: Any, _arguments: list[Any], _start: Any) -> Any:
    """A new folder or file for temporary data."""
    return "/tmp/mktemp"


def _walk(script: Any, _found: Function, owner: Any, arguments: list[Any], start: Any) -> Any:
    """A loop over the files below a folder."""
    path = as_text(owner) if isinstance(owner, str) and owner else as_text(arguments[0]) if arguments else ""
    if path and HOLE not in path[:1]:
        script.walked = path
        script.reading.file("fs.read", script.where(start), path, frozenset({"names"}))
        return script.result(f"files of {path}", frozenset())
    return None


def _set_address(script: Any, _found: Function, owner: Any, arguments: list[Any], start: Any) -> Any:
    """`Request.Builder().url(x)`, `client.post(x)`: where the request goes that is put together."""
    text = as_text(arguments[0]) if arguments else ""
    if "://" in text:
        script.address = text
        sends = "sends" in _found.effect_flags
        marks = script.marks(arguments) & _SENT
        script.reading.url("net.send" if sends else "net.fetch", script.where(start), text, marks)
        return script.result(f"response of {text}", frozenset({"download"}))
    return owner if owner is not None else unknown("request")


def _add_body(script: Any, _found: Function, owner: Any, arguments: list[Any], start: Any) -> Any:
    """`.body(x)`: what a request takes along."""
    marks = script.marks(arguments) & _SENT
    if script.address:
        script.reading.url("net.send", script.where(start), script.address, marks)
    return owner if owner is not None else unknown("request")


def _request_method(script: Any, _found: Function, _owner: Any, arguments: list[Any], start: Any) -> Any:
    """`http.NewRequest("POST", url, body)`: the method, the address and what is sent."""
    texts = [as_text(argument) for argument in arguments if isinstance(argument, str)]
    address = next((text for text in texts if "://" in text), unknown("address"))
    sends = not any(text.upper() in ("GET", "HEAD", "OPTIONS") for text in texts)
    marks = script.marks(arguments) & _SENT
    script.address = address
    script.reading.url("net.send" if sends else "net.fetch", script.where(start), address, marks)
    return script.result(f"response of {address}", frozenset({"download"}))


def _join_list(script: Script, _found: Function, _owner: Any, arguments: list[Any], _start: Any) -> Any:
    """`strings.Join(list, " ")`: a list, and what stands between its items."""
    if arguments and isinstance(arguments[0], list):
        return script.compute("join", "join", None, [arguments[1] if len(arguments) > 1 else "", arguments[0]])
    return script.result("text", script.marks(arguments))


def _peer_name(script: Script, _found: Function, _owner: Any, arguments: list[Any], start: Any) -> Any:
    """`inet_pton(AF_INET, "203.0.113.5", &a)`: the host that a socket will connect to."""
    host = next((argument for argument in arguments if isinstance(argument, str) and "." in argument), None)
    return script.act("connect", "host", host, NO_FUNCTION, start) if host is not None else None


def _run_argv(script: Script, _found: Function, _owner: Any, arguments: list[Any], start: Any) -> Any:
    """`Child.run(.{ .argv = &.{ "sh", "-c", x } })`: the words of a command among named options."""
    words = next((word for word in arguments if isinstance(word, list)), None)
    return script.command("run", _innermost(words), start) if words else None


def _innermost(words: list[Any]) -> list[Any]:
    inner = next((word for word in words if isinstance(word, list)), None)
    return words if inner is None else _innermost(inner)


def _environment(script: Script, _found: Function, _owner: Any, arguments: list[Any], _start: Any) -> Any:
    """A variable of the environment, by a name among the arguments."""
    name = next((argument for argument in arguments if isinstance(argument, str)), "")
    return script.variable(name if HOLE not in name else "")


def _listen(script: Script, _found: Function, _owner: Any, arguments: list[Any], start: Any) -> Any:
    """A socket that listens."""
    texts = [as_text(argument) for argument in arguments if isinstance(argument, str)]
    script.reading.emit("net.listen", script.where(start), next((text for text in texts if ":" in text), None))
    script.sockets.append("a listener")
    return script.result("socket", frozenset({"download", "socket"}))


def _delete_object(script: Script, found: Function, owner: Any, arguments: list[Any], start: Any) -> Any:
    """`Directory(x).delete(recursive: true)`."""
    options = [name for argument in arguments if isinstance(argument, dict) for name in argument]
    whole = frozenset({"recursive", "library"}) if "recursive" in options else frozenset[str]()
    if isinstance(owner, str) and owner.strip(HOLE) and HOLE not in owner[:1]:
        script.reading.file("fs.delete", script.where(start), owner, found.effect_flags | whole)
    else:
        script.act("delete", "fs.delete", "", Function(names=("delete",), arguments={"object": "fs.delete"}), start)


def _query(script: Script, _found: Function, _owner: Any, arguments: list[Any], start: Any) -> Any:
    """A query, if the first text is one."""
    text = next((argument for argument in arguments if isinstance(argument, str) and _SQL.match(argument)), None)
    return script.code("query", "sql", text, start) if text is not None else None


def _write_to(script: Script, found: Function, owner: Any, arguments: list[Any], start: Any) -> Any:
    """`.writeText(x)`: a file is written whose name is the object."""
    if isinstance(owner, str) and owner.strip(HOLE):
        script.reading.file("fs.write", script.where(start), owner, found.effect_flags)
        if arguments and isinstance(arguments[0], str) and HOLE not in arguments[0]:
            _keep(script, owner, arguments[0], found)
    return None


def _write_text(script: Script, found: Function, _owner: Any, arguments: list[Any], start: Any) -> Any:
    """`os.WriteFile(path, text)`: a file is written, and what it then holds may be known."""
    path = as_text(arguments[0]) if arguments else unknown()
    script.reading.file("fs.write", script.where(start), path, found.effect_flags)
    if len(arguments) > 1 and isinstance(arguments[1], str) and HOLE not in arguments[1]:
        _keep(script, path, arguments[1], found)


def _keep(script: Script, path: str, text: str, found: Function) -> None:
    from interlock.analyse.flow import Flow

    name = script.reading.places.resolve(path, script.site.cwd) or path
    script.reading.files[name] = Flow(text, frozenset({"part"}) if "append" in found.effect_flags else frozenset())


def _write_second(script: Script, found: Function, owner: Any, arguments: list[Any], start: Any) -> Any:
    """`writeFile path text` and the like with the text first."""
    _write_text(script, found, owner, list(reversed(arguments[:2])), start)


def _open_mode(script: Script, _found: Function, _owner: Any, arguments: list[Any], start: Any) -> Any:
    """`fopen(path, "w")`, `os.OpenFile(path, os.O_WRONLY, 0644)`: the mode says whether the file is written."""
    path = as_text(arguments[0]) if arguments else unknown()
    mode = " ".join(arg.name if isinstance(arg, Ref) else as_text(arg) for arg in arguments[1:]).replace(HOLE, "")
    if _WRITES.search(mode):
        script.reading.file("fs.write", script.where(start), path, _APPENDS if _ADDS.search(mode) else frozenset())
        return unknown(path)
    return script.url(path, NO_FUNCTION, start)


_WRITES = late(r"WRONLY|RDWR|APPEND|CREAT|TRUNC|(?i:\b(?:fm|mode\.)?(?:write|append|create)\w*)|^[rb]*[wa+]|\+")
_ADDS = late(r"APPEND|(?i:append)|^a")
_APPENDS = frozenset({"append"})

READERS: dict[str, Callable[[Any, Function, Any, list[Any], Any], Any]] = {
    "begin_command": _begin_command,
    "add_words": _add_words,
    "start_command": _start_command,
    "start_program": _start_program,
    "process_object": _make_object,
    "run_image": _run_image,
    "format_places": _format_places,
    "print_places": _print_places,
    "print_format": _print_format,
    "fill_buffer": _fill_buffer,
    "property": _property,
    "home": _home,
    "temporary": _temporary,
    "walk": _walk,
    "address": _set_address,
    "body": _add_body,
    "listen": _listen,
    "request_method": _request_method,
    "peer_name": _peer_name,
    "argv": _run_argv,
    "environment": _environment,
    "join_list": _join_list,
    "query": _query,
    "delete_object": _delete_object,
    "write_to": _write_to,
    "write_text": _write_text,
    "write_behind": _write_second,
    "open_mode": _open_mode,
}
