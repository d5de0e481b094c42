"""JavaScript runtimes that are package managers too: `deno` and `bun`."""

from __future__ import annotations

from collections.abc import Callable

from interlock.analyse.addresses.hosts import host_flags, is_url
from interlock.analyse.flow import NOTHING, UNKNOWN, Flow
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.execution import STANDARD_INPUT, run_file, run_flow
from interlock.analyse.shell.readers.package_runners import manager
from interlock.knowledge.arguments import find_values

_EVALUATING = frozenset({"-e", "--eval", "-p", "--print"})
_REGISTRIES = ("npm:", "jsr:")
_PACKAGE = frozenset({"run"})
#: Options of Deno whose value is the next word.
_VALUED = frozenset(
    (
        "-c --config --import-map --lock --cert -L --log-level --location --seed -o --output --target --host --port "
        "--ext --project -p --entrypoint --token --name -n --root --filter --icon --include --exclude -f --file "
        "--preload --org --app -D --permission-set"
    ).split()
)
#: Commands of Deno that run a module, and those of them that run what stands on the command line.
_RUNNING = frozenset({"run", "serve", "test", "bench", "compile"})
_LISTENING = ("localhost", "127.", "[::1]")


def _run_code(call: ShellCall, at: int) -> Flow:
    name = call.program
    return call.scope.reading.nest("typescript", call.words[at], call.inner(at).behind(name), call.stdin)


def _operands(words: list[str], valued: frozenset[str]) -> list[int]:
    """Return where the words stand that are neither options nor values of options."""
    found, at = [], 1
    while at < len(words):
        if words[at].startswith("-") and words[at] != "-":
            at += 2 if words[at] in valued else 1
        else:
            found.append(at)
            at += 1
    return found


def _value_of(words: list[str], *options: str) -> str:
    """Return the value of an option, or an empty text."""
    return next((value for _, value in find_values(words, options)), "")


def _deno(call: ShellCall) -> Flow:
    """`deno eval CODE`, `deno run MODULE`, what is published, deployed or served; the rest is an ordinary process."""
    words, reading = call.words, call.scope.reading
    plain = _operands(words, _VALUED)
    command = words[plain[0]] if plain else ""
    if command == "eval" and len(plain) > 1:
        return _run_code(call, plain[1])
    if command == "repl" or (not plain and call.stdin is not NOTHING and len(words) == 1):
        return _repl(call)
    if command in _RUNNING:
        return _run_module(call, command, plain[1:])
    if command == "-" or command.endswith((".ts", ".js", ".mjs", ".tsx")) or is_url(command):
        return _run_module(call, "run", plain)
    if command == "publish" and "--dry-run" not in words:
        reading.emit("package.publish", call.site, "deno")
    elif command == "deploy" and not {"--help", "logs", "--dry-run"} & set(words):
        reading.emit("deploy.release", call.site, _value_of(words, "--project", "--app") or "deno deploy")
    else:
        reading.emit("process.spawn" if plain else "process.run", call.site, "deno")
    return UNKNOWN


def _repl(call: ShellCall) -> Flow:
    """`deno repl --eval CODE`, and what a prompt is given on its input."""
    at = next((at + 1 for at, word in enumerate(call.words[:-1]) if word == "--eval"), 0)
    if at:
        return _run_code(call, at)
    if call.stdin is not NOTHING:
        return run_flow(call, call.stdin, "typescript", call.program)
    call.scope.reading.emit("process.run", call.site, call.program)
    return UNKNOWN


def _run_module(call: ShellCall, command: str, plain: list[int]) -> Flow:
    """Run a module by its path, its address, its package or its text; Deno may compile or serve it instead."""
    words, reading = call.words, call.scope.reading
    host = _value_of(words, "--host")
    if command == "serve" and host and not host.startswith(_LISTENING):
        reading.emit("net.listen", call.site, host)
    output = _value_of(words, "-o", "--output")
    if command == "compile" and output:
        reading.file("fs.write", call.site, output)
    path = words[plain[0]] if plain else ""
    if not path and call.stdin is not NOTHING:
        return run_flow(call, call.stdin, "typescript", call.program)
    if not path:
        reading.emit("process.spawn", call.site, call.program)
    elif path.startswith(_REGISTRIES):
        reading.on("package.install", call.site, path.partition(":")[2].lstrip("/"), _PACKAGE)
    elif is_url(path) and "local" not in host_flags(path):
        reading.emit("code.remote", call.site, path)
    elif path == "-":
        return run_flow(call, call.stdin, "typescript", call.program)
    elif command in ("run", "serve"):
        return run_file(call, path, "typescript")
    else:
        reading.emit("process.spawn", call.site, call.program)
    return UNKNOWN


#: Options of Bun whose value is the next word.
_BUN_VALUED = frozenset(
    "-r --preload --require --import -c --config --cwd --env-file --port -d --define -l --loader".split()
)
_SOURCES = (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts")


def _bun(call: ShellCall) -> Flow:
    """`bun -e CODE`, `bun FILE`, `bun exec COMMAND`; other calls are read as those of a package manager."""
    words, reading = call.words, call.scope.reading
    at = next((at + 1 for at, word in enumerate(words[:-1]) if word in _EVALUATING), 0)
    if at:
        return _run_code(call, at)
    plain = _operands(words, _BUN_VALUED)
    command = words[plain[0]] if plain else ""
    if command == "repl":
        return _repl(call)
    if command == "exec" and len(plain) > 1:
        return reading.nest("shell", words[plain[1]], call.inner(plain[1]).behind("bun exec"), call.stdin)
    at = plain[1] if command == "run" and len(plain) > 1 else plain[0] if plain else 0
    path = words[at] if at else ""
    if path in (*STANDARD_INPUT, "run") and call.stdin is not NOTHING:
        return run_flow(call, call.stdin, "typescript", "bun")
    if (path.endswith(_SOURCES) or path.startswith("/dev/fd/")) and command not in ("build", "test", "add", "x"):
        return run_file(call, path, "typescript")
    return manager(call)


JAVASCRIPT_RUNTIMES: dict[str, Callable[[ShellCall], Flow]] = {"deno": _deno, "bun": _bun}
