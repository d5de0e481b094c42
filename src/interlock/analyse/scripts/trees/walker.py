"""The walk through a script's syntax tree: values, functions that the script defines, and calls of them."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from functools import partial
from typing import Any, NamedTuple

from tree_sitter import Node

from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import NOTHING, Flow
from interlock.analyse.reading import Reading, Site
from interlock.analyse.scripts.callables import (
    call_callbacks,
    member_of,
    note_function,
    only_shows,
    report_unknown_callee,
    runner,
    runners_in,
    store_outside,
)
from interlock.analyse.scripts.changes import change_by_call, change_same, gives_itself, set_global, store_in_hash
from interlock.analyse.scripts.child_environment import is_environment_of, set_variable
from interlock.analyse.scripts.loops import report_loop
from interlock.analyse.scripts.scope import TooDeep
from interlock.analyse.scripts.script import Script
from interlock.analyse.scripts.search_paths import add_search_path, is_search_path
from interlock.analyse.scripts.syntax import Syntax
from interlock.analyse.scripts.trees.source import ScriptSource
from interlock.analyse.scripts.values import (
    CLIENTS,
    MAX_CHOICES,
    MAX_ITEMS,
    Choice,
    Ref,
    ScriptFunction,
    alternatives,
    as_text,
    either,
    join_all,
    unknown,
)
from interlock.analyse.scripts.written_files import is_open
from interlock.patterns import late

MAX_DEPTH = 150
#: How many calls deep functions of the script are followed, and how often each is read again for what it is given.
MAX_FOLLOWED = 4
MAX_READINGS = 8
MAX_ELEMENTS = 8
MAX_DEFERRED = 64
_STEP = 8  # nodes that count as one step

Span = tuple[int, int]
Handler = Callable[["Walker", Node], Any]
AssignTarget = Callable[["Walker", Node, str, Any], None]


class Language(NamedTuple):
    """How the nodes of a grammar are read."""

    grammars: tuple[str, ...]  # the first that takes the text is used
    nodes: Mapping[str, Handler]
    targets: Mapping[str, AssignTarget]  # nodes that may be assigned to
    functions: Mapping[str, str]  # nodes that are functions without a name, and the field that holds their body
    runs: frozenset[str]  # nodes that run something: calls, commands in quotes, code that is loaded
    hole: str = ""  # what stands before the name of a variable
    arguments: str = ""  # the name of the list that holds what a function is called with
    heredocs: tuple[tuple[str, ...], str] = ((), "")  # where a here-document is announced, and its text


def span(node: Node) -> Span:
    """Return where a node stands in its text."""
    return (node.start_byte, node.end_byte)


class Walker(Script):
    """A script being read by its tree."""

    __slots__ = (
        "_active",
        "_bound",
        "_deferred",
        "_nodes",
        "_readings",
        "_steps",
        "_unread",
        "depth",
        "functions",
        "language",
        "referenced",
        "returned",
        "source",
    )

    def __init__(
        self,
        reading: Reading,
        source: ScriptSource,
        site: Site,
        syntax: Syntax,
        language: Language,
        stdin: Flow = NOTHING,
    ) -> None:
        super().__init__(reading, source.text, site, syntax, stdin)
        self.source, self.language = source, language
        self.functions: dict[str, ScriptFunction] = {}
        self.referenced: set[str] = set()  # names that are changed through references as well
        self.returned: list[Any] = []  # what the function that is read returns
        self.depth = 0
        self._nodes = language.nodes
        self._active: list[ScriptFunction] = []
        self._deferred: list[tuple[ScriptFunction, list[Any], dict[str, Any]]] = []
        self._bound: list[str] = []  # parameters of the function that is read
        self._readings: dict[int, int] = {}
        self._steps = 0
        self._unread: dict[tuple[int, int], ScriptFunction] = {}

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
            value = handler(self, node) if handler is not None else self.each(node)
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
        known = {(effect.kind, effect.resource, effect.flags) for effect in effects}
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
            target(self, node, mark, value)
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

    def define(self, name: str, parameters: Node | None, body: Node | None) -> ScriptFunction:
        """Make a function of the script, and read its body once with parameters that are not known."""
        function = ScriptFunction(name, parameters, body, self.source)
        if name:
            self.functions[name] = function
            self.branches = True
        self.read_body(function, [])
        return function

    def literal(self, node: Node | None) -> ScriptFunction | None:
        """Return the function that a node writes down, without reading it yet; None for anything else."""
        while node is not None and node.type in ("parenthesized_expression", "parenthesized_statements"):
            node = node.named_children[0] if node.named_child_count == 1 else None
        if node is None or node.type not in self.language.functions:
            return None
        body = node.child_by_field_name(self.language.functions[node.type])
        if body is not None and body.type in self.language.functions:  # `-> { … }`
            body = body.child_by_field_name(self.language.functions[body.type]) or body
        parameters = node.child_by_field_name("parameters") or node.child_by_field_name("parameter")
        function = ScriptFunction("", parameters, body, self.source)
        if body is not None:
            self._unread.setdefault((id(self.source), body.id), function)
        return function

    def read_rest(self) -> None:
        """Read the functions that were written down and that nothing seems to call: something may."""
        while self._unread:
            self.read_body(next(iter(self._unread.values())), [])

    def copy_names(self) -> dict[str, Any]:
        """Return what the names of the script stand for, as copies that later changes do not reach."""
        return {name: one.copy() if isinstance(one, (list, dict)) else one for name, one in self.names.items()}

    def read_deferred(self) -> None:
        """Read functions again that a call was handed, and that may run when names have other values."""
        for function, given, before in self._deferred:
            names = set(_WORD.findall(function.source.text)) & before.keys()
            if any(self.names.get(name) != before[name] for name in names):
                self.read_again(partial(self.read_body, function, given))
        self._deferred.clear()

    def read_unseen(self) -> None:
        """Read the calls of the text that no meaning of the nodes around them led to, so that none stays unread."""
        left = [self.source.root]
        while left:
            node = left.pop()
            if node.type in self.language.runs and node.id not in self.source.seen:
                self.evaluate(node)
            left += reversed(node.named_children)

    def read_body(self, function: ScriptFunction, arguments: list[Any]) -> Any:
        """Read a function's body with what it is given; return what it returns."""
        if function.body is not None:
            self._unread.pop((id(function.source), function.body.id), None)
        if function in self._active:
            return unknown(f"{function.name}()")
        outer = (self.source, self.returned, self._bound)
        before = dict(self.names)
        self.source, self.returned, self._bound = function.source, [], []
        self._active.append(function)
        try:
            self._bind_parameters(function, arguments)
            last = self.evaluate(function.body) if function.body is not None else unknown(f"{function.name}()")
            values = [*self.returned, last] if not self.returned or self._gives_last(last) else self.returned
            for name in self._bound:
                if name in before:
                    self.names[name] = before[name]
                else:
                    self.names.pop(name, None)
        finally:
            self._active.pop()
            self.source, self.returned, self._bound = outer
        return values[0] if len(values) == 1 else _one_of(self, values)

    def _gives_last(self, last: Any) -> bool:
        """Whether a function also gives the value of its last statement, and that is known."""
        return (
            self.syntax.name in _IMPLICIT
            and bool(as_text(last))
            and (HOLE not in as_text(last) or bool(self.marks(last)))
        )

    def _bind_parameters(self, function: ScriptFunction, arguments: list[Any]) -> None:
        """Give a function's parameters what it is called with."""
        node = function.parameters
        if self.language.arguments and not _shares_arguments(function):
            self.assign_name(self.language.arguments, "bind", list(arguments) or unknown("arguments"))
        if node is None:
            return
        nodes = node.named_children if node.type.endswith(("parameters", "parameter_list")) else [node]
        for index, child in enumerate(nodes):
            rest = child.type in _REST
            value: Any = arguments[index:] if rest else arguments[index] if index < len(arguments) else None
            if child.type == "keyword_parameter":
                value = self._find_named(child, arguments)
            self.assign_to(child, "bind", value if arguments else None)

    def _find_named(self, parameter: Node, arguments: list[Any]) -> Any:
        """Return what a parameter is given by its name; None where that is not known."""
        name = parameter.child_by_field_name("name")
        given = arguments[-1] if arguments and isinstance(arguments[-1], dict) else {}
        return given.get(self.of(name)) if name is not None else None

    def invoke(self, function: ScriptFunction, arguments: list[Any]) -> Any:
        """Call a function of the script: read its body again with what it is given, as far as that is bounded."""
        self.reading.call += 1
        key = id(function.body)
        count = self._readings.get(key, 0)
        if len(self._active) >= MAX_FOLLOWED or count >= MAX_READINGS:
            call_callbacks(self, "", None, None, arguments, (0, 0))
            return self.mix(*arguments) if arguments else unknown(f"{function.name}()")
        self._readings[key] = count + 1
        result = self.read_body(function, arguments)
        for argument in arguments:  # what it may call, though it was not seen to
            if isinstance(argument, ScriptFunction) and argument in self._unread.values():
                self.read_body(argument, [])
        return result

    def call(self, value: Any, arguments: list[Any], start: Any) -> Any:
        """Call a function: one of the script, or one that the tables know; return what it gives."""
        if isinstance(value, Choice):
            values = [self.call(one, arguments, start) for one in value.values[:MAX_CHOICES]]
            return Choice(tuple(values))
        if isinstance(value, ScriptFunction):
            return self.invoke(value, arguments)
        given = [argument for argument in arguments if type(argument) is not ScriptFunction]
        site = self.site
        first, *others = alternatives(given)
        result: Any = super().call(value, first, start)
        for way in others:
            result = either(result, super().call(value, way, start))
        if isinstance(value, Ref):
            change_by_call(self, value.name, value.owner, arguments)
            if gives_itself(self, value.name, value.owner):
                result = value.owner
            if HOLE in value.name:
                self._call_any(value, start)
                if not only_shows(value):
                    report_unknown_callee(self, value.name, given, start)
            own = self.functions.get(value.name.rpartition(".")[2])
            if own is not None:
                returned = self.invoke(own, arguments)
                result = returned if not self.knows(value) else result
        if len(given) < len(arguments):
            functions = [one for one in arguments if isinstance(one, ScriptFunction)]
            result = self._call_back(value, functions, result, start)
            self.site = site  # a folder is entered for the function alone
        return result

    def _call_any(self, value: Ref, start: Any) -> None:
        """Say that a function of a module is called whose name is not known, if it may be one that runs something."""
        module = value.name.partition(HOLE)[0].removeprefix("globalThis.").rstrip(".")
        self.report_computed_member(Ref(module), value.name, start)

    def _call_back(self, value: Any, functions: list[ScriptFunction], result: Any, start: Span) -> Any:
        """Read functions that are handed to a call, with what they will be given: what the call has, or gives."""
        owner = value.owner if isinstance(value, Ref) else None
        if isinstance(value, Ref) and owner is None and "." in value.name:
            owner = Ref(value.name.rpartition(".")[0])
        elements = owner if isinstance(owner, list) and 0 < len(owner) <= MAX_ELEMENTS else [None]
        repeats = isinstance(value, Ref) and value.name.rpartition(".")[2] in REPEATING
        self.loops += repeats
        first = len(self.reading.effects)
        returned: list[Any] = []
        for function in functions:
            for element in elements:
                given = [element] if element is not None else self._given_back(value, owner, result, repeats)
                returned.append(self.read_body(function, given))
            if not repeats and not self._active and len(self._deferred) < MAX_DEFERRED:
                self._deferred.append((function, given, self.copy_names()))
        self.loops -= repeats
        if repeats:
            report_loop(self.reading, self.source.text[start[0] : start[1]], first, self.where(start))
        if isinstance(value, Ref) and value.name.endswith((".then", ".tap", ".catch")):
            return returned[0] if returned else result
        if elements[0] is not None and isinstance(value, Ref) and value.name.endswith((".map", ".collect")):
            return returned[:MAX_ITEMS]
        return result

    def _given_back(self, value: Any, owner: Any, result: Any, repeats: bool) -> list[Any]:
        """Return what a function is given that a call was handed, where the elements are not known."""
        held = client_item(value, result)
        if held is not None:
            return [held] * 4
        is_next = isinstance(value, Ref) and value.name.endswith(".then")
        if is_next or (repeats and isinstance(owner, str) and "*" in owner):
            return [owner]
        if is_open(self, result):
            return [result]
        return [result] * 4 if self.marks(result) else []


#: Properties of objects of macOS that name a program, which is started later.
_STARTING = ("executableURL", "launchPath")
#: Languages in which the last value is what a function gives.
_IMPLICIT = frozenset({"perl", "ruby"})
_WORD = late(r"[\w$@]+")
_REST = frozenset({"forward_parameter", "rest_pattern", "splat_parameter", "vararg_expression", "variadic_parameter"})
_FILLING = frozenset({"{", "}", "${", "#{", "$"})
_LITERAL = frozenset({"string_fragment", "string_content", "heredoc_content", "nowdoc_string"})


def _shares_arguments(function: ScriptFunction) -> bool:
    """Whether a function has no list of arguments of its own: an arrow function."""
    parent = function.body.parent if function.body is not None else None
    return parent is not None and parent.type == "arrow_function"


#: Methods that call a function again and again.
REPEATING = frozenset(
    "forEach map flatMap each each_with_index each_line each_slice each_pair collect times upto find_each cycle loop "
    "every filter reduce for_each foreach walk".split()
)


def client_item(value: Any, result: Any) -> Ref | None:
    """Return what a function is given that is handed to a client: one of its objects, or what it gives."""
    if not isinstance(value, Ref) or not value.name.startswith(CLIENTS):
        return None
    if value.name.rpartition(".")[2] in REPEATING:
        return Ref(f"{value.name.rpartition('.')[0]}.[]", value.owner)
    return result if isinstance(result, Ref) else None


def _one_of(walker: Walker, values: list[Any]) -> Any:
    if len(values) <= MAX_CHOICES and not any(isinstance(value, Choice) for value in values):
        return Choice(tuple(values))
    return walker.mix(*values)
