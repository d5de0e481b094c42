"""Values of options and operands, read by their role: code, a command, a script, an upload, a search pattern."""

from __future__ import annotations

from interlock.analyse.argv import ParsedArguments, Value
from interlock.analyse.hosts import is_url
from interlock.analyse.keys import is_key_shape, names_a_key
from interlock.analyse.languages import language_of
from interlock.analyse.loading import load, report_service
from interlock.analyse.paths import HOLE
from interlock.analyse.reading import NONE
from interlock.analyse.shell.call import Call
from interlock.analyse.shell.execution import run_file
from interlock.analyse.variables import read_variable
from interlock.knowledge.command import Command


def read_value(call: Call, parsed: ParsedArguments, value: Value, flags: frozenset[str]) -> frozenset[str]:
    """Read one value by its role; return the provenance marks of data that it uploads."""
    role, reading = value.role, call.scope.reading
    program = call.program
    wrapper = program if parsed.start == 1 else f"{program} {call.words[parsed.start - 1]}"  # `git rebase`
    if role == "command":
        call.tail(value.at, wrapper)
    elif role == "script":
        run_file(call, value.text)
    elif role.startswith("code:"):
        site = call.inner(value.at, value.inner).behind(wrapper)
        reading.nest(role[5:], value.text, site, call.stdin)
    elif role == "upload":
        return _read_upload(call, value.text, flags)
    elif role == "assignment":
        name, equals, text = value.text.partition("=")
        read_variable(reading, name, text if equals else "".join(call.words[value.at + 1 : value.at + 2]), call.site)
    elif role == "mount":
        source = value.text.partition(":")[0]
        if source[:1] in ("/", ".", "~", HOLE):
            reading.file("fs.write", call.site, source, flags)
    elif role in ("pattern", "history"):
        _read_search(call, value.text, role == "history")
    elif role == "repository" and value.text.startswith("ext::"):
        reading.nest("shell", value.text[5:].replace("% ", "\\ "), call.site.behind(wrapper))
    elif role == "directory":
        call.scope.cwd = reading.places.resolve(value.text, call.scope.cwd)
    else:
        _read_source(call, value, wrapper)
    return NONE


def _read_source(call: Call, value: Value, wrapper: str) -> None:
    """Report a place that code is loaded from, or a server that does a part of the work, if it is foreign."""
    reading = call.scope.reading
    if value.role == "loaded":
        for path in [value.text] if is_url(value.text) or value.text.startswith("data:") else value.text.split(":"):
            load(reading, call.site.behind(wrapper), path)
    elif value.role == "service":
        report_service(reading, call.site, call.program, value.text)


def _read_search(call: Call, pattern: str, far: bool) -> None:
    """Report a search for secrets: by the shape of a key anywhere, by its name in histories and environments."""
    far = far or not call.stdin.marks.isdisjoint(("environment", "history"))
    if is_key_shape(pattern) or (far and names_a_key(pattern)):
        call.scope.reading.emit("fs.read", call.site, pattern, frozenset({"secret_search"}))


def _read_upload(call: Call, text: str, flags: frozenset[str]) -> frozenset[str]:
    """Read an upload, where `@name`, `field=@name` and `@-` name files; return its provenance marks."""
    reading = call.scope.reading
    _, at, path = text.partition("@")
    if at and (text[0] == "@" or text[: -len(path) - 1].endswith(("=", "<"))):
        if path == "-":
            return call.stdin.marks
        path = path.partition(";")[0]
        reading.file("fs.read", call.site, path, flags)
        known = reading.files.get(reading.places.resolve(path, call.scope.cwd) or path)
        if known:
            return known.marks | reading.marks(text)
    return reading.marks(text)


def run_known_file(call: Call, spec: Command, role: str, path: str) -> None:
    """Analyse a file that the command runs, if this run wrote it and its text is known."""
    reading = call.scope.reading
    if role != "code.run" or not reading.files:
        return
    held = reading.files.get(reading.places.resolve(path, call.scope.cwd) or path)
    if held is not None and held.text is not None:
        language = spec.stdin or language_of(path, held.text) or "shell"
        reading.nest(language, held.text, call.site.behind(path.rpartition("/")[2]))
