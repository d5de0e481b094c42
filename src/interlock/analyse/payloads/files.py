"""Tools that work on files: paths they read, write, delete and move, and code that they write."""

from __future__ import annotations

import re
from collections.abc import Callable

from interlock.analyse.files.ignore_files import IGNORE_FILES, UNIGNORED, hides_secret
from interlock.analyse.files.traits import traits
from interlock.analyse.flow import NONE, Flow
from interlock.analyse.payloads.code import MAX_TEXTS, Read
from interlock.analyse.payloads.file_contents import (
    apply_edit,
    find_dropped_lines,
    find_known_content,
    insert_text,
    record_content,
)
from interlock.analyse.payloads.prompt_injection import is_prompt_injection
from interlock.analyse.payloads.tools import (
    CONTENT_KEYS,
    HOSTED_KEYS,
    PATCH_KEYS,
    PATH_KEYS,
    SEARCHING,
    plain_name,
)
from interlock.analyse.payloads.verbs import words_of
from interlock.analyse.payloads.written_code import read_written_code
from interlock.analyse.reading import Reading, Site
from interlock.model import Action, Span
from interlock.patterns import late
from interlock.payload import texts

_CAP = frozenset({"cap"})
_DISGUISED = frozenset({"disguised"})


def whole_span(text: str) -> Span:
    """Return the span of a whole text."""
    return (0, len(text))


def file_reader(kind: str) -> Callable[[Reading, Action], Read]:
    """Return the reader of tools that have one kind of effect on the paths in their payload."""

    def reader(reading: Reading, action: Action) -> Read:
        paths = texts(action.input_payload, PATH_KEYS)
        name = plain_name(action.tool_name)
        if kind == "fs.read" and name in SEARCHING:
            from interlock.analyse.payloads.searches import read_search  # imported on first use

            return read_search(reading, action), ()
        flags = frozenset({"recursive", "force"}) if kind == "fs.delete" and not name.endswith("_file") else NONE
        viewing = kind == "fs.write" and action.input_payload.get("command") == "view"
        before = find_known_content(reading, paths[0]) if kind == "fs.write" and paths else None
        if kind == "fs.read" and not HOSTED_KEYS.isdisjoint(map(str.lower, action.input_payload)):
            _read_hosted(reading, paths)
        for path in paths:
            where = path.removeprefix("file://")
            reading.file("fs.read" if viewing else kind, Site(whole_span(path)), where, flags)
            if "$(" in path or "`" in path:
                reading.unread("a path that holds a command", Site(whole_span(path)), path, _DISGUISED)
        if kind == "fs.write" and paths and not viewing:
            for content in texts(action.input_payload, CONTENT_KEYS)[:MAX_TEXTS]:
                _read_content(reading, paths[0], content)
            if paths[0].endswith(IGNORE_FILES) and any(map(hides_secret, find_dropped_lines(action.input_payload))):
                reading.file("fs.write", Site(whole_span(paths[0])), paths[0], UNIGNORED)
            record_content(reading, paths[0], apply_edit(before, action.input_payload, appends=_appends(action)))
        if not paths and reading.effects == []:
            reading.emit(kind, Site((0, 0)))
            reading.opaque.append("a file tool without a path")
        return (paths[0] if paths else ""), ()

    return reader


def _read_hosted(reading: Reading, paths: list[str]) -> None:
    """Report files of a repository that hold secrets."""
    from interlock.analyse.tools.secret_requests import is_kept_secret  # imported on first use

    for path in paths:
        if is_kept_secret(path):
            reading.emit("secret.read", Site(whole_span(path)), path, frozenset({"secret"}))


def _appends(action: Action) -> bool:
    """Whether a tool appends to a file."""
    given = action.input_payload
    mode = str(given.get("mode", given.get("write_mode", ""))).lower()
    return given.get("append") is True or mode in ("a", "a+", "ab", "append") or "append" in words_of(action.tool_name)


def _read_content(reading: Reading, path: str, content: str) -> None:
    """Analyse written content as code, and as instructions if the file holds an agent's rules."""
    read_written_code(reading, path, content)
    if "agent_rules" in traits(path) and is_prompt_injection(content):
        reading.emit("tool.change", Site(whole_span(path)), path, frozenset({"instructions"}))


_PATCHED = late(
    r"^(?:\*\*\* (?P<what>Add|Update|Delete) File: (?P<named>.+)"
    r"|\+\+\+ (?:b/)?(?P<new>[^\t\n]+)|--- (?:a/)?(?P<old>[^\t\n]+)"
    r"|\*\*\* Move to: (?P<moved>.+)|rename to (?P<renamed>.+))$",
    re.MULTILINE,
)
MAX_PATCHED = 500


def read_patch(reading: Reading, action: Action) -> Read:
    """Report the files that a patch changes, and analyse the code that it adds."""
    found = texts(action.input_payload, PATCH_KEYS)
    for text in found[:MAX_TEXTS]:
        matches, before = list(_PATCHED.finditer(text)), dict[str, Flow | None]()
        for match in matches[:MAX_PATCHED]:
            path = next(value for value in match.group("named", "new", "old", "moved", "renamed") if value)
            if path.strip() != "/dev/null":
                before[path.strip()] = find_known_content(reading, path.strip())
                kind = "fs.delete" if match["what"] == "Delete" else "fs.write"
                reading.file(kind, Site(match.span()), path.strip())
        _read_added_lines(reading, text, matches, before)
        if len(matches) > MAX_PATCHED or not matches:
            reading.unread("a patch that cannot be read as a whole", Site(whole_span(text)), flags=_CAP)
    if not found:
        reading.unread("a patch without a text", Site((0, 0)))
    return (found[0] if found else ""), ()


def _read_added_lines(
    reading: Reading, text: str, matches: list[re.Match[str]], before: dict[str, Flow | None]
) -> None:
    """Analyse the lines that a patch adds to each file as code, and record the content of the files."""
    for match, following in zip(matches[:MAX_TEXTS], [*matches[1:], None], strict=False):
        path = match["named"] or match["new"]
        body = text[match.end() : following.start() if following else len(text)]
        added = "\n".join(line[1:] for line in body.split("\n") if line.startswith("+") and line[:3] != "+++")
        if path and added:
            read_written_code(reading, path.strip(), added)
            new = match["what"] == "Add" or f"--- /dev/null\n+++ b/{match['new']}" in text
            record_content(
                reading, path.strip(), Flow(added + "\n") if new else insert_text(before.get(path.strip()), added)
            )


def read_move(reading: Reading, action: Action) -> Read:
    """Report a move. Keys do not reliably tell source from target, so each path counts as both."""
    paths = texts(action.input_payload, (*PATH_KEYS, "from", "to", "src", "dst"))
    for path in paths:
        reading.file("fs.move", Site(whole_span(path)), path)
        reading.file("fs.write", Site(whole_span(path)), path)
    if not paths:
        reading.unread("a move without paths", Site((0, 0)))
    return (paths[0] if paths else ""), ()


READERS: dict[str, Callable[[Reading, Action], Read]] = {
    "write": file_reader("fs.write"),
    "read": file_reader("fs.read"),
    "delete": file_reader("fs.delete"),
    "move": read_move,
    "patch": read_patch,
}
