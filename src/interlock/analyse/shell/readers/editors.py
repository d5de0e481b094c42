"""Programs that run code on the side: editors, debuggers, `make`, and runtimes that are package managers too."""

from __future__ import annotations

import re
from collections.abc import Callable

from interlock.analyse.catalogue import PROGRAMS
from interlock.analyse.reading import NOTHING, UNKNOWN, Flow
from interlock.analyse.shell.call import Call, feed, read, run_file


def _editor(language: str) -> Callable[[Call], Flow]:
    """Return the reader of an editor or a debugger: what it is told to do comes in, or stands on its command line."""

    def reader(call: Call) -> Flow:
        name = call.words[0].rpartition("/")[2]
        words = [_PLUS.sub("", word) if word[:1] == "+" else word for word in call.words]
        nodes = call.nodes
        told = [word for word, was in zip(words, call.words, strict=True) if word != was and not word.isdigit()]
        call = call.replaced([word for word, was in zip(words, call.words, strict=True) if word == was], nodes)
        read(call, PROGRAMS[name])
        for text in told:
            call.scope.reading.nest(language, text, call.site.behind(name))
        if call.stdin is not NOTHING and call.stdin.text:
            call.scope.reading.nest(language, call.stdin.text, call.site.behind(name))
        return UNKNOWN

    return reader


_PLUS = re.compile(r"^\+(?=\D)")


def _make(call: Call) -> Flow:
    """`make -f -`, `make -f FILE` that this action wrote, and `make --eval`."""
    flow = read(call, PROGRAMS["make"])
    reading, words = call.scope.reading, call.words
    for at, word in enumerate(words[1:], 1):
        after = words[at + 1] if at + 1 < len(words) else ""
        if word.startswith("--eval"):
            reading.nest("make", word.partition("=")[2] or after, call.site.behind("make"))
        elif word in ("-f", "--file", "--makefile") or (word.startswith("-f") and len(word) > 2):
            path = after if word[-1:] in ("f", "e") else word[2:]
            known = call.stdin if path in ("", "-", "/dev/stdin") else _held(call, path)  # the grammar may drop a dash
            if known is not None and known is not NOTHING:
                feed(call, known, "make", "make")
    return flow


def _held(call: Call, path: str) -> Flow | None:
    reading = call.scope.reading
    return reading.files.get(reading.places.resolve(path, call.scope.cwd) or path)


def _deno(call: Call) -> Flow:
    """`deno eval CODE`, `deno run FILE`, `bun -e CODE`; what else they do is a package manager's work."""
    words, reading = call.words, call.scope.reading
    name = words[0].rpartition("/")[2]
    plain = [at for at, word in enumerate(words) if at and not word.startswith("-")]
    evaluated = next((at + 1 for at, word in enumerate(words) if word in ("-e", "--eval", "-p", "--print")), 0)
    if name == "deno" and plain and words[plain[0]] in ("eval", "repl"):
        evaluated = plain[1] if len(plain) > 1 else 0
    if 0 < evaluated < len(words):
        return reading.nest("javascript", words[evaluated], call.inner(evaluated).behind(name), call.stdin)
    if name == "bun":
        return read(call, PROGRAMS["bun"])
    if plain and words[plain[0]] == "run" and len(plain) > 1:
        path = words[plain[1]]
        if "://" in path or path.startswith(("npm:", "jsr:")):
            reading.emit("code.remote", call.site, path)
            return UNKNOWN
        if path == "-":
            return feed(call, call.stdin, "javascript", name)
        return run_file(call, path, "javascript")
    reading.emit("process.spawn" if plain else "process.run", call.site, name)
    return UNKNOWN


def _ftp(call: Call) -> Flow:
    """`ftp` and `lftp`: their own commands, one of which is `!`."""
    flow = read(call, PROGRAMS[call.words[0].rpartition("/")[2]])
    texts = [call.words[at + 1] for at, word in enumerate(call.words[:-1]) if word in ("-c", "-e")]
    for text in [*texts, call.stdin.text or ""]:
        call.scope.reading.nest("lftp", text, call.site.behind("ftp"))
    return flow


EDITORS: dict[str, Callable[[Call], Flow]] = {
    **dict.fromkeys(PROGRAMS["vim"].names.split(), _editor("vim")),
    **dict.fromkeys(PROGRAMS["ed"].names.split(), _editor("ed")),
    **dict.fromkeys(PROGRAMS["gdb"].names.split(), _editor("gdb")),
    **dict.fromkeys(("make", "gmake"), _make),
    **dict.fromkeys(("ftp", "lftp"), _ftp),
    **dict.fromkeys(("deno", "bun"), _deno),
}
