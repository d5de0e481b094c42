"""Paths that lead to other files: links, bind mounts, and files that were moved, which are still what they were.

An action that makes `notes.txt` a link to a key, or moves a folder before it deletes it, acts on the key and on the
folder. So an effect on such a path is an effect on its target as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from interlock.model import Effect, Span

MAX_HOPS = 8
#: Flags of commands that make one path lead to another.
LINKING = frozenset({"link", "hard_link", "bind"})
_REMOVING = frozenset({"fs.delete", "fs.move"})


class Link(NamedTuple):
    """Where a path leads. Removing a symbolic link leaves its target alone; removing a moved file does not."""

    target: str
    symbolic: bool


class Links:
    """The links that an action has made so far, found in its effects."""

    __slots__ = ("_known", "_read")

    def __init__(self) -> None:
        self._known: dict[str, Link] = {}
        self._read = 0  # how many effects were looked at

    def follow(self, path: str, kind: str, effects: Sequence[Effect]) -> str | None:
        """Return the file that an effect of a kind on `path` really is on, or None if that is `path` itself.

        `effects` are those of the action so far. The last one is the effect in question.
        """
        self._update(effects)
        found, current = None, path
        for _ in range(MAX_HOPS):
            entry = self._find(current)
            if entry is None:
                break
            name, link = entry
            if link.symbolic and name == current and kind in _REMOVING:
                break
            current = found = link.target.rstrip("/") + current[len(name) :]
        return found

    def _find(self, path: str) -> tuple[str, Link] | None:
        """Return the longest part of a path that is a link."""
        while path not in self._known:
            cut = path.rfind("/")
            if cut <= 0:
                return None
            path = path[:cut]
        return path, self._known[path]

    def _update(self, effects: Sequence[Effect]) -> None:
        """Look at the commands that were added since the last time, except the one that is being analysed."""
        now = _command(effects[-1])
        while self._read < len(effects) and (command := _command(effects[self._read])) != now:
            end = self._read + 1
            while _command(effects[end]) == command:
                end += 1
            self._add(effects[self._read : end])
            self._read = end

    def _add(self, effects: Sequence[Effect]) -> None:
        """Add the links that the effects of one command make."""
        sources = [(e.resource.name, "link" in e.flags) for e in effects if e.resource and _is_source(e)]
        targets = [e.resource.name for e in effects if e.resource and e.kind == "fs.write"]
        mounted = [e.resource.name for e in effects if e.resource and e.kind == "fs.mount" and "bind" in e.flags]
        if len(mounted) > 1:
            sources, targets = [(mounted[0], True)], mounted[1:]
        for name, symbolic in sources:
            for target in targets:
                if target == name:
                    continue
                if len(sources) == 1:
                    self._known[target] = Link(name, symbolic)
                self._known[f"{target.rstrip('/')}/{name.rpartition('/')[2]}"] = Link(name, symbolic)


def _is_source(effect: Effect) -> bool:
    """Whether an effect is on the file that a command links to or moves away."""
    if effect.kind == "fs.move":
        return True
    return effect.kind in ("fs.read", "secret.read") and not LINKING.isdisjoint(effect.flags)


def _command(effect: Effect) -> tuple[int, Span]:
    return effect.call, effect.span
