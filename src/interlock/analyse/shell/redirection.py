"""Redirections: where a command's input comes from, and where its output goes."""

from __future__ import annotations

import re

from tree_sitter import Node

from interlock.analyse.flow import NOTHING, Flow
from interlock.analyse.reading import Reading
from interlock.analyse.secrets.disclosure import VALUE, is_disclosed
from interlock.analyse.shell.expansion.words import value
from interlock.analyse.shell.output.provenance import read_marks
from interlock.analyse.shell.repositories import replaces_work
from interlock.analyse.shell.scope import ShellScope
from interlock.model import Resource, Span
from interlock.patterns import late

_PART = frozenset({"part"})
_ENDLESS = frozenset({"endless"})
_FILES = frozenset({"files"})
REDIRECTS = frozenset({"file_redirect", "heredoc_redirect", "herestring_redirect"})
_NO_TARGETS = frozenset({"file_descriptor", "ERROR"})
_SOCKET = late(r"^/dev/(tcp|udp)/([^/]*)/?(.*)$")
_BACK_TICKS = late(r"`((?:[^`\\]|\\.)*+)`", re.DOTALL)
_EXPANSIONS = frozenset({"simple_expansion", "expansion", "command_substitution", "arithmetic_expansion"})


class Redirects:
    """The redirections of one command."""

    __slots__ = ("_after", "_outputs", "_scope", "_site", "words")

    def __init__(self, scope: ShellScope, span: Span) -> None:
        self._scope = scope
        self._site = scope.site(span)
        self._outputs: list[tuple[str, bool]] = []
        self._after: list[Node] = []
        self.words: list[Node] = []  # words of the command that the grammar parses as targets

    def take(self, node: Node, stdin: Flow) -> Flow:
        """Add one redirection; return the standard input that the command then has."""
        if node.type == "file_redirect":
            return self._file(node, stdin)
        if node.type == "herestring_redirect":
            text = value(node.named_children[-1], self._scope) if node.named_children else ""
            return Flow(text + "\n")
        return self._heredoc(node)

    def _file(self, node: Node, stdin: Flow) -> Flow:
        """Apply a redirection to or from a file, a socket or a descriptor."""
        parts: tuple[str, Node | None, list[Node]] | None = self._scope.source.parts.get(node.id)
        if parts is None:
            parts = self._scope.source.parts[node.id] = _split(node)
        operator, target, words = parts
        if words:
            self.words += words
        if target is None:
            return stdin
        path = value(target, self._scope)
        socket = _SOCKET.match(path) if path[:5] == "/dev/" else None
        if socket:
            self._scope.reading.url("net.connect", self._site, f"{socket[2]}:{socket[3]}", frozenset({"socket"}))
        elif operator == "<&" and path.isdigit():
            stdin = self._scope.reading.files.get(f"/dev/fd/{path}", stdin)
        elif operator == "<":
            flow, number = self._read(path), _descriptor(node, self._scope)
            if number == "0":
                stdin = flow
            else:
                self._scope.reading.files[f"/dev/fd/{number}"] = flow
        elif not (operator[-1] == "&" and (path.isdigit() or path == "-")):
            self._outputs.append((path, operator[-2:] == ">>"))
        return stdin

    def _read(self, path: str) -> Flow:
        """Return the content of a file that is redirected to input, and report the read."""
        reading = self._scope.reading
        known = self._scope.reading.files.get(reading.places.resolve(path, self._scope.cwd) or path)
        if known is not None:
            return known
        reading.file("fs.read", self._site, path)
        if path == "/dev/null":
            return Flow("")
        if _is_pipe(reading.effects[-1].resource, reading):
            return Flow(None, frozenset({"disguised"}))  # the text is written to the pipe elsewhere
        if reading.effects[-1].kind == "secret.read":
            return Flow(None, frozenset({"secret"}))
        return Flow(None, read_marks(reading.effects[-1], reading))

    def _heredoc(self, node: Node) -> Flow:
        """Return the text of a here-document, and apply what follows on its first line."""
        text: str | None = ""
        quoted = False
        for child in node.named_children:
            if child.type == "heredoc_start":
                quoted = not self._scope.source.of(child).isalnum()
            elif child.type == "heredoc_body":
                text = self._body(child, quoted)
            elif child.type in REDIRECTS:
                self._file(child, NOTHING)
            elif child.type not in ("heredoc_end", "file_descriptor"):
                self._after.append(child)
        return Flow(text)

    def _body(self, node: Node, quoted: bool) -> str:
        """Return the body of a here-document with its expansions carried out, unless it is quoted."""
        source = self._scope.source
        if quoted:
            return source.of(node)
        for found in _BACK_TICKS.finditer(source.of(node)):  # the grammar parses them as text
            self._scope.reading.nest("shell", found[1].replace("\\`", "`"), self._site)
        if not node.named_child_count:
            return source.of(node)
        parts, at = [], node.start_byte
        for child in node.named_children:
            if child.type in _EXPANSIONS:
                parts += [source.slice(at, child.start_byte), value(child, self._scope)]
                at = child.end_byte
        return "".join([*parts, source.slice(at, node.end_byte)])

    def finish(self, printed: Flow) -> Flow:
        """Write the command's output to the redirected files; return what remains on its standard output."""
        reading, scope = self._scope.reading, self._scope
        for path, appends in self._outputs:
            full = reading.places.resolve(path, scope.cwd) or path
            before = reading.files.get(full) if appends else NOTHING
            if "endless" in printed.marks:
                if not path.startswith("/dev/"):
                    reading.emit("disk.fill", self._site, path)
                elif path == "/dev/null":  # it only keeps a processor busy
                    reading.emit("process.spawn", self._site, path, _ENDLESS)
            if printed.url and replaces_work(printed, full):
                reading.emit("vcs.discard", self._site, path, _FILES)
            reading.call += 1  # scored apart, so that the target does not lower the score of the command
            marks = _find_written_marks(path, printed)
            reading.file("fs.write", self._site, path, marks | _APPENDED if appends else marks)
            reading.files[full] = append_content(before, printed)
            if path in reading.sinks:  # `> >(command)`
                reading.sinks.pop(path)(printed)
        left = NOTHING if self._outputs else printed
        for node in self._after:  # the grammar nests what follows `<<END` on its line under the here-document
            left = scope.shell.walk(node, scope, left)
        return left


def _split(node: Node) -> tuple[str, Node | None, list[Node]]:
    """Return the operator of a redirection, its target, and words after it that belong to the command."""
    operator = ""
    targets: list[Node] = []
    for child in node.children:
        kind = child.type
        if not child.is_named:
            operator = operator or kind
        elif kind not in _NO_TARGETS:
            targets.append(child)
    if len(targets) > 1:
        following = node.next_sibling
        if following is not None and following.start_byte == node.end_byte:
            targets.pop()  # the descriptor of the next redirection: `0>&1`
    return operator or ">", targets[0] if targets else None, targets[1:]


def _find_written_marks(path: str, printed: Flow) -> frozenset[str]:
    """Return the marks of what is written to a file: `variable` too if the text holds the value of a secret."""
    if path in _NOWHERE:
        return printed.marks - VALUE
    return printed.marks | VALUE if is_disclosed(printed) else printed.marks


_APPENDED = frozenset({"append"})
_NOWHERE = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"})


def _is_pipe(resource: Resource | None, reading: Reading) -> bool:
    """Whether a file is a named pipe that this action made."""
    return any("pipe" in effect.flags and effect.resource == resource for effect in reading.effects)


def _descriptor(node: Node, scope: ShellScope) -> str:
    """Return the file descriptor of a redirection, `0` by default."""
    return next((scope.source.of(child) for child in node.named_children if child.type == "file_descriptor"), "0")


def append_content(before: Flow | None, added: Flow) -> Flow:
    """Return the content of a file after text is appended to it."""
    if before is None:  # what was in the file before is unknown
        return Flow(added.text, added.marks | _PART, added.url) if added.text else Flow(None, added.marks, added.url)
    text = None if before.text is None or added.text is None else before.text + added.text
    return Flow(text, before.marks | added.marks, before.url or added.url)
