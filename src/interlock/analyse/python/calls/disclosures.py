"""Disclosures of Python code: calls that give secrets, and calls that show them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from interlock.analyse.python.call import PythonCall
from interlock.analyse.python.calls.shown_settings import is_shown_setting
from interlock.analyse.python.clients.service_clients import holds_settings
from interlock.analyse.python.evaluation.marks import ENVIRONMENT, marks_of, unknown_from
from interlock.analyse.python.evaluation.values import Instance, Ref, Unknown
from interlock.analyse.python.nodes import nodes_in
from interlock.analyse.shell.output.partial_views import tells
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.libraries import SecretCalls

_TABLE = read_table("secret-calls", SecretCalls)
_FUNCTIONS, _METHODS, _SETTINGS = frozenset(_TABLE.functions), frozenset(_TABLE.methods), frozenset(_TABLE.settings)
_ATTRIBUTES, _HOLDERS = frozenset(_TABLE.attributes), frozenset(_TABLE.holders)
_PRINTERS, _PRINTING = frozenset(_TABLE.printers), frozenset(_TABLE.printing_methods)
_TRANSPARENT = frozenset(_TABLE.transparent)
_WRITERS = frozenset(_TABLE.writers)
#: By these, a call shows something, writes it, or gives a secret.
_TOLD_BY_NAME = _PRINTERS | _WRITERS | _FUNCTIONS
_TOLD_BY_METHOD = _PRINTING | _METHODS | _SETTINGS | {"environ"}
_PRINTED = frozenset({"printed", "secret"})
#: The name of variables that were read from a file.
ENVIRONMENT_FILE = "the environment of a file"
_MAPPINGS = frozenset({ENVIRONMENT, ENVIRONMENT_FILE})
#: Functions that give the names of a mapping, without its values.
NAMING = frozenset("sorted list set tuple frozenset len iter enumerate".split())


def discloses(name: str) -> bool:
    """Whether the name of a function says that it shows something, writes it, or gives a secret."""
    return name in _TOLD_BY_NAME or name.rpartition(".")[2] in _TOLD_BY_METHOD


def disclose(call: PythonCall, result: Any) -> Any:
    """Report a call that shows a secret; return its result, with the marks of what it still shows."""
    if call.method in _TOLD_BY_METHOD or call.name in _TOLD_BY_NAME:
        found = _disclose_by_name(call)
        if found is not None:
            return found
    kind = type(result)
    if kind is not Unknown and kind is not Instance:
        return result
    name = result.name if kind is Unknown else result.source
    marks = call.reading.taints.get(name)
    if marks is None or "variable" not in marks:
        return result
    return _narrow(call, result, name, marks)


def _disclose_by_name(call: PythonCall) -> Unknown | None:
    """Report a call that shows or writes what it is given; return the secret that a call gives by its name, or None."""
    reading, method = call.reading, call.method
    if call.name in _PRINTERS or method in _PRINTING:
        _report_shown(call)
    elif call.name in _WRITERS:
        _record_written(call)
    if call.name in _FUNCTIONS or method in _METHODS:
        return unknown_from(reading, f"what {method} gives", "secret", "variable")
    if method in _SETTINGS:
        return unknown_from(reading, ENVIRONMENT_FILE, "environment", "variable")
    if method == "environ" and call.name != "os.environ":  # of another process
        reading.emit("secret.read", call.site, call.name, frozenset({"secret", "process_memory"}))
        return unknown_from(reading, f"what {method} gives", "secret", "variable")
    return None


def _narrow(call: PythonCall, result: Unknown | Instance, name: str, marks: frozenset[str]) -> Any:
    """Return a result that shows a variable, with the marks of what is still shown of it."""
    reading, method = call.reading, call.method
    if name == f"what {method} gives":
        return result
    if method == "keys" and name in _MAPPINGS:
        return Unknown("names")
    if method in ("items", "values", "copy") and name in _MAPPINGS:
        return unknown_from(reading, f"values of {name}", *marks)
    if method in _TRANSPARENT or call.name in _TRANSPARENT:
        return result
    used = unknown_from(reading, f"{name} used", *(marks - {"variable"}))  # the secret is used, not shown
    return used if isinstance(result, Unknown) else result.replace(source=used.name)


def is_named_only(name: str, arguments: list[Any]) -> bool:
    """Whether a function of Python's own gives only the names of a mapping: `sorted(os.environ)`."""
    if name not in NAMING or not arguments:
        return False
    first = arguments[0]
    kind = type(first)
    return (kind is Ref and first.name == "os.environ") or (kind is Unknown and first.name == ENVIRONMENT_FILE)


def narrows(tests: list[ast.expr]) -> bool:
    """Whether conditions on names of variables leave out those of secrets: `if k.startswith("LC_")`."""
    texts = [
        part.value
        for test in tests
        for part in nodes_in(test)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    ]
    return bool(texts) and not any(tells(text) for text in texts)


def _report_shown(call: PythonCall) -> None:
    """Report the secrets among the arguments of a call that shows them."""
    if call.host.state.mocked:
        return
    shown = _find_shown_secret(call)
    if shown is NAMES:
        return
    values = call.values
    if (
        shown is VALUES
        or (call.reading.taints and "variable" in marks_of(call.reading, *values))
        or (Instance in map(type, values) and any(map(holds_settings, values)))
    ):
        call.reading.emit("secret.read", call.site, "a secret", _PRINTED)


#: What the syntax of a call tells about the secrets that it shows: only what they are called, their values, or nothing.
NAMES, VALUES, NOTHING = "names", "values", "nothing"


def _find_shown_secret(call: PythonCall) -> str:
    """Return what the syntax of a call tells about what it shows; each place is asked once, as the text stays."""
    if not isinstance(call.place, ast.Call):
        return NOTHING
    known = call.host.state.shown
    found = known.get(call.place)
    if found is None:
        parts = _find_shown_parts(call.place.args)
        found = known[call.place] = _find_disclosed_marks(call, parts) if parts else NOTHING
    return found


def _find_disclosed_marks(call: PythonCall, parts: list[ast.expr]) -> str:
    """Return what the parts of a call that are shown tell about secrets."""
    if _tell_names_only(parts):
        return NAMES
    for part in parts:
        if type(part) in _SECRET_PARTS and _SECRET_PARTS[type(part)](part):
            return VALUES
        if is_shown_setting(call, part):
            return VALUES
    return NOTHING


def _tell_names_only(parts: list[ast.expr]) -> bool:
    """Whether a call shows only how many secrets there are, or what they are called: `len(s)`, `s.metadata.name`."""
    about = False
    for part in parts:
        if type(part) not in _COMPREHENDING:
            if not _is_about_secret(part):
                return False
            about = True
    return about


_FACTS = frozenset({"name", "namespace", "uid", "labels", "creation_timestamp"})


def _is_about_secret(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in ("len", "type", "bool")
    if not isinstance(node, ast.Attribute) or node.attr not in _FACTS:
        return False
    return isinstance(node.value, ast.Attribute) and node.value.attr == "metadata"


def _record_written(call: PythonCall) -> None:
    """Record what a function such as `json.dump` writes to an open file."""
    from interlock.analyse.python.calls.file_calls import write_file
    from interlock.analyse.python.loaded_settings import dump_settings

    target = next((value for value in call.values if isinstance(value, Instance) and value.kind == "file"), None)
    if target is not None and call.arguments:
        value = call.arguments[0]
        write_file(call, target, dump_settings(value) if call.name.endswith(".dump") else value)


def _find_shown_parts(nodes: list[ast.expr]) -> list[ast.expr]:
    """Return the parts of expressions whose values are shown as they are, without constants."""
    found: list[ast.expr] = []
    left = list(nodes)
    while left:
        part = left.pop()
        kind = type(part)
        if kind in _OPENERS:
            left += _OPENERS[kind](part)
        elif kind is not ast.Constant:
            found.append(part)
        if kind in _COMPREHENDING:
            found.append(part)
    return found


_COMPREHENSIONS = (ast.ListComp, ast.GeneratorExp, ast.SetComp)
_COMPREHENDING = frozenset(_COMPREHENSIONS)
#: Kind of an expression → the parts of it whose values it shows.
_OPENERS: dict[type, Callable[[Any], list[ast.expr]]] = {
    ast.JoinedStr: lambda part: part.values,
    ast.FormattedValue: lambda part: [part.value],
    ast.Tuple: lambda part: part.elts,
    ast.List: lambda part: part.elts,
    ast.Dict: lambda part: part.values,
    ast.BinOp: lambda part: [part.left, part.right],
    **dict.fromkeys(_COMPREHENSIONS, lambda part: [part.elt]),
}


def _is_secret_attribute(node: ast.Attribute) -> bool:
    """Whether an expression takes an attribute by which libraries and settings hold secrets."""
    owner = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
    return node.attr in _ATTRIBUTES or (node.attr == "token" and owner.lower() in _HOLDERS)


def _is_secret_item(node: ast.Subscript) -> bool:
    """Whether an expression takes an item by a key by which settings hold secrets."""
    return isinstance(node.slice, ast.Constant) and node.slice.value in _ATTRIBUTES


def _is_secret_call(node: ast.Call) -> bool:
    """Whether a call takes an item by such a key, or its method gives a secret."""
    if not isinstance(node.func, ast.Attribute):
        return False
    if node.func.attr == "get" and node.args and isinstance(node.args[0], ast.Constant):
        return node.args[0].value in _ATTRIBUTES
    return node.func.attr in _METHODS


#: Kind of an expression → whether one takes a secret by its name.
_SECRET_PARTS: dict[type, Callable[[Any], bool]] = {
    ast.Attribute: _is_secret_attribute,
    ast.Subscript: _is_secret_item,
    ast.Call: _is_secret_call,
}
