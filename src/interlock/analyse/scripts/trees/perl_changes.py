"""Patterns of Perl, and what `s///` and `tr///` make of a variable."""

from __future__ import annotations

from typing import Any

from tree_sitter import Node

from interlock.analyse.files.paths import HOLE, is_hole
from interlock.analyse.scripts.perl_strings import substitute, transliterate
from interlock.analyse.scripts.strings import closing_bracket
from interlock.analyse.scripts.trees import node_readers as m
from interlock.analyse.scripts.trees.language import span
from interlock.analyse.scripts.trees.perl_names import look_up
from interlock.analyse.scripts.trees.perl_texts import interpolate, one_or_several
from interlock.analyse.scripts.trees.walker import Walker
from interlock.analyse.scripts.values import MAX_TEXT, Ref, as_text, choices, unknown
from interlock.patterns import late

_CODE_IN_PATTERN = late(r"\(\?\??\{")


def read_substitution(walker: Walker, node: Node) -> Any:
    """`s/pattern/replacement/`: with `e` the replacement is code, and with `ee` what that gives is code too."""
    read_pattern(walker, node)
    _run_replacement(walker, node)
    return _change(walker, node, None)


_CHANGING = frozenset({"substitution_regexp", "transliteration_expression"})


def _change(walker: Walker, node: Node, target: Node | None) -> Any:
    """`$x =~ s/…/…/`, `tr/…/…/`: give the variable what it stands for afterwards, as far as that can be told."""
    before = walker.evaluate(target) if target is not None else look_up(walker, "_")
    modifiers = next((walker.of(child) for child in node.named_children if child.type.endswith("_modifiers")), "")
    value = one_or_several([_apply_substitution(walker, node, one, modifiers) for one in choices(before)])
    if "r" in modifiers:
        return value
    if target is not None:
        walker.assign_to(inner_target(target), "bind", value)
    elif "_" in walker.names:
        walker.names["_"] = value
    return unknown("pattern")


def inner_target(node: Node) -> Node:
    """Return what is changed in the end: of `(my $x = $y)` that is `$x`."""
    while node.type in ("parenthesized_expression", "assignment_expression"):
        inner = node.child_by_field_name("left") or next(iter(node.named_children), None)
        if inner is None:
            return node
        node = inner
    return node


def _apply_substitution(walker: Walker, node: Node, value: Any, modifiers: str) -> Any:
    """Return what a substitution makes of a value; where it cannot be told, something that comes from there."""
    if not isinstance(value, str) or is_hole(value):
        return value
    replacement = next((child for child in node.named_children if child.type == "replacement"), None)
    content = node.child_by_field_name("content")
    old = walker.of(content) if content is not None else ""
    new = _blank(walker, node)
    if replacement is not None:
        new = as_text(interpolate(walker, replacement, span(replacement)))
    how = transliterate if node.type == "transliteration_expression" else substitute
    found = how(value, old, new, modifiers) if HOLE not in value + new and "e" not in modifiers else None
    return found if found is not None and len(found) <= MAX_TEXT else walker.mix(value, new)


def _blank(walker: Walker, node: Node) -> str:
    """Return a replacement that is white space, for which the grammar has no node: `s/_/ /`, `s{_}{ }`."""
    content = node.child_by_field_name("content")
    rest = walker.source.text[content.end_byte if content is not None else node.start_byte : node.end_byte]
    return max(_BLANKS.findall(rest), key=len, default="")


_BLANKS = late(r"\s+")


def read_operation(walker: Walker, node: Node) -> Any:
    """An operation on two values; `=~` with a substitution changes the left one."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or right.type not in _CHANGING:
        return m.operation(walker, node)
    if right.type == "substitution_regexp":
        walker.source.seen.add(right.id)
        read_pattern(walker, right)
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


def read_transliteration(walker: Walker, node: Node) -> Any:
    return _change(walker, node, None)


def read_pattern(walker: Walker, node: Node) -> Any:
    """A pattern: what is filled in is read, and code in it runs."""
    content = node.child_by_field_name("content")
    if content is None:
        return unknown("pattern")
    text = walker.of(content)
    for child in content.named_children:
        for filled in choices(walker.evaluate(child)):
            if isinstance(filled, str) and HOLE not in filled:
                _run_code_in(walker, filled)
    _run_code_in(walker, text)
    return unknown("pattern")


def _run_code_in(walker: Walker, text: str) -> None:
    for found in _CODE_IN_PATTERN.finditer(text):
        end = closing_bracket(text, found.end(), "{", "}")
        walker.inner(text[found.end() : end if end >= 0 else None])
