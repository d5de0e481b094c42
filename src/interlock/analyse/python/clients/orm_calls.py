"""Rows that an object-relational mapper deletes: `session.query(User).delete()`, `User.delete().execute()`.

The objects of a mapper come from the project, so nothing is known of them but how a call is written. The steps of the
call tell what is deleted, and whether a condition narrows it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from interlock.analyse.python.call import PythonCall
from interlock.analyse.python.nodes import nodes_in
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.method_words import MethodWords

_WORDS = read_table("method-words", MethodWords)

METHODS = frozenset({"delete", "execute", "destroy"})
_QUERIES = frozenset({"query", "select_from", "session_query"})
_ALL = frozenset({"all", "select", "find_all", "delete", "objects"})
_NARROWING = _WORDS.narrowing
_KEYS = frozenset({"id", "pk", "uuid"})


def find_deleted_rows(call: PythonCall) -> str:
    """Return the effect of a call that deletes the rows of a mapper, or an empty text if it is none."""
    node = call.place
    if not isinstance(node, ast.Call):
        return ""
    if call.method == "execute":
        statement = node.args[0] if node.args else node.func.value if isinstance(node.func, ast.Attribute) else None
        return _statement_effect(statement) if isinstance(statement, ast.Call) else ""
    steps = list(call_steps(node))
    names = [name for name, _ in steps]
    if names[-1:] != [call.method] or len(names) < 2:
        return ""
    on_class = names[0][:1].isupper() and not names[0].isupper() and not _ALL.isdisjoint(names[1:-1])
    if _QUERIES.isdisjoint(names[:-1]) and not on_class:
        return ""
    return _classify_delete(steps)


def _statement_effect(node: ast.Call) -> str:
    """Return the effect of a statement that is executed: `delete(User)`, `User.delete()`, `users.delete().where(…)`."""
    steps = list(call_steps(node))
    at = next((at for at, (name, _) in enumerate(steps) if name == "delete"), -1)
    if at < 0 or (at == 0 and not (steps[0][1] is not None and steps[0][1].args)):
        return ""
    return _classify_delete(steps)


def call_steps(node: ast.expr) -> Iterator[tuple[str, ast.Call | None]]:
    """Yield the names in a chain of attributes and calls, from its beginning, each with the call of it."""
    found: list[tuple[str, ast.Call | None]] = []
    call: ast.Call | None = None
    while True:
        if isinstance(node, ast.Call):
            call, node = node, node.func
        elif isinstance(node, ast.Attribute):
            found.append((node.attr, call))
            call, node = None, node.value
        elif isinstance(node, ast.Await):
            node = node.value
        else:
            if isinstance(node, ast.Name):
                found.append((node.id, call))
            break
    yield from reversed(found)


def _classify_delete(steps: list[tuple[str, ast.Call | None]]) -> str:
    conditions = [call for name, call in steps if name in _NARROWING and call is not None]
    if not conditions:
        return "db.delete unbounded"
    return "db.delete" if any(_is_by_key(call) for call in conditions) else "db.delete many"


def _is_by_key(call: ast.Call) -> bool:
    """Whether a condition compares a key: `filter_by(id=7)`, `where(User.id == 7)`, `get(7)`."""
    if isinstance(call.func, ast.Attribute) and call.func.attr in ("get", "get_or_none") and call.args:
        return True
    if any(keyword.arg in _KEYS or (keyword.arg or "").endswith("_id") for keyword in call.keywords):
        return True
    return any(
        isinstance(part, ast.Compare)
        and isinstance(part.left, ast.Attribute)
        and (part.left.attr in _KEYS or part.left.attr.endswith("_id"))
        and isinstance(part.ops[0], (ast.Eq, ast.In))
        for argument in call.args
        for part in nodes_in(argument)
    )
