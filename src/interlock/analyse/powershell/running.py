"""What PowerShell runs: texts, programs, command lines."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from tree_sitter import Node

from interlock.analyse.files.paths import HOLE, is_hole
from interlock.analyse.flow import NONE, VOUCHED, Flow
from interlock.analyse.powershell.drives import is_path, unix_path
from interlock.analyse.powershell.expressions import Expressions
from interlock.analyse.powershell.handed_code import may_be_code
from interlock.analyse.powershell.source import too_large
from interlock.analyse.powershell.values import Instance, ScriptBlock, text_of, texts_of
from interlock.analyse.reading import Site
from interlock.analyse.scripts.shells import opens_shell
from interlock.analyse.scripts.values import choices, shell_text
from interlock.analyse.shell.readers import READERS
from interlock.analyse.shell.readers.windows import SLASHED
from interlock.knowledge.catalogue import PROGRAMS

_CAP = frozenset({"cap"})
_COMPUTED, _UNREAD = frozenset({"computed"}), frozenset({"unread"})


class Runner(Expressions):
    """A PowerShell text being read: what it runs."""

    __slots__ = ()

    @abstractmethod
    def read_text(self, text: str, site: Site) -> Any:
        """Read a text in this session; return what it gives."""

    def run_code(self, name: str, text: Any, node: Node) -> Any:
        """Read a text that is run as PowerShell: as code if it is known, else as what is known about it."""
        if isinstance(text, ScriptBlock):
            return self.run_block(text, [])
        if isinstance(text, Instance) and text.type == "scriptblock":
            text = text.arguments[0]
        value: Any = None
        for way in choices(text):
            value = self._run_text(name, way, node)
        return value

    def run_handed(self, name: str, given: list[Any], node: Node) -> None:
        """Read the first text that something unknown is given, if it is code: it may run it."""
        if given and may_be_code(given[0]):
            self.run_code(name, given[0], node)

    def _run_text(self, name: str, value: Any, node: Node) -> Any:
        state, site = self.state, self.state.at(node)
        text = "\n".join(texts_of(value)) if isinstance(value, list) else text_of(value)
        marks = state.marks(text)
        state.reading.emit("code.eval", site)
        plain = "".join(text.split(HOLE)[::2]).strip()
        if "download" in marks and (not plain or HOLE in text):
            state.reading.emit(
                "code.remote", site.behind(name.lower()), state.origin(text) or text.replace(HOLE, "") or None
            )
            state.reading.opaque.append("code that is downloaded")
            state.shells = state.shells or "socket" in marks
            return state.result(name)
        if HOLE in text and not plain:
            state.shells = state.shells or "input" in marks
            flags = marks & {"decoded", "input"} or self._unread_flags(marks)
            state.reading.unread(f"powershell code that `{name}` computes", site, flags=flags)
            return state.result(name)
        return self._run_inner(text, site, name)

    def _unread_flags(self, marks: frozenset[str]) -> frozenset[str]:
        """Return the flags of code that the text does not tell: that nobody vouches for it, unless a call may."""
        if self.state.assumed:
            return _COMPUTED
        return _UNREAD if marks.isdisjoint(VOUCHED) else NONE

    def _run_inner(self, text: str, site: Site, name: str) -> Any:
        """Read a text in this same session."""
        state, reading = self.state, self.state.reading
        if reading.depth >= reading.MAX_DEPTH or too_large(text):
            reading.unread("powershell code nested too deep or too long", site, flags=_CAP)
            return state.result(name)
        outer, via = state.source, state.site
        reading.depth += 1
        reading.spend(len(text) // 16 + 1)
        state.site = site.replace(base=-1, via=(*site.via, name.lower()))
        try:
            return self.read_text(text, state.site)
        finally:
            state.source, state.site = outer, via
            reading.depth -= 1

    def run_words(self, name: str, words: list[str], node: Node, given: Flow | None = None) -> Any:
        """Run a program with its words; return what it prints."""
        state = self.state
        program = name.rpartition("/")[2].lower().removesuffix(".exe")
        if "/" not in name and (name.lower() in PROGRAMS or program in READERS):
            name = name.lower()
        own = program in SLASHED or program in ("powershell", "pwsh")  # these are given paths as they stand
        plain = words if own else [unix_path(word) if is_path(word) else word for word in words]
        text = shell_text([name, *plain])
        if opens_shell(" ".join([name, *words])):
            state.shells = True
        flow = state.reading.nest("shell", text, state.at(node), given or state.stdin)
        if flow.text is not None:
            return flow.text.rstrip("\n")
        return state.result(f"{name} {' '.join(words)}".replace(HOLE, "")[:40], flow.marks, flow.url)

    def run_line(self, name: str, line: str, node: Node) -> Any:
        """Run a command line as Windows starts it."""
        state = self.state
        if not line.strip():
            return None
        if is_hole(line):
            marks = state.marks(line)
            if "download" in marks:
                state.reading.emit("code.remote", state.at(node), state.origin(line) or None)
            state.reading.unread(f"a command that `{name}` starts", state.at(node), flags=marks & {"decoded"})
            return state.result(name)
        if opens_shell(line):
            state.shells = True
        flow = state.reading.nest("batch", line, state.at(node).behind(name), state.stdin)
        return flow.text if flow.text is not None else state.result(name, flow.marks, flow.url)
