"""Loops that flood a service, try one port after another, or fill the memory, by their syntax and effects."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from interlock.analyse.python.nodes import nodes_in
from interlock.analyse.reading import Reading, Site
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.method_words import MethodWords
from interlock.model import Effect
from interlock.patterns import late

_WORDS = read_table("method-words", MethodWords)

_LEAVING = (ast.Break, ast.Return, ast.Raise, ast.Yield, ast.YieldFrom)
#: Methods that wait for something, so that a loop around them has a pause.
_WAITING = _WORDS.waiting
_CLIENTS = frozenset("requests session s httpx client http urllib urllib3 aiohttp".split())
_NEAR = frozenset({"local", "private", "trusted", "uncalled"})
_LOCAL = late(r"^(?:localhost|127\.|::1|0\.0\.0\.0)")
MIN_PORTS = 20


def report_endless(reading: Reading, node: ast.While, first: int, site: Site) -> None:
    """Report a loop without an end or a pause that sends requests to others, or only doubles what it holds."""
    parts = nodes_in(node)
    if any(isinstance(part, _LEAVING) or _waits(part) for part in parts):
        return
    if _is_sent(reading.effects[first:]):
        reading.emit("process.spawn", site, "endless loop", frozenset({"endless"}))
    elif any(_doubles(part) for part in parts):
        reading.emit("machine.exhaust", site, "endless loop that doubles a value")


def counts_on(items: ast.expr) -> bool:
    """Whether a loop over these items counts without an end."""
    return isinstance(items, ast.Call) and method_name(items) in ("count", "cycle", "repeat") and not items.args[1:]


def report_counting(reading: Reading, node: ast.For | ast.AsyncFor, first: int, site: Site) -> None:
    """Report a loop that counts without an end, if it creates files or processes in each round."""
    if any(isinstance(part, _LEAVING) or _waits(part) for part in nodes_in(node)):
        return
    if any(effect.kind in ("fs.write", "process.spawn", "container.run") for effect in reading.effects[first:]):
        reading.emit("machine.exhaust", site, "endless loop that creates files or processes")


def report_crowd(reading: Reading, first: int, site: Site) -> None:
    """Report a loop of thousands of rounds, if it sends requests to a service of others."""
    if _is_sent(reading.effects[first:]):
        reading.emit("net.connect", site, "thousands of requests", frozenset({"repeated"}))


def report_port_scan(reading: Reading, node: ast.For | ast.AsyncFor, site: Site) -> None:
    """Report a loop that tries many ports or machines one after another."""
    parts = nodes_in(node)
    tries = any(
        isinstance(part, ast.Call) and method_name(part) in ("connect_ex", "create_connection") for part in parts
    )
    if not tries or any(isinstance(part, ast.Constant) and is_local(part.value) for part in parts):
        return
    if (
        max((round_count(part.iter) for part in parts if isinstance(part, (ast.For, ast.AsyncFor))), default=0)
        >= MIN_PORTS
    ):
        reading.emit("net.connect", site, "many ports", frozenset({"scan"}))


def _waits(part: ast.AST) -> bool:
    if not isinstance(part, ast.Call):
        return False
    name = method_name(part)
    if name == "join" and isinstance(part.func, ast.Attribute) and isinstance(part.func.value, ast.Constant):
        return False  # of texts, not of a thread
    if name == "get":  # of a queue, not of a web client
        owner = part.func.value if isinstance(part.func, ast.Attribute) else None
        return not (isinstance(owner, ast.Name) and owner.id.lower() in _CLIENTS)
    return name in _WAITING


def method_name(call: ast.Call) -> str:
    """Return the last part of the name of what is called."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _is_sent(effects: Iterable[Effect]) -> bool:
    return any(
        effect.kind in ("net.fetch", "net.send", "net.connect", "message.send") and _NEAR.isdisjoint(effect.flags)
        for effect in effects
    )


def _doubles(part: ast.AST) -> bool:
    """Whether a statement adds a value to itself: `x += x`, `x = x * 2`, `x.extend(x)`."""
    if isinstance(part, ast.AugAssign) and isinstance(part.target, ast.Name):
        own = part.target.id
        return isinstance(part.op, ast.Add) and isinstance(part.value, ast.Name) and part.value.id == own
    if isinstance(part, ast.Call) and method_name(part) == "extend" and isinstance(part.func, ast.Attribute):
        owner, given = part.func.value, part.args[0] if part.args else None
        return isinstance(owner, ast.Name) and isinstance(given, ast.Name) and owner.id == given.id
    return False


def is_local(value: object) -> bool:
    """Whether a value is the name or address of this machine."""
    return isinstance(value, str) and _LOCAL.match(value) is not None


def round_count(items: ast.expr) -> int:
    """Return how many rounds a loop over these items has, as far as the text tells."""
    if isinstance(items, (ast.List, ast.Tuple, ast.Set)):
        return len(items.elts)
    if isinstance(items, ast.Call) and method_name(items) == "range":
        bounds = [part.value for part in items.args if isinstance(part, ast.Constant) and isinstance(part.value, int)]
        return max(bounds, default=0) - (bounds[0] if len(bounds) > 1 else 0)
    return MIN_PORTS if isinstance(items, ast.Call) and method_name(items) == "hosts" else 0
