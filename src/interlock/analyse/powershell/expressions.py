"""Expressions of PowerShell: what they are known to be, and what is done on the way."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from tree_sitter import Node

from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import Flow
from interlock.analyse.powershell.casts import type_name
from interlock.analyse.powershell.containers import FILLING
from interlock.analyse.powershell.dotnet import assign_static, convert, described_names
from interlock.analyse.powershell.members import call_member, index, read_member
from interlock.analyse.powershell.operators import operate
from interlock.analyse.powershell.reflection import INVOKING, is_callable
from interlock.analyse.powershell.respelling import EMPTY_BLOCK
from interlock.analyse.powershell.source import PowerShellSource
from interlock.analyse.powershell.state import PowerShellState, flat_ways, plain_name
from interlock.analyse.powershell.strings import expand, expand_word, verbatim
from interlock.analyse.powershell.values import Instance, ScriptBlock, Type, is_known, items_of, text_of
from interlock.analyse.scripts.values import MAX_ITEMS, Choice, unknown

MAX_NESTING = 48
MAX_PROPERTIES = 32
_UNITS = {"kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30, "tb": 1 << 40, "pb": 1 << 50}


class TooDeep(Exception):  # noqa: N818 - a signal between two functions, never shown
    """Brackets stand in brackets too often."""


class Expressions(ABC):
    """A PowerShell text being read: its values."""

    __slots__ = ("state",)

    def __init__(self, state: PowerShellState) -> None:
        self.state = state

    @abstractmethod
    def statements(self, node: Node) -> Any:
        """Read the statements of a node; return what they give."""

    @abstractmethod
    def run_block(self, block: ScriptBlock, arguments: list[Any], item: Any = None, given: Flow | None = None) -> Any:
        """Run a script block; return what it gives."""

    @abstractmethod
    def run_code(self, name: str, text: Any, node: Node) -> Any:
        """Read a text that is run as PowerShell."""

    @abstractmethod
    def run_handed(self, name: str, given: list[Any], node: Node) -> None:
        """Read the first text that something unknown is given, if it is code: it may run it."""

    @abstractmethod
    def run_words(self, name: str, words: list[str], node: Node, given: Flow | None = None) -> Any:
        """Run a program with its words; return what it prints."""

    @abstractmethod
    def run_line(self, name: str, line: str, node: Node) -> Any:
        """Run a command line as Windows starts it."""

    def evaluate(self, node: Node) -> Any:
        """Return what an expression is known to be."""
        state = self.state
        state.depth += 1
        if state.depth > MAX_NESTING:
            raise TooDeep
        try:
            state.reading.spend()
            node = _unwrap(node)
            handler = _HANDLERS.get(node.type)
            return handler(self, node) if handler else self._each(node)
        finally:
            state.depth -= 1

    def evaluate_in(self, source: PowerShellSource, node: Node) -> Any:
        """Return what an expression of another text is known to be."""
        outer, self.state.source = self.state.source, source
        try:
            return self.statements(node) if node.type == "program" else self.evaluate(node)
        finally:
            self.state.source = outer

    def word(self, start: int, end: int) -> Any:
        """Return what a bare word of a command is."""
        text = self.state.source.text[start:end]
        if EMPTY_BLOCK.fullmatch(text):
            return self._empty_block()
        if not any(sign in text for sign in "$\"'`("):
            return self.state.source.fill(text)
        return expand_word(self.state.source, text, self.evaluate_in)

    def text(self, node: Node) -> str:
        """Return the text of a node as it was written."""
        return self.state.source.of(node)

    def _each(self, node: Node) -> Any:
        value: Any = None
        for child in node.named_children:
            value = self.evaluate(child)
        return value if node.named_child_count else self.text(node)

    def _binary(self, node: Node) -> Any:
        children = node.children
        if len(children) < 3:
            return self._each(node)
        left, right = self.evaluate(children[0]), self.evaluate(children[-1])
        operator = self.text(children[1]).strip().lower()
        if isinstance(left, Choice) or isinstance(right, Choice):
            return self._each_way(operator, left, right)
        return self._operate(operator, left, right)

    def _each_way(self, operator: str, left: Any, right: Any) -> Any:
        lefts = left.values if isinstance(left, Choice) else (left,)
        rights = right.values if isinstance(right, Choice) else (right,)
        ways = [self._operate(operator, one, other) for one in lefts for other in rights][:4]
        return Choice(tuple(ways))

    def _operate(self, operator: str, left: Any, right: Any) -> Any:
        self.state.reading.spend(_size(left) + _size(right))
        value = operate(operator, left, right)
        if value is not None:
            return value
        return self.state.result("result", self._unknown_marks(left, right, operator))

    def _unknown_marks(self, left: Any, right: Any, operator: str) -> frozenset[str]:
        """Return where an unknown result came from; a known text that was changed beyond reading is disguised."""
        marks = self.state.marks(left, right)
        return marks | {"decoded"} if operator in ("-bxor", "-replace", "-split") else marks

    def _list(self, node: Node) -> Any:
        return [self.evaluate(child) for child in node.named_children[:MAX_ITEMS]]

    def _unary(self, node: Node) -> Any:
        children = node.children
        operator = self.text(children[0]).lower()
        value = self.evaluate(children[-1])
        if operator == "-join":
            return operate("-join", value, "")
        if operator == "-split":
            return operate("-split", value, None) or value
        if operator == "-" and isinstance(value, (int, float)):
            return -value
        if operator == ",":
            return [value]
        if operator in ("-not", "!", "-bnot"):
            return not value if isinstance(value, bool) else self.state.result("result", self.state.marks(value))
        return value

    def _cast(self, node: Node) -> Any:
        kind, target = type_name(self.text(node.children[0])), _unwrap(node.children[-1])
        if kind == "ref" and target.type == "variable":
            self.state.referenced.add(plain_name(self.text(target)))
        return convert(self, kind, self.evaluate(node.children[-1]), node)

    def _step(self, node: Node) -> Any:
        """`$i++` and its like: the number, and from then on one more or less."""
        target = next((child for child in node.named_children), node)
        value = self.evaluate(target)
        if isinstance(value, int) and _unwrap(target).type == "variable":
            step = 1 if "increment" in node.type else -1
            self.state.set(self.text(target), value + step, self.state.at(node))
        return value

    def _string(self, node: Node) -> Any:
        child = next(iter(node.named_children), None) if node.type == "string_literal" else node
        if child is None:
            return ""
        if child.type.startswith("verbatim"):
            return verbatim(self.text(child))
        return expand(self.state.source, child, self.evaluate_in)

    def _integer(self, node: Node) -> Any:
        text = self.text(node).lower().rstrip("ldun") if "x" not in self.text(node).lower() else self.text(node)
        unit = _UNITS.get(text[-2:], 1)
        text = text[:-2] if unit > 1 else text
        try:
            return int(text[:40], 0) * unit if "x" in text.lower() else int(text[:40]) * unit
        except ValueError:
            return self.text(node)

    def _real(self, node: Node) -> Any:
        text = self.text(node).lower()
        unit = _UNITS.get(text[-2:], 1)
        try:
            return float((text[:-2] if unit > 1 else text).rstrip("ld")) * unit
        except ValueError:
            return text

    def _variable(self, node: Node) -> Any:
        name = self.text(node)
        return self._empty_block() if EMPTY_BLOCK.fullmatch(name) else self.state.get(name, self.state.at(node))

    def _empty_block(self) -> ScriptBlock:
        empty = self.state.source.inner("")
        return ScriptBlock(empty, empty.root)

    def _brackets(self, node: Node) -> Any:
        value = self.statements(node)
        return items_of(value) if node.type == "array_expression" else value

    def _hash(self, node: Node) -> dict[str, Any]:
        found: dict[str, Any] = {}
        left = [child for body in node.named_children for child in body.named_children]
        for entry in left:
            if entry.type != "hash_entry" or entry.named_child_count < 2:
                continue
            key, value = entry.named_children[0], entry.named_children[-1]
            name = (
                self.text(key)
                if next(iter(key.named_children), None) is None or _is_name(key)
                else text_of(self.evaluate(key))
            )
            found[name.strip("'\"").lower()] = self.statements(value)
        return found

    def _block(self, node: Node) -> ScriptBlock:
        return ScriptBlock(self.state.source, node)

    def _type(self, node: Node) -> Type:
        name = type_name(self.text(node))
        known = described_names(self) if self.state.namespaces else ()
        for namespace in self.state.namespaces:
            full = f"{namespace}.{name}".removeprefix("system.").lstrip(".")
            if any(one == full or one.startswith(f"{full}.") for one in known):
                return Type(full)
        return Type(name)

    def _member(self, node: Node) -> Any:
        owner = self.evaluate(node.children[0])
        return self._each_owner(owner, lambda one: read_member(self, one, self._name_of(node), node))

    def _each_owner(self, owner: Any, use: Callable[[Any], Any]) -> Any:
        if isinstance(owner, Choice):
            return Choice(tuple(use(one) for one in owner.values))
        return use(owner)

    def _name_of(self, node: Node) -> str:
        name = next((child for child in node.named_children if child.type == "member_name"), None)
        if name is None:
            return ""
        inner = next(iter(name.named_children), None)
        if inner is None or inner.type == "simple_name":
            return self.text(name).strip().lower()
        return text_of(self.evaluate(inner)).lower()

    def _invoke(self, node: Node) -> Any:
        self.state.see(node)
        owner = self.evaluate(node.children[0])
        name = self._name_of(node)
        arguments = self._arguments(node)
        if HOLE in name:
            self.state.reading.unread("a method whose name is not known", self.state.at(node))
        held = _unwrap(node.children[0])
        if name in FILLING and isinstance(owner, Instance):
            self._fill(node.children[0], arguments)
        if name in INVOKING and held.type == "member_access" and not is_callable(owner):  # `$text.Replace.Invoke(…)`
            owner, name = self.evaluate(held.children[0]), self._name_of(held)
        return self._each_owner(owner, lambda one: call_member(self, one, name, arguments, node))

    def _arguments(self, node: Node) -> list[Any]:
        given = [child for child in node.named_children if child.type == "argument_list"]
        return [value for child in given for value in self._argument_list(child)]

    def _argument_list(self, node: Node) -> list[Any]:
        """Return what stands in brackets right behind a word, `New-Object Type(…)`: a list."""
        return [self.evaluate(one) for inner in node.named_children for one in inner.named_children]

    def _element(self, node: Node) -> Any:
        owner = self.evaluate(node.children[0])
        at = [self.evaluate(child) for child in node.named_children[1:]]
        return index(self, owner, at[0] if len(at) == 1 else at)

    def _bare(self, node: Node) -> Any:
        return self.word(node.start_byte, self.state.source.words.get(node.start_byte, node.end_byte))

    def assign(self, target: Node, value: Any, node: Node) -> None:
        """Set what stands to the left of an assignment."""
        inner = _unwrap(target)
        while inner.type in ("expression_with_unary_operator", "cast_expression", "left_assignment_expression"):
            last = inner.named_children[-1] if inner.named_children else None
            if last is None:
                break
            if inner.type == "cast_expression":  # `[scriptblock]$code = '…'`
                value = convert(self, type_name(self.text(inner.children[0])), value, node)
            inner = _unwrap(last)
        if inner.type == "variable":
            self.state.set(self.text(inner), value, self.state.at(node))
        elif inner.type == "array_literal_expression":
            values = items_of(value)
            for at, child in enumerate(inner.named_children):
                self.assign(child, values[at] if at < len(values) else None, node)
        elif inner.type in ("member_access", "element_access"):
            self._assign_part(inner, value)

    def _assign_part(self, node: Node, value: Any) -> None:
        """Set a property or an item: of a hash it is kept; what is put into anything else leaves it marked."""
        owner = self.evaluate(node.children[0])
        if node.type == "member_access":
            key: Any = self._name_of(node)
        else:
            key = self.evaluate(node.named_children[-1])
        if isinstance(owner, dict):
            for one in owner if not is_known(key) else ():  # any of them may be meant
                owner[one] = Choice(tuple(flat_ways([owner[one], value])))
            owner[text_of(key).lower()] = value
        elif isinstance(owner, list) and isinstance(key, int) and -len(owner) <= key < len(owner):
            owner[key] = value
        elif isinstance(owner, Type):
            assign_static(self, f"{owner.name}.{key}", value, node)
        else:
            self._assign_property(node, str(key), value)

    def _assign_property(self, node: Node, key: str, value: Any) -> None:
        """Set a property of an object, or of an object in it; what the text does not follow is not known any more."""
        root = _unwrap(node)
        while root.type in ("member_access", "element_access"):
            root = _unwrap(root.children[0])
        name = plain_name(self.text(root)) if root.type == "variable" else ""
        held = self.state.variables.get(name)
        if key.lower() == "value" and not isinstance(held, Instance):
            self.state.set_referenced(held if name else unknown("reference"), value)
        if isinstance(held, Instance) and len(held.arguments) < MAX_PROPERTIES:
            self.state.variables[name] = Instance(held.type, (*held.arguments, {key: value}))
        elif isinstance(held, (str, int, Choice)):
            self.state.variables[name] = self.state.result(name, self.state.marks(held, value))

    def _fill(self, node: Node, arguments: list[Any]) -> None:
        """Note what a list of an object is given: `$process.StartInfo.ArgumentList.Add("…")`."""
        held = _unwrap(node)
        if held.type == "member_access" and arguments:
            before, key = self.evaluate(held), self._name_of(held)
            parts = before.arguments if isinstance(before, Instance) else ()
            known = [one[key] for one in parts if isinstance(one, dict) and key in one]
            self._assign_property(held, key, [*items_of(known[-1] if known else None), arguments[0]])


def _is_name(key: Node) -> bool:
    inner = next(iter(key.named_children), None)
    return inner is not None and inner.type == "simple_name"


def _unwrap(node: Node) -> Node:
    """Return the node that says something, past those that only stand around it."""
    while node.child_count == 1 and node.named_child_count == 1 and node.type not in _HANDLERS_OF_ONE:
        node = node.named_children[0]
    return node


def _size(value: Any) -> int:
    return len(value) // 256 if isinstance(value, (str, list)) else 0


_HANDLERS_OF_ONE = frozenset(
    "string_literal integer_literal real_literal variable script_block_expression type_literal command "
    "expandable_string_literal program".split()
)
_BINARY = ("logical", "bitwise", "comparison", "additive", "multiplicative", "format", "range")
_HANDLERS: dict[str, Callable[[Any, Node], Any]] = {
    **{f"{name}_expression": Expressions._binary for name in _BINARY},
    **{f"{name}_argument_expression": Expressions._binary for name in _BINARY},
    **dict.fromkeys(
        (
            "pre_increment_expression",
            "post_increment_expression",
            "pre_decrement_expression",
            "post_decrement_expression",
        ),
        Expressions._step,
    ),
    **dict.fromkeys(
        ("parenthesized_expression", "sub_expression", "array_expression"),
        Expressions._brackets,
    ),
    **dict.fromkeys(
        (
            "string_literal",
            "expandable_string_literal",
            "expandable_here_string_literal",
            "verbatim_string_characters",
            "verbatim_here_string_characters",
        ),
        Expressions._string,
    ),
    **dict.fromkeys(
        ("integer_literal", "decimal_integer_literal", "hexadecimal_integer_literal"), Expressions._integer
    ),
    **dict.fromkeys(("generic_token", "simple_name"), Expressions._bare),
    "array_literal_expression": Expressions._list,
    "unary_expression": Expressions._unary,
    "expression_with_unary_operator": Expressions._unary,
    "cast_expression": Expressions._cast,
    "real_literal": Expressions._real,
    "variable": Expressions._variable,
    "braced_variable": Expressions._variable,
    "hash_literal_expression": Expressions._hash,
    "script_block_expression": Expressions._block,
    "type_literal": Expressions._type,
    "member_access": Expressions._member,
    "invokation_expression": Expressions._invoke,
    "element_access": Expressions._element,
    "argument_list": Expressions._argument_list,
    **dict.fromkeys(
        ("pipeline", "pipeline_chain", "statement_list", "command"), lambda self, node: self.statements(node)
    ),
}
