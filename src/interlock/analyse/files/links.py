"""Paths that refer to other files: links, bind mounts, and files that were moved.

An action that makes `notes.txt` a link to a key, or moves a folder before it deletes it, acts on the key and on the
folder. So an effect on such a path is an effect on its target as well.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping, Sequence

import msgspec

from interlock.model import Effect, Span, WrittenFile

MAX_HOPS = 8
#: Flags of commands that make one path lead to another.
LINKING = frozenset({"link", "hard_link", "bind"})
_REMOVING = frozenset({"fs.delete", "fs.move"})


class Link(msgspec.Struct, frozen=True):
    """Where a path leads. Removing a symbolic link leaves its target alone; removing a moved file does not."""

    target: str
    symbolic: bool


class Links:
    """The links that a run has made so far: those of earlier actions, and those found in the effects of this one."""

    __slots__ = ("_before", "_known", "_read")

    def __init__(self, before: Mapping[str, WrittenFile] | None = None) -> None:
        self._before = {path: Link(one.text or "", one.state == "link") for path, one in (before or {}).items()}
        self._known = dict(self._before)
        self._read = 0  # how many effects were looked at

    def changes(self, effects: Sequence[Effect]) -> dict[str, WrittenFile]:
        """Return the links that an action with these effects makes and removes, for later actions of the run."""
        self._update(effects, complete=True)
        found = {
            path: WrittenFile(link.target, "link" if link.symbolic else "moved")
            for path, link in self._known.items()
            if self._before.get(path) != link and path.startswith("/")
        }
        return {**dict.fromkeys(self._before.keys() - self._known.keys(), WrittenFile(state="gone")), **found}

    def follow(self, path: str, kind: str, effects: Sequence[Effect]) -> str | None:
        """Return the file that an effect on `path` really acts on, or None if that is `path` itself.

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

    def below(self, path: str, effects: Sequence[Effect]) -> list[str]:
        """Return the targets that were moved or mounted into a folder, or to a name that a glob matches."""
        self._update(effects)
        moved = [(name, link.target) for name, link in self._known.items() if not link.symbolic]
        if "*" in path or "?" in path:
            pattern = path.removesuffix("/**").rstrip("/")
            return [target for name, target in moved if fnmatch.fnmatchcase(name, pattern)]
        folder = path.rstrip("/") + "/"
        return [target for name, target in moved if name.startswith(folder)]

    def add_mount(self, folder: str, address: str) -> None:
        """Add a folder of another machine that is mounted here."""
        self._known[folder] = Link(address, symbolic=False)

    def _find(self, path: str) -> tuple[str, Link] | None:
        """Return the longest part of a path that is a link."""
        while path not in self._known:
            cut = path.rfind("/")
            if cut <= 0:
                return None
            path = path[:cut]
        return path, self._known[path]

    def _update(self, effects: Sequence[Effect], complete: bool = False) -> None:
        """Process the commands that were added since the last call, except the one that is still being analysed."""
        now = None if complete or not effects else _command(effects[-1])
        while self._read < len(effects) and (command := _command(effects[self._read])) != now:
            end = self._read + 1
            while end < len(effects) and _command(effects[end]) == command:
                end += 1
            self._add(effects[self._read : end])
            self._read = end

    def _add(self, effects: Sequence[Effect]) -> None:
        """Add the links that the effects of one command make, and drop those that it deletes."""
        for effect in effects:
            if effect.kind == "fs.delete" and effect.resource:
                self._known.pop(effect.resource.name, None)
        sources = [(e.resource.name, "link" in e.flags) for e in effects if e.resource and _is_source(e)]
        targets = [(e.resource.name, "top" in e.flags) for e in effects if e.resource and e.kind == "fs.write"]
        mounted = [e.resource.name for e in effects if e.resource and e.kind == "fs.mount" and "bind" in e.flags]
        if len(mounted) > 1:
            sources, targets = [(mounted[0], True)], [(name, False) for name in mounted[1:]]
        for name, symbolic in sources:
            for target, is_folder in targets:
                if target == name:
                    continue
                if len(sources) == 1 and not is_folder:  # the top of a place is a folder that exists
                    self._known[target] = Link(name, symbolic)
                self._known[f"{target.rstrip('/')}/{name.rpartition('/')[2]}"] = Link(name, symbolic)


def _is_source(effect: Effect) -> bool:
    """Whether an effect is on the file that a command links to or moves away."""
    if effect.kind == "fs.move":
        return True
    return effect.kind in ("fs.read", "secret.read", "disk.read") and not LINKING.isdisjoint(effect.flags)


def _command(effect: Effect) -> tuple[int, Span]:
    return effect.call, effect.span
