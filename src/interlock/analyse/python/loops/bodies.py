"""What the body of a loop tells by its syntax alone: what it grows, and whether it ever ends."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator

from interlock.analyse.python.nodes import nodes_in

MAX_ROUNDS = 16  # of one loop, followed one by one
MAX_SMALL_ROUNDS = 1_024  # of a loop of a few plain statements: such ones spell texts out
SMALL = 4
_CONSUMING = frozenset(
    (
        "append extend write start Thread Process Popen fork add bytearray bytes range list urandom ones zeros empty"
    ).split()
)
_LEAVING = (ast.Break, ast.Return, ast.Raise, ast.Yield, ast.YieldFrom, ast.Await, ast.Assert)


def round_limit(body: list[ast.stmt]) -> int:
    """Return how many rounds of a loop may be followed one by one."""
    small = len(body) <= SMALL and all(isinstance(part, (ast.Assign, ast.AugAssign, ast.Expr)) for part in body)
    return MAX_SMALL_ROUNDS if small else MAX_ROUNDS


def find_grown_names(body: list[ast.stmt], names: Collection[str]) -> list[str]:
    """Return those of some names that a loop makes out of themselves: `text += …`, `text = f(text)`."""
    found: dict[str, None] = {}
    for part in _assignments(body):
        if isinstance(part, ast.AugAssign):
            if isinstance(part.target, ast.Name) and part.target.id in names:
                found[part.target.id] = None
        elif len(part.targets) == 1 and isinstance(part.targets[0], ast.Name) and part.targets[0].id in names:
            own = part.targets[0].id
            if any(isinstance(inner, ast.Name) and inner.id == own for inner in nodes_in(part.value)):
                found[own] = None
    return list(found)


def _assignments(body: Iterable[ast.AST]) -> Iterator[ast.Assign | ast.AugAssign]:
    for part in body:
        if isinstance(part, (ast.Assign, ast.AugAssign)):
            yield part
        elif not isinstance(part, ast.Expr):
            for field in ("body", "orelse", "finalbody", "handlers", "cases"):
                inner = getattr(part, field, ())
                if isinstance(inner, list):
                    yield from _assignments(inner)


def spells_letters(body: list[ast.stmt]) -> bool:
    """Whether a loop computes texts letter by letter."""
    for statement in body:
        for part in nodes_in(statement):
            kind = part.__class__
            if kind is ast.BitXor or (kind is ast.Name and part.id == "chr"):  # type: ignore[attr-defined]
                return True
    return False


def only_consumes(node: ast.While) -> bool:
    """Whether a loop without an end only takes memory, disk or processes, and never waits or stops."""
    names = []
    for part in nodes_in(node):
        if isinstance(part, _LEAVING):
            return False
        if isinstance(part, ast.Call):
            names.append(part.func.attr if isinstance(part.func, ast.Attribute) else getattr(part.func, "id", ""))
    if not names:
        return all(_doubles(statement) for statement in node.body)
    return _CONSUMING.issuperset(names)


def _doubles(statement: ast.stmt) -> bool:
    """Whether a statement makes a value twice as large: `x += x`, `x = x * 2`."""
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        same = isinstance(statement.value, ast.Name) and statement.value.id == statement.target.id
        return same or (isinstance(statement.op, (ast.Mult, ast.Pow)) and isinstance(statement.value, ast.Constant))
    return False


_STOPPING = (ast.Break, ast.Return, ast.Raise)
_WAITING = frozenset("sleep wait input recv accept select poll readline join".split())


def never_waits(node: ast.While) -> bool:
    """Whether a loop without an end goes on at once, round after round."""
    for part in nodes_in(node):
        if isinstance(part, _STOPPING):
            return False
        if isinstance(part, ast.Call):
            name = part.func.attr if isinstance(part.func, ast.Attribute) else getattr(part.func, "id", "")
            if name in _WAITING:
                return False
    return True


def only_formats_counter(body: list[ast.stmt], target: ast.expr) -> bool:
    """Whether a loop does nothing with its counter but put it into f-strings: `f"row{number}"`."""
    if not isinstance(target, ast.Name):
        return False
    formatted = counted = 0
    for part in (part for statement in body for part in nodes_in(statement)):
        if isinstance(part, ast.FormattedValue) and isinstance(part.value, ast.Name):
            formatted += part.value.id == target.id
        elif isinstance(part, ast.Name):
            counted += part.id == target.id
    return counted == formatted


def uses_name(body: list[ast.stmt], target: ast.expr) -> bool:
    """Whether a loop does anything with what it goes through; `for _ in …` says that it does not."""
    if not isinstance(target, ast.Name):
        return True
    name = target.id
    for statement in body:
        for part in nodes_in(statement):
            if part.__class__ is ast.Name and part.id == name:
                return True
    return False
