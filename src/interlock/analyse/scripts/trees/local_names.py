"""Names that belong to a function of a script, and end with each call of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tree_sitter import Node

from interlock.analyse.scripts.values import ScriptFunction

if TYPE_CHECKING:
    from interlock.analyse.scripts.trees.language import Language

#: Language → what stands before a name in a function that makes it the function's own.
_DECLARED = {
    "javascript": r"\b(?:const|let|var)\b[^;=]*\b{name}\b",
    "lua": r"\b(?:local|for)\b[^=\n]*\b{name}\b",
    "perl": r"\bmy\b[^;=]*[$@%]{name}\b",
}
_SHARED_IN_PHP = re.compile(r"\b(?:global|static|compact|extract)\b|\$GLOBALS|\$\$|&\s*\$")


def is_local(function: ScriptFunction, language: str, name: str) -> bool:
    """Whether a name that a function gave a value to is its own."""
    body: Node = function.body
    text = function.source.text[body.start_byte : body.end_byte]
    if language == "php":
        return _SHARED_IN_PHP.search(text) is None
    pattern = _DECLARED.get(language)
    return pattern is not None and re.search(pattern.format(name=re.escape(name)), text) is not None


def holds_functions(function: ScriptFunction, language: Language) -> bool:
    """Whether functions stand in a function, which may use its names once it has ended."""
    left: list[Node] = list(function.body.named_children)
    while left:
        node = left.pop()
        if node.type in language.functions or node.type.startswith(("function_d", "method_d", "subroutine_d", "class")):
            return True
        left += node.named_children
    return False
