"""JavaScript and TypeScript."""

from __future__ import annotations

from typing import Any

from tree_sitter import Node

from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import Flow
from interlock.analyse.reading import Reading, Site
from interlock.analyse.scripts.callables import report_unknown_callee
from interlock.analyse.scripts.changes import change_by_call
from interlock.analyse.scripts.modules import load_module
from interlock.analyse.scripts.scope import SPREAD
from interlock.analyse.scripts.syntaxes.javascript import JAVASCRIPT
from interlock.analyse.scripts.trees import node_readers as m
from interlock.analyse.scripts.trees import target_readers as t
from interlock.analyse.scripts.trees.language import AssignTarget, Handler, Language, span
from interlock.analyse.scripts.trees.reader import read_tree
from interlock.analyse.scripts.trees.source import ScriptSource
from interlock.analyse.scripts.trees.walker import Walker
from interlock.analyse.scripts.values import Ref, ScriptFunction, as_text, either, flat
from interlock.patterns import late

#: What a function is called through, and how many of the arguments are not for the function itself.
_THROUGH = frozenset({"call", "apply", "bind"})


def _call(walker: Walker, node: Node) -> Any:
    """A call, also through `call`, `apply` and `bind`, and with a template behind it."""
    callee, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if callee is None or given is None:
        return walker.block(node)
    tagged = given.type == "template_string"
    if callee.type == "member_expression" and not tagged:
        key, owner = callee.child_by_field_name("property"), callee.child_by_field_name("object")
        if key is not None and owner is not None and walker.of(key) in _THROUGH:
            return _call_through(walker, walker.of(key), owner, given, node)
    value: Any = walker.literal(callee)
    if value is None:
        value = walker.resolve(callee)
    arguments = [walker.evaluate(given)] if tagged else m.arguments_of(walker, given)
    return walker.call(value, arguments, span(node))


def _call_through(walker: Walker, how: str, owner: Node, given: Node, node: Node) -> Any:
    value: Any = walker.literal(owner)
    value = walker.resolve(owner) if value is None else value
    arguments = m.arguments_of(walker, given)
    method = _borrowed_method(value) if how == "call" and arguments else ""
    if method:
        return walker.call(walker.member(arguments[0], method), arguments[1:], span(node))
    if not isinstance(value, ScriptFunction) and not (isinstance(value, Ref) and walker.knows(value)):
        if isinstance(value, str):
            report_unknown_callee(walker, value, arguments, span(node))
        elif isinstance(value, Ref) and how != "bind" and arguments:
            rest = flat(arguments[1:]) if how == "apply" else arguments[1:]
            change_by_call(walker, value.name, arguments[0], rest)
        return walker.call(walker.member(value, how), arguments, span(node))
    if how == "bind":
        if len(arguments) > 1:
            walker.call(value, arguments[1:], span(node))
        return value
    rest = flat(arguments[1:]) if how == "apply" else arguments[1:]
    return walker.call(value, rest, span(node))


def _borrowed_method(value: Any) -> str:
    """Return the name of a method of lists or texts that is called for another object: `[].slice.call(arguments)`."""
    if not isinstance(value, Ref):
        return ""
    owner, _, name = value.name.rpartition(".")
    return name if owner.endswith(".prototype") or (not owner and value.owner in ([], "")) else ""


def _new(walker: Walker, node: Node) -> Any:
    made = node.child_by_field_name("constructor")
    value = walker.resolve(made) if made is not None else ""
    return walker.call(value, m.arguments_of(walker, node.child_by_field_name("arguments")), span(node))


def _import(walker: Walker, node: Node) -> Any:
    """`import a, {b as c} from 'x'`, `import * as a from 'x'`."""
    source = node.child_by_field_name("source")
    clause = next((child for child in node.named_children if child.type != "string"), None)
    if clause is not None and clause.type == "import_require_clause":  # `import a = require('x')`
        source = clause.child_by_field_name("source")
        names = [child for child in clause.named_children if child.type == "identifier"]
        module = _module(walker, source)
        walker.names |= {walker.of(name): module for name in names}
        return ""
    module = _module(walker, source)
    for part in clause.named_children if clause is not None and clause.type == "import_clause" else ():
        _import_part(walker, part, module)
    return ""


def _module(walker: Walker, source: Node | None) -> Any:
    text = as_text(walker.evaluate(source)) if source is not None else ""
    return load_module(walker, text, span(source) if source is not None else (0, 0))


def _import_part(walker: Walker, part: Node, module: Any) -> None:
    if part.type == "identifier":
        walker.names[walker.of(part)] = module
    elif part.type == "namespace_import":
        walker.names |= {walker.of(child): module for child in part.named_children}
    else:
        for specifier in part.named_children:
            wanted, alias = specifier.child_by_field_name("name"), specifier.child_by_field_name("alias")
            if wanted is not None:
                text = walker.of(wanted).strip("'\"")
                known = module if text == "default" or not isinstance(module, Ref) else Ref(f"{module.name}.{text}")
                walker.names[walker.of(alias if alias is not None else wanted)] = known


def _html_comment(walker: Walker, node: Node) -> Any:
    """`<!--` and `-->`: to some a comment, to others operators; so what stands there is read."""
    return walker.inner(walker.of(node).lstrip("<!->"))


def _name(walker: Walker, node: Node) -> Any:
    """A name; letters in it may be written by their numbers."""
    text = walker.of(node)
    return m.look_up(walker, m.unescape(text) if "\\" in text else text)


def _member(walker: Walker, node: Node) -> Any:
    """`owner.key`."""
    owner, key = node.child_by_field_name("object"), node.child_by_field_name("property")
    value = walker.resolve(owner) if owner is not None else ""
    text = walker.of(key) if key is not None else ""
    return walker.member(value, m.unescape(text) if "\\" in text else text)


def _member_owner(walker: Walker, node: Node) -> tuple[Any, Any]:
    owner, key = node.child_by_field_name("object"), node.child_by_field_name("property")
    value = t.owner_of(walker, owner)
    text = walker.of(key) if key is not None else ""
    if isinstance(value, Ref) and not walker.is_environment(value):
        walker.member(value, text)
    return value, text


def _element_owner(walker: Walker, node: Node) -> tuple[Any, Any]:
    owner, key = node.child_by_field_name("object"), node.child_by_field_name("index")
    return t.owner_of(walker, owner), walker.evaluate(key) if key is not None else ""


def _to_object(walker: Walker, node: Node, mark: str, value: Any) -> None:
    """`{a, b: c, d = 1, ...rest} = value`."""
    for child in node.named_children:
        kind = child.type
        if kind == "pair_pattern":
            key, target = child.child_by_field_name("key"), child.child_by_field_name("value")
            if key is not None and target is not None:
                walker.assign_to(target, mark, _part(walker, value, m.key_name(walker, key)))
        elif kind == "object_assignment_pattern":
            left, right = child.child_by_field_name("left"), child.child_by_field_name("right")
            default = walker.evaluate(right) if right is not None else None
            if left is not None:
                part = _part(walker, value, walker.of(left))
                walker.assign_to(left, mark, part if part is not None else default)
        elif kind == "rest_pattern":
            for name in child.named_children:
                walker.assign_to(name, mark, value)
        else:
            walker.assign_to(child, mark, _part(walker, value, walker.of(child)))


def _part(walker: Walker, value: Any, key: str) -> Any:
    if value is None or (isinstance(value, dict) and key not in value):
        return None
    known = isinstance(value, (Ref, dict)) and HOLE not in key
    return m.pick(walker, value, key) if known else walker.member(value, key)


def _object(walker: Walker, node: Node) -> Any:
    pairs: dict[str, Any] = {}
    for child in node.named_children:
        if child.type == "method_definition":
            name = child.child_by_field_name("name")
            value = walker.evaluate(child)
            pairs[m.key_name(walker, name)[:100] if name is not None else ""] = value
        elif child.type == "pair":
            m.add_pair(walker, child, pairs)
        elif child.type == "shorthand_property_identifier":
            pairs[walker.of(child)] = m.look_up(walker, walker.of(child))
        elif child.type == "spread_element":
            value = walker.evaluate(child)
            pairs |= value if isinstance(value, dict) else {SPREAD: value}
        else:
            walker.evaluate(child)
    return pairs


def _with(walker: Walker, node: Node) -> Any:
    """`with (object) {…}`: names are members of the object first."""
    children = node.named_children
    value = walker.evaluate(children[0]) if children else ""
    before = walker.copy_names()
    for child in children[1:]:
        walker.evaluate(child)
    for key in list(value) if isinstance(value, dict) else ():
        if key in walker.names and walker.names[key] != before.get(key):
            walker.store(value, key, either(value[key], walker.names[key]))
    return ""


def _program(walker: Walker, node: Node) -> Any:
    """Statements; functions are known before the statement that defines them."""
    for child in node.named_children:
        if child.type in ("function_declaration", "generator_function_declaration"):
            name, body = child.child_by_field_name("name"), child.child_by_field_name("body")
            if name is not None and walker.of(name) not in walker.functions:
                parameters = child.child_by_field_name("parameters")
                walker.functions[walker.of(name)] = ScriptFunction(walker.of(name), parameters, body, walker.source)
    return walker.block(node)


def _body(walker: Walker, node: Node) -> Any:
    """A block: it has no value of its own."""
    _program(walker, node)
    return ""


NODES: dict[str, Handler] = {
    "program": _program,
    "statement_block": _body,
    "class_body": m.statements,
    **dict.fromkeys(("comment", "hash_bang_line", "debugger_statement", "empty_statement"), m.nothing),
    "html_comment": _html_comment,
    **dict.fromkeys(
        ("type_annotation", "type_arguments", "type_parameters", "interface_declaration", "type_alias_declaration"),
        m.nothing,
    ),
    **dict.fromkeys(("as_expression", "satisfies_expression", "instantiation_expression"), m.first),
    "type_assertion": m.final,
    **dict.fromkeys(
        (
            "if_statement",
            "else_clause",
            "switch_statement",
            "switch_body",
            "switch_case",
            "switch_default",
            "try_statement",
            "catch_clause",
            "finally_clause",
            "labeled_statement",
        ),
        m.branch,
    ),
    **dict.fromkeys(("for_statement", "while_statement", "do_statement"), m.repeat),
    **dict.fromkeys(("true", "false"), m.boolean),
    "for_in_statement": m.loop("left", "right"),
    **dict.fromkeys(("identifier", "shorthand_property_identifier", "property_identifier"), _name),
    "number": m.number,
    "string": m.string(),
    "template_string": m.string(),
    "template_substitution": m.last,
    "regex": m.plain_pattern,
    "array": m.items,
    "object": _object,
    "member_expression": _member,
    "subscript_expression": m.element("object", "index"),
    "call_expression": _call,
    "new_expression": _new,
    "sequence_expression": m.last,
    "binary_expression": m.operation,
    "unary_expression": m.unary,
    "ternary_expression": m.conditional("consequence", "alternative"),
    **dict.fromkeys(("assignment_expression", "augmented_assignment_expression"), t.assignment),
    "update_expression": m.increment,
    "with_statement": _with,
    "variable_declarator": t.declarator("name", "value"),
    "field_definition": t.declarator("property", "value"),
    "import_statement": _import,
    "return_statement": m.returns,
    **dict.fromkeys(("function_declaration", "generator_function_declaration", "method_definition"), m.function()),
    **dict.fromkeys(("arrow_function", "function_expression", "generator_function"), m.read_function),
}

TARGETS: dict[str, AssignTarget] = {
    **dict.fromkeys(
        ("identifier", "shorthand_property_identifier_pattern", "property_identifier", "private_property_identifier"),
        t.to_name,
    ),
    "object_pattern": _to_object,
    "array_pattern": t.to_items,
    **dict.fromkeys(("assignment_pattern", "object_assignment_pattern"), t.to_inside("left")),
    **dict.fromkeys(("required_parameter", "optional_parameter"), t.to_inside("pattern")),
    **dict.fromkeys(("rest_pattern", "parenthesized_expression", "non_null_expression"), t.to_inside()),
    "member_expression": t.to_element(_member_owner),
    "subscript_expression": t.to_element(_element_owner),
}
_FUNCTIONS = dict.fromkeys(("arrow_function", "function_expression", "generator_function"), "body")
_RUNS = frozenset({"call_expression", "new_expression", "import_statement"})

SCRIPT = Language(("javascript", "typescript", "tsx"), NODES, TARGETS, _FUNCTIONS, _RUNS, arguments="arguments")
TYPED = SCRIPT._replace(grammars=("typescript", "tsx", "javascript"))
TYPED_MARKUP = SCRIPT._replace(grammars=("tsx", "typescript", "javascript"))

# To a script `<!--` begins a comment, to a module it is three operators.
_OLD_COMMENT = late(r"<!--")
# A call with type arguments, which JavaScript takes for two comparisons: `f<any>("…")`.
_TYPE_ARGUMENTS = late(r"[\w$\])]\s*(?:\?\.)?<[^;()=]{0,200}>\s*[(`]")


def read_javascript(reading: Reading, text: str, site: Site, stdin: Flow, language: Language = SCRIPT) -> Flow:
    """Read JavaScript or TypeScript; where a text has two meanings, both."""
    flow = read_tree(reading, text, site, stdin, JAVASCRIPT, language)
    if language is SCRIPT and _TYPE_ARGUMENTS.search(text) and not ScriptSource(text, TYPED).root.has_error:
        read_tree(reading, text, site, stdin, JAVASCRIPT, TYPED)
    if "<!--" in text:
        read_tree(reading, _OLD_COMMENT.sub("////", text), site, stdin, JAVASCRIPT, language)
    return flow
