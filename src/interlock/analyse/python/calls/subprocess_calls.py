"""Subprocess calls: programs started from an argument list or a shell text, with their streams and flags."""

from __future__ import annotations

from typing import Any

from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import NONE, NOTHING, Flow
from interlock.analyse.python.call import PythonCall
from interlock.analyse.python.calls.dynamic_code import (
    find_written_programs,
    output_of,
    report_origin,
    run_code,
    run_line,
)
from interlock.analyse.python.calls.file_calls import MADE
from interlock.analyse.python.calls.shell_quoting import quote
from interlock.analyse.python.evaluation.marks import marks_of
from interlock.analyse.python.evaluation.values import (
    UNKNOWN,
    Choice,
    Instance,
    Ref,
    Unknown,
    as_text,
    is_list,
    words_of,
)
from interlock.analyse.scripts.shells import opens_shell
from interlock.analyse.variables import read_variable

_SHELL = frozenset({"shell"})
_STREAMS = ("stdin", "stdout", "stderr")
_NO_WINDOW = 0x08000000
MAX_VARIABLES = 64
_FOLDERS = frozenset({"HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"})
#: Options after which an interpreter takes program text.
_CODE_OPTIONS = frozenset("-c -e -r -command -encodedcommand -enc -ec /c".split())


def spawn(call: PythonCall) -> Any:
    """Analyse a program that is started from an argument list or a shell text; return what it prints."""
    command = call.argument(0)
    if isinstance(command, Choice):
        others = call.arguments[1:]
        return [spawn(call.replace(arguments=[one, *others])) for one in command.values][-1]
    values = _argument_list(call, command)
    executable = call.keywords.get("executable")
    if values and isinstance(executable, str):  # the first word is then only what the program is called
        values = [executable, *values[1:]]
    words = None if values is None else [as_text(value) for value in values]
    call.reading.emit("process.spawn", call.site, words[0] if words else None, _start_flags(call, command, words))
    call = _with_folder(call)
    read_environment(call, call.keywords.get("env"))
    if any(is_socket(call.keywords.get(stream)) for stream in _STREAMS):
        call.reading.url("net.connect", call.site, "socket", _SHELL)
    if values is None or words is None:
        return _start_text(call, command)
    look_for_code(call, values)
    find_written_programs(call, words)
    given = call.keywords.get("input")
    stdin = Flow(as_text(given)) if isinstance(given, (str, bytes)) else NOTHING
    if given is not None and stdin is NOTHING and "download" in marks_of(call.reading, given):
        stdin = Flow(None, _DOWNLOAD)
    text = " ".join(quote(word) for word in words)
    first = len(call.reading.effects)
    flow = call.reading.nest("shell", text, call.site.behind("subprocess"), stdin)
    return output_of(call, text, flow, first)


_DOWNLOAD = frozenset({"download"})


def read_environment(call: PythonCall, variables: Any) -> None:
    """Read the variables that a program is started with: `env={**os.environ, "LD_PRELOAD": "/tmp/x.so"}`."""
    if isinstance(variables, dict):
        for name, value in list(variables.items())[:MAX_VARIABLES]:
            text = as_text(value)
            made = name in _FOLDERS and text.startswith(MADE)  # a folder for this run alone
            if isinstance(name, str) and HOLE not in name and not made:
                read_variable(call.reading, name, text, call.site)


def feed_process(call: PythonCall, process: Instance) -> Any:
    """Analyse text that a running program is given: `communicate`, or a write to its input."""
    given = call.option("input", 0)
    if isinstance(given, (str, bytes)):
        call.reading.nest("shell", process.mode, call.site.behind("subprocess"), Flow(as_text(given)))
    return process.text or Unknown(process.source or "output")


def _argument_list(call: PythonCall, command: Any) -> list[Any] | None:
    """Return the words of a command, or None if it is one text or unknown."""
    if is_list(command):
        return list(command)
    if len(call.arguments) > 1 and all(isinstance(word, str) for word in call.arguments):
        return list(call.arguments)  # `create_subprocess_exec("rm", "-rf", "x")`
    return None


def _with_folder(call: PythonCall) -> PythonCall:
    folder = call.keywords.get("cwd")
    if not isinstance(folder, str):
        return call
    return call.replace(place=call.site.replace(cwd=call.reading.places.resolve(folder, call.site.cwd)))


def _start_text(call: PythonCall, command: Any) -> Any:
    if isinstance(command, (str, bytes, Instance)):
        report_origin(call, command)
        return run_line(call, as_text(command))
    return run_code(call.replace(name="subprocess"), "shell", command)


def is_socket(value: Any) -> bool:
    """Whether a value is a socket."""
    return isinstance(value, Instance) and value.kind == "socket.socket"


def _start_flags(call: PythonCall, command: Any, words: list[str] | None) -> frozenset[str]:
    """Return flags for how a program is started: without a window or output, or as a terminal."""
    program = words[0] if words else as_text(command).split(" ")[0]
    if call.name == "pty.spawn":
        return frozenset({"terminal"}) if HOLE in program or opens_shell(program) else NONE
    known = HOLE not in program and "/" not in program and "\\" not in program
    if known and not program.lower().startswith(("powershell", "pwsh", "cmd")):
        return NONE
    silent = all(_is_null(call.keywords.get(stream)) for stream in _STREAMS)
    return frozenset({"unseen"}) if silent or _has_no_window(call.keywords.get("creationflags")) else NONE


def _is_null(value: Any) -> bool:
    return isinstance(value, Ref) and value.name.endswith("DEVNULL")


def _has_no_window(flags: Any) -> bool:
    if isinstance(flags, Ref):
        return flags.name.endswith(("CREATE_NO_WINDOW", "DETACHED_PROCESS"))
    return isinstance(flags, int) and bool(flags & _NO_WINDOW)


def look_for_code(call: PythonCall, values: list[Any]) -> None:
    """Look for program text among arguments: it may have been decoded."""
    for index, value in enumerate(values):
        if index == 0 or as_text(values[index - 1]).lower() in _CODE_OPTIONS:
            report_origin(call, value)


def execute(call: PythonCall) -> Any:
    """Analyse a program that `os.exec…` or `os.spawn…` starts from a path and an argument list."""
    given = call.arguments[1:] if call.name.startswith("os.spawn") else call.arguments
    rest = given[1:]
    if rest and words_of(rest[0]) is not None:
        rest = rest[0]
    values = [*given[:1], *(value for value in rest[1:] if not isinstance(value, dict))]
    words = [as_text(value) for value in values]
    call.reading.emit("process.spawn", call.site, words[0] if words else None)
    read_environment(call, next((value for value in call.arguments[2:] if isinstance(value, dict)), None))
    look_for_code(call, values)
    find_written_programs(call, words)
    call.reading.nest("shell", " ".join(quote(word) for word in words), call.site.behind("os.exec"))
    return UNKNOWN
