"""References of Perl: what is written through them, and names that are computed.

A reference stands for what it refers to. So what is written through one reaches every name that may be meant: the one
whose value it is, the one that a text names, and where neither is known, each that a reference was taken to.
"""

from __future__ import annotations

from typing import Any

from tree_sitter import Node

from interlock.analyse.files.paths import HOLE
from interlock.analyse.scripts.callables import store_outside
from interlock.analyse.scripts.changes import change_any, change_same
from interlock.analyse.scripts.trees.language import span
from interlock.analyse.scripts.trees.perl_names import read_inside, variable_name
from interlock.analyse.scripts.trees.walker import Walker
from interlock.analyse.scripts.values import MAX_ITEMS, Ref, ScriptFunction, as_text, choices, either

_VARIABLES = frozenset({"array", "hash", "scalar"})


def note_reference(walker: Walker, node: Node) -> None:
    """Note that a reference is taken to a variable: `\\$x`."""
    for child in node.named_children if node.type in ("parenthesized_expression", "list_expression") else [node]:
        if child.type in _VARIABLES:
            walker.referenced.add(variable_name(walker, child))


def bare_name(text: str) -> str:
    """Return the name of a global variable or function without its package."""
    return text.removeprefix("*").removeprefix("main::").removeprefix("::")


def to_referenced(walker: Walker, node: Node, mark: str, value: Any) -> None:
    """`$$r = value`, `@$r = (…)`, `${"name"} = value`, `$r->@* = (…)`."""
    for target in choices(read_inside(walker, node)):
        _to_target(walker, target, mark, value)
    store_outside(walker, value, span(node))


def _to_target(walker: Walker, target: Any, mark: str, value: Any) -> None:
    if isinstance(target, list):
        values = value if isinstance(value, list) else [value]
        target[:] = [
            walker.merge(target[index] if index < len(target) else None, "=", one)
            for index, one in enumerate(values[:MAX_ITEMS])
        ]
    elif isinstance(target, dict):
        pairs = value if isinstance(value, list) else []
        for key, one in zip(pairs[::2], pairs[1::2], strict=False):
            walker.store(target, as_text(key), one)
    else:
        after = walker.merge(target, mark, value) if mark != "=" else value
        _write(walker, target, after)


def _write(walker: Walker, target: Any, value: Any) -> None:
    """Give a value to what a reference or a name may mean."""
    text = as_text(target)
    before = dict(walker.names)
    if HOLE not in text:
        _write_named(walker, target, text, value)
    if any(walker.names[name] != held for name, held in before.items()):
        return
    for name in walker.referenced & before.keys():
        walker.names[name] = either(before[name], value)
    if HOLE in text and not walker.referenced & before.keys():
        change_any(walker, value)


def _write_named(walker: Walker, target: Any, text: str, value: Any) -> None:
    name = bare_name(text)
    if name.isidentifier() and not isinstance(target, int):
        held = walker.names.get(name)
        walker.names[name] = value if held is None else either(held, value)
    change_same(walker, text, value)


def to_glob(walker: Walker, node: Node, _mark: str, value: Any) -> None:
    """`*name = \\&function`, `*{"name"} = sub {…}`, `*name = \\$value`."""
    name = variable_name(walker, node)
    if not name:
        found = read_inside(walker, node)
        name = bare_name(found) if isinstance(found, str) and HOLE not in found else ""
    if name and isinstance(value, (Ref, ScriptFunction)):
        walker.names[f"&{name}"] = value
    elif name and value is not None:
        walker.names[name] = value
    store_outside(walker, value, span(node))
