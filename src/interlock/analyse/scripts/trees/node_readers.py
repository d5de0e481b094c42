"""What nodes mean in any language: functions that read a node, or that make such a function from names of fields."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

from tree_sitter import Node

from interlock.analyse.files.paths import HOLE
from interlock.analyse.scripts.loops import report_loop
from interlock.analyse.scripts.operators import combine
from interlock.analyse.scripts.scope import SPREAD
from interlock.analyse.scripts.strings import unescape as unescape_quoted
from interlock.analyse.scripts.syntax import Quote
from interlock.analyse.scripts.trees.language import Handler, span
from interlock.analyse.scripts.trees.walker import Walker
from interlock.analyse.scripts.values import (
    CLIENTS,
    MAX_CHOICES,
    MAX_ITEMS,
    MAX_TEXT,
    Choice,
    Ref,
    as_text,
    either,
    map_text,
    unknown,
)

_C = Quote("", "c")
_RAW = Quote("'", "quote")
_DECIMAL = Quote("", "decimal")


def unescape(text: str) -> str:
    """Return what an escape stands for in most languages."""
    return unescape_quoted(text, _C)


def unescape_quote(text: str) -> str:
    """Return what an escape stands for between single quotes."""
    return unescape_quoted(text, _RAW)


def unescape_decimal(text: str) -> str:
    """Return what an escape stands for in Lua."""
    return unescape_quoted(text, _DECIMAL)


def nothing(_walker: Walker, _node: Node) -> Any:
    """A node that does nothing: a comment, a type."""
    return ""


def statements(walker: Walker, node: Node) -> Any:
    """Statements one after the other."""
    return walker.block(node)


def branch(walker: Walker, node: Node) -> Any:
    """Statements that may happen or not; as a value, any of the branches."""
    walker.branches = True
    value: Any = ""
    arms: list[Any] = []
    for child in node.named_children:
        value = walker.evaluate(child)
        if child.type in _ARMS:
            arms.append(value)
    return reduce(either, arms) if arms else value


#: The branches of a statement that has a value.
_ARMS = frozenset({"block", "else", "elsif", "in_clause", "rescue", "then", "when"})


def repeat(walker: Walker, node: Node, parts: list[Node] | None = None, turns: str = "") -> Any:
    """Statements that are repeated: what they do in the loop is looked at as a whole.

    The variable `turns` begins each turn with the value that it has now.
    """
    walker.branches = True
    walker.loops += 1
    first = len(walker.reading.effects)
    children = node.named_children if parts is None else parts
    before = walker.copy_names() if walker.loops == 1 else {}
    turn = before.pop(turns, None)
    for child in children:
        walker.evaluate(child)
    if any(walker.names.get(name) != value for name, value in before.items()):  # the next time is another one
        if turn is not None:
            walker.names[turns] = turn
        walker.read_again(lambda: [walker.evaluate(child) for child in children])
    walker.loops -= 1
    report_loop(walker.reading, walker.of(node), first, walker.where(span(node)))
    return ""


def increment(walker: Walker, node: Node) -> Any:
    """`i++`: a number changes, and a text becomes another one in Perl and PHP."""
    target = node.child_by_field_name("argument") or next(iter(node.named_children), None)
    if target is None:
        return ""
    value = walker.evaluate(target)
    if type(value) in (int, str) and target.type in walker.language.targets:
        after = _stepped(walker, value, "--" in walker.of(node))
        walker.assign_to(target, "=", after)
        return after if walker.of(node)[:2] in ("++", "--") else value
    return value


def _stepped(walker: Walker, value: int | str, is_down: bool) -> Any:
    if isinstance(value, str) and HOLE not in value:
        return either(value, unknown("text"))
    if isinstance(value, str) or walker.loops or walker.is_uncertain():
        return unknown("number")
    return value - 1 if is_down else value + 1


def boolean(walker: Walker, node: Node) -> Any:
    """`true` or `false`."""
    return walker.of(node).lower() == "true"


def last(walker: Walker, node: Node) -> Any:
    """Values of which the last one counts."""
    value: Any = ""
    for child in node.named_children:
        value = walker.resolve(child)
    return value


def first(walker: Walker, node: Node) -> Any:
    """A value with something behind it that says nothing: a type, a cast."""
    children = node.named_children
    return walker.resolve(children[0]) if children else ""


def final(walker: Walker, node: Node) -> Any:
    """A value with something before it that says nothing: a type, a cast."""
    children = node.named_children
    return walker.resolve(children[-1]) if children else ""


def name(walker: Walker, node: Node) -> Any:
    """A name: what it stands for, or itself."""
    return look_up(walker, walker.of(node))


def look_up(walker: Walker, text: str) -> Any:
    """Return what a name stands for: a value, the input, the environment, or itself."""
    if HOLE in text:
        return text
    held = walker.names.get(text)
    if held is not None:
        return held
    if text in walker.syntax.inputs:
        return walker.taint("input", text)
    return Ref("ENV" if text in walker.syntax.environment else text)


def number(walker: Walker, node: Node) -> Any:
    """A number; one that is no whole number stays a text."""
    text = walker.of(node)
    try:
        return int(text.replace("_", "")[:18], 0 if text[:2].lower() in ("0x", "0b") else 10)
    except ValueError:
        return text


def string(how: Callable[[str], str] = unescape) -> Handler:
    """Return the handler of strings, with what is filled in."""

    def read(walker: Walker, node: Node) -> Any:
        return map_text(walker.text_in(node, how), _shorten)

    return read


def _shorten(text: str) -> str:
    return text[:MAX_TEXT]


def command(walker: Walker, node: Node) -> Any:
    """A command in quotes: it runs."""
    return walker.run_text(walker.text_in(node, unescape), span(node))


def plain_pattern(_walker: Walker, _node: Node) -> Any:
    """A regular expression that nothing is filled into."""
    return unknown("pattern")


def heredoc_text(walker: Walker, node: Node) -> Any:
    """The text of a here-document, which is read where it is announced; if it is not, what is filled in is read."""
    return "" if walker.source.is_announced(node) else walker.block(node)


def pattern(walker: Walker, node: Node) -> Any:
    """A regular expression: what is filled in is read."""
    for child in node.named_children:
        if child.named_child_count or child.type == "interpolation":
            walker.each(child)
    return unknown("pattern")


def member(owner: str, key: str) -> Handler:
    """Return the handler of `owner.key`."""

    def read(walker: Walker, node: Node) -> Any:
        left, right = node.child_by_field_name(owner), node.child_by_field_name(key)
        value = walker.resolve(left) if left is not None else ""
        return walker.member(value, member_name(walker, right)) if right is not None else value

    return read


def member_name(walker: Walker, node: Node) -> str:
    """Return the name of a member: as it is written, or as it is computed."""
    if not node.named_child_count or node.type in ("name", "identifier"):
        return walker.of(node)
    return as_text(walker.evaluate(node))


def element(owner: str, key: str) -> Handler:
    """Return the handler of `owner[key]`; without fields, of the first two children."""

    def read(walker: Walker, node: Node) -> Any:
        left = node.child_by_field_name(owner) if owner else None
        right = node.child_by_field_name(key) if key else None
        rest = [child for child in node.named_children if child not in (left, right)]
        left = left or (rest.pop(0) if rest else None)
        right = right or (rest.pop(0) if rest else None)
        value = walker.resolve(left) if left is not None else ""
        found = walker.evaluate(right) if right is not None else ""
        for child in rest:
            walker.evaluate(child)
        return pick(walker, value, found)

    return read


def pick(walker: Walker, value: Any, key: Any) -> Any:
    """Return an element of a value; one whose name is not known could be any."""
    if isinstance(value, Choice):
        return Choice(tuple(pick(walker, one, key) for one in value.values[:MAX_CHOICES]))
    if isinstance(value, Ref) and not walker.is_environment(value) and HOLE in as_text(key):
        return walker.member(value, as_text(key)[:60])
    if isinstance(value, (list, dict)) and HOLE in as_text(key):
        function = walker.pick_function(value)
        if function is not None:
            return function
    return walker.subscript(value, key)


def call(function: str, arguments: str) -> Handler:
    """Return the handler of `function(arguments)`."""

    def read(walker: Walker, node: Node) -> Any:
        callee = node.child_by_field_name(function)
        value: Any = walker.literal(callee)
        if value is None and callee is not None:
            value = walker.resolve(callee)
        return walker.call(value, arguments_of(walker, node.child_by_field_name(arguments)), span(node))

    return read


def arguments_of(walker: Walker, node: Node | None) -> list[Any]:
    """Return what a call is given; named arguments come last, as one hash."""
    return items_of(walker, node.named_children) if node is not None else []


def items_of(walker: Walker, nodes: list[Node]) -> list[Any]:
    """Return values in a row; pairs come last, as one hash."""
    found: list[Any] = []
    pairs: dict[str, Any] = {}
    for node in nodes:
        kind = node.type
        if kind == "comment":
            continue
        if kind in PAIRS:
            add_pair(walker, node, pairs)
        elif kind in SPREADS:
            inner = node.named_children[0] if node.named_child_count else None
            found += _spread(walker, walker.evaluate(inner) if inner is not None else look_up(walker, walker.of(node)))
        else:
            value = walker.literal(node)
            found.append(value if value is not None else walker.evaluate(node))
    if pairs:
        found.append(pairs)
    return found[:MAX_ITEMS]


def _spread(walker: Walker, value: Any) -> list[Any]:
    """Return the elements that a value is spread into: of a text, in JavaScript, its letters."""
    if isinstance(value, str) and walker.syntax.name == "javascript" and HOLE not in value:
        return list(value[:MAX_ITEMS])
    return value if isinstance(value, list) else [value]


PAIRS = frozenset({"pair", "keyword_argument"})
SPREADS = frozenset({"forward_argument", "spread_element", "splat_argument", "vararg_expression", "variadic_unpacking"})


def add_pair(walker: Walker, node: Node, pairs: dict[str, Any]) -> None:
    """Read `key: value`."""
    key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
    if key is None:
        return
    text = key_name(walker, key)[:100]
    pairs[text] = walker.evaluate(value) if value is not None else walker.names.get(text, Ref(text))


def key_name(walker: Walker, node: Node) -> str:
    """Return the key of a pair: a name stands for itself."""
    if node.type in KEYS:
        return walker.of(node).strip(":")
    return as_text(walker.evaluate(node))


KEYS = frozenset({"property_identifier", "hash_key_symbol", "identifier", "private_property_identifier"})


def items(walker: Walker, node: Node) -> Any:
    """A list."""
    return items_of(walker, node.named_children)


def mapping(walker: Walker, node: Node) -> Any:
    """A hash: its pairs; what is spread into it counts too."""
    pairs: dict[str, Any] = {}
    for child in node.named_children:
        if child.type in PAIRS:
            add_pair(walker, child, pairs)
        elif child.type in ("shorthand_property_identifier",):
            pairs[walker.of(child)] = look_up(walker, walker.of(child))
        else:
            value = walker.evaluate(child)
            pairs |= value if isinstance(value, dict) else {SPREAD: value}
    return pairs


def operation(walker: Walker, node: Node) -> Any:
    """A binary operation; a row of them is read without going deeper for each."""
    rights: list[tuple[str, Node | None]] = []
    kind = node.type
    current: Node | None = node
    while current is not None and current.type == kind:
        operator = current.child_by_field_name("operator")
        rights.append((walker.of(operator) if operator is not None else "", current.child_by_field_name("right")))
        current = current.child_by_field_name("left")
    value = walker.evaluate(current) if current is not None else ""
    for mark, right in reversed(rights):
        walker.reading.spend()
        value = combine(walker, mark, value, walker.evaluate(right) if right is not None else "")
    return value


def unary(walker: Walker, node: Node) -> Any:
    """An operation on one value: of a number the sign is known, of anything else only where it comes from."""
    operand = node.named_children[-1] if node.named_child_count else None
    if operand is None:
        return ""
    value = walker.evaluate(operand)
    mark = walker.source.text[node.start_byte : operand.start_byte].strip(" (")
    if type(value) is int and mark in ("-", "+"):
        return -value if mark == "-" else value
    if mark == "-" and type(value) is str and walker.syntax.name == "perl" and value[:1].isalpha():
        return f"-{value}"
    if mark in ("!", "not") and type(value) in (bool, int):
        return not value
    return walker.mix(value) if mark in _OPERATIONS else value


#: Operators before a value that make something else of it.
_OPERATIONS = frozenset({"!", "+", "-", "defined?", "not", "typeof", "~"})


def conditional(*fields: str) -> Handler:
    """Return the handler of `condition ? this : that`."""

    def read(walker: Walker, node: Node) -> Any:
        condition = node.child_by_field_name("condition")
        before = walker.evaluate(condition) if condition is not None else ""
        ways = [node.child_by_field_name(field) for field in fields]
        values = [walker.evaluate(way) for way in ways if way is not None]
        return Choice(tuple(values if len(values) > 1 else [before, *values]))

    return read


def function(naming: str = "name", body: str = "body", parameters: str = "parameters") -> Handler:
    """Return the handler of a function that is defined: its body is read, and calls of it are followed."""

    def read(walker: Walker, node: Node) -> Any:
        named = node.child_by_field_name(naming)
        if named is not None and named.type == "computed_property_name":
            walker.resolve(named)
        text = walker.of(named).rpartition(".")[2].rpartition(":")[2] if named is not None else ""
        return walker.define(text, node.child_by_field_name(parameters), node.child_by_field_name(body))

    return read


def returns_first(walker: Walker, node: Node) -> Any:
    """`return`, with its values in a node of their own."""
    return returns(walker, node.named_children[0] if node.named_child_count else node)


def returns(walker: Walker, node: Node) -> Any:
    """`return value`."""
    values = items_of(walker, node.named_children)
    value = values[0] if len(values) == 1 else values if values else ""
    walker.returned.append(value)
    return value


def loop(left: str, right: str) -> Handler:
    """Return the handler of a loop over a list: its name is each of the list's values."""

    def read(walker: Walker, node: Node) -> Any:
        target, given = node.child_by_field_name(left), node.child_by_field_name(right)
        value = walker.evaluate(given) if given is not None else ""
        if isinstance(value, dict) and any(child.type == "in" for child in node.children):
            value = list(value)  # its keys
        if target is not None:
            walker.assign_to(target, "bind", one_of(walker, value))
        rest = [child for child in node.named_children if child not in (target, given)]
        return repeat(walker, node, rest)

    return read


def one_of(walker: Walker, value: Any) -> Any:
    """Return what stands for each element of a list or a hash in turn."""
    value = list(value.values()) if isinstance(value, dict) and value else value
    if isinstance(value, list) and value:
        if len(value) <= MAX_CHOICES:
            return Choice(tuple(value)) if len(value) > 1 else value[0]
        return walker.mix(*value)
    if isinstance(value, Ref) and value.name.startswith(CLIENTS):
        return Ref(f"{value.name}.[]", value.owner)
    if isinstance(value, Ref) and walker.has_runners(value):
        return walker.member(value, unknown())
    if isinstance(value, str) and "*" in value and HOLE not in value and " " not in value:
        return value  # a pattern stands for the files that it matches
    return walker.mix(value) if walker.marks(value) else None


def read_function(walker: Walker, node: Node) -> Any:
    """Return a function without a name, whose body is read as if it were called: something else may call it."""
    function = walker.literal(node)
    if function is not None:
        walker.read_body(function, [])
    return function
