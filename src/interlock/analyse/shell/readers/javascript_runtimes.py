"""JavaScript runtimes that are package managers too: `deno` and `bun`."""

from __future__ import annotations

from collections.abc import Callable

from interlock.analyse.reading import UNKNOWN, Flow
from interlock.analyse.shell.call import Call
from interlock.analyse.shell.execution import run_file, run_flow
from interlock.analyse.shell.readers.package_runners import manager

_EVALUATING = frozenset({"-e", "--eval", "-p", "--print"})
_REGISTRIES = ("npm:", "jsr:")


def _run_code(call: Call, at: int) -> Flow:
    name = call.program
    return call.scope.reading.nest("javascript", call.words[at], call.inner(at).behind(name), call.stdin)


def _deno(call: Call) -> Flow:
    """`deno eval CODE`, `deno run FILE`, and other subcommands as ordinary processes."""
    words, reading = call.words, call.scope.reading
    plain = [at for at, word in enumerate(words) if at and not word.startswith("-")]
    command = words[plain[0]] if plain else ""
    if command in ("eval", "repl") and len(plain) > 1:
        return _run_code(call, plain[1])
    if command == "run" and len(plain) > 1:
        path = words[plain[1]]
        if path.startswith(_REGISTRIES):
            reading.on("package.install", call.site, path.partition(":")[2], frozenset({"run"}))
            return UNKNOWN
        if "://" in path:
            reading.emit("code.remote", call.site, path)
            return UNKNOWN
        return run_flow(call, call.stdin, "javascript", "deno") if path == "-" else run_file(call, path, "javascript")
    reading.emit("process.spawn" if plain else "process.run", call.site, "deno")
    return UNKNOWN


def _bun(call: Call) -> Flow:
    """`bun -e CODE`; other calls are read as those of a package manager."""
    at = next((at + 1 for at, word in enumerate(call.words[:-1]) if word in _EVALUATING), 0)
    return _run_code(call, at) if at else manager(call)


JAVASCRIPT_RUNTIMES: dict[str, Callable[[Call], Flow]] = {"deno": _deno, "bun": _bun}
