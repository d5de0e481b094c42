"""Statements read once for each value that a variable, or the working folder, could have.

A branch may or may not run, so what it sets has two possible values afterwards. `ShellScope.alternatives` has the rest.
What a statement does to the state with one of them is possible afterwards, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tree_sitter import Node

from interlock.analyse.files.paths import hole
from interlock.analyse.flow import Flow
from interlock.analyse.loading import FRESH
from interlock.analyse.shell.scope import CWD, ShellScope, VariableValue
from interlock.patterns import late

StatementHandler = Callable[[Node, ShellScope, Flow], Flow]
MAX_ALTERNATIVES = 16
_CAP = frozenset({"cap"})


def _take(values: tuple[VariableValue, ...], scope: ShellScope, node: Node) -> tuple[VariableValue, ...]:
    """Return the values that a variable could have; those beyond a limit are reported as not read."""
    if len(values) > MAX_ALTERNATIVES:
        scope.reading.unread(
            "a variable with too many possible values", scope.site(scope.source.span(node)), flags=_CAP
        )
    return values[:MAX_ALTERNATIVES]


def mentions(text: str, name: str) -> bool:
    """Whether a text may expand a variable or append to it. An indirect `${!other}` may expand any."""
    if name not in text:
        return "${!" in text
    return "${" in text or f"${name}" in text or f"{name}+=" in text


# Variables that the environment may set.
_INHERITED = late(r"(?i).*(?:home|path|root|prefix|^xdg_).*|(?:old)?pwd|tmp(?:dir)?|temp|user|shell")


def _is_empty_word(text: str, name: str, scope: ShellScope) -> bool:
    """Whether a variable for a new temporary path is a word of its own: if it was never set, the word is empty."""
    if not text.startswith("rm") or scope.variables.get(name) != FRESH or _INHERITED.fullmatch(name):
        return False
    words = re.findall(rf"(?<!\S)(?:\$\{{?{name}\}}?|\"\$\{{?{name}\}}?\")(?=[\s;&|)]|$)", text)
    return len(words) == len(re.findall(rf"\b{name}\b", text))


def find_unmentioned_alternatives(scope: ShellScope, node: Node) -> dict[str, tuple[VariableValue, ...]]:
    """Return the alternatives of variables that a statement does not mention."""
    text = scope.source.of(node)
    known = scope.alternatives.items()
    if "$" not in text and "+=" not in text:
        return {name: values for name, values in known if name != CWD}
    if "${" in text:  # which may name any variable
        return {name: values for name, values in known if name != CWD and name not in text and "${!" not in text}
    return {
        name: values
        for name, values in known
        if name != CWD and (name not in text or (f"${name}" not in text and f"{name}+=" not in text))
    }


def _uses_own_files(text: str, scope: ShellScope) -> bool:
    """Whether a command names nothing but files that this action has written in the folder in force.

    If the commands before it had failed, the shell would be in another folder, but the files would not be there.
    """
    places, files = scope.reading.places, scope.reading.files
    program, *others = text.split()
    named = [word for word in ([program, *others] if "/" in program else others) if word[0] != "-"]
    return bool(files and named) and all(places.resolve(word, scope.cwd) in files for word in named)


def walk_alternatives(handler: StatementHandler) -> StatementHandler:
    """Return a handler that also walks its node once for each alternative of the variables the node mentions.

    The working folder counts as mentioned by every command, except one that only names files written there.
    """

    def read(node: Node, scope: ShellScope, stdin: Flow) -> Flow:
        known = scope.alternatives
        if not known:
            return handler(node, scope, stdin)
        text = scope.source.of(node)
        if "$" not in text and "+=" not in text:
            if CWD not in known:
                return handler(node, scope, stdin)
            known = {CWD: known[CWD]}
        indirect = "${!" in text
        before = [
            (name, other)
            for name, others in known.items()
            if name in text or indirect or name == CWD
            if (not _uses_own_files(text, scope) if name == CWD else mentions(text, name))
            for other in _take(others, scope, node)
            if other != hole(name) or not _is_empty_word(text, name, scope)
        ]
        printed = handler(node, scope, stdin)
        for name, other in before:
            _walk_with_value(handler, node, scope, stdin, name, other)
        return printed

    return read


def _walk_with_value(
    handler: StatementHandler, node: Node, scope: ShellScope, stdin: Flow, name: str, other: VariableValue
) -> None:
    """Walk a node in a copy of the scope in which a variable has another value, and keep what that changes."""
    twin = scope.copy({})
    if name == CWD:
        twin.cwd = str(other) or None
    else:
        twin.variables[name] = other
    handler(node, twin, stdin)
    if twin.cwd != scope.cwd:
        scope.add_alternative(CWD, twin.cwd or "")
    known = scope.variables
    if twin.variables != known:
        for changed, value in twin.variables.items():
            if changed not in known or known[changed] != value:
                scope.add_alternative(changed, value)


def copy_without_alternatives(scope: ShellScope, node: Node) -> ShellScope:
    """Return a copy of the scope for one part of a statement.

    The statement as a whole is walked once for each alternative, so the part must not be walked again for them.
    """
    return scope.copy(find_unmentioned_alternatives(scope, node) if scope.alternatives else {})
