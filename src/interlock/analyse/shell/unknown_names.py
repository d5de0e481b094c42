"""Commands whose name is unknown or a pattern: what they would be, and the code that an unknown interpreter is given.

An interpreter takes code as an argument, from a file, or from its standard input: `$SH -c '…'`, `$SH x`, `$SH <<< '…'`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import translate
from itertools import chain, islice

from interlock.analyse.files.paths import HOLE, format_holes
from interlock.analyse.flow import NOTHING, UNKNOWN, Flow
from interlock.analyse.languages import language_of
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.command import run, run_program
from interlock.analyse.shell.execution import STANDARD_INPUT, find_given_script, run_flow
from interlock.analyse.shell.parsing.grammar import accepts
from interlock.analyse.shell.readers import READERS
from interlock.knowledge.catalogue import PROGRAMS
from interlock.patterns import late

MAX_CANDIDATES = 8
_CODE_OPTION = late(r"-[a-z]{0,3}[ce]")
_CODE = late(r"[\s(;]")
_FORCED = late(r"-[rRfvi]*(?:[rR][vi]*f|f[vi]*[rR])[rRfvi]*")
#: Variables that name a program which shows or edits what it is given.
_VIEWERS = frozenset({"PAGER", "MANPAGER", "GIT_PAGER", "EDITOR", "VISUAL", "GIT_EDITOR", "BROWSER", "DIFFTOOL"})
#: Files that seldom hold code. They are read as such if the same action has written them.
_DOCUMENTS = (".md", ".rst", ".adoc", ".json", ".yaml", ".yml", ".toml", ".csv", ".html", ".xml", ".log", ".lock")
_SCRIPTED = late(r"\brequire\(|\bimport\(|\bprocess\.|=>")
#: The program and the option by which each language is given code.
_INTERPRETERS = {"python": ("python3", "-c"), "javascript": ("node", "-e"), "shell": ("bash", "-c")}


def read_unknown_name(call: ShellCall, name: str) -> Flow:
    """Report a command whose name has unknown parts, and analyse what it would be if they were empty."""
    reading = call.scope.reading
    marks = reading.marks(name)
    if "download" in marks:
        reading.emit("code.remote", call.site, name)
    reading.add_command(call.words, call.scope.cwd)
    reading.unread(f"a command whose name is not known: `{format_holes(name)}`", call.site, flags=marks & {"decoded"})
    plain = "".join(name.split(HOLE)[::2])
    base = name.rpartition("/")[2]
    if HOLE not in base:
        plain = base  # in an unknown folder
    if plain in PROGRAMS or plain in READERS:
        run_program(call.with_words([plain, *call.words[1:]], call.nodes), plain)
    elif not plain:
        _read_arguments(call, name)
    return UNKNOWN


def _read_arguments(call: ShellCall, name: str) -> None:
    """Analyse what an unknown program is given as code, or as the command that it would run if its name were empty."""
    words = call.words
    if _deletes(words):
        run_program(call.with_words(["rm", *words[1:]], call.nodes), "rm")
    elif len(words) > 1 and (words[1] in PROGRAMS or words[1] in READERS):
        run(call.with_words(words[1:], call.nodes[1:]))
    elif at := _find_code(words):
        for language in _guess_languages(words[at]):
            interpreter, option = _INTERPRETERS[language]
            run_program(call.with_words([interpreter, option, *words[at:]], call.nodes), interpreter)
    elif format_holes(name).strip("${}") not in _VIEWERS:
        _read_script(call, name)


def _deletes(words: list[str]) -> bool:
    """Whether the words after an unknown name look like the arguments of `rm -rf`."""
    return any(_FORCED.fullmatch(word) for word in words) or {"-r", "-f"} <= {word.lower() for word in words}


def _find_code(words: list[str]) -> int:
    """Return where the code stands that a command is given by an option, or 0; a single word names something."""
    for at, word in enumerate(words[2:], 2):
        if not words[at - 1].startswith("-"):
            return 0
        if _CODE_OPTION.fullmatch(words[at - 1]) and _CODE.search(word.strip()):
            return at
    return 0


def _guess_languages(code: str) -> Iterator[str]:
    """Yield the languages in which an unknown interpreter may read code.

    Python that calls or imports something is no shell; of anything else, the shell does at least as much.
    """
    from interlock.analyse.python.parse import parse

    is_script = _SCRIPTED.search(code) is not None
    is_python = ("(" in code or "import" in code) and parse(code) is not None
    if is_python:
        yield "python"
    if is_script:
        yield "javascript"
    if not is_python and (not is_script or accepts(code)):
        yield "shell"


def _read_script(call: ShellCall, name: str) -> None:
    """Analyse the script that an unknown program may run: its first operand, or its standard input if it has none."""
    operands = [word for word in call.words[1:] if word[:1] != "-" and word]
    path = "" if not operands or "-s" in call.words or operands[0] in STANDARD_INPUT else operands[0]
    script = find_given_script(call, path)
    if script is None or script is NOTHING:
        return
    reading, text = call.scope.reading, script.text
    full = reading.places.resolve(path, call.scope.cwd) or path
    if path.lower().endswith(_DOCUMENTS) and reading.seeds.get(full) is script:
        return
    if "download" in script.marks:
        run_flow(call, script, "shell", format_holes(name))
    elif text is not None and HOLE not in text:
        named = language_of(path, text)
        for language in (named,) if named is not None else _guess_languages(text):
            if language != "shell" or accepts(text):  # data is seldom a script
                run_flow(call, script, language, format_holes(path or name))


def _is_argument(call: ShellCall, name: str) -> bool:
    """Whether a pattern is handed to the program of an image as it is: no shell is there to expand it."""
    if not call.scope.via or not call.scope.via[-1].startswith(_ENGINES):
        return False
    node = call.nodes[0] if call.nodes else None
    quoted = node is not None and node.type in ("raw_string", "string")
    return quoted or _FILES.fullmatch(name) is not None


_ENGINES = ("docker", "podman", "nerdctl")
_FILES = late(r"[^/].*\.\w+")


def read_pattern_name(call: ShellCall, name: str) -> Flow:
    """Report a command whose name is a glob such as `/???/b?sh`, and analyse each program that it could match."""
    if _is_argument(call, name):
        return UNKNOWN
    call.scope.reading.unread(
        f"a command whose name is a pattern: `{format_holes(name)}`", call.site, flags=frozenset({"disguised"})
    )
    pattern = name.rpartition("/")[2]
    wild = sum(pattern.count(char) for char in "?*[")
    known = chain(PROGRAMS, READERS) if len(pattern) - wild > 1 else ()
    for found in list(islice(filter(re.compile(translate(pattern)).match, known), MAX_CANDIDATES)):
        run_program(call.with_words([found, *call.words[1:]], call.nodes), found)
    return UNKNOWN
