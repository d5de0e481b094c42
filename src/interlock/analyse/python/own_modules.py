"""Modules that a run has written and that a text imports: where they are, and what their names stand for."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import Flow
from interlock.analyse.python.evaluation.values import Module
from interlock.analyse.python.parse import MAX_CHARS, parse


def find_module(files: Mapping[str, Flow], folder: str | None, module: str) -> str:
    """Return the path of a module whose text is known, or an empty text: in the folder first, then anywhere.

    >>> find_module({"/p/tools/net.py": Flow("x = 1")}, "/p", "tools.net")
    '/p/tools/net.py'
    """
    inner = module.strip(".").replace(".", "/")
    names = (f"/{inner}.py", f"/{inner}/__init__.py") if inner else ()
    near = [f"{folder or ''}{name}" for name in names]
    found = next((path for path in near if path in files), "")
    found = found or next((path for path in files if path.endswith(names) and names), "")
    return found if found and _is_known(files[found]) else ""


def _is_known(flow: Flow) -> bool:
    return flow.text is not None and HOLE not in flow.text and len(flow.text) <= MAX_CHARS


def parse_at(text: str, node: ast.stmt) -> ast.Module | None:
    """Return the syntax tree of a module, all of which stands where it is imported, or None."""
    tree = parse(text)
    for part in ast.walk(tree) if tree is not None else ():
        ast.copy_location(part, node)
    return tree


def place_module(known: Any, dotted: str, module: Module, birth: int) -> Module:
    """Return the package that `import a.b` lets a name stand for, with the module in it."""
    first, *inner = dotted.split(".")
    if not inner:
        return module
    package = known if isinstance(known, Module) else Module(first, [], birth)
    owner = package
    for at, name in enumerate(inner[:-1], 2):
        child = owner.attributes.get(name)
        if not isinstance(child, Module):
            child = owner.attributes[name] = Module(".".join(dotted.split(".")[:at]), [], birth)
        owner = child
    owner.attributes[inner[-1]] = module
    return package


def is_program_part(test: ast.expr) -> bool:
    """Whether a condition is `__name__ == "__main__"`, which holds for a file that is run, and for no module."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ast.Eq):
        return False
    sides = (test.left, test.comparators[0])
    named = any(isinstance(side, ast.Name) and side.id == "__name__" for side in sides)
    return named and any(isinstance(side, ast.Constant) and side.value == "__main__" for side in sides)
