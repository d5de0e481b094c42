"""Bulk: one password after another, one machine after another, and memory by the hundred gigabytes."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from interlock.analyse.python.loops.flooding import MIN_PORTS, is_local, method_name, round_count
from interlock.analyse.python.nodes import nodes_in
from interlock.analyse.reading import Reading, Site
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.method_words import MethodWords
from interlock.patterns import late

_WORDS = read_table("method-words", MethodWords)

#: Bytes or items that no ordinary machine holds.
LARGE = 10**10
_PASSWORDS = frozenset("password passwd pwd passphrase pw secret pin".split())
_GIVEN = _PASSWORDS | {"auth"}
#: Methods that let in whoever knows a password.
_OPENING = _WORDS.opening
_HASHING = _WORDS.hashing
_TRIMMING = frozenset("strip rstrip lstrip encode decode".split())
_TRYING = frozenset({"connect_ex", "create_connection", "open_connection"})
_ALLOCATING = _WORDS.allocating
_ENDLESS = frozenset({"count", "repeat", "cycle"})
_GUESSED = frozenset({"attack", "brute_force"})
_CRACKED = frozenset({"crack"})
_SCANNED = frozenset({"scan"})
_WORD_LISTS = late(r"(?i)rockyou|word-?_?list|passwords?\b|pass_?list|dictionary|seclists|candidates|leaked|combo")


def report_bulk(reading: Reading, tree: ast.Module, site: Site) -> None:
    """Report what a program does in bulk, as its syntax shows it."""
    parts = nodes_in(tree)
    looked_at: list[Any] = [part for part in parts if part.__class__ in _LOOKED_AT]
    calls = [part for part in looked_at if part.__class__ is ast.Call]
    methods = set(map(method_name, calls))
    gives_passwords = not _GIVEN.isdisjoint([word.arg for call in calls for word in call.keywords])
    allocates = not _ALLOCATING.isdisjoint(methods)
    for part in looked_at:
        if part.__class__ is ast.Call and not allocates:
            continue
        if isinstance(part, (ast.For, ast.AsyncFor)):
            if gives_passwords or _is_word_list(part.iter):
                _report_guessing(reading, part, site)
        elif _is_huge(part):
            reading.emit("machine.exhaust", site, "more memory than the machine has")
            break
    if not _TRYING.isdisjoint(methods) and not any("scan" in effect.flags for effect in reading.effects):
        _report_scan(reading, parts, site)


#: Kinds of nodes that can tell of passwords that are tried or of memory that is taken.
_LOOKED_AT = frozenset({ast.Call, ast.For, ast.AsyncFor, ast.BinOp, ast.ListComp, ast.SetComp, ast.DictComp})


def _report_guessing(reading: Reading, node: ast.For | ast.AsyncFor, site: Site) -> None:
    """Report a loop that tries one password after another, at a machine, an archive or a hash."""
    names = {part.id for part in nodes_in(node.target) if isinstance(part, ast.Name)}
    listed = _is_word_list(node.iter)
    for part in nodes_in(node):
        if not isinstance(part, ast.Call):
            continue
        method = method_name(part)
        if method in _OPENING and any(
            (word.arg in _PASSWORDS and _is_one_of(word.value, names))
            or (word.arg == "auth" and isinstance(word.value, ast.Tuple) and _is_one_of(word.value.elts[-1], names))
            for word in part.keywords
        ):
            if _tries_elsewhere(method, part):
                reading.emit("net.connect", site, "one password after another", _GUESSED)
            else:
                reading.emit("process.run", site, "one password after another", _CRACKED)
            return
        if listed and method in _HASHING and any(_is_one_of(given, names) for given in part.args):
            reading.emit("process.run", site, "hashes of a word list", _CRACKED)
            return


def _tries_elsewhere(method: str, call: ast.Call) -> bool:
    return method not in ("extractall", "extract", "open", "read", "testzip", "decrypt") and not any(
        isinstance(part, ast.Constant) and is_local(part.value) for part in nodes_in(call)
    )


def _is_one_of(node: ast.expr, names: set[str]) -> bool:
    """Whether an expression is the item of a loop as it is: `word`, `word.strip()`, `word.encode()`."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _TRIMMING:
        node = node.func.value
    return isinstance(node, ast.Name) and node.id in names


def _is_word_list(node: ast.expr) -> bool:
    """Whether a loop goes through a file of words, or through all texts of some letters."""
    if isinstance(node, ast.Call) and method_name(node) == "product":
        return True
    return any(
        isinstance(part, ast.Constant) and isinstance(part.value, str) and _WORD_LISTS.search(part.value)
        for part in nodes_in(node)
    )


def _report_scan(reading: Reading, parts: Sequence[ast.AST], site: Site) -> None:
    """Report connections to everything that a comprehension lists: many machines, or many ports."""
    if any(isinstance(part, ast.Constant) and is_local(part.value) for part in parts):
        return
    for part in parts:
        if isinstance(part, (ast.ListComp, ast.GeneratorExp, ast.SetComp)):
            rounds = 1
            for generator in part.generators:
                rounds *= max(round_count(generator.iter), 1)
            if rounds >= MIN_PORTS:
                reading.emit("net.connect", site, "many machines", _SCANNED)
                return


def _is_huge(part: ast.AST) -> bool:
    """Whether an expression makes a text, a list or an array of a size that no machine holds."""
    if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Mult):
        sides = (part.left, part.right)
        if any(_is_sequence(side) for side in sides):
            return any(_number(side) >= LARGE for side in sides)
    if isinstance(part, ast.Call) and method_name(part) in _ALLOCATING:
        return any(_number(given) >= LARGE for given in _numbers(part))
    return isinstance(part, (ast.ListComp, ast.SetComp, ast.DictComp)) and _is_endless(part.generators[0].iter)


def _is_sequence(node: ast.expr) -> bool:
    return isinstance(node, (ast.List, ast.Tuple)) or (
        isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)) and bool(node.value)
    )


def _numbers(call: ast.Call) -> Iterator[ast.expr]:
    for given in call.args[:2]:
        yield from given.elts if isinstance(given, ast.Tuple) else (given,)


def _is_endless(items: ast.expr) -> bool:
    """Whether there is no last item: `itertools.count()`, `iter(int, 1)`."""
    if not isinstance(items, ast.Call):
        return False
    name = method_name(items)
    if name == "iter" and len(items.args) == 2:
        first, last = items.args
        return isinstance(first, ast.Name) and first.id == "int" and isinstance(last, ast.Constant) and last.value != 0
    return (
        name in _ENDLESS
        and len(items.args) < 2
        and not items.keywords
        and isinstance(items.func, (ast.Name, ast.Attribute))
    )


def _number(node: ast.expr) -> float:
    """Return the value of a constant expression of numbers, or 0."""
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return node.value
    if isinstance(node, ast.Call) and method_name(node) == "int" and node.args:
        return _number(node.args[0])
    if not isinstance(node, ast.BinOp):
        return 0
    left, right = _number(node.left), _number(node.right)
    if isinstance(node.op, ast.Mult):
        return left * right
    if isinstance(node.op, ast.Pow):
        return left**right if 0 < left <= 1024 and 0 < right <= 64 else 0
    if isinstance(node.op, ast.LShift):
        return left * 2**right if 0 < right <= 64 else 0
    return 0
