"""Ruby."""

from __future__ import annotations

import re
from functools import partial, reduce
from typing import Any

from tree_sitter import Node

from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import Flow
from interlock.analyse.reading import Reading, Site
from interlock.analyse.scripts.callables import report_unknown_callee, runner, runners_in, store_outside
from interlock.analyse.scripts.changes import change_by_call, change_text
from interlock.analyse.scripts.operators import combine
from interlock.analyse.scripts.search_paths import add_search_path, is_search_path
from interlock.analyse.scripts.strings import unescape
from interlock.analyse.scripts.syntax import Quote
from interlock.analyse.scripts.syntaxes.ruby import RUBY
from interlock.analyse.scripts.trees import node_readers as m
from interlock.analyse.scripts.trees import target_readers as t
from interlock.analyse.scripts.trees.language import AssignTarget, Handler, Language, span
from interlock.analyse.scripts.trees.reader import read_tree
from interlock.analyse.scripts.trees.source import ScriptSource
from interlock.analyse.scripts.trees.walker import MAX_ELEMENTS, Walker
from interlock.analyse.scripts.values import (
    Ref,
    ScriptFunction,
    as_text,
    either,
    is_constant,
    join_all,
    map_text,
    unknown,
)
from interlock.patterns import late

#: Methods that call what they belong to, and those that make a function of a block.
_CALLERS = frozenset({"bind_call", "call", "()", "yield", "to_proc", "curry", "unbind", "bind"})
_METHODS = frozenset({"instance_method", "method", "public_instance_method", "public_method", "singleton_method"})
_MAKERS = frozenset({"lambda", "proc", "Proc.new"})


def _name(walker: Walker, node: Node) -> Any:
    """A name: a variable, or a method that is called without anything."""
    value = m.name(walker, node)
    if walker.of(node) in walker.names:
        return value
    if isinstance(value, Ref) and (walker.knows(value) or value.name in walker.functions):
        return walker.call(value, [], span(node))
    return value


def _call(walker: Walker, node: Node) -> Any:
    receiver, method = node.child_by_field_name("receiver"), node.child_by_field_name("method")
    text = walker.of(method) if method is not None else "call"
    value: Any = None
    if receiver is not None:
        value = walker.literal(receiver)
        value = walker.resolve(receiver) if value is None else value
    given = _arguments(walker, node)
    if receiver is None:
        held = walker.names.get(text)
        callee: Any = held if isinstance(held, (Ref, ScriptFunction)) else Ref(text) if HOLE not in text else text
    elif text in _CALLERS and isinstance(value, Ref) and value.name[:1] == "." and value.owner is None and given:
        callee, given = walker.member(given[0], value.name[1:]), given[1:]  # `:name.to_proc.call(object)`
    elif text in _CALLERS and (isinstance(value, ScriptFunction) or (isinstance(value, Ref) and walker.knows(value))):
        callee = value
        if text == "bind_call":
            given = given[1:]
        elif text not in ("call", "()", "yield"):
            return value
    else:
        callee = walker.member(value, text)
        if text in ("call", "()"):  # of something that is not known
            report_unknown_callee(walker, as_text(value), given, span(node))
    if isinstance(callee, Ref) and callee.name in _MAKERS and given and isinstance(given[-1], ScriptFunction):
        walker.read_body(given[-1], [])
        return given[-1]
    if isinstance(callee, Ref) and callee.name.rpartition(".")[2] in _METHODS and given:
        return _method_of(walker, value if receiver is not None else None, as_text(given[0]))
    if text == "to_proc" and isinstance(value, str) and HOLE not in value:
        return Ref(f".{value}")
    result = _use_elements(walker, value, text, given, node)
    if result is None:
        result = callee if isinstance(callee, (int, dict)) else walker.call(callee, given, span(node))
    _note_change(walker, receiver, text, value, given)
    return result


def _use_elements(walker: Walker, items: Any, name: str, given: list[Any], node: Node) -> Any:
    """`list.map(&:to_s)`, `list.reduce(:+)`, `hash.dig(:a, 1)`: what comes of elements; None for other methods."""
    if not isinstance(items, (list, dict)) or not given:
        return None
    if name in ("dig", "fetch"):
        return reduce(partial(m.pick, walker), given[: 1 if name == "fetch" else None], items)
    last = given[-1]
    if isinstance(items, dict) or not items or len(items) > MAX_ELEMENTS:
        return None
    if name in ("collect", "map") and isinstance(last, Ref) and last.name[:1] == ".":
        return [walker.call(walker.member(one, last.name[1:]), [], span(node)) for one in items]
    if name in ("inject", "reduce") and last == "+":
        return reduce(partial(combine, walker, "+"), [*given[:-1], *items])
    return None


def _note_change(walker: Walker, receiver: Node | None, name: str, value: Any, given: list[Any]) -> None:
    """Give the name of a text what a method may have made of it."""
    if receiver is not None and type(value) is str:
        _name_changed(walker, receiver, change_text(walker, name, value, given))


def _method_of(walker: Walker, owner: Any, name: str) -> Ref:
    """Return what `owner.method(:name)` stands for."""
    found = walker.member(owner, name) if owner is not None else None
    return found if isinstance(found, Ref) and walker.knows(found) else Ref(name)


def _name_changed(walker: Walker, receiver: Node, after: Any) -> None:
    """Give a name the text that a method has made of its own one."""
    if after is not None and receiver.type in TARGETS:
        walker.assign_to(receiver, "=", after)


def _arguments(walker: Walker, node: Node) -> list[Any]:
    given = m.arguments_of(walker, node.child_by_field_name("arguments"))
    block = node.child_by_field_name("block")
    function = walker.literal(block)
    return [*given, function] if function is not None else given


def _element(walker: Walker, node: Node) -> Any:
    """`owner[key]`."""
    owner = node.child_by_field_name("object")
    value = walker.resolve(owner) if owner is not None else ""
    keys = [walker.evaluate(child) for child in node.named_children if child != owner]
    if isinstance(value, Ref) and value.name in ("Dir",):
        return walker.call(Ref("Dir.[]"), keys, span(node))
    if runner(walker, value) is not None:  # `method(:system)["…"]`
        return walker.call(value, keys, span(node))
    nodes = [child for child in node.named_children if child != owner]
    return (
        _slice(walker, value, nodes, keys)
        if len(keys) != 1 or nodes[0].type == "range"
        else m.pick(walker, value, keys[0])
    )


def _slice(walker: Walker, value: Any, nodes: list[Node], keys: list[Any]) -> Any:
    """Return a part of a text or a list: `[1, 2]`, `[1..]`, `[1...-1]`."""
    bounds: list[Any] = keys
    if len(nodes) == 1:
        sides = [nodes[0].child_by_field_name(field) for field in ("begin", "end")]
        bounds = [walker.evaluate(side) if side is not None else None for side in sides]
    if not is_constant(value) or isinstance(value, int) or not all(one is None or type(one) is int for one in bounds):
        return either(value, walker.mix(value, keys)) if is_constant(value) else walker.mix(value, keys)
    start: int = bounds[0] or 0
    end: int | None = bounds[1] if len(bounds) > 1 else None
    start = start if start >= 0 else len(value) + start
    if len(nodes) == 2 and end is not None:
        return value[start : start + end]
    end = len(value) if end is None else end if end >= 0 else len(value) + end
    return value[start : end + ("..." not in walker.of(nodes[0]))]


def _global(walker: Walker, node: Node) -> Any:
    text = walker.of(node)
    if text in ("$stdin", "$stdout", "$stderr"):
        return Ref(text)
    if text in ("$:", "$LOAD_PATH"):
        return Ref("$LOAD_PATH")
    held = walker.names.get(text)
    return held if held is not None else walker.taint("input", "_") if text == "$_" else unknown(text.strip("$@"))


def _symbol(walker: Walker, node: Node) -> Any:
    return walker.of(node).lstrip(":").rstrip(":")


def _words(walker: Walker, node: Node) -> Any:
    return [map_text(walker.text_in(child, m.unescape), _unescape_blanks) for child in node.named_children]


def _unescape_blanks(word: str) -> str:
    """Return a word of `%w[a\\ b]`, in which blanks are escaped."""
    return _ESCAPED_BLANK.sub(r"\1", word)


_ESCAPED_BLANK = late(r"\\(\s)")


def _chained_strings(walker: Walker, node: Node) -> Any:
    """Texts side by side; `"…" % '…'` looks like that too, and fills values in."""
    parts = [walker.evaluate(child) for child in node.named_children]
    if len(parts) == 2 and walker.of(node.named_children[1])[:1] == "%":
        return combine(walker, "%", *parts)
    return join_all(parts)


def _quoted_string(walker: Walker, node: Node) -> Any:
    """A string: between single quotes only the quote is escaped."""
    text = walker.of(node)
    if text[:1] != "'" and text[:2] != "%q":
        return walker.text_in(node, m.unescape)
    children = node.children
    if len(children) < 2:
        return ""
    return unescape(walker.source.text[children[0].end_byte : children[-1].start_byte], Quote(text[-1], "quote"))


def _heredoc(walker: Walker, node: Node) -> Any:
    body = walker.source.heredoc(node)
    if body is None:
        return unknown("text")
    text = map_text(walker.text_in(body, m.unescape), lambda one: one.removeprefix("\n"))
    return walker.run_text(text, span(node)) if "`" in walker.of(node) else text


def _alias(walker: Walker, node: Node) -> Any:
    new, old = node.child_by_field_name("name"), node.child_by_field_name("alias")
    if new is not None and old is not None:
        walker.names[walker.of(new).lstrip(":")] = Ref(walker.of(old).lstrip(":"))
    return ""


def _block_argument(walker: Walker, node: Node) -> Any:
    """`&method(:system)`, `&:chomp`, `&block`."""
    value = walker.evaluate(node.named_children[0]) if node.named_child_count else ""
    return Ref(f".{value}") if isinstance(value, str) and value.isidentifier() else value


def _binary(walker: Walker, node: Node) -> Any:
    """An operation; `f << g` and `f >> g` make a function of two."""
    operator = node.child_by_field_name("operator")
    if operator is None or walker.of(operator) not in ("<<", ">>", "==="):
        return m.operation(walker, node)
    values = [walker.evaluate(child) for child in node.named_children]
    if walker.of(operator) == "===":  # of a method, it is a call
        is_call = isinstance(values[0], ScriptFunction) or runner(walker, values[0]) is not None
        return (
            walker.call(values[0], values[1:], span(node)) if is_call else combine(walker, "===", values[0], values[-1])
        )
    if isinstance(values[0], Ref) and is_search_path(walker, values[0].name):
        add_search_path(walker, values[-1], span(node))
    if walker.of(operator) == "<<":
        change_by_call(walker, "<<", values[0], values[1:])
        if type(values[0]) is str:
            _name_changed(walker, node.named_children[0], change_text(walker, "<<", values[0], values[1:]))
    function = next(runners_in(walker, *values), None)
    if function is not None and any(isinstance(one, (Ref, ScriptFunction)) for one in values if one != function):
        store_outside(walker, function, span(node))  # what the other one gives it is not followed
    return function if function is not None else combine(walker, walker.of(operator), values[0], values[-1])


def _behind_end(walker: Walker, node: Node) -> Any:
    """What stands behind `__END__`: text, if there is nothing else in that line, and else code."""
    text = walker.source.text
    at = text.rfind("__END__", 0, node.start_byte + len("__END__"))
    line = text[at:].partition("\n")[0] if at >= 0 else ""
    if at >= 0 and (line.rstrip("\r") != "__END__" or text[:at][-1:] not in ("", "\n")):
        walker.inner(text[at + len(line) :])
    return ""


def _element_owner(walker: Walker, node: Node) -> tuple[Any, Any]:
    owner = node.child_by_field_name("object")
    value = t.owner_of(walker, owner)
    keys = [walker.evaluate(child) for child in node.named_children if child != owner]
    return value, keys[0] if keys else ""


def _to_rest(walker: Walker, node: Node, mark: str, value: Any) -> None:
    """`*rest`, and `*` alone, which is handed on as it is."""
    name = node.child_by_field_name("name")
    walker.assign_name(walker.of(name) if name is not None else "*", mark, value)


def _match(walker: Walker, node: Node) -> Any:
    """`value => pattern`, `value in pattern`: the names in the pattern are parts of the value."""
    value, pattern = node.child_by_field_name("value"), node.child_by_field_name("pattern")
    found = walker.evaluate(value) if value is not None else ""
    if pattern is not None:
        walker.assign_to(pattern, "=", found)
    return found


def _case_match(walker: Walker, node: Node) -> Any:
    """`case value in pattern then …`."""
    subject = node.child_by_field_name("value")
    found = walker.evaluate(subject) if subject is not None else ""
    for clause in node.named_children:
        pattern = clause.child_by_field_name("pattern") if clause.type == "in_clause" else None
        if pattern is not None:
            walker.assign_to(pattern, "=", found)
    return m.branch(walker, node)


def _to_hash(walker: Walker, node: Node, mark: str, value: Any) -> None:
    """`{name: pattern, other:}`."""
    for child in node.named_children:
        key, inner = child.child_by_field_name("key"), child.child_by_field_name("value")
        if child.type != "keyword_pattern" or key is None:
            continue
        name = walker.of(key).strip(":")
        part = value.get(name) if isinstance(value, dict) else walker.mix(value)
        if inner is not None:
            walker.assign_to(inner, mark, part)
        else:
            walker.assign_name(name, mark, part)


NODES: dict[str, Handler] = {
    **dict.fromkeys(
        ("program", "body_statement", "block_body", "begin", "parenthesized_statements", "then", "do", "interpolation"),
        m.statements,
    ),
    **dict.fromkeys(("comment", "heredoc_end", "heredoc_content", "empty_statement"), m.nothing),
    "heredoc_body": m.heredoc_text,
    **dict.fromkeys(
        (
            "if",
            "elsif",
            "else",
            "unless",
            "case",
            "when",
            "case_match",
            "in_clause",
            "if_modifier",
            "unless_modifier",
            "rescue_modifier",
            "rescue",
            "ensure",
        ),
        m.branch,
    ),
    **dict.fromkeys(("while", "until", "while_modifier", "until_modifier"), m.repeat),
    **dict.fromkeys(("true", "false"), m.boolean),
    "for": m.loop("pattern", "value"),
    "identifier": _name,
    **dict.fromkeys(("constant", "instance_variable", "class_variable"), m.name),
    "global_variable": _global,
    "integer": m.number,
    "string": _quoted_string,
    "bare_string": m.string(),
    "chained_string": _chained_strings,
    "character": lambda walker, node: m.unescape(walker.of(node)[1:]),
    **dict.fromkeys(("simple_symbol", "hash_key_symbol"), _symbol),
    "delimited_symbol": m.string(),
    **dict.fromkeys(("string_array", "symbol_array"), _words),
    "subshell": m.command,
    "regex": m.pattern,
    "heredoc_beginning": _heredoc,
    **dict.fromkeys(("array", "right_assignment_list"), m.items),
    "hash": m.mapping,
    "scope_resolution": m.member("scope", "name"),
    "element_reference": _element,
    "call": _call,
    "block_argument": _block_argument,
    "binary": _binary,
    "unary": m.unary,
    "uninterpreted": _behind_end,
    "conditional": m.conditional("consequence", "alternative"),
    **dict.fromkeys(("assignment", "operator_assignment"), t.assignment),
    "return": m.returns_first,
    **dict.fromkeys(("method", "singleton_method"), m.function()),
    **dict.fromkeys(("lambda", "block", "do_block"), m.read_function),
    "alias": _alias,
    **dict.fromkeys(("match_pattern", "test_pattern"), _match),
    "case_match": _case_match,
}
TARGETS: dict[str, AssignTarget] = {
    **dict.fromkeys(("identifier", "constant", "instance_variable", "class_variable", "global_variable"), t.to_name),
    **dict.fromkeys(("left_assignment_list", "destructured_left_assignment", "destructured_parameter"), t.to_items),
    **dict.fromkeys(
        ("optional_parameter", "keyword_parameter", "hash_splat_parameter", "block_parameter"), t.to_inside("name")
    ),
    "splat_parameter": _to_rest,
    "forward_parameter": t.to_name,
    "rest_assignment": t.to_inside(),
    "array_pattern": t.to_items,
    "hash_pattern": _to_hash,
    **dict.fromkeys(("as_pattern", "find_pattern", "parenthesized_pattern"), t.to_inside("name")),
    "element_reference": t.to_element(_element_owner),
}
SCRIPT = Language(
    ("ruby",),
    NODES,
    TARGETS,
    {"lambda": "body", "block": "body", "do_block": "body"},
    frozenset({"call", "subshell"}),
    heredocs=(("heredoc_beginning",), "heredoc_body"),
)


def read_ruby(reading: Reading, text: str, site: Site, stdin: Flow) -> Flow:
    """Read Ruby."""
    spelled = _space_ranges(text) if "../" in text else text
    flow = read_tree(reading, spelled, site if spelled == text else site.replace(base=-1), stdin, RUBY, SCRIPT)
    other = _space_operators(_APPENDED.sub(r" \g<0> ", text))
    if other != text:
        read_tree(reading, other, site.replace(base=-1), stdin, RUBY, SCRIPT)
    return flow


# `list<<'text'`, which is no here-document without a blank before it.
_APPENDED = late(r"(?<=[\w)\]}])<<(?=[-~]?['\"`])")
# An operator behind a name, which begins a text if the name is a method: `total /2`, `list <<A`, `count %w`, `x ?1:2`.
_UNCLEAR = late(r"(?<![\w.:@$?!])([a-z_]\w*)[ \t]+(/|<<[-~]?(?=[\w'\"`])|%|\?)(?=\S)")


_ASSIGNED = r"\s*(?:=(?![=~>])|[,|)]|[-+*/|&<]{1,2}=)"


def _space_operators(text: str) -> str:
    """Return a text in which operators behind variables begin nothing: the grammar does not know the variables.

    >>> _space_operators("x = 1; y = x /2; puts /a/")
    'x = 1; y = x / 2; puts /a/'
    """
    names = {found[1] for found in _UNCLEAR.finditer(text)}
    variables = {name for name in names if re.search(rf"(?<![\w.]){name}{_ASSIGNED}", text)}

    def space(found: re.Match[str]) -> str:
        return f"{found[1]} {found[2]} " if found[1] in variables else found[0]

    return _UNCLEAR.sub(space, text) if variables else text


def _space_ranges(text: str) -> str:
    """Return a text with a space behind each range that a pattern ends: the grammar takes `/a/../b/` for a division."""
    left, ends = [ScriptSource(text, SCRIPT).root], []
    while left:
        node = left.pop()
        if node.type == "range" and node.child_by_field_name("end") is None and text[node.end_byte :][:1] == "/":
            ends.append(node.end_byte)
        left += node.children
    for end in sorted(ends, reverse=True):
        text = f"{text[:end]} {text[end:]}"
    return text
