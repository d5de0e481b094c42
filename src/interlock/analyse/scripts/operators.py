"""Operators of scripts on two values: what joins texts, what adds numbers, what gives one side or the other."""

from __future__ import annotations

from typing import Any

from interlock.analyse.scripts.pure import compute
from interlock.analyse.scripts.scope import ScriptScope
from interlock.analyse.scripts.truth import both, either_or, unless_nothing
from interlock.analyse.scripts.values import MAX_TEXT, is_constant, join

_OR, _DEFAULT, _AND = frozenset({"||", "or", "?:"}), frozenset({"??", "//"}), frozenset({"&&", "and"})
_LARGEST = 1 << 40


def combine(scope: ScriptScope, mark: str, left: Any, right: Any) -> Any:
    """Return what a binary operator gives."""
    if mark == "+" and (isinstance(left, list) or isinstance(right, list)) and scope.syntax.name != "javascript":
        return [*left, *right] if isinstance(left, list) and isinstance(right, list) else scope.mix(left, right)
    if mark in scope.syntax.joins:
        number = calculate(mark, left, right)
        return join(left, right) if number is None else number
    return choose(scope, mark, left, right)


def choose(scope: ScriptScope, mark: str, left: Any, right: Any) -> Any:
    """Return what an operator gives that does not join: one side or the other, or something unknown."""
    if mark in ("x", "*") and isinstance(left, str) and isinstance(right, int) and len(left) * right <= MAX_TEXT:
        return left * max(right, 0)
    if mark in _AND:
        return both(scope.syntax.name, left, right)
    if mark in _OR:
        return either_or(scope.syntax.name, left, right)
    if mark in _DEFAULT:
        return unless_nothing(left, right)
    if mark in ("<<", "=>", "=~", "->"):
        return join(left, right) if mark == "<<" else right
    if mark == "%" and isinstance(left, str) and is_constant(left):
        formatted = compute("format", [left, right])
        if formatted is not None:
            return formatted
    number = calculate(mark, left, right)
    return number if number is not None else scope.mix(left, right)


def calculate(mark: str, left: Any, right: Any) -> int | None:
    """Return what an operator gives on two numbers, where that is small and certain."""
    if not (isinstance(left, int) and isinstance(right, int)) or max(abs(left), abs(right)) > _LARGEST:
        return None
    if mark == "^":
        return left ^ right
    return left + right if mark == "+" else left - right if mark == "-" else left * right if mark == "*" else None
