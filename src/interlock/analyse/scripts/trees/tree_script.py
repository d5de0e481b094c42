"""A script being read by its tree: what its nodes stand for, and what its names hold."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import TYPE_CHECKING, Any, cast

import msgspec
from tree_sitter import Node

from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import NOTHING, Flow
from interlock.analyse.reading import Reading, Site
from interlock.analyse.scripts.callables import (
    member_of,
    note_function,
    runner,
    runners_in,
    store_outside,
)
from interlock.analyse.scripts.changes import change_same, set_global, store_in_hash
from interlock.analyse.scripts.child_environment import is_environment_of, set_variable
from interlock.analyse.scripts.scope import TooDeep
from interlock.analyse.scripts.script import Script
from interlock.analyse.scripts.search_paths import add_search_path, is_search_path
from interlock.analyse.scripts.syntax import Syntax
from interlock.analyse.scripts.trees.language import Language, Span, span
from interlock.analyse.scripts.trees.source import ScriptSource
from interlock.analyse.scripts.values import (
    MAX_CHOICES,
    MAX_ITEMS,
    Choice,
    Ref,
    ScriptFunction,
    as_text,
    either,
    join_all,
    unknown,
)
from interlock.model import Effect

if TYPE_CHECKING:
    from interlock.analyse.scripts.trees.walker import Walker

MAX_DEPTH = 150
_STEP = 8  # nodes that count as one step


class TreeText(msgspec.Struct, frozen=True):
    """A script that is to be read by its tree: its text, where it stands, its language, and what runs into it."""

    reading: Reading
    source: ScriptSource
    site: Site
    syntax: Syntax
    language: Language
    stdin: Flow = NOTHING


class TreeScript(Script):
    """A script that is read by its tree: its values and names."""

    __slots__ = ("_bound", "_nodes", "_steps", "depth", "functions", "language", "referenced", "source")

    def __init__(self, given: TreeText) -> None:
        super().__init__(given.reading, given.source.text, given.site, given.syntax, given.stdin)
        self.source, self.language = given.source, given.language
        self.functions: dict[str, ScriptFunction] = {}
        self.referenced: set[str] = set()  # names that are changed through references as well
        self.depth = 0
        self._nodes = given.language.nodes
        self._bound: list[str] = []  # parameters of the function that is read
        self._steps = 0

    def where(self, start: Span) -> Site:
        """Return where a node stands in the action."""
        site = self.site
        if site.base < 0 or not self.source.is_whole:
            return site if site.base < 0 else site.replace(base=-1)
        return Site((site.base + start[0], site.base + start[1]), site.via, site.cwd)

    def of(self, node: Node) -> str:
        """Return the text of a node."""
        return self.source.text[node.start_byte : node.end_byte]

    def function_names(self) -> Container[str]:
        """Return the names of the functions that the script defines."""
        return self.functions

    def words(self) -> set[str]:
        """Return the names and keywords of the text."""
        return self.source.words() if "fork" in self.text else set()

    # values

    def evaluate(self, node: Node) -> Any:
        """Read a node; return what it is known to be."""
        value = self.resolve(node)
        if type(value) is not Ref:
            return value
        note_function(self, value)
        return self.property(value, span(node))

    def evaluate_named(self, node: Node) -> Any:
        """Read a node whose value gets a name, under which it is followed; return what it is known to be."""
        value = self.resolve(node)
        return self.property(value, span(node)) if type(value) is Ref else value

    def resolve(self, node: Node) -> Any:
        """Read a node that something belongs to or that is called: a name stays a name."""
        self._steps += 1
        if not self._steps % _STEP:
            self.reading.spend()
        handler = self._nodes.get(node.type)
        self.source.seen.add(node.id)
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise TooDeep
        try:
            value = handler(cast("Walker", self), node) if handler is not None else self.each(node)
        finally:
            self.depth -= 1
        if type(value) is str or type(value) is list:
            self.held.add(value)
        return value

    def each(self, node: Node) -> Any:
        """Read everything inside a node; return its value if it has one part, else where its parts come from."""
        children = node.named_children
        if not children:
            text = self.of(node)
            return text if HOLE in text else Ref(text[:200])
        if len(children) == 1:
            return self.resolve(children[0])
        return self.mix(*[self.evaluate(child) for child in children])

    def block(self, node: Node) -> Any:
        """Read statements; return the value of the last one."""
        value: Any = ""
        for child in node.named_children:
            value = self.evaluate(child)
        return value

    def text_in(self, node: Node, unescape: Callable[[str], str]) -> Any:
        """Return what a string's text stands for, with the values of what is filled in."""
        parts: list[Any] = []
        at = -1
        children = node.children
        for index, child in enumerate(children):
            if 0 <= at < child.start_byte:
                parts.append(self.source.text[at : child.start_byte])
            at = child.end_byte
            if not child.is_named:
                if 0 < index < len(children) - 1 and child.type not in _FILLING:
                    parts.append(self.of(child))
            elif child.type in _LITERAL:
                if child.child_count:
                    parts.append(self.gaps(child, unescape))
                else:
                    parts.append(self.of(child))
            elif child.type == "escape_sequence":
                parts.append(unescape(self.of(child)))
            else:
                parts.append(self.evaluate(child))
        return join_all(parts)

    def gaps(self, node: Node, unescape: Callable[[str], str], around: Span | None = None) -> Any:
        """Return the text of a node whose plain parts stand between its children, and around it."""
        parts: list[Any] = []
        at, end = around or span(node)
        for child in node.named_children:
            parts.append(self.source.text[at : child.start_byte])
            at = child.end_byte
            if child.type == "escape_sequence":
                parts.append(unescape(self.of(child)))
            elif child.type == "escaped_delimiter":
                parts.append(self.of(child)[1:])
            else:
                parts.append(self.evaluate(child))
        parts.append(self.source.text[at:end])
        return join_all(parts)

    def inner(self, text: str) -> Any:
        """Read code that stands inside a string, with the names of the script."""
        if self.depth + 10 > MAX_DEPTH:
            raise TooDeep
        outer, self.source = self.source, ScriptSource(text, self.language, is_whole=False)
        self.depth += 10
        try:
            root = self.source.root
            self.reading.spend(self.source.effort())
            if root.has_error or self.source.too_large:
                self.whole = False
            value = self.evaluate(root)
            self.read_unseen()
            return value
        finally:
            self.source = outer
            self.depth -= 10

    def read_again(self, read: Callable[[], Any]) -> None:
        """Read something that was read before; keep what it does that it was not seen to do."""
        effects = self.reading.effects
        first = len(effects)
        known = {(effect.kind, effect.resource, effect.flags) for effect in effects if not self.is_assumed(effect)}
        read()
        effects[first:] = [one for one in effects[first:] if (one.kind, one.resource, one.flags) not in known]

    def code(self, name: str, language: str, text: str, start: Any) -> Any:
        """Read code that a call runs; of the script's own language, it may also use and change the script's names.

        Nobody runs an empty text: it was filled where that was not followed.
        """
        value = super().code(name, language, text if text.strip() else unknown("code"), start)
        if language == self.syntax.name and HOLE not in text and self.names and self.depth + 10 < MAX_DEPTH:
            page = "<?php " if self.language.grammars == ("php",) else ""
            self.read_again(lambda: self.inner(page + text))
        return value

    def command(self, name: str, value: Any, start: Any) -> Any:
        """Run a command; nobody runs an empty list: it was filled where that was not followed."""
        return super().command(name, [unknown("command")] if value == [] else value, start)

    # names

    def assign_to(self, node: Node, mark: str, value: Any) -> None:
        """Give what a node names a value; None for one that is not known."""
        target = self.language.targets.get(node.type)
        if target is not None:
            target(cast("Walker", self), node, mark, value)
        else:
            self.resolve(node)
            store_outside(self, value, span(node))

    def assign_name(self, name: str, mark: str, value: Any) -> None:
        """Give a name a value; None for one that is not known."""
        if mark == "bind":
            self._bound.append(name)
        elif is_search_path(self, name):
            add_search_path(self, value, (0, 0))
        if value is None:
            value = unknown(name) if self.language.hole else Ref(name)
        self.assign(name, mark, value)

    def member(self, value: Any, name: str) -> Any:
        """Return a member of a value: what was stored there, or its name."""
        held = member_of(self, value, name)
        if held is None and self.syntax.name == "lua" and isinstance(value, list) and not self.knows(Ref(f".{name}")):
            held = self.pick_function(value)  # a table of Lua, to which a function was added by name
        found = super().member(value, name) if held is None else held
        if type(found) is Ref and found.owner is None and found.name in self.names:
            return self.names[found.name]
        return found

    def pick_function(self, container: Any) -> Any:
        """Return what an element of a list or hash may be that runs something, where its key is not known; or None."""
        found = tuple(runners_in(self, container))[:MAX_CHOICES]
        return Choice(found) if len(found) > 1 else found[0] if found else None

    def store(self, container: Any, key: Any, value: Any) -> None:
        """Put a value into a list or a hash; elsewhere only a function that runs something is kept."""
        if isinstance(container, Choice):
            for one in container.values:
                self.store(one, key, value)
            return
        name = key.name if isinstance(key, Ref) else as_text(key)
        if is_environment_of(self, container):
            set_variable(self, name, value)
        elif isinstance(container, Ref) and is_search_path(self, f"{container.name}.{name}"):
            add_search_path(self, value, (0, 0))
        if isinstance(container, list) and len(container) < MAX_ITEMS:
            if key == "length" and type(value) is int and not self.is_uncertain():
                del container[value:]
            elif isinstance(key, int) and 0 <= key < len(container):
                container[key] = self.merge(container[key], "=", value)
            else:
                if HOLE in name or not isinstance(key, (int, str, type(None))):  # any of them may be meant
                    container[:] = [either(one, value) for one in container]
                container.append(value)
        elif isinstance(container, dict):
            store_in_hash(self, container, name, value, not isinstance(key, Ref))
        else:
            self._store_outside(container, key, value)

    def _store_outside(self, container: Any, key: Any, value: Any) -> None:
        """Keep a function that runs something as a member of a name, and say that it may be called from elsewhere."""
        if isinstance(container, Ref) and container.owner is None and runner(self, value) is not None:
            name = key.name if isinstance(key, Ref) else as_text(key)
            self.names[f"{container.name}.{name}"] = value
        if key in _STARTING:
            self.opaque(f"a program that `{key}` names", unknown(), (0, 0))
        if isinstance(container, str):
            change_same(self, container, either(value, unknown("text")))
        elif not isinstance(key, Ref):
            set_global(self, container, as_text(key), value)
        store_outside(self, value, (0, 0))

    # functions of the script

    def is_assumed(self, effect: Effect) -> bool:  # noqa: ARG002 - the walker knows more
        """Whether an effect is one of a function that was read without being called."""
        return False

    def copy_names(self) -> dict[str, Any]:
        """Return what the names of the script stand for, as copies that later changes do not reach."""
        return {name: one.copy() if isinstance(one, (list, dict)) else one for name, one in self.names.items()}

    def read_unseen(self) -> None:
        """Read the calls of the text that no meaning of the nodes around them led to, so that none stays unread."""
        left = [self.source.root]
        while left:
            node = left.pop()
            if node.type in self.language.runs and node.id not in self.source.seen:
                self.evaluate(node)
            left += reversed(node.named_children)


#: Properties of objects of macOS that name a program, which is started later.
_STARTING = ("executableURL", "launchPath")
_FILLING = frozenset({"{", "}", "${", "#{", "$"})
_LITERAL = frozenset({"string_fragment", "string_content", "heredoc_content", "nowdoc_string"})
