"""Calls of Perl: of functions by name or reference, of methods, and of what is built in."""

from __future__ import annotations

from typing import Any

from tree_sitter import Node

from interlock.analyse.files.paths import HOLE
from interlock.analyse.scripts.callables import runner
from interlock.analyse.scripts.search_paths import add_search_path
from interlock.analyse.scripts.trees import node_readers as m
from interlock.analyse.scripts.trees.language import span
from interlock.analyse.scripts.trees.perl_changes import inner_target
from interlock.analyse.scripts.trees.perl_names import ARGUMENTS, arguments_of, look_up, read_inside, variable_name
from interlock.analyse.scripts.trees.perl_references import bare_name
from interlock.analyse.scripts.trees.walker import Walker
from interlock.analyse.scripts.values import MAX_ITEMS, Choice, Ref, as_text, either, flat, unknown
from interlock.analyse.scripts.written_files import append_written, is_open


def read_call(walker: Walker, node: Node) -> Any:
    """`f(…)`, `f …`, `&f(…)`, `print {$handle} …`, `exec {"program"} …`."""
    callee, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if callee is None:
        return walker.block(node)
    if arguments is None and walker.of(callee)[:1] == "&" and walker.of(node)[-1:] != ")":
        return read_alone(walker, callee)
    before = [child for child in node.named_children if child not in (callee, arguments)]
    value = read_callee(walker, callee)
    objects = [_indirect(walker, child) for child in before]
    given = arguments_of(walker, arguments)
    if isinstance(value, Ref) and value.name in ("exec", "system") and objects and given:
        given = [objects[0], *given[1:]]
    elif isinstance(value, Ref) and value.name == "open" and arguments is not None:
        _fill_opened(walker, arguments)
    elif isinstance(value, Ref) and value.name in ("push", "splice", "unshift") and arguments is not None:
        given = [_list_named(walker, given[0]) if given else "", *given[1:]]
        first = arguments.named_children[0] if arguments.named_child_count else arguments
        if walker.of(first) == "@INC":
            add_search_path(walker, given[1:], span(node))
        _add_to_list(walker, arguments, given)
    elif isinstance(value, Ref) and value.name in ("print", "printf", "say") and objects:
        handle = walker.names.get(objects[0].name) if isinstance(objects[0], Ref) else objects[0]
        if is_open(walker, handle):
            append_written(walker, handle, given)
            return ""
    elif isinstance(value, Ref) and value.name == "tie" and arguments is not None and arguments.named_child_count:
        walker.assign_to(inner_target(arguments.named_children[0]), "bind", None)  # methods tell what it holds
    elif isinstance(value, Ref) and value.name in _FILLING:
        _FILLING[value.name](walker, arguments, given)
    if any(isinstance(one, Ref) and one.name == "STDERR" for one in objects):
        given = [Ref("STDERR"), *given, ""]
    return walker.call(value, given, span(node))


def _list_named(walker: Walker, value: Any) -> Any:
    """Return the list that a text names, as in `push @$name, …`; any other value as it is."""
    held = walker.names.get(bare_name(value)) if isinstance(value, str) else None
    return held if isinstance(held, list) else value


def _fill_opened(walker: Walker, arguments: Node) -> None:
    """`open $f, '>', \\$text`: what is written goes into the variable."""
    for child in arguments.named_children[2:]:
        inner = child.named_children[0] if child.type == "refgen_expression" and child.named_child_count else None
        if inner is not None and inner.type in walker.language.targets:
            walker.assign_to(inner, "=", either(walker.evaluate(inner), unknown("text")))


def _fill(walker: Walker, arguments: Node | None, given: list[Any]) -> None:
    """`read(FILE, $text, 10)`: the variable holds what the file has there."""
    targets = arguments.named_children if arguments is not None else []
    if len(targets) > 1 and targets[1].type in walker.language.targets:
        held = walker.names.get(given[0].name) if isinstance(given[0], Ref) else given[0]
        walker.assign_to(targets[1], "=", walker.mix(held) if walker.marks(held) else unknown("text"))


def _replace_part(walker: Walker, arguments: Node | None, given: list[Any]) -> None:
    """`substr($text, 0, 2, "new")`: a part of the variable is replaced."""
    target = arguments.named_children[0] if arguments is not None and len(given) > 3 else None
    if target is not None and target.type in walker.language.targets:
        walker.assign_to(target, "bind", Choice((given[0], given[3], unknown("text"))))


#: Functions that change one of their arguments.
_FILLING = {**dict.fromkeys(("read", "recv", "sysread"), _fill), "substr": _replace_part}


def _add_to_list(walker: Walker, arguments: Node, given: list[Any]) -> None:
    """`push @list, …`: what is added belongs to the list, wherever it stands there."""
    target = arguments.named_children[0] if arguments.type == "list_expression" else None
    name = variable_name(walker, target) if target is not None and target.type == "array" else ""
    held = walker.names.get(name)
    if isinstance(held, list):
        held += flat(given[1:])[: MAX_ITEMS - len(held)]
    elif name and held is None and HOLE not in name:
        walker.names[name] = flat(given[1:])


def read_callee(walker: Walker, node: Node) -> Any:
    inner = node.named_children[0] if node.named_child_count else None
    if inner is None:
        return walker.of(node) if HOLE in walker.of(node) else _function(walker, walker.of(node).lstrip("&"))
    if inner.type == "varname" and not inner.named_child_count:
        return _function(walker, walker.of(inner))
    value = read_inside(walker, node)
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


def read_alone(walker: Walker, node: Node) -> Any:
    """A function that is called without anything; `&f` hands its own arguments on."""
    value = read_callee(walker, node)
    own = walker.names.get(ARGUMENTS) if walker.of(node)[:1] == "&" else []
    if isinstance(value, Ref) and value.name in _ON_TOPIC:
        own = [look_up(walker, "_")]
    if own is None and runner(walker, value) is not None:
        own = [unknown("arguments")]
    return walker.call(value, list(own) if isinstance(own, list) else [], span(node))


#: Functions that work on `$_` where they are given nothing.
_ON_TOPIC = frozenset(
    "abs alarm chr chroot cos evalbytes eval exp fc hex int lc lcfirst length log lstat mkdir oct ord quotemeta "
    "readlink ref require rmdir sin sqrt stat uc ucfirst unlink unpack".split()
)


def read_operator_call(walker: Walker, node: Node) -> Any:
    """A function that takes one value or none: `shift`, `uc $x`, `-e $file`."""
    callee = node.child_by_field_name("function")
    name = walker.of(callee) if callee is not None else ""
    given = [value for child in node.named_children for value in arguments_of(walker, child)]
    if name in ("shift", "pop"):
        return _shift(walker, given, name)
    target = node.named_children[-1] if node.named_child_count else None
    if name == "chop" and target is not None and target.type == "scalar":
        walker.assign_to(target, "bind", as_text(given[-1])[:-1] if HOLE not in as_text(given[-1]) else None)
    if name.startswith("-"):
        walker.reading.file("fs.read", walker.where(span(node)), as_text(given[0] if given else "$_"), _NAMES)
        return unknown(name)
    return walker.call(Ref(name), given or ([look_up(walker, "_")] if name in _ON_TOPIC else []), span(node))


_NAMES = frozenset({"names"})


def _shift(walker: Walker, given: list[Any], name: str) -> Any:
    held = given[0] if given else walker.names.get(ARGUMENTS)
    if isinstance(held, list) and walker.loops and given:  # each time another one
        return m.one_of(walker, held) if held else unknown(name)
    if isinstance(held, list):
        return held.pop(0 if name == "shift" else -1) if held else unknown(name)
    return walker.taint("input", "ARGV") if held is None and ARGUMENTS not in walker.names else walker.mix(held)


def read_method(walker: Walker, node: Node) -> Any:
    """`Class->method(…)`, `$object->method(…)`."""
    owner, method = node.child_by_field_name("invocant"), node.child_by_field_name("method")
    value = walker.resolve(owner) if owner is not None else ""
    name = walker.of(method) if method is not None and not method.named_child_count else ""
    if not name and method is not None:
        name = as_text(walker.block(method))
    given = arguments_of(walker, node.child_by_field_name("arguments"))
    if name == "can" and given and HOLE not in as_text(given[0]):  # it gives the method
        own = walker.functions.get(as_text(given[0]))
        return own if own is not None else walker.member(value, as_text(given[0]))
    return walker.call(walker.member(value, name), given, span(node))


def read_reference_call(walker: Walker, node: Node) -> Any:
    """`$f->(…)`."""
    arguments = node.child_by_field_name("arguments")
    callee = next((child for child in node.named_children if child != arguments), None)
    value: Any = walker.literal(callee)
    if value is None and callee is not None:
        value = walker.resolve(callee)
    if isinstance(value, str) and value and HOLE not in value:
        value = Ref(value)
    return walker.call(value, arguments_of(walker, arguments), span(node))
