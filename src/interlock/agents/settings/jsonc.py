"""JSON with comments, parsed with positions, so that an edit keeps every byte that it does not concern."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from interlock.errors import ConfigError
from interlock.patterns import late

MAX_DEPTH = 100
_BLANK = late(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_COMMENT = late(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_COMMENT_BEHIND = late(r"[ \t]*(?://[^\n\r]*|/\*[^\n]*?\*/)?")
_SCALAR = late(r'"(?:[^"\\\n]|\\.)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null')
_INDENT = late(r"\n([ \t]+)\S")


class Node(NamedTuple):
    """A value, with its start and end in the text. `items` are its members, each with a key if it is an object."""

    value: Any
    start: int
    end: int
    items: tuple[Item, ...] = ()

    def get(self, key: str) -> Node | None:
        """Return the value under a key of an object."""
        return next((item.node for item in self.items if item.key == key), None)


class Item(NamedTuple):
    """A member of an object or an array. It starts at its key, if it has one."""

    key: str | None
    start: int
    node: Node


class JsonDocument:
    """A text that holds one JSON value, possibly with comments and trailing commas."""

    def __init__(self, text: str, file: str) -> None:
        self.text, self.file = text, file
        start = self._blank(1 if text.startswith("\ufeff") else 0)
        self.root = self._value(start, 0)
        if self._blank(self.root.end) != len(text):
            raise self.error("unexpected text after the end", self._blank(self.root.end))

    def error(self, what: str, at: int) -> ConfigError:
        """Return an error that says in which line of the file it is."""
        return ConfigError(what, file=self.file, line=self.text.count("\n", 0, at) + 1)

    @property
    def newline(self) -> str:
        """The line ending that the text uses."""
        return "\r\n" if "\r\n" in self.text else "\n"

    @property
    def indent(self) -> str:
        """The indentation of one level in the text."""
        found = _INDENT.search(self.text)
        return found[1] if found else "  "

    def _blank(self, at: int) -> int:
        found = _BLANK.match(self.text, at)
        return found.end() if found else at

    def _value(self, at: int, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise self.error(f"this is nested more than {MAX_DEPTH} levels deep", at)
        opened = self.text[at : at + 1]
        if opened in ("{", "["):
            return self._container(at, depth, "}" if opened == "{" else "]")
        found = _SCALAR.match(self.text, at)
        if found is None:
            raise self.error(f"expected a value, found {self._describe_at(at)}", at)
        try:
            return Node(json.loads(found[0], strict=False), at, found.end())
        except ValueError:
            raise self.error(f"expected a value, found {self._describe_at(at)}", at) from None

    def _container(self, at: int, depth: int, closed: str) -> Node:
        items: list[Item] = []
        keys: set[str] = set()
        here = self._blank(at + 1)
        while self.text[here : here + 1] != closed:
            item = self._item(here, depth, keyed=closed == "}")
            if item.key is not None and item.key in keys:
                raise self.error(f"`{item.key}` appears twice; remove one", here)
            keys.add(item.key or "")
            items.append(item)
            here = self._blank(item.node.end)
            if self.text[here : here + 1] == ",":
                here = self._blank(here + 1)
            elif self.text[here : here + 1] != closed:
                raise self.error(f"expected `,` or `{closed}`, found {self._describe_at(here)}", here)
        found = {item.key: item.node.value for item in items} if closed == "}" else [item.node.value for item in items]
        return Node(found, at, here + 1, tuple(items))

    def _item(self, at: int, depth: int, *, keyed: bool) -> Item:
        if not keyed:
            return Item(None, at, self._value(at, depth + 1))
        key = self._value(at, depth + 1) if self.text[at : at + 1] == '"' else None
        if key is None:
            raise self.error(f'expected a name in `"`, found {self._describe_at(at)}', at)
        colon = self._blank(key.end)
        if self.text[colon : colon + 1] != ":":
            raise self.error(f"expected `:` after `{key.value}`, found {self._describe_at(colon)}", colon)
        return Item(key.value, at, self._value(self._blank(colon + 1), depth + 1))

    def _describe_at(self, at: int) -> str:
        found = self.text[at : at + 12].partition("\n")[0]
        return f"`{found}`" if found else "the end of the line" if at < len(self.text) else "the end of the file"

    # editing: each method returns the changed text

    def append_to(self, path: tuple[str, ...], value: Any) -> str:
        """Append a value to the array at a path, which is made where it is missing."""
        node = self.root
        for depth, key in enumerate(path):
            self._expect(node, dict, "an object in `{}`", path[:depth])
            found = node.get(key)
            if found is None:
                made: Any = [value]
                for name in reversed(path[depth + 1 :]):
                    made = {name: made}
                return self._insert(node, depth + 1, made, key)
            node = found
        self._expect(node, list, "a list in `[]`", path)
        return self._insert(node, len(path) + 1, value)

    def add_member(self, key: str, value: Any) -> str:
        """Add a member to the root object."""
        self._expect(self.root, dict, "an object in `{}`", ())
        return self._insert(self.root, 1, value, key)

    def _expect(self, node: Node, kind: type, what: str, path: tuple[str, ...]) -> None:
        if not isinstance(node.value, kind):
            where = ".".join(path)
            raise self.error(f"{f'`{where}`' if where else 'the whole'} must be {what}", node.start)

    def _insert(self, node: Node, depth: int, value: Any, key: str | None = None) -> str:
        lines = json.dumps(value, indent=self.indent, ensure_ascii=False).replace("\n", "\n" + self.indent * depth)
        item = (f"{json.dumps(key, ensure_ascii=False)}: " if key is not None else "") + lines
        line = ("\n" + self.indent * depth).replace("\n", self.newline)
        item = item.replace("\n", self.newline)
        if not node.items:
            close = self.newline + self.indent * (depth - 1) if "\n" not in self.text[node.start : node.end] else ""
            return self._splice((node.start + 1, line + item + close))
        last = node.items[-1].node.end
        after = self._blank(last)
        if self.text[after] == ",":
            return self._splice((self._end_of_line(after + 1), line + item + ","))
        return self._splice((last, ","), (self._end_of_line(last), line + item))

    def _end_of_line(self, at: int) -> int:
        """Return the end of a comment behind a value on its line: it stays with the value."""
        found = _COMMENT_BEHIND.match(self.text, at)
        return found.end() if found and found[0].strip() else at

    def _splice(self, *pieces: tuple[int, str]) -> str:
        """Insert pieces, given from the first to the last."""
        text = self.text
        for at, piece in reversed(pieces):
            text = text[:at] + piece + text[at:]
        return text

    def remove_member(self, container: Node, index: int) -> str:
        """Remove a member of a container, with its comma and the blanks in front of it."""
        item = container.items[index]
        start, end = item.start, item.node.end
        after = self._blank(end)
        since = container.items[index - 1].node.end if index else container.start + 1
        if self.text[after] == ",":
            rest = self.text[end:after] + self.text[after + 1 :]
            return self._join(self.text[since:start], self.text[:since], rest)
        if index:  # the comma in front goes, whatever comments stand around it
            comma = self._blank(since)
            kept = self.text[:comma] + self.text[comma + 1 :]
            return self._join(kept[since : start - 1], kept[:since], kept[end - 1 :])
        return self._join(self.text[since:start], self.text[:since], self.text[end:])

    def _join(self, blank: str, before: str, rest: str) -> str:
        """Join the text before and behind a cut. Comments in the blanks between are kept, each on its line."""
        kept = blank.rstrip()
        comments = [found[0] for found in _COMMENT.finditer(blank)]
        open_line = bool(comments) and comments[-1].startswith("//") and kept.endswith(comments[-1].rstrip())
        return before + kept + (self.newline if open_line and not rest.startswith(("\n", "\r")) else "") + rest
