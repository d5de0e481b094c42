"""Lua."""

from __future__ import annotations

from typing import Any

from tree_sitter import Node

from interlock.analyse.flow import Flow
from interlock.analyse.reading import Reading, Site
from interlock.analyse.scripts.syntaxes.lua import LUA
from interlock.analyse.scripts.trees import node_readers as m
from interlock.analyse.scripts.trees import target_readers as t
from interlock.analyse.scripts.trees.language import AssignTarget, Handler, Language
from interlock.analyse.scripts.trees.reader import read_tree
from interlock.analyse.scripts.trees.walker import Walker
from interlock.analyse.scripts.values import as_text


def _string(walker: Walker, node: Node) -> Any:
    start, content = node.child_by_field_name("start"), node.child_by_field_name("content")
    if content is None:
        return ""
    escapes = start is not None and walker.of(start) in "'\""
    return walker.gaps(content, m.unescape_decimal) if escapes else walker.of(content)


def _table(walker: Walker, node: Node) -> Any:
    found: list[Any] = []
    pairs: dict[str, Any] = {}
    for field in node.named_children:
        name, value = field.child_by_field_name("name"), field.child_by_field_name("value")
        if value is None:
            walker.each(field)
        elif name is None:
            found += m.items_of(walker, [value])
        else:
            computed = field.children[0].type == "["
            key = as_text(walker.evaluate(name)) if computed else walker.of(name)
            pairs[key[:100]] = walker.evaluate(value)
    return pairs if pairs and not found else [*found, pairs] if pairs else found


def _unary(walker: Walker, node: Node) -> Any:
    """`#list`, `-number`, `not value`."""
    value = walker.evaluate(node.named_children[-1]) if node.named_child_count else ""
    if walker.of(node)[:1] == "#" and isinstance(value, list):
        return len(value)
    return value if walker.of(node)[:1] == "#" and isinstance(value, dict) else walker.mix(value)


def _element(walker: Walker, node: Node) -> Any:
    """`table[key]`: lists are counted from one."""
    owner, field = node.child_by_field_name("table"), node.child_by_field_name("field")
    value = walker.resolve(owner) if owner is not None else ""
    key = walker.evaluate(field) if field is not None else ""
    return m.pick(walker, value, key - 1 if type(key) is int and isinstance(value, list) else key)


def _assignment(walker: Walker, node: Node) -> Any:
    """`a, b = 1, 2`."""
    names = [child for part in node.named_children if part.type == "variable_list" for child in part.named_children]
    given = [child for part in node.named_children if part.type == "expression_list" for child in part.named_children]
    values = [walker.evaluate(child) for child in given]
    if given and len(names) > len(values) and given[-1].type == "function_call" and isinstance(values[-1], list):
        values[-1:] = values[-1]  # a function that returns several values
    for index, name in enumerate(names):
        walker.assign_to(name, "=", values[index] if index < len(values) else values[-1] if values else None)
    return values[0] if values else ""


#: Iterators that give a key first.
_BY_KEYS = ("pairs", "ipairs", "next")


def _for(walker: Walker, node: Node) -> Any:
    walker.branches = True
    names = [child for part in node.named_children if part.type == "variable_list" for child in part.named_children]
    given = [child for part in node.named_children if part.type == "expression_list" for child in part.named_children]
    values = [walker.evaluate(child) for child in given]
    for name in names[1:] or names:
        is_key = name is names[0] and given and walker.of(given[0]).startswith(_BY_KEYS)
        walker.assign_to(name, "bind", None if is_key else m.one_of(walker, values[0] if values else ""))
    return ""


def _owner(table: str, key: str) -> AssignTarget:
    def read(walker: Walker, node: Node) -> tuple[Any, Any]:
        owner, field = node.child_by_field_name(table), node.child_by_field_name(key)
        value = walker.evaluate(owner) if owner is not None else ""
        if field is None:
            return value, ""
        name = walker.of(field) if node.type == "dot_index_expression" else walker.evaluate(field)
        return value, name - 1 if type(name) is int and isinstance(value, list) else name

    return t.to_element(read)


NODES: dict[str, Handler] = {
    **dict.fromkeys(("chunk", "block"), m.statements),
    **dict.fromkeys(("comment", "hash_bang_line", "empty_statement", "label_statement", "goto_statement"), m.nothing),
    **dict.fromkeys(
        (
            "if_statement",
            "elseif_statement",
            "else_statement",
        ),
        m.branch,
    ),
    **dict.fromkeys(("while_statement", "repeat_statement", "for_statement"), m.repeat),
    **dict.fromkeys(("true", "false"), m.boolean),
    "for_generic_clause": _for,
    **dict.fromkeys(("identifier", "vararg_expression"), m.name),
    "number": m.number,
    "string": _string,
    "table_constructor": _table,
    "dot_index_expression": m.member("table", "field"),
    "method_index_expression": m.member("table", "method"),
    "bracket_index_expression": _element,
    "function_call": m.call("name", "arguments"),
    "binary_expression": m.operation,
    "unary_expression": _unary,
    "assignment_statement": _assignment,
    "return_statement": m.returns_first,
    "function_declaration": m.function(),
    "function_definition": m.read_function,
}
TARGETS: dict[str, AssignTarget] = {
    "identifier": t.to_name,
    "dot_index_expression": _owner("table", "field"),
    "bracket_index_expression": _owner("table", "field"),
    "vararg_expression": t.to_name,
}
SCRIPT = Language(("lua",), NODES, TARGETS, {"function_definition": "body"}, frozenset({"function_call"}))


def read_lua(reading: Reading, text: str, site: Site, stdin: Flow) -> Flow:
    """Read Lua."""
    return read_tree(reading, text, site, stdin, LUA, SCRIPT)
