"""Shell arithmetic over known values: `$((16#72))`, `$((x + 1))`."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from interlock.patterns import late

if TYPE_CHECKING:
    import ast

#: Node of the syntax tree → the function that computes it.
_OPERATORS: dict[str, Callable[[int, int], int]] = {
    "Add": operator.add,
    "Sub": operator.sub,
    "Mult": operator.mul,
    "BitAnd": operator.and_,
    "BitOr": operator.or_,
    "BitXor": operator.xor,
    "FloorDiv": operator.floordiv,
    "Mod": operator.mod,
}
_BASED = late(r"\b(\d{1,2})#([0-9a-zA-Z]{1,16})\b")
_OCTAL = late(r"(?<![\w#.])0(\d+)\b")
_NAME = late(r"\$?\{?\b([A-Za-z_]\w{0,63})\b\}?")
MAX_TEXT = 200
MAX_VALUE = 2**63


def evaluate(text: str, lookup: Callable[[str], str | None]) -> int | None:
    """Return the value of an expression, or None if a part of it is unknown.

    >>> evaluate("16#72 + 1", lambda name: None), evaluate("x * 2", {"x": "21"}.get), evaluate("y", {}.get)
    (115, 42, None)
    """
    import ast

    if len(text) > MAX_TEXT:
        return None
    text = _BASED.sub(_convert_base, text)
    text = _NAME.sub(lambda found: _look_up_number(found[1], lookup), text)
    text = _OCTAL.sub(r"0o\1", text).replace("/", "//")
    try:
        return _evaluate_node(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, ArithmeticError, RecursionError, MemoryError):
        return None


def _convert_base(found: re.Match[str]) -> str:
    """Return `base#digits` as a decimal number, or `?` if it is invalid."""
    base = int(found[1])
    try:
        return str(int(found[2], base)) if 2 <= base <= 36 else "?"
    except ValueError:
        return "?"


def _look_up_number(name: str, lookup: Callable[[str], str | None]) -> str:
    """Return the decimal value of a variable, or `?`, which makes the expression invalid."""
    value = lookup(name)
    return value if value is not None and value.isascii() and value.lstrip("-").isdigit() else "?"


def _evaluate_node(node: ast.expr) -> int:
    """Return the value of a node; raise ValueError if it is not a constant expression."""
    import ast

    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return _check_range(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        inner = _evaluate_node(node.operand)
        return -inner if isinstance(node.op, ast.USub) else inner
    operation = _OPERATORS.get(type(node.op).__name__) if isinstance(node, ast.BinOp) else None
    if isinstance(node, ast.BinOp) and operation is not None:
        return _check_range(operation(_evaluate_node(node.left), _evaluate_node(node.right)))
    raise ValueError("not a constant")


def _check_range(value: int) -> int:
    """Return a value, or raise ValueError if it does not fit into 64 bits."""
    if abs(value) >= MAX_VALUE:
        raise ValueError("too large")
    return value
