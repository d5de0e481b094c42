"""Toolchains of compiled languages: code in options, programs that are compiled or run, code on standard input."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from interlock.analyse.files.paths import HOLE, is_hole
from interlock.analyse.flow import NOTHING, UNKNOWN, Flow
from interlock.analyse.languages import language_of
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.catalogue_call import read
from interlock.analyse.shell.execution import run_file, run_flow
from interlock.knowledge.catalogue import PROGRAMS, read_table
from interlock.knowledge.table_types.projects import Toolchain, Toolchains

_TABLE = read_table("toolchains", Toolchains)
_KNOWN: dict[str, Toolchain] = {program: one for one in _TABLE.toolchains for program in one.programs}
_INPUTS = frozenset(_TABLE.inputs)
#: Options with which a compiler makes no program.
_PARTIAL = frozenset(_TABLE.partial)
#: Subcommands that run none of the files that they are given.
_BUILDS = frozenset(_TABLE.builds)
_OUTPUTS = _TABLE.outputs
#: A toolchain whose subcommand says that the code is in another language.
_OTHER_LANGUAGES = {"fsi": "fsharp"}


def run_toolchain(call: ShellCall) -> Flow:
    """Analyse a call of a compiler or an interpreter by its description, and the code that it is given."""
    chain = _KNOWN[call.program]
    reading, words = call.scope.reading, call.words
    if call.program == "swift" and next((word for word in words[1:] if word in _SWIFT_VERBS), "") in _OBJECT_VERBS:
        return _run_object_client(call)
    first, before = len(reading.effects), call.scope.cwd
    spec = PROGRAMS.find(call.program)
    printed = read(call, spec) if spec is not None else UNKNOWN
    flow = _run_code(call, chain)
    if "-wrapper" in words[:-1]:  # `-wrapper gdb,--args`
        wrapped = words[words.index("-wrapper") + 1].split(",")
        call.with_words(wrapped, [None] * len(wrapped)).tail(0, call.program)
    call.scope.cwd = before
    if spec is None and len(reading.effects) == first:
        reading.emit("process.spawn", call.site, " ".join(words[:2]))
    return printed if flow is None else flow


#: Commands of the object store Swift, whose client has the name of a compiler.
_OBJECT_VERBS = frozenset("delete post upload download copy stat list capabilities tempurl auth".split())

_SWIFT_VERBS = _OBJECT_VERBS | {"build", "run", "test", "package", "repl", "sdk", "-e"}


def _run_object_client(call: ShellCall) -> Flow:
    """Analyse a call of `swift` as that of the client of an object store."""
    from interlock.analyse.shell.readers.service_clients import read_client

    return read_client(call, PROGRAMS["swiftclient"])


def _run_code(call: ShellCall, chain: Toolchain) -> Flow | None:
    """Analyse the code that a call is given: in an option, in files, or on standard input; None if there is none."""
    words = call.words
    language = next((_OTHER_LANGUAGES[word] for word in words[1:3] if word in _OTHER_LANGUAGES), chain.language)
    codes = list(_codes(call, chain))
    if codes:
        return _run_inline(call, codes, language)
    sources = [word for word in words[1:] if _is_source(word)]
    flows = [found for word in sources if (found := _run_source(call, chain, word)) is not None]
    if not sources and call.stdin is not NOTHING and _takes_input(words, chain):
        return run_flow(call, call.stdin, language, call.program)
    if not sources and words[1:2] and words[1] in _PROJECT:
        _run_project(call, language)
    return flows[-1] if flows else None


def _run_project(call: ShellCall, language: str) -> None:
    """Analyse the sources of the project that this run wrote, which `cargo run` or `go run .` compiles and runs."""
    reading, runs = call.scope.reading, call.words[1] in _RUNNING
    written = [
        path
        for path, held in list(reading.files.items())[-MAX_SOURCES:]
        if held.text is not None
        and language_of(path, "") == language
        and path.endswith(_MAIN if runs else _BUILD_SCRIPTS)
    ]
    for path in written:
        name = path.rpartition("/")[2]
        if name not in call.site.via:  # a program that runs the tests of its project
            run_flow(call, reading.files[path], language, name)


#: Subcommands that compile a whole project, and those of them that run it.
_PROJECT = frozenset("run r build b check c install crun".split())
_RUNNING = frozenset("run r crun".split())
#: Files that are run by building.
_BUILD_SCRIPTS = ("build.rs", "build.zig", "Package.swift", "build.sc")
_MAIN = (
    *_BUILD_SCRIPTS,
    "main.go",
    "main.rs",
    "Program.cs",
    "Program.fs",
    "main.swift",
    "main.zig",
    "main.dart",
    "Main.hs",
)
MAX_SOURCES = 40


def _codes(call: ShellCall, chain: Toolchain) -> Iterable[tuple[int, int]]:
    """Yield where code stands: the index of its word, and its offset there."""
    for at, word in enumerate(call.words[1:], 1):
        for option in chain.codes:
            if word == option and at + 1 < len(call.words):
                yield at + 1, 0
            elif option[:1] == "-" and word.startswith((option + "=", option + ":")):
                yield at, len(option) + 1


def _run_inline(call: ShellCall, codes: list[tuple[int, int]], language: str) -> Flow:
    text = "\n".join(call.words[at][inner:] for at, inner in codes)
    if is_hole(text):
        return run_flow(call, Flow(None, call.scope.reading.marks(text)), language, call.program)
    at, inner = codes[0]
    site = call.inner(at, inner) if len(codes) == 1 else call.site
    return call.scope.reading.nest(language, text, site.behind(f"{call.program} {call.words[at - 1][:12]}"), call.stdin)


def _is_source(word: str) -> bool:
    if word.startswith("/dev/fd/") and word not in _INPUTS:  # of `<(…)`
        return True
    return word[:1] != "-" and "." in word and language_of(word, "") in _LANGUAGES


_LANGUAGES = frozenset(chain.language for chain in _KNOWN.values())


def _run_source(call: ShellCall, chain: Toolchain, path: str) -> Flow | None:
    """Analyse a file that is compiled or run. One that is only compiled and that this run did not write is not read."""
    reading = call.scope.reading
    full = reading.places.resolve(path, call.scope.cwd) or path
    held = reading.files.get(full) if reading.files else None
    ending = language_of(path, "") or chain.language
    if held is not None and held.text is not None:
        name = path.rpartition("/")[2]
        flow = run_flow(call, held, chain.language, name)
        if ending != chain.language:  # some toolchains take sources in several languages
            flow = run_flow(call, held, ending, name)
        _report_output(call, chain, path)
        return flow
    always = "*" in chain.runs and call.words[1:2] and call.words[1] not in _BUILDS
    runs = always or any(word in chain.runs for word in call.words[1:])
    spec = PROGRAMS.find(call.program)
    if runs and held is None and HOLE not in path and not (spec is not None and "script" in spec.operands.roles):
        return run_file(call, path, chain.language)
    return None


def _takes_input(words: list[str], chain: Toolchain) -> bool:
    """Whether a call reads its code from standard input: it says so, or names nothing else."""
    if not _INPUTS.isdisjoint(words):
        return True
    names_code = (*chain.runs, *_OTHER_LANGUAGES, *_COMPILING)
    operands = [
        word
        for at, word in enumerate(words[1:], 1)
        if word[:1] != "-" and word not in names_code and words[at - 1] not in _VALUED
    ]
    told = chain.reads_input or any(word in names_code for word in words) or "-x" in words or chain.output == "*"
    return told and not operands


#: Subcommands that compile, to whichever language: `nim c -r -`.
_COMPILING = ("c", "cc", "cpp", "objc", "js", "compile", "compileToC", "compileToCpp")
#: Options of compilers whose value is the next word.
_VALUED = frozenset(
    "-o -x -I -L -l -D -C -std --edition --crate-type --crate-name --out --output -target -isystem".split()
)


def _report_output(call: ShellCall, chain: Toolchain, path: str) -> None:
    """Report the program that a compiler makes where no option names it, so that it counts as made by this run."""
    words = call.words
    if not chain.output or not _PARTIAL.isdisjoint(words) or any(word.startswith(_OUTPUTS) for word in words):
        return
    stem = path.rpartition(".")[0]
    names = dict.fromkeys([chain.output] if chain.output != "*" else [stem, stem.rpartition("/")[2]])
    for name in names:
        call.scope.reading.file("fs.write", call.site, name)


TOOLCHAINS: dict[str, Callable[[ShellCall], Flow]] = {name: run_toolchain for name in _KNOWN if name != "go"}
