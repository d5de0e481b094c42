"""Properties and methods: of texts, lists and hashes computed, of .NET types and objects by their table."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tree_sitter import Node

from interlock.analyse.powershell.dotnet import call_dotnet, construct
from interlock.analyse.powershell.values import Instance, ScriptBlock, Type, is_known, items_of, text_of
from interlock.analyse.scripts.values import MAX_ITEMS, MAX_TEXT, unknown

if TYPE_CHECKING:
    from interlock.analyse.powershell.expressions import Expressions

_ERRORS = (ValueError, TypeError, LookupError, ArithmeticError)
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
_INVOKING = frozenset("invoke invokereturnasis invokewithcontext begininvoke".split())


def read_member(reader: Expressions, owner: Any, name: str, node: Node) -> Any:
    """Return a property; of something unknown it is as unknown, and comes from the same place."""
    if name in _SECRETS:
        reader.state.reading.emit("secret.read", reader.state.at(node), name)
        return reader.state.result(name, frozenset({"secret"}))
    if name == "historysavepath":
        return _HISTORY
    if isinstance(owner, Type):
        full = f"{owner.name}.{name}"
        return _CONSTANTS.get(full, Type(full))
    if isinstance(owner, dict):
        return owner.get(name, len(owner) if name == "count" else unknown(name))
    if name in ("length", "count") and isinstance(owner, (str, list)):
        return len(owner) if is_known(owner) else unknown(name)
    if isinstance(owner, Instance):
        given = [one[name] for one in owner.arguments if isinstance(one, dict) and name in one]
        if given:
            return given[-1]
        if owner.type.startswith("com.") and any(word in owner.type for word in _FETCHING):
            return reader.state.result(name, frozenset({"download"}))
        if "." in owner.type or owner.type in ("executioncontext",):
            return call_dotnet(reader, Instance(owner.type, owner.arguments), name, None, node)
        return reader.state.result(name, reader.state.marks(owner))
    if isinstance(owner, list):
        return [read_member(reader, item, name, node) for item in owner]
    if name in ("name", "basename") and isinstance(owner, str) and is_known(owner):
        last = re.split(r"[\\/]", owner)[-1]
        return last if name == "name" else last.partition(".")[0]
    return owner


def call_member(reader: Expressions, owner: Any, name: str, arguments: list[Any], node: Node) -> Any:
    """Call a method; return what it gives."""
    if isinstance(owner, ScriptBlock) and name in _INVOKING:
        return reader.run_block(owner, arguments)
    if isinstance(owner, Instance) and owner.type == "scriptblock" and name in _INVOKING:
        return reader.run_code("Invoke", owner.arguments[0], node)
    if isinstance(owner, ScriptBlock):  # `.GetNewClosure()` and its like
        return owner
    if isinstance(owner, Type):
        if name == "new":
            return construct(reader, owner.name, arguments, node)
        return call_dotnet(reader, owner, name, arguments, node)
    if isinstance(owner, dict):
        return _of_hash(owner, name, arguments)
    method = _METHODS.get(name)
    if method is not None and is_known(owner) and all(is_known(one) for one in arguments):
        reader.state.reading.spend(len(owner) // 256 if isinstance(owner, (str, list)) else 0)
        value = _compute(method, owner, arguments)
        if value is not None:
            return value
    if name == "replace" and isinstance(owner, str) and len(arguments) > 1 and all(is_known(one) for one in arguments):
        return owner.replace(text_of(arguments[0]) or "\1", text_of(arguments[1]))[:MAX_TEXT]
    return call_dotnet(reader, owner, name, arguments, node)


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
    if isinstance(owner, dict):
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


def _compute(method: Callable[[Any, list[Any]], Any], owner: Any, arguments: list[Any]) -> Any:
    try:
        value = method(owner, arguments)
    except _ERRORS:
        return None
    return value if not isinstance(value, (str, list)) or len(value) <= MAX_TEXT else None


def _split(owner: Any, given: list[Any]) -> list[str]:
    if not given:
        return text_of(owner).split()
    marks = given[0] if isinstance(given[0], list) else [given[0]]
    pattern = "|".join(re.escape(text_of(mark)) for mark in marks if text_of(mark))
    return re.split(pattern, text_of(owner))[:MAX_ITEMS] if pattern else [text_of(owner)]


def _substring(owner: Any, given: list[Any]) -> str:
    text, start = text_of(owner), int(given[0])
    return text[start : start + int(given[1])] if len(given) > 1 else text[start:]


def _replace(owner: Any, given: list[Any]) -> str:
    old, new = text_of(given[0]), text_of(given[1]) if len(given) > 1 else ""
    text = text_of(owner)
    if not old or len(text) + text.count(old) * len(new) > MAX_TEXT:
        raise ValueError(old)
    return text.replace(old, new)


def _remove(owner: Any, given: list[Any]) -> str:
    text, start = text_of(owner), int(given[0])
    return text[:start] + (text[start + int(given[1]) :] if len(given) > 1 else "")


def _insert(owner: Any, given: list[Any]) -> str:
    text, at = text_of(owner), int(given[0])
    return text[:at] + text_of(given[1]) + text[at:]


def _pad(owner: Any, given: list[Any]) -> str:
    return text_of(owner).rjust(min(int(given[0]), MAX_TEXT), text_of(given[1])[:1] if len(given) > 1 else " ")


#: Methods of texts and lists that change nothing else.
_METHODS: dict[str, Callable[[Any, list[Any]], Any]] = {
    "replace": _replace,
    "split": _split,
    "substring": _substring,
    "remove": _remove,
    "insert": _insert,
    "padleft": _pad,
    "tolower": lambda owner, _given: text_of(owner).lower(),
    "tolowerinvariant": lambda owner, _given: text_of(owner).lower(),
    "toupper": lambda owner, _given: text_of(owner).upper(),
    "toupperinvariant": lambda owner, _given: text_of(owner).upper(),
    "trim": lambda owner, given: text_of(owner).strip(text_of(given) or None),
    "trimstart": lambda owner, given: text_of(owner).lstrip(text_of(given) or None),
    "trimend": lambda owner, given: text_of(owner).rstrip(text_of(given) or None),
    "tochararray": lambda owner, _given: list(text_of(owner)[:MAX_ITEMS]),
    "tostring": lambda owner, given: text_of(owner) if not given else None,
    "normalize": lambda owner, _given: text_of(owner),
    "indexof": lambda owner, given: text_of(owner).find(text_of(given[0])),
    "startswith": lambda owner, given: text_of(owner).startswith(text_of(given[0])),
    "endswith": lambda owner, given: text_of(owner).endswith(text_of(given[0])),
    "contains": lambda owner, given: text_of(given[0]) in (owner if isinstance(owner, list) else text_of(owner)),
    "getenumerator": lambda owner, _given: owner,
    "clone": lambda owner, _given: owner,
}
