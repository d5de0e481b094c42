"""Dynamic code (`exec`, `eval`, `os.system`, `runpy`): analysed where its text is known, reported where it is not."""

from __future__ import annotations

import re
from typing import Any

from interlock.analyse.files.paths import HOLE, format_holes
from interlock.analyse.flow import NONE, Flow
from interlock.analyse.loading import is_downloaded, report_loading, script_flags
from interlock.analyse.python.call import PythonCall
from interlock.analyse.python.calls.file_calls import contents_of, key_of
from interlock.analyse.python.calls.shell_quoting import quote
from interlock.analyse.python.evaluation.marks import marks_of, mixture, unknown_from
from interlock.analyse.python.evaluation.values import UNKNOWN, Choice, Instance, Ref, Unknown, as_text
from interlock.analyse.python.library.names import IDENTIFYING_PROGRAMS, NAMES
from interlock.analyse.script_start import ScriptStart
from interlock.analyse.secrets.disclosure import report_printed
from interlock.analyse.shell.output.local_content import mark_output
from interlock.patterns import late

_COMPUTED, _INPUT = frozenset({"computed"}), frozenset({"input"})
_HIDING = frozenset({"decoded", "extracted", "hidden"})
#: Words that may stand before the program that is meant.
_STARTERS = frozenset(
    "start cmd cmd.exe /c call sudo wine nohup sh bash python python3 set & open wscript cscript".split()
)
#: Programs that start others, and that the shell's reader knows nothing of.
_OPENING = frozenset({"start", "cmd", "cmd.exe", "call", "open", "xdg-open"})
MAX_WORDS = 32
_PRINTING = frozenset("subprocess.check_output subprocess.getoutput commands.getoutput".split())

_START = late(r"""(?i)^\s*start\s+(?:"[^"]*"\s+|/\w+\s+)*""")  # Windows' way to start a program beside this one
_WINDOWS = late(r"(?i)(powershell|pwsh|cmd)(\.exe)?$")
_WORDS = late(r'(?:[^\s"]|"[^"]*"?)+')
# Options of PowerShell that hide its window or its text.
_UNSEEN = late(r"(?i)\s[-/](w\w*\s+(hidden|1\b)|e(c|nc\w*)?\s+[A-Za-z0-9+/=]{8})")


def run_code(call: PythonCall, language: str, value: Any) -> Any:
    """Analyse code that a call runs, if its text is known; else report where it came from."""
    if isinstance(value, Choice):
        return [run_code(call, language, one) for one in value.values][-1]
    reading = call.reading
    if isinstance(value, Instance) and value.kind == "code":
        value = Unknown(value.source)
        if value.name not in reading.taints:
            return UNKNOWN  # it was read where it was compiled
    hides = report_origin(call, value, whole=language == "python")
    if isinstance(value, (str, bytes)):
        text = as_text(value)
        if language == "python":
            return call.host.run(text, call.site, call.name)
        return run_line(call, text)
    if not hides:
        reading.unread(
            f"{language} code that `{call.name}` computes", call.site, call.name, _origin(call, language, value)
        )
    return UNKNOWN


def run_apart(call: PythonCall, language: str, value: Any) -> Any:
    """Analyse code that a call runs by itself, without the names of here; report it if its text is not known."""
    hides = report_origin(call, value, whole=True)
    if isinstance(value, (str, bytes)):
        call.reading.nest(language, as_text(value), call.site.behind(call.name))
    elif not hides:
        call.reading.unread(
            f"{language} code that `{call.name}` computes", call.site, call.name, _origin(call, language, value)
        )
    return UNKNOWN


def _origin(call: PythonCall, language: str, value: Any) -> frozenset[str]:
    """Return the flag of code that is not known: whatever comes in, or what the text computes.

    Python that a person types at a prompt of their own program is theirs, unless something is piped into it.
    """
    if "input" not in marks_of(call.reading, value):
        return _COMPUTED
    return _INPUT if language == "shell" or call.host.state.input_marks is not None else _COMPUTED


def report_origin(call: PythonCall, value: Any, *, whole: bool = False) -> bool:
    """Report code that was downloaded, decoded or extracted; return whether there was anything to report.

    What a command line starts with is its program; what follows may be data, unless the `whole` of it is code.
    """
    reading = call.reading
    counts = whole or not isinstance(value, str) or value.startswith(HOLE)
    marks = marks_of(reading, value) if counts else NONE
    if isinstance(value, (str, bytes)) and value in call.host.state.decoded:
        marks |= {"decoded"}
    if "download" in marks:
        reading.emit("code.remote", call.site.behind(call.name), format_holes(as_text(value))[:80])
        reading.opaque.append("code that is downloaded")
    found = marks & _HIDING
    if found:
        reading.emit("code.eval", call.site.behind(call.name), call.name, found)
        if isinstance(value, Unknown):
            reading.opaque.append(f"code that `{call.name}` takes out of hiding")
    return bool(found) or "download" in marks


def unpickle(call: PythonCall, value: Any) -> None:
    """Report the loading of serialised objects, which can run any code."""
    path = as_text(value) if isinstance(value, str) else value.text if isinstance(value, Instance) else ""
    remote = isinstance(value, Ref) and value.name.startswith("store ") and " remote" in value.name
    if (
        remote
        or "/Downloads/" in path
        or "download" in marks_of(call.reading, value)
        or (path and is_downloaded(call.reading, path, call.site.cwd))
    ):
        call.reading.emit("code.remote", call.site.behind(call.name), format_holes(as_text(value))[:80])
    if isinstance(value, bytes):
        _read_pickle(call, value)
    call.reading.unread(f"what `{call.name}` loads", call.site, call.name, frozenset({"unpickle"}))


def _read_pickle(call: PythonCall, data: bytes) -> None:
    """Read the texts in serialised objects as commands, if the objects name a function that runs commands."""
    if len(data) > MAX_PICKLE or not any(name in data for name in _RUNNING):
        return
    for text in _TEXT.findall(data.decode("latin-1")):
        call.reading.nest("shell", text.strip("\"'"), call.site.behind(call.name))


# A line or a run of characters with a space in it, which may be a command.
_TEXT = late(r"(?:(?<=\nS)|(?<=\nV)|(?<=\(S)|(?<=\(V)|(?<=[\x00-\x08\x0e-\x1f]))[ -~]{3,} [ -~]+")
MAX_PICKLE = 4_096
_RUNNING = (b"system", b"popen", b"Popen", b"check_output", b"getoutput", b"exec", b"eval", b"spawn", b"run")


def run_script(call: PythonCall, path: Any, *, imported: bool = False) -> None:
    """Analyse a Python file that is run or imported, if this run wrote it; report remote code if it was downloaded."""
    held = contents_of(call, path)
    if held is None and "download" in marks_of(call.reading, path):
        call.reading.emit("code.remote", call.site, format_holes(as_text(path)))
    elif held is None:
        text = as_text(path)
        call.reading.file("code.run", call.site, text, script_flags(call.reading, text, call.site.cwd))
    elif "download" in held.marks:
        call.reading.emit("code.remote", call.site, format_holes(as_text(path)))
    elif held.text is not None:
        full = call.reading.places.resolve(as_text(path), call.site.cwd)
        call.reading.script = ScriptStart(full, imported=imported) if full and HOLE not in full else None
        call.reading.nest("python", held.text, call.site.behind(call.name))


def load_library(call: PythonCall, value: Any) -> Any:
    """Report the loading of a native library, and whether its file name pretends to be something else."""
    disguised = as_text(value).lower().endswith(NAMES.foreign_endings)
    if "/" in as_text(value):
        report_loading(call.reading, call.site.behind(call.name), as_text(value))
    flags = frozenset({"native", "false_ending"} if disguised else {"native"})
    call.reading.unread(f"what `{call.name}` loads", call.site, call.name, flags)
    return Instance("ctypes.library")


def run_line(call: PythonCall, text: str) -> Any:
    """Analyse a command line as shell, after taking off Windows' `start`; return what it prints."""
    find_written_programs(call, text.split())
    text = _START.sub("", text)
    words = text.split()
    if words and _WINDOWS.match(words[0]):
        if _UNSEEN.search(text):
            call.reading.emit("process.spawn", call.site, words[0], frozenset({"unseen"}))
        text = " ".join(quote(word.replace('"', "")) for word in _WORDS.findall(text))
    first = len(call.reading.effects)
    return output_of(call, text, call.reading.nest("shell", text, call.site.behind(call.name)), first)


def find_written_programs(call: PythonCall, words: list[str]) -> None:
    """Look among the words of a command for files that this text wrote or downloaded, and analyse those that run."""
    reading, site = call.reading, call.site
    if not reading.files:
        return
    for index, word in enumerate(words[:MAX_WORDS]):
        path = word.removeprefix("./").strip("\"'")
        known = reading.files.get(key_of(reading, site, path))
        if known is None:
            continue
        before = [other.lower() for other in words[:index]]
        if before[:1] == ["chmod"]:
            if "download" in known.marks and re.search("[x157]", " ".join(before[1:])):
                reading.file("fs.mode", site, path, frozenset({"download"}))
        elif "download" in known.marks and (not before or not _STARTERS.isdisjoint(before)):
            reading.emit("code.remote", site, format_holes(path))
        elif known.text is not None and before and before[0] in _OPENING:
            reading.nest("python" if "py" in " ".join(before) else "shell", known.text, site.behind(before[0]))


_CAPTURING = frozenset("check_output getoutput getstatusoutput popen Popen create_subprocess_exec".split())


def _is_captured(call: PythonCall) -> bool:
    """Whether what a program prints goes to the code that started it, and not to the output of the action."""
    return call.method in _CAPTURING or "capture_output" in call.keywords or "stdout" in call.keywords


def output_of(call: PythonCall, text: str, flow: Flow, first: int) -> Any:
    """Return what a program prints: its text where that is known, else an unknown value with its marks."""
    if not _is_captured(call):
        report_printed(call.reading, flow, call.site)
    words = text.split()
    program = words[0].rpartition("/")[2] if words else "…"
    marks = mark_output(text, flow, call.reading.effects[first:])
    marks |= {"host_facts"} if program in IDENTIFYING_PROGRAMS else NONE
    known = flow.text if flow.text is not None and HOLE not in flow.text else None
    source = unknown_from(call.reading, f"output of {program}", *marks) if marks else Unknown("output")
    if call.name in _PRINTING:
        return source if known is None else known
    if known is not None and call.name == "os.popen":
        return Instance("process", known)
    return Instance("process", mode=text, source=mixture(call.reading, "output", (source,)).name)
