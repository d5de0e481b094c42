"""Perl."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from tree_sitter import Node

from interlock.analyse.files.paths import HOLE, is_hole
from interlock.analyse.flow import Flow
from interlock.analyse.reading import Reading, Site
from interlock.analyse.scripts.callables import runner, store_outside
from interlock.analyse.scripts.perl_strings import substitute, transliterate, unescape_parts
from interlock.analyse.scripts.search_paths import add_search_path
from interlock.analyse.scripts.strings import closing_bracket
from interlock.analyse.scripts.syntaxes.perl import PERL
from interlock.analyse.scripts.trees import node_readers as m
from interlock.analyse.scripts.trees.reader import read_tree
from interlock.analyse.scripts.trees.source import ScriptSource
from interlock.analyse.scripts.trees.walker import AssignTarget, Handler, Language, Span, Walker, span
from interlock.analyse.scripts.values import (
    MAX_CHOICES,
    MAX_ITEMS,
    MAX_TEXT,
    Choice,
    Ref,
    ScriptFunction,
    as_text,
    choices,
    flat,
    map_text,
    unknown,
)
from interlock.analyse.scripts.written_files import append_written, is_open
from interlock.patterns import late

ARGUMENTS = "@_"
_PIPE = late(r"^\s*\||\|\s*$")
_FIELD = late(r"[@^]")
_CODE_IN_PATTERN = late(r"\(\?\??\{")


def _variable_name(walker: Walker, node: Node) -> str:
    """Return the name of a variable, or nothing where that is computed."""
    text = walker.of(node)
    if HOLE in text:
        return text
    inner = next((child for child in node.named_children if child.type == "varname"), None)
    if inner is None or inner.named_child_count:
        return ""
    if text[1:2].isspace():  # `$ x` is `$x`, but the grammar has ideas of its own about what follows
        walker.whole = False
    name = walker.of(inner).strip("{}^ ")
    return ARGUMENTS if name == "_" and node.type in ("array", "array_element") else name


def _variable(walker: Walker, node: Node) -> Any:
    name = _variable_name(walker, node)
    if not name:  # `$$x`, `@{…}`, `${\ …}`
        return walker.mix(walker.block(node)) if node.type == "block" else _inside(walker, node)
    return _look_up(walker, name)


def _inside(walker: Walker, node: Node) -> Any:
    value: Any = ""
    for child in node.named_children:
        value = walker.block(child) if child.type == "varname" else walker.evaluate(child)
    return value


def _look_up(walker: Walker, name: str) -> Any:
    value = m.look_up(walker, name)
    return unknown(name.strip("@")) if value == Ref(name) and name != "ENV" else value


def _element(walker: Walker, node: Node) -> Any:
    """`$h{key}`, `$a[0]`, `$r->{key}`."""
    owner, key = _owner_and_key(walker, node)
    return m.pick(walker, owner, key)


def _owner_and_key(walker: Walker, node: Node) -> tuple[Any, Any]:
    index = node.child_by_field_name("key") or node.child_by_field_name("index")
    owner = next((child for child in node.named_children if child != index), None)
    value: Any = ""
    if owner is not None:
        name = _variable_name(walker, owner) if owner.type == "container_variable" else None
        if name == "_" and node.type == "array_element_expression":
            name = ARGUMENTS
        value = _look_up(walker, name) if name else walker.resolve(owner)
        if isinstance(value, str) and name == "ENV":
            value = Ref("ENV")
    return value, walker.evaluate(index) if index is not None else ""


def _arguments(walker: Walker, node: Node | None) -> list[Any]:
    """Return what a call is given: one value, or a list; `=>` and `,` are the same."""
    if node is None:
        return []
    while node.type == "parenthesized_expression" and node.named_child_count == 1:
        node = node.named_children[0]
    nodes = node.named_children if node.type in ("list_expression", "parenthesized_expression") else [node]
    found: list[Any] = []
    for child in nodes:
        if child.type != "comment":
            value = walker.literal(child)
            found.append(value if value is not None else walker.evaluate(child))
    return found[:MAX_ITEMS]


def _call(walker: Walker, node: Node) -> Any:
    """`f(…)`, `f …`, `&f(…)`, `print {$handle} …`, `exec {"program"} …`."""
    callee, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if callee is None:
        return walker.block(node)
    if arguments is None and walker.of(callee)[:1] == "&" and walker.of(node)[-1:] != ")":
        return _alone(walker, callee)
    before = [child for child in node.named_children if child not in (callee, arguments)]
    value = _callee(walker, callee)
    objects = [_indirect(walker, child) for child in before]
    given = _arguments(walker, arguments)
    if isinstance(value, Ref) and value.name in ("exec", "system") and objects and given:
        given = [objects[0], *given[1:]]
    elif isinstance(value, Ref) and value.name in ("push", "unshift") and arguments is not None:
        first = arguments.named_children[0] if arguments.named_child_count else arguments
        if walker.of(first) == "@INC":
            add_search_path(walker, given[1:], span(node))
        _add_to_list(walker, arguments, given)
    elif isinstance(value, Ref) and value.name in ("print", "printf", "say") and objects:
        handle = walker.names.get(objects[0].name) if isinstance(objects[0], Ref) else objects[0]
        if is_open(walker, handle):
            append_written(walker, handle, given)
            return ""
    if any(isinstance(one, Ref) and one.name == "STDERR" for one in objects):
        given = [Ref("STDERR"), *given, ""]
    return walker.call(value, given, span(node))


def _add_to_list(walker: Walker, arguments: Node, given: list[Any]) -> None:
    """`push @list, …`: what is added belongs to the list, wherever it stands there."""
    target = arguments.named_children[0] if arguments.type == "list_expression" else None
    name = _variable_name(walker, target) if target is not None and target.type == "array" else ""
    held = walker.names.get(name)
    if isinstance(held, list):
        held += flat(given[1:])[: MAX_ITEMS - len(held)]
    elif name and held is None and HOLE not in name:
        walker.names[name] = flat(given[1:])


def _callee(walker: Walker, node: Node) -> Any:
    inner = node.named_children[0] if node.named_child_count else None
    if inner is None:
        return walker.of(node) if HOLE in walker.of(node) else _function(walker, walker.of(node).lstrip("&"))
    if inner.type == "varname" and not inner.named_child_count:
        return _function(walker, walker.of(inner))
    value = _inside(walker, node)
    return Ref(value) if isinstance(value, str) and HOLE not in value and value else value


def _function(walker: Walker, name: str) -> Any:
    """Return the function of a name: one that was assigned to it, or itself."""
    held = walker.names.get(f"&{name}")
    return held if held is not None else Ref(name)


def _indirect(walker: Walker, node: Node) -> Any:
    child = node.named_children[0] if node.named_child_count else None
    if child is None or child.type == "filehandle":
        return Ref(walker.of(node))
    return walker.evaluate(child)


def _alone(walker: Walker, node: Node) -> Any:
    """A function that is called without anything; `&f` hands its own arguments on."""
    value = _callee(walker, node)
    own = walker.names.get(ARGUMENTS) if walker.of(node)[:1] == "&" else []
    if isinstance(value, Ref) and value.name in _ON_TOPIC:
        own = [_look_up(walker, "_")]
    if own is None and runner(walker, value) is not None:
        own = [unknown("arguments")]
    return walker.call(value, list(own) if isinstance(own, list) else [], span(node))


#: Functions that work on `$_` where they are given nothing.
_ON_TOPIC = frozenset({"rmdir", "unlink"})


def _operator_call(walker: Walker, node: Node) -> Any:
    """A function that takes one value or none: `shift`, `uc $x`, `-e $file`."""
    callee = node.child_by_field_name("function")
    name = walker.of(callee) if callee is not None else ""
    given = [value for child in node.named_children for value in _arguments(walker, child)]
    if name in ("shift", "pop"):
        return _shift(walker, given, name)
    target = node.named_children[-1] if node.named_child_count else None
    if name == "chop" and target is not None and target.type == "scalar":
        walker.assign_to(target, "bind", as_text(given[-1])[:-1] if HOLE not in as_text(given[-1]) else None)
    if name.startswith("-"):
        walker.reading.file("fs.read", walker.where(span(node)), as_text(given[0] if given else "$_"), _NAMES)
        return unknown(name)
    return walker.call(Ref(name), given or ([_look_up(walker, "_")] if name in _ON_TOPIC else []), span(node))


_NAMES = frozenset({"names"})


def _shift(walker: Walker, given: list[Any], name: str) -> Any:
    held = given[0] if given else walker.names.get(ARGUMENTS)
    if isinstance(held, list):
        return held.pop(0 if name == "shift" else -1) if held else unknown(name)
    return walker.taint("input", "ARGV") if held is None and ARGUMENTS not in walker.names else walker.mix(held)


def _method(walker: Walker, node: Node) -> Any:
    """`Class->method(…)`, `$object->method(…)`."""
    owner, method = node.child_by_field_name("invocant"), node.child_by_field_name("method")
    value = walker.resolve(owner) if owner is not None else ""
    name = walker.of(method) if method is not None and not method.named_child_count else ""
    if not name and method is not None:
        name = as_text(walker.block(method))
    return walker.call(
        walker.member(value, name), _arguments(walker, node.child_by_field_name("arguments")), span(node)
    )


def _reference_call(walker: Walker, node: Node) -> Any:
    """`$f->(…)`."""
    arguments = node.child_by_field_name("arguments")
    callee = next((child for child in node.named_children if child != arguments), None)
    value: Any = walker.literal(callee)
    if value is None and callee is not None:
        value = walker.resolve(callee)
    if isinstance(value, str) and value and HOLE not in value:
        value = Ref(value)
    return walker.call(value, _arguments(walker, arguments), span(node))


def _string(walker: Walker, node: Node, how: Callable[[Walker, Node, Span], Any] | None = None) -> Any:
    """A string: all between its delimiters, since the grammar leaves out white space at the beginning."""
    content, children = node.child_by_field_name("content"), node.children
    if content is None:
        return walker.source.text[children[-2].end_byte : children[-1].start_byte] if len(children) > 1 else ""
    index = children.index(content)
    start = children[index - 1].end_byte if index else content.start_byte
    end = children[index + 1].start_byte if index + 1 < len(children) else content.end_byte
    return (how or _interpolate)(walker, content, (start, end))


def _interpolate(walker: Walker, content: Node, around: Span) -> Any:
    """Return what a text stands for in which escapes count and values are filled in."""
    parts: list[tuple[bool, Any]] = []
    at, end = around
    for child in content.named_children:
        if child.type == "escape_sequence":
            continue  # the grammar does not know where all of them end
        parts.append((True, walker.source.text[at : child.start_byte]))
        at = child.end_byte
        is_mark = child.type == "escaped_delimiter"
        parts.append((False, walker.of(child)[1:] if is_mark else walker.evaluate(child)))
    parts.append((True, walker.source.text[at:end]))
    return _one_or_several([unescape_parts(way) for way in _ways(parts)])


def _ways(parts: list[tuple[bool, Any]]) -> list[list[tuple[bool, str]]]:
    """Return the ways in which parts may follow each other, where one of them is one of several values."""
    ways: list[list[tuple[bool, str]]] = [[]]
    for is_written, part in parts:
        ways = [[*way, (is_written, as_text(one))] for way in ways for one in choices(part)]
        if len(ways) > MAX_CHOICES:
            ways = [*ways[: MAX_CHOICES - 1], [(False, unknown("text"))]]
    return ways


def _one_or_several(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else Choice(tuple(values[:MAX_CHOICES]))


def _plain(walker: Walker, content: Node, around: Span) -> Any:
    return walker.gaps(content, m.unescape_quote, around)


def _single(walker: Walker, node: Node) -> Any:
    return _string(walker, node, _plain)


def _command(walker: Walker, node: Node) -> Any:
    """A command in back ticks or `qx`; between single quotes nothing is filled in."""
    is_plain = walker.of(node).removeprefix("qx").lstrip()[:1] == "'"
    return walker.run_text(_string(walker, node, _plain if is_plain else None), span(node))


def _words(walker: Walker, node: Node) -> Any:
    return as_text(_string(walker, node)).split()[:MAX_ITEMS]


def _heredoc(walker: Walker, node: Node) -> Any:
    body, token = walker.source.heredoc(node), walker.of(node)
    if body is None:
        return unknown("text")
    end = next((child for child in body.named_children if child.type == "heredoc_end"), None)
    text = _interpolate(walker, body, span(body)) if "'" not in token else walker.of(body)
    text = map_text(text, lambda one: one.removesuffix(walker.of(end))) if end is not None else text
    return walker.run_text(text, span(node)) if "`" in token else text


def _format(walker: Walker, node: Node) -> Any:
    """The lines of a `format`: behind each that has fields stands one with the values, which are code."""
    lines = walker.of(node).split("\n")
    for before, line in pairwise(lines):
        if _FIELD.search(before):
            walker.inner(line)
    return ""


def _pod(walker: Walker, node: Node) -> Any:
    """Documentation; to Perl it is that only where a statement may begin, and else `=` is an assignment."""
    before = node.prev_sibling
    while before is not None and before.type in ("comment", "pod"):
        before = before.prev_sibling
    if before is not None and before.type == "expression_statement":
        walker.inner(walker.of(node).lstrip("="))
    return ""


def _nested_end(walker: Walker, node: Node) -> Any:
    return walker.of(node)


def _read_line(walker: Walker, node: Node) -> Any:
    """`<STDIN>`, `<$handle>`, `<>`, which opens what `@ARGV` names, commands as well."""
    name = walker.of(node).strip("<>$ ")
    if name in ("", "ARGV") and not walker.of(node).startswith("<<"):
        held = walker.names.get("ARGV")
        for one in flat([held]) if isinstance(held, (list, str)) else ():
            if isinstance(one, str) and _PIPE.search(one):
                walker.call(Ref("open"), [Ref("ARGV"), one], span(node))
        return walker.taint("input", "input")
    held = walker.names.get(name)
    return as_text(held) if held is not None else walker.taint("input", "input")


def _glob(walker: Walker, node: Node) -> Any:
    return walker.call(Ref("glob"), [_string(walker, node)], span(node))


def _eval(walker: Walker, node: Node) -> Any:
    """`eval {…}`, `eval "…"`, `do {…}`, `do "file"`."""
    word = walker.of(node.children[0])
    inner = node.named_children[0] if node.named_child_count else None
    if inner is not None and inner.type == "block":
        walker.branches = walker.branches or word == "eval"
        return walker.block(inner)
    if inner is not None and inner.type == "filename":
        inner, word = (inner.named_children[0] if inner.named_child_count else inner), "do"
    given = [walker.evaluate(inner)] if inner is not None else [_look_up(walker, "_")]
    return walker.call(Ref(word), given, span(node))


def _use(walker: Walker, node: Node) -> Any:
    """`use lib "folder"`, `use Module …`."""
    module = node.child_by_field_name("module")
    given = [value for child in node.named_children if child != module for value in _arguments(walker, child)]
    if module is not None and walker.of(module) == "lib":
        add_search_path(walker, given, span(node))
    elif module is not None and walker.of(module).startswith("Inline"):
        walker.reading.unread("code of another language", walker.where(span(node)), flags=_NATIVE)
    return ""


_NATIVE = frozenset({"native"})


def _require(walker: Walker, node: Node) -> Any:
    given = [walker.evaluate(child) for child in node.named_children]
    return walker.call(Ref("require"), given, span(node))


def _substitution(walker: Walker, node: Node) -> Any:
    """`s/pattern/replacement/`: with `e` the replacement is code, and with `ee` what that gives is code too."""
    _pattern(walker, node)
    _run_replacement(walker, node)
    return _change(walker, node, None)


_CHANGING = frozenset({"substitution_regexp", "transliteration_expression"})


def _change(walker: Walker, node: Node, target: Node | None) -> Any:
    """`$x =~ s/…/…/`, `tr/…/…/`: give the variable what it stands for afterwards, as far as that can be told."""
    before = walker.evaluate(target) if target is not None else _look_up(walker, "_")
    modifiers = next((walker.of(child) for child in node.named_children if child.type.endswith("_modifiers")), "")
    value = _one_or_several([_changed(walker, node, one, modifiers) for one in choices(before)])
    if "r" in modifiers:
        return value
    if target is not None:
        walker.assign_to(_inner_target(target), "bind", value)
    elif "_" in walker.names:
        walker.names["_"] = value
    return unknown("pattern")


def _inner_target(node: Node) -> Node:
    """Return what is changed in the end: of `(my $x = $y)` that is `$x`."""
    while node.type in ("parenthesized_expression", "assignment_expression"):
        inner = node.child_by_field_name("left") or next(iter(node.named_children), None)
        if inner is None:
            return node
        node = inner
    return node


def _changed(walker: Walker, node: Node, value: Any, modifiers: str) -> Any:
    """Return what a substitution makes of a value; where it cannot be told, something that comes from there."""
    if not isinstance(value, str) or is_hole(value):
        return value
    replacement = next((child for child in node.named_children if child.type == "replacement"), None)
    new = as_text(_interpolate(walker, replacement, span(replacement))) if replacement is not None else ""
    content = node.child_by_field_name("content")
    old = walker.of(content) if content is not None else ""
    how = transliterate if node.type == "transliteration_expression" else substitute
    found = how(value, old, new, modifiers) if HOLE not in value + new and "e" not in modifiers else None
    return found if found is not None and len(found) <= MAX_TEXT else walker.mix(value, new)


def _operation(walker: Walker, node: Node) -> Any:
    """An operation on two values; `=~` with a substitution changes the left one."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or right.type not in _CHANGING:
        return m.operation(walker, node)
    if right.type == "substitution_regexp":
        walker.source.seen.add(right.id)
        _pattern(walker, right)
        _run_replacement(walker, right)
    return _change(walker, right, left)


def _run_replacement(walker: Walker, node: Node) -> None:
    """Read a replacement that is code: with `e` it runs, and with `ee` so does what it gives."""
    letters = next((walker.of(child) for child in node.named_children if child.type.endswith("_modifiers")), "")
    replacement = next((child for child in node.named_children if child.type == "replacement"), None)
    if replacement is not None and "e" in letters:
        value = walker.inner(walker.of(replacement))
        if letters.count("e") > 1:
            walker.call(Ref("eval"), [value], span(node))


def _transliteration(walker: Walker, node: Node) -> Any:
    return _change(walker, node, None)


def _reference(walker: Walker, node: Node) -> Any:
    """`\\&f` is the function itself; of anything else, what it refers to."""
    inner = node.named_children[0] if node.named_child_count else None
    if inner is not None and inner.type == "function_call_expression" and inner.named_child_count == 1:
        inner = inner.named_children[0]
    return _callee(walker, inner) if inner is not None and inner.type == "function" else walker.each(node)


def _to_glob(walker: Walker, node: Node, _mark: str, value: Any) -> None:
    """`*name = \\&function`."""
    name = _variable_name(walker, node)
    if name and isinstance(value, (Ref, ScriptFunction)):
        walker.names[f"&{name}"] = value
    elif not name:
        _inside(walker, node)
    store_outside(walker, value, span(node))


def _to_part(walker: Walker, node: Node, _mark: str, value: Any) -> None:
    """`substr($x, 0, 2) = …`: a part of a variable is replaced."""
    walker.evaluate(node)
    given = node.child_by_field_name("arguments")
    target = given.named_children[0] if given is not None and given.named_child_count else given
    if target is not None and target.type in TARGETS:
        walker.assign_to(target, "bind", Choice((walker.evaluate(target), value, unknown("text"))))


def _pattern(walker: Walker, node: Node) -> Any:
    """A pattern: what is filled in is read, and code in it runs."""
    content = node.child_by_field_name("content")
    if content is None:
        return unknown("pattern")
    text = walker.of(content)
    for child in content.named_children:
        walker.evaluate(child)
    for found in _CODE_IN_PATTERN.finditer(text):
        end = closing_bracket(text, found.end(), "{", "}")
        walker.inner(text[found.end() : end if end >= 0 else None])
    return unknown("pattern")


def _each(walker: Walker, node: Node) -> Any:
    """`map {…} list`, `grep {…} list`, `sort {…} list`."""
    walker.branches = True
    callback, given = node.child_by_field_name("callback"), node.child_by_field_name("list")
    value = flat(_arguments(walker, given))
    before = walker.names.get("_")
    one = m.one_of(walker, value)
    if one is not None:
        walker.names["_"] = one
    result = walker.evaluate(callback) if callback is not None else ""
    if before is None:
        walker.names.pop("_", None)
    else:
        walker.names["_"] = before
    word = walker.of(node.children[0])
    return result if word == "map" and isinstance(result, list) else value if word != "map" else walker.mix(result)


def _for(walker: Walker, node: Node) -> Any:
    target, given = node.child_by_field_name("variable"), node.child_by_field_name("list")
    one = m.one_of(walker, flat(_arguments(walker, given)))
    name = _variable_name(walker, target) if target is not None else "_"
    if name and one is not None:
        walker.names[name] = one
    m.repeat(walker, node, [child for child in node.named_children if child not in (target, given)])
    after = walker.names.get(name)
    if given is not None and after is not None and after != one:  # the name stands for the elements themselves
        inner = _inner_target(given)
        if inner.type in ("scalar", "array", "variable_declaration"):
            walker.assign_to(inner, "bind", after)
    if name == "_":
        walker.names.pop("_", None)
    return ""


def _hash(walker: Walker, node: Node) -> Any:
    """`{a => 1, b => 2}`."""
    values = [value for child in node.named_children for value in _arguments(walker, child)]
    return {as_text(key)[:100]: value for key, value in zip(values[::2], values[1::2], strict=False)}


def _array(walker: Walker, node: Node) -> Any:
    return flat([value for child in node.named_children for value in _arguments(walker, child)])


def _list(walker: Walker, node: Node) -> Any:
    if node.type == "parenthesized_expression" and node.named_child_count == 1:
        inner = node.named_children[0]
        return _list(walker, inner) if inner.type == "list_expression" else walker.resolve(inner)
    return _arguments(walker, node)


def _declaration(walker: Walker, node: Node) -> Any:
    value: Any = ""
    for child in node.named_children:
        if child.type in ("scalar", "array", "hash"):
            value = unknown(_variable_name(walker, child))
    return value


def _subroutine(walker: Walker, node: Node) -> Any:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    return walker.define(walker.of(name) if name is not None else "", _signature(node), body)


def _anonymous(walker: Walker, node: Node) -> Any:
    function = ScriptFunction("", _signature(node), node.child_by_field_name("body"), walker.source)
    walker.read_body(function, [])
    return function


def _signature(node: Node) -> Node | None:
    return next((child for child in node.named_children if child.type == "signature"), None)


def _word(walker: Walker, node: Node) -> Any:
    """A word before `=>` or in `{}`: a text."""
    return walker.of(node)


def _to_variable(walker: Walker, node: Node, mark: str, value: Any) -> None:
    name = _variable_name(walker, node)
    if not name or HOLE in name:
        _inside(walker, node)
    elif node.type == "hash" and isinstance(value, list):
        pairs = zip(value[::2], value[1::2], strict=False)
        walker.assign_name(name, mark, {as_text(key)[:100]: one for key, one in pairs})
    elif node.type == "array" and value is not None and not isinstance(value, list) and HOLE not in as_text(value):
        walker.assign_name(name, mark, [value])
    else:
        walker.assign_name(name, mark, value)


def _to_declared(walker: Walker, node: Node, mark: str, value: Any) -> None:
    """`my $x = …`, `my ($x, $y) = …`."""
    children = [child for child in node.named_children if child.type in TARGETS]
    if node.child_by_field_name("variables") is None and len(children) == 1 and "(" not in walker.of(node):
        walker.assign_to(children[0], mark, value)
    else:
        _to_each(walker, children, mark, value)


def _to_each(walker: Walker, nodes: list[Node], mark: str, value: Any) -> None:
    one: Any
    for index, child in enumerate(nodes):
        if not isinstance(value, list):
            one = None if value is None else walker.mix(value) if walker.marks(value) else None
        elif child.type in ("array", "hash"):
            one = value[index:]
        else:
            one = value[index] if index < len(value) else None
        walker.assign_to(child, mark, one)


def _to_list(walker: Walker, node: Node, mark: str, value: Any) -> None:
    while node.named_child_count == 1 and node.named_children[0].type == "list_expression":
        node = node.named_children[0]
    _to_each(walker, node.named_children, mark, value if isinstance(value, list) or value is None else [value])


def _to_element(walker: Walker, node: Node, mark: str, value: Any) -> None:
    """`$h{key} = value`, `$a[0] = value`."""
    owner, key = _owner_and_key(walker, node)
    container = next((child for child in node.named_children if child.type == "container_variable"), None)
    if container is not None and not isinstance(owner, (list, dict, Ref)):
        name = _variable_name(walker, container)
        if name and HOLE not in name and name not in walker.names:
            owner = walker.names[name] = {} if node.type.startswith("hash") else []
    if mark == "=":
        walker.store(owner, key, value)


NODES: dict[str, Handler] = {
    **dict.fromkeys(("source_file", "block", "block_statement", "varname"), m.statements),
    **dict.fromkeys(("comment", "eof_marker", "data_section", "label", "package", "prototype"), m.nothing),
    "pod": _pod,
    "format_content": _format,
    "heredoc_end": _nested_end,
    "heredoc_content": m.heredoc_text,
    **dict.fromkeys(
        (
            "conditional_statement",
            "elsif",
            "else",
            "postfix_conditional_expression",
            "try_statement",
        ),
        m.branch,
    ),
    **dict.fromkeys(("loop_statement", "cstyle_for_statement", "postfix_loop_expression"), m.repeat),
    **dict.fromkeys(("for_statement", "postfix_for_expression"), _for),
    **dict.fromkeys(("scalar", "array", "hash", "container_variable", "arraylen", "glob"), _variable),
    **dict.fromkeys(("hash_element_expression", "array_element_expression"), _element),
    "number": m.number,
    "interpolated_string_literal": _string,
    "string_literal": _single,
    "command_string": _command,
    "quoted_word_list": _words,
    **dict.fromkeys(("heredoc_token", "command_heredoc_token"), _heredoc),
    "autoquoted_bareword": _word,
    "readline_expression": _read_line,
    "fileglob_expression": _glob,
    **dict.fromkeys(("function_call_expression", "ambiguous_function_call_expression"), _call),
    **dict.fromkeys(("func1op_call_expression", "func0op_call_expression"), _operator_call),
    "function": _alone,
    "method_call_expression": _method,
    "coderef_call_expression": _reference_call,
    "eval_expression": _eval,
    "do_expression": _eval,
    "require_expression": _require,
    "use_statement": _use,
    "substitution_regexp": _substitution,
    **dict.fromkeys(("match_regexp", "quoted_regexp"), _pattern),
    "transliteration_expression": _transliteration,
    "refgen_expression": _reference,
    **dict.fromkeys(("map_grep_expression", "sort_expression"), _each),
    "anonymous_hash_expression": _hash,
    "anonymous_array_expression": _array,
    **dict.fromkeys(("list_expression", "parenthesized_expression"), _list),
    **dict.fromkeys(("equality_expression", "relational_expression", "lowprec_logical_expression"), m.operation),
    "binary_expression": _operation,
    "conditional_expression": m.conditional("consequent", "alternative"),
    "assignment_expression": m.assignment,
    "variable_declaration": _declaration,
    "return_expression": m.returns,
    "subroutine_declaration_statement": _subroutine,
    "anonymous_subroutine_expression": _anonymous,
}
TARGETS: dict[str, AssignTarget] = {
    **dict.fromkeys(("scalar", "array", "hash"), _to_variable),
    "glob": _to_glob,
    **dict.fromkeys(("function_call_expression", "ambiguous_function_call_expression"), _to_part),
    "variable_declaration": _to_declared,
    "localization_expression": m.to_inside(),
    **dict.fromkeys(("list_expression", "parenthesized_expression"), _to_list),
    **dict.fromkeys(("hash_element_expression", "array_element_expression"), _to_element),
    **dict.fromkeys(("mandatory_parameter", "optional_parameter", "slurpy_parameter"), m.to_inside()),
}
_RUNS = frozenset(
    {
        "ambiguous_function_call_expression",
        "coderef_call_expression",
        "command_heredoc_token",
        "command_string",
        "do_expression",
        "eval_expression",
        "func0op_call_expression",
        "func1op_call_expression",
        "function_call_expression",
        "match_regexp",
        "method_call_expression",
        "quoted_regexp",
        "require_expression",
        "substitution_regexp",
    }
)
SCRIPT = Language(
    ("perl",),
    NODES,
    TARGETS,
    {"anonymous_subroutine_expression": "body"},
    _RUNS,
    hole="$",
    arguments=ARGUMENTS,
    heredocs=(("heredoc_token", "command_heredoc_token"), "heredoc_content"),
)


#: Words that `'` may follow as a quote. After any other word, and after a variable, it may stand for `::`.
_BEFORE_QUOTES = (
    "q|qq|qx|qw|qr|m|s|y|tr|print|printf|say|eq|ne|lt|gt|le|ge|cmp|x|and|or|not|xor|if|unless|while|until|return|split|"
    "join|push|unshift|die|warn|system|exec|require|use|no|do|eval|lc|uc|ref|length|index|unlink|open"
)
_OLD_SEPARATOR = late(rf"(?<![\w'\\])((?:[$@%&]\w+|(?!(?:{_BEFORE_QUOTES})')[A-Za-z_]\w*))'(?=[A-Za-z_])")


def read_perl(reading: Reading, text: str, site: Site, stdin: Flow) -> Flow:
    """Read Perl; where `'` may be a quote or stand for `::`, as before Perl 5.42, both ways."""
    flow = read_tree(reading, text, site, stdin, PERL, SCRIPT)
    if "'" in text:
        other = _OLD_SEPARATOR.sub(r"\1_", text)
        if other != text and str(ScriptSource(other, SCRIPT).root) != str(ScriptSource(text, SCRIPT).root):
            read_tree(reading, other, site, stdin, PERL, SCRIPT)
    return flow
