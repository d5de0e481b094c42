"""Code and programs that Python starts: read where they are known, and said to be hidden where they are not."""

from __future__ import annotations

import re
import shlex
from typing import Any

from interlock.analyse.paths import HOLE, shown
from interlock.analyse.python.arguments import argument
from interlock.analyse.python.library.files import FALSE_ENDINGS
from interlock.analyse.python.library.processes import TELLING_PROGRAMS
from interlock.analyse.python.marks import marked, marks_of, mixture
from interlock.analyse.python.state import Host
from interlock.analyse.python.storing import key_of
from interlock.analyse.python.values import UNKNOWN, Choice, Instance, Ref, Unknown, as_text, words_of
from interlock.analyse.reading import NONE, NOTHING, Flow, Site

_COMPUTED = frozenset({"computed"})
_HIDING = frozenset({"decoded", "hidden"})
#: Options after which an interpreter takes program text.
_CODE_OPTIONS = frozenset("-c -e -r -command -encodedcommand -enc -ec /c".split())
#: Words before the program that is meant.
_STARTERS = frozenset(
    "start cmd cmd.exe /c call sudo wine nohup sh bash python python3 set & open wscript cscript".split()
)
#: Programs that start others, and that the shell's reader knows nothing of.
_OPENING = frozenset({"start", "cmd", "cmd.exe", "call", "open", "xdg-open"})
MAX_WORDS = 32
_RETURNING = frozenset("os.popen subprocess.check_output subprocess.getoutput commands.getoutput".split())


def run_code(host: Host, site: Site, name: str, language: str, value: Any) -> Any:
    """Read code that a call runs: as code if it is known, else say what is known about where it came from."""
    if isinstance(value, Choice):
        results = [run_code(host, site, name, language, one) for one in value.values]
        return results[0]
    reading = host.reading
    if isinstance(value, Instance) and value.kind == "code":
        value = Unknown(value.source)
        if value.name not in reading.taints:
            return UNKNOWN  # it was read where it was compiled
    hides = _say_origin(host, site, name, value)
    if isinstance(value, (str, bytes)):
        text = as_text(value)
        if language == "python":
            return host.run(text, site, name)
        return (
            run_text(host, site, name, text) if language == "shell" else reading.nest(language, text, site.behind(name))
        )
    if not hides:
        if words_of(value) is not None and language == "shell":
            return spawn(host, site, name, [value], {})
        reading.unread(f"{language} code that `{name}` computes", site, name, _COMPUTED)
    return UNKNOWN


def _say_origin(host: Host, site: Site, name: str, value: Any) -> bool:
    """Say of code that it was downloaded, decoded or hidden; return whether there was something to say."""
    reading = host.reading
    marks = marks_of(reading, value) if not isinstance(value, str) or value.startswith(HOLE) else NONE
    if isinstance(value, (str, bytes)) and value in host.state.decoded:
        marks |= {"decoded"}
    if "download" in marks:
        reading.emit("code.remote", site.behind(name), shown(as_text(value))[:80])
        reading.opaque.append("code that is downloaded")
    found = marks & _HIDING
    if found:
        reading.emit("code.eval", site.behind(name), name, found)
        if isinstance(value, Unknown):
            reading.opaque.append(f"code that `{name}` takes out of hiding")
    return bool(found) or "download" in marks


def unpickle(host: Host, site: Site, name: str, value: Any) -> Any:
    """Read the loading of serialised objects, which runs what they say."""
    marks = marks_of(host.reading, value)
    if "download" in marks:
        host.reading.emit("code.remote", site.behind(name), shown(as_text(value))[:80])
    host.reading.unread(f"what `{name}` loads", site, name, frozenset({"unpickle"}))
    return None


def load_library(host: Host, site: Site, name: str, value: Any) -> Any:
    """Read the loading of a native library; one that goes by another kind of name hides."""
    text = as_text(value).lower()
    flags = {"native"} | ({"disguised"} if text.endswith(FALSE_ENDINGS) else set())
    host.reading.unread(f"what `{name}` loads", site, name, frozenset(flags))
    return Instance("ctypes.library")


def spawn(host: Host, site: Site, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Read a program that is started from an argument list or a shell text; return what it prints."""
    reading = host.reading
    command = argument(arguments, keywords, 0)
    if isinstance(command, Choice):
        return [spawn(host, site, name, [one, *arguments[1:]], keywords) for one in command.values][0]
    words = words_of(command)
    if words is None and len(arguments) > 1 and all(isinstance(word, str) for word in arguments):
        words = [as_text(word) for word in arguments]  # `create_subprocess_exec("rm", "-rf", "x")`
    reading.emit("process.spawn", site, words[0] if words else None, _manner(name, command, words, keywords))
    if isinstance(keywords.get("cwd"), str):
        site = site._replace(cwd=reading.places.resolve(keywords["cwd"], site.cwd))
    if any(_is_socket(keywords.get(stream)) for stream in ("stdin", "stdout", "stderr")):
        reading.url("net.connect", site, "socket", frozenset({"shell"}))
    if words is None and isinstance(command, (str, bytes, Instance)):
        _say_origin(host, site, name, command)
        return run_text(host, site, "subprocess", as_text(command))
    if words is None:
        return run_code(host, site, "subprocess", "shell", command)
    _look_for_code(host, site, name, list(command) if words_of(command) is not None else list(arguments))
    given = keywords.get("input")
    stdin = Flow(as_text(given)) if isinstance(given, (str, bytes)) else NOTHING
    text = " ".join(quoted(word) for word in words)
    _run_dropped(host, site, words)
    return _output(host, words[0] if words else "", reading.nest("shell", text, site.behind("subprocess"), stdin), name)


def run_text(host: Host, site: Site, name: str, text: str) -> Any:
    """Read a text that is a command line: a shell's, or where it starts one of Windows' own, theirs."""
    words = text.split()
    _run_dropped(host, site, words)
    if words and _WINDOWS.match(words[0]):
        if _UNSEEN.search(text):
            host.reading.emit("process.spawn", site, words[0], frozenset({"unseen"}))
        text = " ".join(quoted(word.replace('"', "")) for word in _WORDS.findall(text))
    return _output(host, text, host.reading.nest("shell", text, site.behind(name)), name)


_WINDOWS = re.compile(r"(?i)(powershell|pwsh|cmd)(\.exe)?$")
_WORDS = re.compile(r'(?:[^\s"]|"[^"]*"?)+')
#: Options of PowerShell that hide its window, its text or its rules.
_UNSEEN = re.compile(r"(?i)\s[-/](w\w*\s+(hidden|1\b)|e(c|nc\w*)?\s+[A-Za-z0-9+/=]{8})")


def _is_socket(value: Any) -> bool:
    return isinstance(value, Instance) and value.kind == "socket.socket"


def _manner(name: str, command: Any, words: list[str] | None, keywords: dict[str, Any]) -> frozenset[str]:
    """Return how a program is started: unseen, or as a terminal."""
    if name == "pty.spawn":
        return frozenset({"terminal"})
    program = words[0] if words else as_text(command).split(" ")[0]
    known = HOLE not in program and "/" not in program and "\\" not in program
    if known and not program.lower().startswith(("powershell", "pwsh", "cmd")):
        return NONE
    silent = all(_is_null(keywords.get(stream)) for stream in ("stdin", "stdout", "stderr"))
    flags = keywords.get("creationflags")
    unseen = isinstance(flags, Ref) and flags.name.rpartition(".")[2] in ("CREATE_NO_WINDOW", "DETACHED_PROCESS")
    return frozenset({"unseen"}) if silent or unseen or flags == 0x08000000 else NONE


def _is_null(value: Any) -> bool:
    return isinstance(value, Ref) and value.name.endswith("DEVNULL")


def _look_for_code(host: Host, site: Site, name: str, values: list[Any]) -> None:
    """Look for program text among arguments: it may have been decoded."""
    for index, value in enumerate(values):
        before = as_text(values[index - 1]).lower() if index else ""
        if index == 0 or before in _CODE_OPTIONS:
            _say_origin(host, site, name, value)


def _run_dropped(host: Host, site: Site, words: list[str]) -> None:
    """Look for a program that this text has put into a file, whether or not the text tells its name."""
    reading = host.reading
    if not reading.files or not words:
        return
    for index, word in enumerate(words[:MAX_WORDS]):
        path = word.removeprefix("./").strip("\"'")
        known = reading.files.get(key_of(reading, site, path))
        if known is None:
            continue
        before = [other.lower() for other in words[:index]]
        if before[:1] == ["chmod"]:
            if "download" in known.marks and re.search("[x157]", before[1] if len(before) > 1 else ""):
                reading.file("fs.mode", site, path, frozenset({"download"}))
        elif "download" in known.marks and (not before or not _STARTERS.isdisjoint(before)):
            reading.emit("code.remote", site, shown(path))
        elif known.text is not None and before and before[0] in _OPENING:
            reading.nest("python" if "py" in " ".join(before) else "shell", known.text, site.behind(before[0]))


def execute(host: Host, site: Site, arguments: list[Any]) -> Any:
    """Read a program that is started from a path and an argument list."""
    words = [as_text(arguments[0])] if arguments else []
    host.reading.emit("process.spawn", site, words[0] if words else None)
    rest = arguments[1:]
    if rest and words_of(rest[0]) is not None:
        rest = rest[0]
    _look_for_code(host, site, "os.exec", [arguments[0], *rest[1:]] if arguments else [])
    words += [as_text(value) for value in rest[1:] if not isinstance(value, dict)]
    _run_dropped(host, site, words)
    host.reading.nest("shell", " ".join(quoted(word) for word in words), site.behind("os.exec"))
    return UNKNOWN


def quoted(word: str) -> str:
    """Return a word as the shell reads it back; its holes stay, inside double quotes."""
    if HOLE not in word:
        return shlex.quote(word)
    return '"' + "".join("\\" + char if char in '"\\$`' else char for char in word) + '"'


def _output(host: Host, text: str, flow: Flow, name: str) -> Any:
    """Return what a program prints: its text where that is known, else where it came from."""
    reading = host.reading
    marks = set(flow.marks)
    words = text.split()
    if words and words[0].rpartition("/")[2] in TELLING_PROGRAMS:
        marks.add("host_facts")
    source = marked(reading, f"output of {words[0] if words else '…'}", *marks) if marks else Unknown("output")
    if flow.text is not None and HOLE not in flow.text and name in _RETURNING:
        return Instance("process", flow.text) if name == "os.popen" else flow.text
    if name in ("subprocess.check_output", "subprocess.getoutput", "commands.getoutput"):
        return source
    return Instance("process", source=mixture(reading, "output", (source,)).name)
