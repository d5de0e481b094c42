"""Servers of tools for agents that a script defines: what their descriptions order, and who may call them."""

from __future__ import annotations

import ast

from interlock.analyse.other_agents.instructions import is_poisoned
from interlock.analyse.python.nodes import nodes_in
from interlock.analyse.reading import Reading, Site
from interlock.patterns import late

_EVERYONE = late(r"\bhost\s*=\s*[\"'](?:0\.0\.0\.0|::|)[\"']")
# Calls that run whatever a tool is given.
_RUNNING = late(r"\b(?:subprocess\.\w+|os\.(?:system|popen|exec\w*)|exec|eval|create_subprocess_\w+|pty\.spawn)\s*\(")
_DESCRIBED = late(r"(?i)^description$|^instructions$")


def report_tool_servers(reading: Reading, text: str, tree: ast.Module, site: Site) -> None:
    """Report tools whose descriptions mislead the agents that read them, and tools that run commands for everyone."""
    if any(is_poisoned(description) for description in _descriptions(tree)):
        reading.emit("message.send", site, "the description of a tool", frozenset({"instructions"}))
    if _EVERYONE.search(text) and _RUNNING.search(text):
        reading.emit("net.listen", site, "tools that run commands", frozenset({"unguarded_service"}))


def _descriptions(tree: ast.Module) -> list[str]:
    """Return the texts by which functions and servers describe themselves to agents."""
    found = []
    for node in nodes_in(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.append(ast.get_docstring(node) or "")
        elif isinstance(node, ast.keyword) and node.arg and _DESCRIBED.match(node.arg):
            value = node.value
            found.append(value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else "")
    return [text for text in found if len(text) > MIN_ORDER]


MIN_ORDER = 16  # shorter texts give no orders
