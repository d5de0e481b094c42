"""Running program text: a script file, standard input of an interpreter, a child shell."""

from __future__ import annotations

import fnmatch
from typing import TYPE_CHECKING

from interlock.analyse.addresses.hosts import host_flags, is_url
from interlock.analyse.files.paths import HOLE, format_holes, is_hole
from interlock.analyse.flow import NONE, NOTHING, UNKNOWN, VOUCHED, Flow
from interlock.analyse.languages import ENDINGS, script_language
from interlock.analyse.loading import script_flags
from interlock.analyse.reading import Reading, Site
from interlock.analyse.repetition import starts_itself_twice
from interlock.analyse.shell.call import ShellCall
from interlock.knowledge.catalogue import PROGRAMS, programs_in, read_table
from interlock.knowledge.table_types.files import FileOrigins

if TYPE_CHECKING:  # few commands run a script that the run wrote
    from interlock.analyse.script_start import ScriptStart

#: Scripts of frameworks that the catalogue describes by their subcommands.
TASK_RUNNERS = programs_in("framework-consoles")


#: Endings of files that nobody runs.
_MEDIA = read_table("file-origins", FileOrigins).media_endings
_DISGUISED = frozenset({"disguised"})
_UPLOADS = frozenset({"upload", "register", "upload_docs"})  # commands of `setup.py`
_WINDOWS = (".bat", ".cmd", ".ps1")
#: In place of a language: a file is executed by itself, so that its first line names its interpreter.
EXECUTED = ""


def run_file(call: ShellCall, path: str, language: str = "shell", called: str = "") -> Flow:
    """Analyse the running of a script: its code if this run wrote it, else as remote code or an unread script.

    `language` is that of the interpreter, which counts whatever the file is called and says of itself.
    `called` is the word by which the command names it, if that is not its path.
    """
    scope, site = call.scope, call.site
    reading = scope.reading
    if language == EXECUTED and path.lower().endswith(_WINDOWS):
        language = ENDINGS[path[-4:].lower()]
    full = reading.places.resolve(path, scope.cwd) or path
    known = reading.files.get(full) or reading.files.get(path) or reading.recall_forgotten(full)
    if known is not None:
        flow = run_flow(call, known, language, format_holes(path), _start_of(call, full, called or path))
        if "part" not in known.marks:
            return flow
    for one in _match_files(full, reading):
        run_flow(call, one, language, format_holes(path))
    if path in _INPUTS and call.stdin is not NOTHING:
        return run_flow(call, call.stdin, language, format_holes(path))
    if any(space in path for space in " \t\n"):  # a path with spaces is text that was taken for a name
        reading.emit("process.run", site, path)
        return UNKNOWN
    if full in reading.downloaded or path in reading.downloaded or is_in_download(full, reading):
        reading.emit("code.remote", site, path)
        return UNKNOWN
    if is_url(path) and "local" not in host_flags(path):
        reading.emit("code.remote", site, path)
        return UNKNOWN
    reading.file("code.run", site, path, script_flags(reading, path, scope.cwd))
    if path.lower().endswith(_MEDIA):
        reading.unread(
            f"a script that is named like another kind of file: `{format_holes(path)}`", site, path, _DISGUISED
        )
    reading.opaque.append(f"a script: `{format_holes(path)}`")
    _read_arguments(call, path)
    return UNKNOWN


def _start_of(call: ShellCall, full: str, name: str) -> ScriptStart | None:
    """Return how a script begins that a command names, if its path is known."""
    from interlock.analyse.script_start import ScriptStart, arguments_after

    return None if HOLE in full else ScriptStart(full, arguments_after(call.words, name))


def _read_arguments(call: ShellCall, path: str) -> None:
    """Report what the name of a script and its arguments say that it does."""
    scope, site = call.scope, call.site
    name = path.rpartition("/")[2]
    if path.endswith(_OWN_PROGRAMS) and path in call.words:
        at = call.words.index(path)
        scope.shell.run(call.with_words(["interlock", *call.words[at + 1 :]], [None, *call.nodes[at + 1 :]]))
    if name == "setup.py" and not _UPLOADS.isdisjoint(call.words):
        scope.reading.emit("package.publish", site, path)
    _read_as_program(call, path, name)


def _read_as_program(call: ShellCall, path: str, name: str) -> None:
    """Analyse a script that the catalogue describes: a framework's by its subcommands, or a tool for attacks."""
    if path not in call.words:
        return
    at = call.words.index(path)
    known = name if name in TASK_RUNNERS else _attack_tool(name, at < len(call.words) - 1)
    if known:
        call.scope.shell.run(call.with_words([known, *call.words[at + 1 :]], [None, *call.nodes[at + 1 :]]))


MIN_NAME = 4  # of a tool: shorter names are those of many things
_ATTACKING = frozenset("attack flood privesc crack scan spoof probe mining".split())


def _attack_tool(name: str, has_arguments: bool) -> str:
    """Return the attack tool that a script is named after, or nothing: `lazagne.py`, `slowloris.py example.com`."""
    name = name.lower()
    stem = name.rpartition(".")[0] if has_arguments and not name.startswith("test") else ""
    for known in (name, stem):
        spec = PROGRAMS.find(known) if len(known) >= MIN_NAME else None
        if spec is not None and not _ATTACKING.isdisjoint(spec.effect_flags):
            return known
    return ""


def _match_files(full: str, reading: Reading) -> list[Flow]:
    """Return the contents of written files that a glob in place of a path matches."""
    if not reading.files or not any(sign in full for sign in "*?["):
        return []
    return [flow for name, flow in reading.files.items() if fnmatch.fnmatchcase(name, full)]


#: Files that are Interlock's own command line.
_OWN_PROGRAMS = ("interlock/__main__.py", "interlock/launch.py", "interlock/cli/__init__.py")


def is_in_download(full: str, reading: Reading) -> bool:
    """Whether a file is in a folder that this action downloaded: an unpacked archive, a clone."""
    folder = full
    while reading.files and folder:
        known = reading.files.get(folder)
        if known is not None and "download" in known.marks:
            return True
        folder = folder[: max(folder.rfind("/"), 0)]
    return False


_INPUTS = frozenset({"/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})
#: How a program is told to take its script from standard input. The shell grammar drops a dash before a here-document.
STANDARD_INPUT = frozenset({"-", "", *_INPUTS})


def find_given_script(call: ShellCall, path: str) -> Flow | None:
    """Return the script that standard input, another descriptor or a file of this run holds, or None."""
    if path in STANDARD_INPUT and call.stdin is not NOTHING:
        return call.stdin
    descriptor = path or next((word for word in call.words if word.startswith("/dev/fd/")), path)
    reading = call.scope.reading
    return reading.files.get(reading.places.resolve(descriptor, call.scope.cwd) or descriptor)


def run_flow(call: ShellCall, flow: Flow, language: str, name: str, start: ScriptStart | None = None) -> Flow:
    """Analyse text that an interpreter runs: its code if it is known, else report remote or unread code."""
    site = call.site.behind(name)
    reading = call.scope.reading
    if "changed" in flow.marks:
        reading.unread(f"what was changed in `{name}` since it was written", site, name, _CHANGED)
    if "part" in flow.marks:  # what else is in the file is unknown
        reading.unread(f"the rest of `{name}`", site)
    text = flow.text
    if text is not None and HOLE not in text:
        if language in ("perl", EXECUTED):  # Perl leaves a script to the interpreter that its first line names
            named = script_language(text, language or "shell")
            if language and named != language:
                _run_text(call, flow, text, named, name, start)
            language = language or named
        return _run_text(call, flow, text, language, name, start)
    language = language or "shell"
    if "download" in flow.marks:
        reading.emit("code.remote", site, flow.url or None)
        reading.opaque.append("code that is downloaded")
    elif flow.text is not None and not _is_variable(flow.text.strip()):
        reading.nest(language, flow.text, site)
        reading.opaque.append(f"{language} code with unknown parts")
    else:
        reading.unread(f"{language} code that is not in the text", site, flags=_unread_flags(flow, language))
    return UNKNOWN


def _is_variable(text: str) -> bool:
    """Whether a text is nothing but a variable that the text of the command does not set: `bash <<< "$X"`."""
    return is_hole(text) and text.strip(HOLE).isidentifier()


def _run_text(call: ShellCall, flow: Flow, text: str, language: str, name: str, start: ScriptStart | None) -> Flow:
    """Analyse a text that an interpreter of this language runs."""
    site, reading = call.site.behind(name), call.scope.reading
    if language == "shell":
        given = NOTHING if flow is call.stdin else call.stdin  # what a script reads is not its own text
        return _run_child_shell(call, text, site, name, given)
    reading.script = start if language == "python" else None
    return reading.nest(language, text, site)


def _unread_flags(flow: Flow, language: str) -> frozenset[str]:
    """Return the flags of code that is not in the text: how it was hidden, or that nobody vouches for it."""
    if language == "sql":
        return NONE
    hidden = flow.marks & _HIDDEN
    return hidden or (_UNREAD if flow.marks.isdisjoint(VOUCHED) else NONE)


def _run_child_shell(call: ShellCall, text: str, site: Site, name: str, stdin: Flow) -> Flow:
    """Analyse text that a child shell runs. All variables are passed on, since any of them may be exported."""
    inner = call.scope.copy()
    if name in call.words:  # what follows the script's own name
        inner.arguments = call.words[call.words.index(name) + 1 :]
    inner.aliases, inner.via = {}, site.via
    if starts_itself_twice(text):
        call.scope.reading.emit("machine.exhaust", site, "$0")
    call.scope.reading.spend(len(text) // 16 + 1)
    return inner.shell.evaluate(text, inner, stdin, site)


_CHANGED = frozenset({"changed"})
_UNREAD = frozenset({"unread"})
_HIDDEN = frozenset({"decoded", "extracted", "disguised"})
