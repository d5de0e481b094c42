"""Files that this run wrote and that a program reads as code, without being told or through other files.

A program takes its tasks, hooks and settings from files with known names (`knowledge/tables/code-files.toml`), from
those among its arguments, and from files that any of these mention: a justfile names a script, a test imports a module.
"""

from __future__ import annotations

import fnmatch
import re
import shlex
from collections.abc import Iterator
from functools import cache, lru_cache

from interlock.analyse.files.documents_with_code import find_code
from interlock.analyse.files.embedded_commands import read_embedded_commands
from interlock.analyse.files.project_code import is_worth_asking
from interlock.analyse.files.setting_files import cmake_commands, compose_commands, just_recipes, ssh_command
from interlock.analyse.files.task_sections import select_sections
from interlock.analyse.flow import Flow
from interlock.analyse.languages import LANGUAGES, language_of, script_language
from interlock.analyse.literals import read_literals
from interlock.analyse.loading import CHECKERS, DATA_ENDINGS
from interlock.analyse.reading import Reading, Site
from interlock.analyse.script_start import ScriptStart
from interlock.analyse.shell.call import ShellCall
from interlock.knowledge.catalogue import PROGRAMS, read_table
from interlock.knowledge.table_types.files import CodeFile, CodeFiles
from interlock.patterns import late

#: How many files are read for one command, and how long the stem of a file must be to count as mentioned.
MAX_REACHED, MIN_STEM = 40, 4
#: Languages whose texts tell a build what to run or to load, in comments or in statements of their own.
_WITH_DIRECTIVES = frozenset({"commands", "go", "groovy", "kotlin"})
#: Programs that load Python files as tests.
_TESTERS = frozenset({"pytest", "py.test"})
#: Files whose commands run inside an image that is built.
_IMAGE = late(r"(?i)(?:docker|container|earth)file")


@cache
def _inputs() -> dict[str, tuple[CodeFile, ...]]:
    found: dict[str, list[CodeFile]] = {}
    for entry in read_table("code-files", CodeFiles).inputs:
        for program in entry.programs:
            found.setdefault(program, []).append(entry)
    return {program: tuple(entries) for program, entries in found.items()}


def reads_code(program: str) -> bool:
    """Whether a program is known to take code or commands from files."""
    return program in _inputs()


def read_reached_files(call: ShellCall, program: str) -> None:
    """Analyse the files of this run that a program takes code from, and those that they mention."""
    reading = call.scope.reading
    _report_forgotten(call, program)
    readable = [
        path
        for path, held in reading.files.items()
        if held.text is not None or (held.marks and not _TELLING.isdisjoint(held.marks))
    ]
    if not readable:
        return
    tested = program in _TESTERS
    inputs = (*_find_known_inputs(call, program, readable), *_find_named_inputs(call, program, readable))
    left = [(*one, tested) for one in inputs]
    seen: set[tuple[str, str]] = set()
    while left and len(seen) < MAX_REACHED:
        path, language, imported = left.pop(0)
        if (path, language) in seen:
            continue
        seen.add((path, language))
        text = _read_file(call, path, language, ScriptStart(path, imported=imported, tested=tested))
        if text:
            left += [(other, "", by_import) for other, by_import in _find_mentioned_files(reading, path, text)]


#: Marks of a file that is reported although its text is unknown.
_TELLING = frozenset({"download", "cap"})


def _report_forgotten(call: ShellCall, program: str) -> None:
    """Report a file that a program takes code from and that this run wrote so long ago that it was forgotten."""
    reading = call.scope.reading
    if reading.memory is None or not reading.memory.forgotten:
        return
    names = [name for entry in _inputs().get(program, ()) for name in entry.names]
    for name in (*names, *_MAKEFILES) if program in PROGRAMS["make"].names else names:
        full = None if "*" in name else reading.places.resolve(name, call.scope.cwd)
        if full is not None and full not in reading.files and reading.recall_forgotten(full) is not None:
            reading.unread(f"what this run wrote into `{name}`", call.site.behind(name), name, _CHANGED)
            return


_CHANGED = frozenset({"changed"})
_MAKEFILES = ("Makefile", "makefile", "GNUmakefile")


def _find_known_inputs(call: ShellCall, program: str, paths: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the files whose names a program knows, in the working folder and below."""
    if "--doctest" in " ".join(call.words) and any(word.startswith("--doctest") for word in call.words):
        yield from ((path, "") for path in paths if find_code(path, ">>> x"))
    for path in paths:
        languages = _languages_for(program, path)
        if languages and _is_near(call, path):
            yield from ((path, language) for language in languages)


@lru_cache(maxsize=8_192)
def _languages_for(program: str, path: str) -> tuple[str, ...]:
    """Return the languages in which a program reads a file of this name; none if it does not know the name."""
    entries = _inputs().get(program, ())
    return tuple(
        entry.language or "commands" for entry in entries if any(_is_named(path, name) for name in entry.names)
    )


def _is_named(path: str, name: str) -> bool:
    if "/" in name:
        return fnmatch.fnmatchcase(path, f"*/{name}")
    return fnmatch.fnmatchcase(path.rpartition("/")[2], name)


def _is_near(call: ShellCall, path: str) -> bool:
    """Whether a file is in the working folder, below it, or above it in the project."""
    folder = (call.scope.cwd or call.scope.reading.places.cwd or "").rstrip("/")
    if not path.startswith("/") or not folder:
        return True
    return path.startswith(folder + "/") or folder.startswith(path.rpartition("/")[0])


def _find_named_inputs(call: ShellCall, program: str, paths: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the files among the arguments of a program that runs what it is given."""
    if program == "git" or (program in CHECKERS and program not in _inputs()):
        return
    reading = call.scope.reading
    named = {  # what was downloaded is looked at elsewhere
        path for path in paths if not path.endswith(_DATA) and "download" not in reading.files[path].marks
    }
    for word in call.words[1:] if named else ():
        for part in (word, word.partition("=")[2]) if "=" in word else (word,):
            full = reading.places.resolve(part.lstrip("@"), call.scope.cwd) if part else None
            if full in named:
                yield full, ""


#: Endings of files that hold data for most programs: they count only where the program is known to read them.
_DATA = tuple(".csv .tsv .txt .log .parquet .png .jpg .svg .html .css .lock".split())


def _read_file(call: ShellCall, path: str, language: str, start: ScriptStart) -> str | None:
    """Analyse one file; return its text, if that is known."""
    reading, name = call.scope.reading, path.rpartition("/")[2]
    held = reading.files.get(path)
    site = call.site.behind(name)
    if name in call.site.via or name in call.scope.via:  # it is being read: a task that runs another one
        return None
    if held is None and path in reading.downloaded:
        reading.emit("code.remote", site, path)
    if held is None:
        return None
    if "download" in held.marks:
        reading.emit("code.remote", site, held.url or path)
        return None
    if held.text is None:
        if "cap" in held.marks:
            reading.unread(f"a file that is too long to be kept: `{name}`", site, name, _CHANGED)
        return None
    language = _language(path, held.text, language)
    if _has_reader(call, name, language) and "part" not in held.marks:
        return None
    text = select_sections(held.text, _task_words(call)) if language == "commands" else held.text
    first = len(reading.effects)
    for command in _settings_commands(call, path, held.text):
        reading.nest("shell", command, site)
    if _JUSTFILE.search(path):
        for recipe_language, code in just_recipes(text, held.text):
            reading.nest(recipe_language, code, site)
    for chunk_language, chunk in find_code(path, text) or [(language, text)]:
        reading.script = start if chunk_language == "python" and chunk is text else None
        _read_code(reading, chunk_language, chunk, site)
    in_image = _IMAGE.search(name) is not None
    reading.effects[first:] = [one for one in reading.effects[first:] if is_worth_asking(one, in_image=in_image)]
    return text


def _has_reader(call: ShellCall, name: str, language: str) -> bool:
    """Whether the reader of the program knows a file whole: a manifest, or a makefile that the command names."""
    return name in _MANIFESTS or (language == "make" and any(word.endswith(name) for word in call.words))


#: Manifests whose scripts are run by name.
_MANIFESTS = frozenset({"package.json", "composer.json"})
_INSTALLING = frozenset("install i ci add update up upgrade dump-autoload".split())
_LIFECYCLE = (
    *("preinstall", "install", "postinstall", "prepare", "post-install-cmd", "post-update-cmd", "post-autoload-dump"),
)
_JUSTFILE = late(r"(?i)(?:^|/)\.?justfile$|\.just$")
_COMPOSE = late(r"(?:^|/)(?:docker-)?compose[^/]*\.ya?ml$")


def _task_words(call: ShellCall) -> list[str]:
    """Return the words of a command that may be names of tasks; installing runs some without being told."""
    words = call.words[1:]
    around = [f"{when}{word}" for word in words[:3] for when in ("pre", "post")]  # npm runs these as well
    return [*words, *around, *_LIFECYCLE] if not _INSTALLING.isdisjoint(words[:2]) else [*words, *around]


def _settings_commands(call: ShellCall, path: str, text: str) -> Iterator[str]:
    """Yield the commands that a file of settings stands for."""
    if _COMPOSE.search(path):
        yield from compose_commands(text)
    elif path.endswith((".cmake", "CMakeLists.txt")):
        yield from cmake_commands(text)
    elif call.program in ("ssh", "scp", "sftp", "rsync") and "Host" in text:
        command = ssh_command(text, next((word for word in call.words[1:] if word[:1] not in "-/."), "host"))
        if command:
            yield command
    elif call.program == "lftp":
        yield f"lftp -c {shlex.quote(text)}"


#: Files of code whose functions are given commands.
_WITH_COMMANDS = tuple("noxfile.py tasks.py fabfile.py dodo.py duties.py .gradle .gradle.kts .sbt Jenkinsfile".split())


def _language(path: str, text: str, given: str) -> str:
    """Return the language of a file: by its ending if that has one of code, else as the table says."""
    if given == "commands" and path.endswith(_WITH_COMMANDS):
        return given
    by_name = language_of(path, "") or ""
    if given and given != "commands":
        return by_name if by_name and by_name != given and path.endswith((".ts", ".tsx", ".mts", ".cts")) else given
    if text.startswith("#!"):
        return script_language(text, "shell")
    return by_name if by_name in LANGUAGES else "commands"


def _read_code(reading: Reading, language: str, text: str, site: Site) -> None:
    if language == "commands":
        read_embedded_commands(reading, text, site)
    elif language in LANGUAGES:
        reading.nest(language, text, site)
    if language in _WITH_DIRECTIVES:
        read_literals(reading, text, site)


def _find_mentioned_files(reading: Reading, path: str, text: str) -> Iterator[tuple[str, bool]]:
    """Yield the other files of this run that a text mentions, and whether it imports them by their stem."""
    for other in (*reading.files, *(one for one in reading.downloaded if one[:1] == "/" and one not in reading.files)):
        if other == path or not _is_readable(reading.files.get(other)):
            continue
        held, name = reading.files.get(other), other.rpartition("/")[2]
        stem = name.partition(".")[0]
        if held is None or held.text is None:  # a download: data unless it is included
            if not other.endswith(DATA_ENDINGS) and _imports(text, name):
                yield other, False
        elif name in text:
            yield other, False
        elif len(stem) >= MIN_STEM and language_of(other, "") and _imports(text, stem):
            yield other, path.endswith(".py")


def _is_readable(held: Flow | None) -> bool:
    """Whether there is something to say about a file: it is a download, or its text is known."""
    return held is None or held.text is not None or "download" in held.marks


def _imports(text: str, stem: str) -> bool:
    """Whether a text loads a module by its name without an ending."""
    lines = (line for line in text.split("\n") if stem in line and len(line) < MAX_LINE)
    return any(re.search(rf"{_LOADING}.*\b{re.escape(stem)}\b", line) for line in lines)


_LOADING = r"(?:import|require|from|include|use|load|source|mod|extend|agent|plugin|preload)"
MAX_LINE = 1_000
