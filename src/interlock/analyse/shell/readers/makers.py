"""Build tools that carry commands in their text: `make` and `cmake -E`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from interlock.analyse.argv import parse
from interlock.analyse.reading import Flow
from interlock.analyse.shell.call import Call
from interlock.analyse.shell.described import read
from interlock.knowledge.catalogue import PROGRAMS
from interlock.patterns import late

_FILES = ("GNUmakefile", "makefile", "Makefile")
_RECIPE = late(r"^(?:\t|[^\s#:=][^:=\n]*:[^=\n]*;)\s*[@+\-]*(.+)$", re.MULTILINE)
_SHELL_CALL = late(r"\$[({]shell\s+((?:[^(){}]|\([^()]*\))*)[)}]")
_ASSIGNED = late(r"^\s*[\w.]+\s*!=\s*(.+)$", re.MULTILINE)


def _texts(call: Call) -> Iterator[str]:
    """Return the makefiles that this action itself wrote or gives."""
    parsed = parse(call.words, PROGRAMS["make"])
    scope = call.scope
    named = parsed.options.get("-f") or parsed.options.get("--file") or parsed.options.get("--makefile")
    if named in ("-", "/dev/stdin") and call.stdin.text:
        yield call.stdin.text
    for name in (named,) if named else _FILES:
        known = scope.reading.files.get(scope.reading.places.resolve(name, scope.cwd) or name)
        if known is not None and known.text:
            yield known.text
    for value in parsed.values:
        if value.role == "code:make":
            yield value.text.replace("\\n", "\n").replace("\\t", "\t")
    for word in call.words[1:]:
        if "$(" in word and "=" in word:
            yield word


def _make(call: Call) -> Flow:
    """`make`: the recipes and `$(shell …)` of a makefile whose text is known."""
    reading, site = call.scope.reading, call.site.behind("make")
    for text in _texts(call):
        for pattern in (_RECIPE, _SHELL_CALL, _ASSIGNED):
            for found in pattern.finditer(text[:65_536]):
                reading.nest("shell", found[1].replace("$$", "$"), site)
    for word in call.words[1:]:
        if word.startswith("SHELL=") and word.rpartition("/")[2] not in ("SHELL=sh", "bash", "sh", "zsh", "dash"):
            reading.nest("shell", word.partition("=")[2], site)
    parsed = parse(call.words, PROGRAMS["make"])
    if (parsed.options.get("-f") or parsed.options.get("--file")) == "-" and call.stdin.text is None:
        if "download" in call.stdin.marks:
            reading.emit("code.remote", site, call.stdin.url or None)
        else:
            reading.unread("a makefile that is not in the text", site)
    return read(call, PROGRAMS["make"])


def _cmake(call: Call) -> Flow:
    """`cmake -E`: small commands for files."""
    if call.words[1:3] == ["-E", "env"]:
        return call.tail(2, "cmake -E", call.stdin)
    if len(call.words) > 2 and call.words[1] == "-E":
        return read(call, PROGRAMS["cmake-E"], 2)
    return read(call, PROGRAMS["cmake"])


def _pytest(call: Call) -> Flow:
    """`pytest`: the tests that this run has written, those that are named, or all."""
    reading = call.scope.reading
    if reading.files:
        named = [word.partition("::")[0] for word in call.words[1:] if word.partition("::")[0].endswith(".py")]
        wanted = {reading.places.resolve(name, call.scope.cwd) or name for name in named}
        for path, held in list(reading.files.items()):
            if held.text is not None and (path in wanted if wanted else _TEST.search(path)):
                reading.nest("python", held.text, call.site.behind(path.rpartition("/")[2]))
    return read(call, PROGRAMS["pytest"])


_TEST = late(r"/(?:test_[^/]*|[^/]*_test|conftest)\.py$")

MAKERS: dict[str, Callable[[Call], Flow]] = {
    **dict.fromkeys(("make", "gmake"), _make),
    **dict.fromkeys(("pytest", "py.test"), _pytest),
    "cmake": _cmake,
}
