"""PHP: code alone, as `php -r` takes it, or a page with code in it."""

from __future__ import annotations

from typing import Any

from tree_sitter import Node

from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import Flow
from interlock.analyse.reading import Reading, Site
from interlock.analyse.scripts.changes import change_any, change_same
from interlock.analyse.scripts.syntaxes.php import PHP
from interlock.analyse.scripts.trees import node_readers as m
from interlock.analyse.scripts.trees import target_readers as t
from interlock.analyse.scripts.trees.language import AssignTarget, Handler, Language, span
from interlock.analyse.scripts.trees.reader import read_tree
from interlock.analyse.scripts.trees.walker import Walker
from interlock.analyse.scripts.values import Ref, as_text, unknown
from interlock.patterns import late


def _variable_name(walker: Walker, node: Node) -> str:
    return walker.of(node).lstrip("$") if HOLE not in walker.of(node) else walker.of(node)


def _variable(walker: Walker, node: Node) -> Any:
    return _look_up(walker, _variable_name(walker, node))


def _look_up(walker: Walker, name: str) -> Any:
    value = m.look_up(walker, name)
    return unknown(name) if isinstance(value, Ref) and value == Ref(name) else value


def _dynamic(walker: Walker, node: Node) -> Any:
    """`$$x`, `${"a" . "b"}`."""
    inner = node.named_children[0] if node.named_child_count else None
    if inner is None:
        return unknown()
    name = walker.of(inner) if inner.type == "name" else as_text(walker.evaluate(inner))
    return _look_up(walker, name)


def _qualified_name(walker: Walker, node: Node) -> Any:
    """A name: `system`, `\\system`, `A\\B`."""
    text = walker.of(node)
    if HOLE in text:
        return text
    held = walker.names.get(f"function {text}")
    return held if held is not None else Ref(text.lstrip("\\").removeprefix("namespace\\").replace("\\", "."))


def _name(walker: Walker, node: Node) -> Any:
    """A name that stands alone: a constant."""
    text = walker.of(node)
    if text == "STDIN":
        return walker.taint("input", text)
    held = walker.names.get(f"const {text}")
    return held if held is not None else text if HOLE in text else Ref(text)


def _arguments(walker: Walker, node: Node | None) -> list[Any]:
    found: list[Any] = []
    named: dict[str, Any] = {}
    for argument in node.named_children if node is not None else ():
        name = argument.child_by_field_name("name")
        parts = [child for child in argument.named_children if child != name and child.type != "reference_modifier"]
        if argument.type in m.SPREADS or (parts and parts[0].type in m.SPREADS):
            inner = argument if argument.type in m.SPREADS else parts[0]
            value = walker.evaluate(inner.named_children[0]) if inner.named_child_count else ""
            found += value if isinstance(value, list) else [value]
        elif parts:
            value = walker.literal(parts[-1])
            value = walker.evaluate(parts[-1]) if value is None else value
            if name is not None:
                named[walker.of(name)] = value
            else:
                found.append(value)
    return [*found, named] if named else found


def _call(walker: Walker, node: Node) -> Any:
    callee = node.child_by_field_name("function")
    value: Any = walker.literal(callee)
    if value is None and callee is not None:
        value = _qualified_name(walker, callee) if callee.type == "name" else walker.resolve(callee)
    if isinstance(value, list) and len(value) == 2:  # `[$object, 'method'](…)`
        value = walker.member(value[0], as_text(value[1]))
    arguments = node.child_by_field_name("arguments")
    if arguments is not None and [child.type for child in arguments.named_children] == ["variadic_placeholder"]:
        return value  # `system(...)` is the function itself
    given = _arguments(walker, arguments)
    if isinstance(value, Ref):
        name = value.name.lower()
        if name == "define" and len(given) > 1:
            walker.names[f"const {as_text(given[0])}"] = given[1]
        elif name in ("func_get_args", "func_get_arg") and ARGUMENTS in walker.names:
            held = walker.names[ARGUMENTS]
            return m.pick(walker, held, given[0]) if given else held
        elif name in _FILLING:
            _fill(walker, name, arguments, given)
        elif callee is not None and callee.type in _COMPUTED and not walker.knows(value):
            return walker.call_unknown(as_text(value), given, span(node))
    return walker.call(value, given, span(node))


#: Functions that put something into an argument, and which one that is.
_FILLING = {
    "exec": 1, "fscanf": 2, "mb_parse_str": 1, "openssl_decrypt": 4, "parse_str": 1, "preg_match": 2,
    "preg_match_all": 2, "similar_text": 2, "socket_recv": 1, "sscanf": 2,
}  # fmt: skip
_DECODING = frozenset({"mb_parse_str", "parse_str"})


def _fill(walker: Walker, name: str, arguments: Node | None, given: list[Any]) -> None:
    """`parse_str($text, $result)`: the variable holds what was found."""
    nodes = arguments.named_children if arguments is not None else []
    for node in nodes[_FILLING[name] :]:
        target = node.named_children[-1] if node.named_child_count else None
        if target is not None and target.type in TARGETS:
            found = walker.taint("decoded", "result") if name in _DECODING else walker.mix(given[:2])
            walker.assign_to(target, "=", found)


#: What is called is the value of such a node, and no name.
_COMPUTED = frozenset({"parenthesized_expression", "subscript_expression", "member_access_expression"})
#: The name of the list that holds what a function is called with.
ARGUMENTS = "function arguments"


def _use(walker: Walker, node: Node) -> Any:
    """`use function system as s`."""
    for clause in node.named_children:
        alias = clause.child_by_field_name("alias")
        if alias is not None and clause.named_child_count:
            walker.names[f"function {walker.of(alias)}"] = _qualified_name(walker, clause.named_children[0])
    return ""


def _method(owner: str) -> Handler:
    def read(walker: Walker, node: Node) -> Any:
        left, name = node.child_by_field_name(owner), node.child_by_field_name("name")
        value: Any = ""
        if left is not None:
            value = _qualified_name(walker, left) if left.type == "name" else walker.resolve(left)
        text = m.member_name(walker, name) if name is not None and name.type != "variable_name" else ""
        if name is not None and name.type == "variable_name":
            text = as_text(_variable(walker, name))
        return walker.call(
            walker.member(value, text), _arguments(walker, node.child_by_field_name("arguments")), span(node)
        )

    return read


def _new(walker: Walker, node: Node) -> Any:
    children = node.named_children
    if not children:
        return ""
    given = next((child for child in children if child.type == "arguments"), None)
    made = children[0]
    value = _qualified_name(walker, made) if made.type == "name" else walker.resolve(made)
    for child in children[1:]:
        if child != given:
            walker.evaluate(child)
    return walker.call(value, _arguments(walker, given), span(node))


def _statement(name: str = "") -> Handler:
    """Return the handler of what is written like a statement and does what a function does: `echo`, `include`."""

    def read(walker: Walker, node: Node) -> Any:
        word = name or walker.of(node.children[0]).lower()
        values: list[Any] = []
        for child in node.named_children:
            parts = child.named_children if child.type == "sequence_expression" else [child]
            values += [walker.evaluate(part) for part in parts]
        return walker.call(Ref(word), values, span(node))

    return read


def _array(walker: Walker, node: Node) -> Any:
    found: list[Any] = []
    pairs: dict[str, Any] = {}
    for part in node.named_children:
        children = part.named_children
        if part.type == "array_element_initializer" and len(children) == 2:
            pairs[as_text(walker.evaluate(children[0]))[:100]] = walker.evaluate(children[1])
        elif part.type == "array_element_initializer" and children and children[0].type in m.SPREADS:
            value = walker.evaluate(children[0])
            found += value if isinstance(value, list) else [value]
        elif part.type != "comment":
            found.append(walker.evaluate(part))
    return pairs if pairs and not found else [*found, pairs] if pairs else found


def _heredoc(walker: Walker, node: Node) -> Any:
    body = node.child_by_field_name("value")
    return walker.text_in(body, m.unescape) if body is not None else ""


def _constant(walker: Walker, node: Node) -> Any:
    children = node.named_children
    if len(children) == 2:
        walker.names[f"const {walker.of(children[0])}"] = walker.evaluate(children[1])
    return ""


def _class_constant(walker: Walker, node: Node) -> Any:
    """`A::B`, `$object::class`."""
    walker.block(node)
    return Ref(walker.of(node).replace("::", ".")[:200])


def _is_globals(walker: Walker, node: Node) -> bool:
    """Whether a node is `$GLOBALS["name"]`."""
    children = node.named_children
    return len(children) > 1 and walker.of(children[0]) == "$GLOBALS"


def _element(walker: Walker, node: Node) -> Any:
    """`$list[key]`, `$GLOBALS["name"]`."""
    if _is_globals(walker, node):
        return _look_up(walker, as_text(walker.evaluate(node.named_children[1])))
    return _plain_element(walker, node)


_plain_element = m.element("", "")


def _foreach(walker: Walker, node: Node) -> Any:
    body = node.child_by_field_name("body")
    rest = [child for child in node.named_children if child != body]
    value = walker.evaluate(rest[0]) if rest else ""
    for target in rest[1:]:
        parts = target.named_children if target.type == "pair" else [target]
        walker.assign_to(parts[-1], "bind", m.one_of(walker, value))
    return m.repeat(walker, node, [body] if body is not None else [])


def _to_variable(walker: Walker, node: Node, mark: str, value: Any) -> None:
    name = _variable_name(walker, node)
    if name in walker.referenced and mark != "bind":
        change_same(walker, walker.names.get(name), value)
    walker.assign_name(name, mark, value)


def _reference_assignment(walker: Walker, node: Node) -> Any:
    """`$a = &$b`: two names of one variable."""
    _note_references(walker, node.named_children)
    return t.assignment(walker, node)


def _note_references(walker: Walker, nodes: list[Node]) -> None:
    walker.referenced.update(_variable_name(walker, node) for node in nodes if node.type == "variable_name")


def _by_reference(walker: Walker, node: Node) -> Any:
    """`&$a` in a list or before a closure."""
    _note_references(walker, node.named_children)
    return m.first(walker, node)


def _to_reference(walker: Walker, node: Node, mark: str, value: Any) -> None:
    """`foreach ($list as &$element)`."""
    _note_references(walker, node.named_children)
    t.to_inside()(walker, node, mark, value)


def _to_member(walker: Walker, node: Node, mark: str, value: Any) -> None:
    """`$object->name = value`."""
    owner, name = node.child_by_field_name("object"), node.child_by_field_name("name")
    container = walker.evaluate(owner) if owner is not None else ""
    key = "" if name is None else walker.of(name) if name.type == "name" else walker.evaluate(name)
    if mark == "=":
        walker.store(container, key, value)


def _to_dynamic(walker: Walker, node: Node, mark: str, value: Any) -> None:
    inner = node.named_children[0] if node.named_child_count else None
    name = "" if inner is None else walker.of(inner) if inner.type == "name" else as_text(walker.evaluate(inner))
    if name and HOLE not in name:
        walker.assign_name(name, mark, value)
    elif name:
        change_any(walker, value)


def _to_element(walker: Walker, node: Node, mark: str, value: Any) -> None:
    """`$a['key'] = value`, `$a[] = value`."""
    children = node.named_children
    if _is_globals(walker, node):
        walker.assign_name(as_text(walker.evaluate(children[1])), mark, value)
        return
    owner = walker.evaluate(children[0]) if children else ""
    key = walker.evaluate(children[1]) if len(children) > 1 else None
    if children and children[0].type == "variable_name" and not isinstance(owner, (list, dict)):
        name = _variable_name(walker, children[0])
        if name not in walker.names and HOLE not in name:
            owner = walker.names[name] = [] if key is None else {}
    if mark == "=":
        if walker.referenced:  # the element may be a variable
            change_same(walker, m.pick(walker, owner, key), value)
        walker.store(owner, key, value)


def _to_parameter(walker: Walker, node: Node, mark: str, value: Any) -> None:
    name, default = node.child_by_field_name("name"), node.child_by_field_name("default_value")
    if value is None and default is not None:
        value = walker.evaluate(default)
    if name is not None:
        if node.child_by_field_name("reference_modifier") is not None:
            _note_references(walker, [name])
        walker.assign_to(name, mark, value)


NODES: dict[str, Handler] = {
    **dict.fromkeys(("program", "compound_statement", "declaration_list", "colon_block"), m.statements),
    **dict.fromkeys(
        (
            "comment",
            "text",
            "text_interpolation",
            "php_tag",
            "php_end_tag",
            "empty_statement",
        ),
        m.nothing,
    ),
    "namespace_use_declaration": _use,
    **dict.fromkeys(("named_type", "primitive_type", "optional_type", "union_type", "attribute_list"), m.nothing),
    **dict.fromkeys(
        (
            "if_statement",
            "else_clause",
            "else_if_clause",
            "switch_statement",
            "switch_block",
            "case_statement",
            "default_statement",
            "try_statement",
            "catch_clause",
            "finally_clause",
        ),
        m.branch,
    ),
    **dict.fromkeys(("while_statement", "do_statement", "for_statement"), m.repeat),
    "boolean": m.boolean,
    "foreach_statement": _foreach,
    "variable_name": _variable,
    "dynamic_variable_name": _dynamic,
    "name": _name,
    **dict.fromkeys(("qualified_name", "relative_name"), _qualified_name),
    "integer": m.number,
    "string": m.string(m.unescape_quote),
    "encapsed_string": m.string(),
    "heredoc": _heredoc,
    "nowdoc": _heredoc,
    "nowdoc_body": m.string(str),
    "shell_command_expression": m.command,
    "array_creation_expression": _array,
    **dict.fromkeys(("member_access_expression", "nullsafe_member_access_expression"), m.member("object", "name")),
    "class_constant_access_expression": _class_constant,
    "scoped_property_access_expression": m.member("scope", "name"),
    "subscript_expression": _element,
    "function_call_expression": _call,
    **dict.fromkeys(("member_call_expression", "nullsafe_member_call_expression"), _method("object")),
    "scoped_call_expression": _method("scope"),
    "object_creation_expression": _new,
    "echo_statement": _statement(),
    "print_intrinsic": _statement("print"),
    **dict.fromkeys(
        (
            "include_expression",
            "include_once_expression",
            "require_expression",
            "require_once_expression",
        ),
        _statement(),
    ),
    "unary_op_expression": m.unary,
    "binary_expression": m.operation,
    "cast_expression": m.final,
    "conditional_expression": m.conditional("body", "alternative"),
    **dict.fromkeys(("assignment_expression", "augmented_assignment_expression"), t.assignment),
    "reference_assignment_expression": _reference_assignment,
    "by_ref": _by_reference,
    "update_expression": m.increment,
    "property_element": t.declarator("name", "default_value"),
    "const_element": _constant,
    "return_statement": m.returns,
    **dict.fromkeys(("function_definition", "method_declaration"), m.function()),
    **dict.fromkeys(("anonymous_function", "arrow_function"), m.read_function),
}
TARGETS: dict[str, AssignTarget] = {
    "variable_name": _to_variable,
    "dynamic_variable_name": _to_dynamic,
    "list_literal": t.to_items,
    "array_creation_expression": t.to_items,
    "by_ref": _to_reference,
    **dict.fromkeys(("member_access_expression", "nullsafe_member_access_expression"), _to_member),
    "subscript_expression": _to_element,
    **dict.fromkeys(("simple_parameter", "variadic_parameter", "property_promotion_parameter"), _to_parameter),
}
_FUNCTIONS = dict.fromkeys(("anonymous_function", "arrow_function"), "body")
_RUNS = frozenset(
    {
        "function_call_expression",
        "include_expression",
        "include_once_expression",
        "member_call_expression",
        "nullsafe_member_call_expression",
        "object_creation_expression",
        "require_expression",
        "require_once_expression",
        "scoped_call_expression",
        "shell_command_expression",
    }
)
CODE = Language(("php_only",), NODES, TARGETS, _FUNCTIONS, _RUNS, hole="$", arguments=ARGUMENTS)
PAGE = Language(("php",), NODES, TARGETS, _FUNCTIONS, _RUNS, hole="$", arguments=ARGUMENTS)

_IS_PAGE = late(r"(?:#![^\n]*\n)?\s*<(?!<<)")


def read_php(reading: Reading, text: str, site: Site, stdin: Flow) -> Flow:
    """Read PHP; a text that may be code or a page is read as both."""
    if _IS_PAGE.match(text):
        return read_tree(reading, text, site, stdin, PHP, PAGE)
    flow = read_tree(reading, text, site, stdin, PHP, CODE)
    if "<?" in text:
        read_tree(reading, text, site, stdin, PHP, PAGE)
    return flow
