"""Library calls whose arguments need code, each with a function that reads it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from interlock.analyse.files.paths import hole
from interlock.analyse.python.call import PythonCall
from interlock.analyse.python.calls.dynamic_code import run_code, unpickle
from interlock.analyse.python.calls.file_calls import make_temporary, open_file, write_file
from interlock.analyse.python.calls.network_calls import make_request, request_by_method
from interlock.analyse.python.calls.subprocess_calls import execute, is_socket, spawn
from interlock.analyse.python.calls.tool_calls import (
    change_extended_attribute,
    enter_folder,
    find_installed,
    find_source,
    load_model_repository,
    make_system_call,
    open_by_flags,
    read_lines,
    read_password_file,
    run_management_command,
    run_program_arguments,
    serve_files,
)
from interlock.analyse.python.clients.cameras import open_camera
from interlock.analyse.python.evaluation.marks import environment_of, mixture, unknown_from, variable_of
from interlock.analyse.python.evaluation.pure_functions import COMPUTE_ERRORS, method
from interlock.analyse.python.evaluation.values import (
    MAX_CONSTANT,
    UNKNOWN,
    Class,
    Instance,
    Object,
    Ref,
    Unknown,
    as_text,
    either,
)
from interlock.knowledge.function import Function
from interlock.patterns import late

CallReader = Callable[[PythonCall], Any]
_MAY_RUN = 4  # mmap.PROT_EXEC
_PATH = "pathlib.Path"


def _path(call: PythonCall) -> Any:
    return Instance(_PATH, "/".join(as_text(part) for part in call.arguments) or ".")


def _join(call: PythonCall) -> Any:
    parts = [call.owner, *call.arguments] if isinstance(call.owner, Instance) else call.arguments
    return Instance(_PATH, "/".join(as_text(part) for part in parts))


def _rename(call: PythonCall) -> Any:
    return Instance(_PATH, f"{as_text(call.owner).rpartition('/')[0] or '.'}/{call.text(0)}")


def _keep_path(call: PythonCall) -> Any:
    return call.owner if isinstance(call.owner, Instance) else UNKNOWN


_NAMES = frozenset({"names"})


def _glob(call: PythonCall) -> Any:
    """`glob.glob`: the pattern stands for every file that it matches."""
    call.reading.file("fs.read", call.site, call.text(0), _NAMES)
    return [call.text(0)]


def _list_folder(call: PythonCall) -> Any:
    """`Path.glob`, `iterdir`: whatever stands below the folder."""
    folder = as_text(call.owner)
    call.reading.file("fs.read", call.site, folder, _NAMES)
    return [Instance(_PATH, f"{folder.rstrip('/')}/{call.text(0) if call.arguments else hole('entry')}")]


def _list_names(call: PythonCall) -> Any:
    """`os.listdir`: names that only the disk knows."""
    call.reading.file("fs.read", call.site, call.text(0) if call.arguments else ".", _NAMES)
    return [hole("entry")]


def _walk_folder(call: PythonCall) -> Any:
    """`os.walk`: every folder below the root, with the names in it."""
    root = call.text(0) if call.arguments else "."
    call.reading.file("fs.read", call.site, root, _NAMES)
    return [[f"{root.rstrip('/')}/{hole('folder')}", [hole("entry")], [hole("entry")]]]


def _variable(call: PythonCall) -> Any:
    call.reading.emit("env.read", call.site)
    if call.arguments and isinstance(call.arguments[0], str):
        name, default = call.arguments[0], call.argument(1)
        if f"os.environ[{name}]" in call.host.state.members:
            return call.host.state.members[f"os.environ[{name}]"]
        found = variable_of(call.reading, name)
        stated = isinstance(default, str) and default and isinstance(found, Unknown)
        return either(default, found) if stated and found.name not in call.reading.taints else found
    return environment_of(call.reading)


def _template(call: PythonCall) -> Any:
    """`string.Template(text)`."""
    text = call.argument(0)
    return Instance("string.Template", text) if isinstance(text, str) else UNKNOWN


def _substitute(call: PythonCall) -> Any:
    """`string.Template.substitute`: the text with its names replaced."""
    if not isinstance(call.owner, Instance):
        return UNKNOWN
    given = call.argument(0)
    values = {**(given if isinstance(given, dict) else {}), **call.keywords}
    known = {name: as_text(value) for name, value in values.items() if isinstance(value, str)}
    return _PLACEHOLDER.sub(lambda found: known.get(found[1] or found[2], found[0]), call.owner.text)[:MAX_CONSTANT]


_PLACEHOLDER = late(r"\$(?:\{(\w+)\}|(\w+))")


def _format(call: PythonCall) -> Any:
    """`string.Formatter().format`."""
    if not call.arguments or not isinstance(call.arguments[0], str):
        return UNKNOWN
    values = {name: as_text(value) for name, value in call.keywords.items()}
    try:
        return method(call.arguments[0], "format", [as_text(value) for value in call.arguments[1:]], values)
    except COMPUTE_ERRORS:
        return mixture(call.reading, "format", call.arguments)


def _namespace(call: PythonCall) -> Any:
    """`types.SimpleNamespace`: an object with the attributes that it is given."""
    tracker = call.host.state.tracker
    made = Object(Class("SimpleNamespace", [], tracker.births), tracker.births, tracker)
    made.attributes.update(call.keywords)
    return made


def _compile(call: PythonCall) -> Any:
    """`compile`: what it gives may be run. Text that is not known is only checked if nothing takes the result."""
    known = isinstance(call.argument(0), (str, bytes))
    if not known and isinstance(call.place, ast.Call) and call.place in call.host.state.discarded:
        return UNKNOWN
    run_code(call, "python", call.argument(0))
    return Instance("code", source=mixture(call.reading, "code", call.arguments[:1]).name)


def _duplicate(call: PythonCall) -> Any:
    """`os.dup2`: a connection in place of a terminal makes whatever runs next answer to the other end."""
    if call.arguments and is_socket(call.arguments[0]):
        call.reading.url("net.connect", call.site, "socket", frozenset({"shell"}))
    return UNKNOWN


def _copy_stream(call: PythonCall) -> Any:
    target = call.argument(1)
    return write_file(call, target, call.argument(0)) if isinstance(target, Instance) else UNKNOWN


def _accept(call: PythonCall) -> Any:
    return [Instance("socket.socket"), unknown_from(call.reading, "who connects", "download")]


def _map_memory(call: PythonCall) -> Any:
    access = call.option("prot", 3, 0)
    if isinstance(access, int) and access & _MAY_RUN:
        call.reading.emit("code.opaque", call.site, call.name, frozenset({"injection"}))
    return UNKNOWN


def _yaml(call: PythonCall) -> Any:
    loader = call.option("Loader", 1)
    if isinstance(loader, Ref) and "Safe" in loader.name:
        return mixture(call.reading, "yaml", call.arguments[:1])
    return unpickle(call, call.argument(0))


def _prefix(prefix: str, names: str) -> list[str]:
    return [f"{prefix}.{name}" for name in names.split()]


def _spawn_terminal(call: PythonCall) -> Any:
    """`pexpect.spawn(program, arguments)`, or with a whole command."""
    given = call.option("args", 1)
    words = [call.argument(0), *given] if isinstance(given, list) and given else str(call.text(0)).split()
    return spawn(call.replace(arguments=[words], keywords={}))


def _run_magic(call: PythonCall) -> Any:
    """`get_ipython().run_cell_magic(name, line, cell)`, `run_line_magic(name, line)`."""
    text = "\n".join(as_text(value) for value in call.arguments[1:])
    if call.argument(0) in _SHELL_MAGIC:
        return run_code(call, "shell", text)
    return run_code(call, "python", text) if call.argument(0) in _PYTHON_MAGIC else UNKNOWN


_SHELL_MAGIC = frozenset("bash sh system sx script !".split())
_PYTHON_MAGIC = frozenset("time timeit capture prun python python3".split())


def _management_command(call: PythonCall) -> Any:
    """Django's `call_command`: what `manage.py` would do."""
    words = ["manage.py", *(as_text(value) for value in call.arguments)]
    words += [f"--{name}={as_text(value)}" for name, value in call.keywords.items() if isinstance(value, str)]
    return spawn(call.replace(arguments=[words], keywords={}))


SPECIAL: dict[str, CallReader] = {
    "django.core.management.call_command": _management_command,
    **dict.fromkeys(_prefix("pathlib", "Path PosixPath PurePath PurePosixPath WindowsPath"), _path),
    **dict.fromkeys(_prefix(_PATH, "expanduser absolute resolve with_suffix as_posix"), _keep_path),
    "pathlib.Path.home": lambda _: Instance(_PATH, "~"),
    **dict.fromkeys(("glob.glob", "glob.iglob"), _glob),
    **dict.fromkeys(("pathlib.Path.glob", "pathlib.Path.rglob", "pathlib.Path.iterdir"), _list_folder),
    "os.listdir": _list_names,
    "os.walk": _walk_folder,
    "os.chdir": enter_folder,
    "pathlib.Path.cwd": lambda _: Instance(_PATH, "."),
    "pathlib.Path.joinpath": _join,
    "pathlib.Path.with_name": _rename,
    **dict.fromkeys(["os.getenv", *_prefix("os.environ", "get pop setdefault")], _variable),
    "string.Template": _template,
    **dict.fromkeys(_prefix("string.Template", "substitute safe_substitute"), _substitute),
    "string.Formatter": lambda _: Instance("string.Formatter"),
    "string.Formatter.format": _format,
    **dict.fromkeys(("types.SimpleNamespace", "argparse.Namespace"), _namespace),
    **dict.fromkeys(("pexpect.spawn", "pexpect.spawnu", "pexpect.popen_spawn.PopenSpawn"), _spawn_terminal),
    **dict.fromkeys(("get_ipython", "IPython.get_ipython"), lambda _: Instance("IPython")),
    **dict.fromkeys(_prefix("IPython", "run_cell_magic run_line_magic magic"), _run_magic),
    **dict.fromkeys(_prefix("IPython", "system getoutput"), lambda call: run_code(call, "shell", call.argument(0))),
    **dict.fromkeys(
        ("IPython.run_cell", *_prefix("code.InteractiveInterpreter", "runsource runcode")),
        lambda call: run_code(call, "python", call.argument(0)),
    ),
    **dict.fromkeys(
        _prefix("code", "InteractiveInterpreter InteractiveConsole"), lambda _: Instance("code.InteractiveInterpreter")
    ),
    "code.InteractiveInterpreter.push": lambda call: run_code(call, "python", call.argument(0)),
    "compile": _compile,
    "os.dup2": _duplicate,
    "shutil.copyfileobj": _copy_stream,
    "socket.socket.accept": _accept,
    "mmap.mmap": _map_memory,
    "yaml.load": _yaml,
    **dict.fromkeys(_prefix("cv2", "VideoCapture"), open_camera),
}

#: Readers that descriptions name: many functions have each of them.
READERS: dict[str, CallReader] = {
    "command": spawn,
    "executable": execute,
    "open": open_file,
    "request_method": request_by_method,
    "request_object": make_request,
    "temporary_file": make_temporary,
    "extended_attribute": change_extended_attribute,
    "file_lines": read_lines,
    "file_server": serve_files,
    "installed_path": find_installed,
    "source_file": find_source,
    "system_call": make_system_call,
    "management_command": run_management_command,
    "model_repository": load_model_repository,
    "open_flags": open_by_flags,
    "password_file": read_password_file,
    "program_arguments": run_program_arguments,
}


def reader_of(function: Function | None, name: str) -> CallReader | None:
    """Return what reads calls of a library's function, or None if its description, which may be None, is enough."""
    if function is not None and function.reader:
        return READERS[function.reader]
    return SPECIAL.get(name)
