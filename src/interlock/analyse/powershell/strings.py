"""The texts of PowerShell: what stands in quotes, in here-strings and in bare words."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tree_sitter import Node

from interlock.analyse.powershell.source import PowerShellSource
from interlock.analyse.powershell.values import text_of
from interlock.analyse.scripts.values import MAX_TEXT
from interlock.patterns import late

_ESCAPED = late(r"`(?:u\{([0-9a-fA-F]{1,6})\}|e(?=[\[\]])|(.))|\"\"", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "0": ""}
_PART = late(
    r"'(?P<single>(?:[^']|'')*)'|(?P<double>\"(?:[^\"`]|`.|\"\")*\")|`(?P<tick>.)|(?P<code>\$\()"
    r"|(?P<name>\$(?:\{[^}]*\}|(?:\w+:)?\w+|[?$^]))",
    re.DOTALL,
)

EvaluateNode = Callable[[PowerShellSource, Node], Any]


def unescape(text: str) -> str:
    """Return a text with its back ticks taken as escapes.

    >>> unescape("a`tb``c")
    'a\\tb`c'
    """
    return _ESCAPED.sub(_character, text) if "`" in text or '""' in text else text


def _character(found: re.Match[str]) -> str:
    if found[1]:
        point = int(found[1], 16)
        return chr(point) if point < 0x110000 and not 0xD800 <= point < 0xE000 else "?"
    if (
        found[0] == "`e" and found[2] is None
    ):  # for which Windows PowerShell has a plain letter, so that it counts before a bracket alone
        return "\x1b"
    return _ESCAPES.get(found[2], found[2]) if found[2] else '"'


def verbatim(text: str) -> str:
    """Return what stands in single quotes, or in a here-string with them."""
    if text.startswith("@'"):
        return text.partition("\n")[2].rpartition("\n")[0]
    return text[1:-1].replace("''", "'")


def expand(source: PowerShellSource, node: Node, evaluate: EvaluateNode) -> str:
    """Return what stands in double quotes, with variables and subexpressions filled in."""
    here = node.type == "expandable_here_string_literal"
    start, end = node.start_byte + 1, node.end_byte - 1
    if here:
        start = source.text.find("\n", node.start_byte) + 1
        end = max(source.text.rfind("\n", 0, node.end_byte), start)
    parts, at = [], start
    for child in node.named_children:
        if child.start_byte < at or child.end_byte > end:
            continue
        parts += [_literal(source.slice(at, child.start_byte), here), text_of(evaluate(source, child))]
        at = child.end_byte
    return "".join([*parts, _literal(source.slice(at, end), here)])[:MAX_TEXT]


def _literal(text: str, here: bool) -> str:
    return unescape(text.replace('""', '`"`"') if here else text)


def expand_word(source: PowerShellSource, text: str, evaluate: EvaluateNode) -> Any:
    """Return what a word of a command is: bare text, with strings, variables and subexpressions in it."""
    if text[:1] in "$(@[\"'" and text[:1]:
        whole = source.inner(text)
        if not whole.broken and _is_one_value(whole.root):
            return evaluate(whole, whole.root)
    parts, at = [], 0
    while found := _PART.search(text, at):
        parts.append(source.fill(text[at : found.start()]))
        at = found.end()
        if found["single"] is not None:
            parts.append(source.fill(found["single"].replace("''", "'")))
        elif found["tick"] is not None:
            parts.append(_ESCAPES.get(found["tick"], found["tick"]))
        else:
            if found["code"]:
                at = _find_closing(text, at)
            inner = source.inner(text[found.start() : at])
            parts.append(text_of(evaluate(inner, inner.root)))
    return "".join([*parts, source.fill(text[at:])])[:MAX_TEXT]


def _is_one_value(root: Node) -> bool:
    """Whether a tree is one expression and no command."""
    node = root
    while node.named_child_count == 1 and node.type != "unary_expression":
        child = next(iter(node.named_children), None)
        if child is None or child.type == "command":
            return False
        node = child
    return node.type in ("unary_expression", "expression_with_unary_operator", "array_literal_expression")


def _find_closing(text: str, at: int) -> int:
    """Return where the bracket is closed that was opened before `at`."""
    depth = 1
    while at < len(text) and depth:
        depth += (text[at] == "(") - (text[at] == ")")
        at += 1
    return at
