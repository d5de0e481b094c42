"""Texts of Perl: strings, words, here-documents, formats and documentation."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from tree_sitter import Node

from interlock.analyse.scripts.perl_strings import unescape_parts
from interlock.analyse.scripts.trees import node_readers as m
from interlock.analyse.scripts.trees.language import Span, span
from interlock.analyse.scripts.trees.walker import Walker
from interlock.analyse.scripts.values import MAX_CHOICES, MAX_ITEMS, Choice, as_text, choices, map_text, unknown
from interlock.patterns import late

_FIELD = late(r"[@^]")


def read_string(walker: Walker, node: Node, how: Callable[[Walker, Node, Span], Any] | None = None) -> Any:
    """A string: all between its delimiters, since the grammar leaves out white space at the beginning."""
    content, children = node.child_by_field_name("content"), node.children
    if content is None:
        return walker.source.text[children[-2].end_byte : children[-1].start_byte] if len(children) > 1 else ""
    index = children.index(content)
    start = children[index - 1].end_byte if index else content.start_byte
    end = children[index + 1].start_byte if index + 1 < len(children) else content.end_byte
    return (how or interpolate)(walker, content, (start, end))


def interpolate(walker: Walker, content: Node, around: Span) -> Any:
    """Return what a text stands for in which escapes count and values are filled in."""
    parts: list[tuple[bool, Any]] = []
    at, end = around
    for child in content.named_children:
        if child.type == "escape_sequence":
            continue  # the grammar does not know where all of them end
        parts.append((True, walker.source.text[at : child.start_byte]))
        at = child.end_byte
        is_mark = child.type == "escaped_delimiter"
        parts.append((False, walker.of(child)[1:] if is_mark else _listed(walker, walker.evaluate(child))))
    parts.append((True, walker.source.text[at:end]))
    return one_or_several([unescape_parts(way) for way in _ways(parts)])


def _listed(walker: Walker, value: Any) -> Any:
    """Return a value as it is filled in: a list with `$"` between its elements, where that is not a space."""
    separator = walker.names.get('"')
    if separator is None or not isinstance(value, list):
        return value
    return as_text(separator).join(map(as_text, value))


def _ways(parts: list[tuple[bool, Any]]) -> list[list[tuple[bool, str]]]:
    """Return the ways in which parts may follow each other, where one of them is one of several values."""
    ways: list[list[tuple[bool, str]]] = [[]]
    for is_written, part in parts:
        ways = [[*way, (is_written, as_text(one))] for way in ways for one in choices(part)]
        if len(ways) > MAX_CHOICES:
            ways = [*ways[: MAX_CHOICES - 1], [(False, unknown("text"))]]
    return ways


def one_or_several(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else Choice(tuple(values[:MAX_CHOICES]))


def _plain(walker: Walker, content: Node, around: Span) -> Any:
    return walker.gaps(content, m.unescape_quote, around)


def read_single(walker: Walker, node: Node) -> Any:
    return read_string(walker, node, _plain)


def read_command(walker: Walker, node: Node) -> Any:
    """A command in back ticks or `qx`; between single quotes nothing is filled in."""
    is_plain = walker.of(node).removeprefix("qx").lstrip()[:1] == "'"
    return walker.run_text(read_string(walker, node, _plain if is_plain else None), span(node))


def read_words(walker: Walker, node: Node) -> Any:
    return as_text(read_string(walker, node)).split()[:MAX_ITEMS]


def read_heredoc(walker: Walker, node: Node) -> Any:
    body, token = walker.source.heredoc(node), walker.of(node)
    if body is None:
        return unknown("text")
    end = next((child for child in body.named_children if child.type == "heredoc_end"), None)
    text = interpolate(walker, body, span(body)) if "'" not in token else walker.of(body)
    text = map_text(text, lambda one: one.removesuffix(walker.of(end))) if end is not None else text
    return walker.run_text(text, span(node)) if "`" in token else text


def read_format(walker: Walker, node: Node) -> Any:
    """The lines of a `format`: behind each that has fields stands one with the values, which are code."""
    lines = walker.of(node).split("\n")
    for before, line in pairwise(lines):
        if _FIELD.search(before):
            walker.inner(line)
    return ""


def read_pod(walker: Walker, node: Node) -> Any:
    """Documentation; to Perl it is that only where a statement may begin, and else `=` is an assignment."""
    before = node.prev_sibling
    while before is not None and before.type in ("comment", "pod"):
        before = before.prev_sibling
    if before is not None and before.type == "expression_statement":
        walker.inner(walker.of(node).lstrip("="))
    return ""


def read_nested_end(walker: Walker, node: Node) -> Any:
    return walker.of(node)
