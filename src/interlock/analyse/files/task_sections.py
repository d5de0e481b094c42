"""The sections of a task file that a command runs: `just lint` runs `lint` and its dependencies."""

from __future__ import annotations

from collections.abc import Sequence

from interlock.patterns import late

# `name args: deps`, `[tasks.name]`, `name = {`, `"name": …`: the beginning of a section.
_HEADER = late(
    r"^(?P<indent>\s*)(?:-\s+)?(?:\[+[\"']?(?P<table>[\w.:@/ \"'-]+?)[\"']?\]+\s*$"
    r"|[\"']?@?(?P<key>[\w.@/-]+)[\"']?(?:\s+[\w*+='\" $-]*)?\s*:(?!=|//|:)(?P<rest>.*)$"
    r"|(?P<name>[\w-]+)\s*=\s*[\[{\"'](?P<value>.*)$)"
)
_PARTS = late(r"[.:\s\"']+")
MAX_SECTIONS, MAX_LINE = 400, 160


class _Section:
    """Lines of a file that belong together, under the names that their header has."""

    __slots__ = ("indent", "lines", "names")

    def __init__(self, names: frozenset[str], indent: int, line: str) -> None:
        self.names, self.indent, self.lines = names, indent, [line]


def select_sections(text: str, words: Sequence[str]) -> str:
    """Return the sections that the words of a command name, with those that they mention, or all of the text.

    >>> select_sections("test:\\n    pytest\\ndeploy: test\\n    scp x y:\\n", ["test"])
    'test:\\n    pytest'
    """
    sections = _split(text)
    wanted = {word.lower() for word in words if word[:1] != "-"}
    chosen = [one for one in sections if not one.names.isdisjoint(wanted)]
    if not chosen or len(sections) > MAX_SECTIONS:
        return text
    left = list(chosen)
    while left:
        body = "\n".join(left.pop().lines)
        used = {word.strip(",;()[]{}\"'").lower() for word in body.split()}
        for one in sections:
            if one not in chosen and not one.names.isdisjoint(used):
                chosen.append(one)
                left.append(one)
    return "\n".join("\n".join(one.lines) for one in sections if one in chosen)


def _split(text: str) -> list[_Section]:
    """Return the sections of a text: a header, and the indented lines below it."""
    found: list[_Section] = []
    opened: list[_Section] = []
    for line in text.split("\n"):
        header = _HEADER.match(line[:MAX_LINE].rstrip()) if line.strip() else None
        indent = len(line) - len(line.lstrip())
        while line.strip() and opened and indent <= opened[-1].indent and not (opened[-1].indent < 0):
            opened.pop()
        if header:
            if header["table"] is not None:
                opened.clear()
            raw = header["table"] or header["key"] or header["name"] or ""
            names = frozenset(part.lower() for part in (raw, *_PARTS.split(raw)) if part)
            for one in opened:
                one.lines.append(line)
            section = _Section(names, -1 if header["table"] is not None else indent, line)
            found.append(section)
            opened.append(section)
        else:
            for one in opened:
                one.lines.append(line)
    return found
