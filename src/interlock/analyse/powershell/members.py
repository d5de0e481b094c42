"""Properties and methods: of texts, lists and hashes computed, of .NET types and objects by their table."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from tree_sitter import Node

from interlock.analyse.powershell.containers import fill
from interlock.analyse.powershell.dotnet import call_dotnet, construct, described_names
from interlock.analyse.powershell.methods import METHODS_WITH_CODE
from interlock.analyse.powershell.reflection import INVOKING, call_method, is_block, read_item, read_view
from interlock.analyse.powershell.text_methods import compute_method
from interlock.analyse.powershell.values import Instance, ScriptBlock, TextBuilder, Type, is_known, items_of, text_of
from interlock.analyse.scripts.values import MAX_CHOICES, MAX_TEXT, Choice, unknown

if TYPE_CHECKING:
    from interlock.analyse.powershell.expressions import Expressions

#: Static members that are only values.
_CONSTANTS = {
    "environment.newline": "\r\n",
    "io.path.directoryseparatorchar": "\\",
    "string.empty": "",
    "environment.currentdirectory": ".",
}
#: Properties that hold a password or a key.
_SECRETS = frozenset({"recoverypassword", "defaultpassword", "plaintextpassword"})
_HISTORY = "~/AppData/Roaming/Microsoft/Windows/PowerShell/PSReadLine/ConsoleHost_history.txt"
_FETCHING = ("http", "internetexplorer")


def read_member(reader: Expressions, owner: Any, name: str, node: Node) -> Any:
    """Return a property; of something unknown it is as unknown, and comes from the same place."""
    if name in _SECRETS:
        reader.state.reading.emit("secret.read", reader.state.at(node), name)
        return reader.state.result(name, frozenset({"secret"}))
    if name == "historysavepath":
        return _HISTORY
    view = read_view(owner, name)
    if view is not NotImplemented:
        return view
    if isinstance(owner, Type):
        full = f"{owner.name}.{name}"
        if f"[{full}]" in reader.state.variables:
            return reader.state.variables[f"[{full}]"]
        return _CONSTANTS.get(full, Type(full))
    if isinstance(owner, Instance):
        return _read_property(reader, owner, name, node)
    if isinstance(owner, dict):
        return owner.get(name, len(owner) if name == "count" else unknown(name))
    if name in ("length", "count") and isinstance(owner, (str, list)):
        return len(owner) if is_known(owner) else unknown(name)
    if isinstance(owner, list):
        return [read_member(reader, item, name, node) for item in owner]
    if name in ("name", "basename") and isinstance(owner, str) and is_known(owner):
        last = re.split(r"[\\/]", owner)[-1]
        return last if name == "name" else last.partition(".")[0]
    return owner


def _read_property(reader: Expressions, owner: Instance, name: str, node: Node) -> Any:
    given = [one[name] for one in owner.arguments if isinstance(one, dict) and name in one]
    if given:
        return given[-1]
    if owner.type.startswith("com.") and any(word in owner.type for word in _FETCHING):
        return reader.state.result(name, frozenset({"download"}))
    if owner.type != "xml.xmldocument" and ("." in owner.type or owner.type == "executioncontext"):
        return call_dotnet(reader, Instance(owner.type, owner.arguments), name, None, node)
    return reader.state.result(name, reader.state.marks(owner))


def call_member(reader: Expressions, owner: Any, name: str, arguments: list[Any], node: Node) -> Any:
    """Call a method; return what it gives."""
    if is_block(owner):
        return _call_block(reader, owner, name, arguments, node)
    if name in INVOKING:
        value = call_method(reader, owner, arguments, node)
        if value is not NotImplemented:
            return value
    filled = fill(owner, name, arguments)
    if filled is not None:
        return filled[0]
    if isinstance(owner, Type):
        if name == "new":
            return construct(reader, owner.name, arguments, node)
        return call_dotnet(reader, owner, name, arguments, node)
    if isinstance(owner, dict):
        return _of_hash(owner, name, arguments)
    if isinstance(owner, TextBuilder):
        owner = text_of(owner)
    return _call_of_value(reader, owner, name, arguments, node)


def _call_block(reader: Expressions, owner: Any, name: str, arguments: list[Any], node: Node) -> Any:
    if name not in INVOKING:  # `.GetNewClosure()` and its like
        return owner
    if isinstance(owner, ScriptBlock):
        return reader.run_block(owner, arguments)
    return reader.run_code("Invoke", owner.arguments[0], node)


def _call_of_value(reader: Expressions, owner: Any, name: str, arguments: list[Any], node: Node) -> Any:
    reader.state.reading.spend(len(owner) // 256 if isinstance(owner, (str, list)) else 0)
    value = compute_method(owner, name, arguments)
    if value is not None:
        return value
    if name == "replace" and isinstance(owner, str) and len(arguments) > 1 and all(is_known(one) for one in arguments):
        return owner.replace(text_of(arguments[0]) or "\1", text_of(arguments[1]))[:MAX_TEXT]
    return call_dotnet(reader, owner, name, arguments, node)


def use_member(reader: Expressions, owner: Any, name: str, arguments: list[Any], node: Node) -> Any:
    """Return what a member gives that is named by a text: a property, or what a method gives. `*` is a wildcard."""
    names = _matching(reader, name) if any(sign in name for sign in "*?[") else [name]
    ways = [
        call_member(reader, owner, one, arguments, node)
        if arguments or is_method(reader, owner, one)
        else read_member(reader, owner, one, node)
        for one in names[:MAX_CHOICES]
    ]
    return ways[0] if len(ways) == 1 else Choice(tuple(ways)) if ways else owner


def _matching(reader: Expressions, pattern: str) -> list[str]:
    """Return the methods of any object that a pattern may mean; without one it is a property."""
    known = {one[1:] for one in (*METHODS_WITH_CODE, *described_names(reader)) if one[:1] == "."}
    return sorted(one for one in (*known, *INVOKING) if fnmatchcase(one, pattern))


def is_method(reader: Expressions, owner: Any, name: str) -> bool:
    """Whether a name is that of a method which is known to do something."""
    return (
        (is_block(owner) and name in INVOKING)
        or f".{name}" in METHODS_WITH_CODE
        or f".{name}" in described_names(reader)
    )


def _of_hash(owner: dict[str, Any], name: str, arguments: list[Any]) -> Any:
    if name in ("add", "set_item") and len(arguments) > 1:
        owner[text_of(arguments[0]).lower()] = arguments[1]
        return None
    if name in ("get_item", "item") and arguments:
        return owner.get(text_of(arguments[0]).lower(), unknown(name))
    if name in ("getenumerator", "values"):
        return list(owner.values())
    if name == "keys":
        return list(owner)
    return unknown(name)


def index(reader: Expressions, owner: Any, at: Any) -> Any:
    """Return an item or items of a list, a text or a hash."""
    if isinstance(owner, Instance):
        item = read_item(owner, at)
        if item is not NotImplemented:
            return item
    if isinstance(owner, dict):
        if isinstance(at, int) and not isinstance(at, bool) and str(at) not in owner and 0 <= at < len(owner):
            return list(owner.values())[at]  # of one that is ordered
        found = [owner.get(text_of(one).lower(), unknown(text_of(one))) for one in items_of(at)]
        return found[0] if len(found) == 1 else found
    places = [one for item in items_of(at) for one in items_of(item)]
    if isinstance(owner, (str, list)) and (isinstance(owner, list) or is_known(owner)):
        if all(isinstance(one, int) and -len(owner) <= one < len(owner) for one in places) and places:
            found = [owner[one] for one in places]
            return found[0] if len(found) == 1 and not isinstance(at, list) else found
        if isinstance(owner, str) and is_known(owner):
            return reader.state.result("part", reader.state.marks(owner, at) | {"decoded"})
    return owner
