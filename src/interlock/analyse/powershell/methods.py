"""Methods of .NET and COM that a row of the table cannot tell about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tree_sitter import Node

from interlock.analyse.files.paths import HOLE
from interlock.analyse.powershell.casts import cast
from interlock.analyse.powershell.drives import unix_path
from interlock.analyse.powershell.operators import format_text, operate
from interlock.analyse.powershell.pipelines import PIPELINES
from interlock.analyse.powershell.reflection import REFLECTION
from interlock.analyse.powershell.state import flat_ways, plain_name
from interlock.analyse.powershell.streams import STREAMS
from interlock.analyse.powershell.values import Instance, Type, is_known, items_of, text_of
from interlock.analyse.scripts.pure import text_of as read_bytes
from interlock.analyse.scripts.values import Choice, unknown
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.machines import WindowsFolders

if TYPE_CHECKING:
    from interlock.analyse.powershell.expressions import Expressions

MAX_EACH = 8
_FOLDERS = read_table("windows-folders", WindowsFolders).special


def _make_block(_reader: Expressions, _owner: Any, given: list[Any], _node: Node) -> Any:
    return Instance("scriptblock", (given[0] if given else "",))


def _variable(reader: Expressions, _owner: Any, given: list[Any], node: Node) -> Any:
    return reader.state.environment(text_of(given[0]).lower() if given else "", reader.state.at(node))


def _set_variable(reader: Expressions, _owner: Any, given: list[Any], node: Node) -> Any:
    name, value = text_of(given[0]) if given else "", text_of(given[1]) if len(given) > 1 else ""
    reader.state.set(f"env:{name}", value, reader.state.at(node))
    if len(given) > 2 and text_of(given[2]).lower().rpartition(".")[2] in ("machine", "user", "1", "2"):
        reader.state.reading.emit("system.change", reader.state.at(node), name)


def _set_by_name(reader: Expressions, _owner: Any, given: list[Any], node: Node) -> Any:
    """`$ExecutionContext.SessionState.PSVariable.Set("name", value)`."""
    name = plain_name(text_of(given[0])) if len(given) == 2 else ""
    if name not in reader.state.variables:
        return NotImplemented
    held = reader.state.variables[name]
    reader.state.set(name, Choice(tuple(flat_ways([held, given[1]]))), reader.state.at(node))
    return None


def _remove_item(reader: Expressions, owner: Any, given: list[Any], node: Node) -> Any:
    """`$ExecutionContext.SessionState.InvokeProvider.Item.Remove(path, $true)`."""
    if len(given) != 2 or not isinstance(given[1], bool) or isinstance(owner, (Type, dict, list)):
        return NotImplemented
    flags = frozenset({"library", "recursive"} if given[1] else {"library"})
    for path in items_of(given[0]):
        reader.state.reading.file("fs.delete", reader.state.at(node), unix_path(text_of(path)), flags)
    return None


def _enter(reader: Expressions, _owner: Any, given: list[Any], _node: Node) -> Any:
    """`[IO.Directory]::SetCurrentDirectory(path)`."""
    path = text_of(given[0]) if given else ""
    if HOLE not in path and path:
        reader.state.location = reader.state.reading.places.resolve(unix_path(path), reader.state.location)
    return None


def _folder(_reader: Expressions, _owner: Any, given: list[Any], _node: Node) -> Any:
    return _FOLDERS.get(text_of(given[0]).lower().rpartition(".")[2] if given else "", unknown("folder"))


def _reverse(_reader: Expressions, _owner: Any, given: list[Any], _node: Node) -> Any:
    if given and isinstance(given[0], list):
        given[0].reverse()  # in place, as it does


def _matches(reader: Expressions, _owner: Any, given: list[Any], _node: Node) -> Any:
    """`[regex]::Matches(text, ".", "RightToLeft")`: a text turned around."""
    if len(given) > 1 and text_of(given[1]) == "." and is_known(given[0]):
        text = text_of(given[0])
        return list(text[::-1] if len(given) > 2 and "right" in text_of(given[2]).lower() else text)
    return reader.state.result("matches", reader.state.marks(given) | {"decoded"})


def _replace(reader: Expressions, _owner: Any, given: list[Any], _node: Node) -> Any:
    value = operate("-replace", given[0], given[1:3]) if len(given) > 2 else None
    return value if value is not None else reader.state.result("replaced", reader.state.marks(given) | {"decoded"})


def _to_number(reader: Expressions, _owner: Any, given: list[Any], _node: Node) -> Any:
    try:
        return int(text_of(given[0]), int(given[1]) if len(given) > 1 else 10)
    except (ValueError, TypeError, IndexError):
        return reader.state.result("number", reader.state.marks(given) | {"decoded"})


def _to_character(reader: Expressions, _owner: Any, given: list[Any], _node: Node) -> Any:
    return cast("char", given[0]) if given else reader.state.result("character")


def _create_process(reader: Expressions, owner: Any, given: list[Any], node: Node) -> Any:
    """`([wmiclass]"Win32_Process").Create("…")`."""
    kind = text_of(list(owner.arguments)).lower() if isinstance(owner, Instance) else text_of(owner).lower()
    if "win32_process" in kind and given:
        return reader.run_line("Win32_Process.Create", text_of(given[0]), node)
    if "win32_shadowcopy" in kind:
        return NotImplemented
    return NotImplemented if not isinstance(owner, (Instance, str)) else reader.state.result("create()")


def _start_process(reader: Expressions, owner: Any, given: list[Any], node: Node) -> Any:
    """`$process.Start()`: start what its `StartInfo` says; one that is not known is not read."""
    if not isinstance(owner, Instance) or not owner.type.endswith("diagnostics.process") or given:
        return NotImplemented
    fields = _fields(owner)
    name = text_of(fields.get("filename", ""))
    if not name:
        reader.state.reading.unread("a program that `Start` starts", reader.state.at(node))
        return reader.state.result("start()")
    words = text_of(fields.get("arguments", "")) or " ".join(map(text_of, items_of(fields.get("argumentlist"))))
    return reader.run_line("Start", f"{name} {words}".strip(), node)


def _fields(value: Any, depth: int = 4) -> dict[str, Any]:
    """Return the properties of an object and of the objects in it."""
    parts = value.arguments if isinstance(value, Instance) else [value]
    found: dict[str, Any] = {}
    for part in parts:
        if isinstance(part, dict):
            found |= part
    for inner in list(found.values()) if depth else ():
        if isinstance(inner, (dict, Instance)):
            found = {**_fields(inner, depth - 1), **found}
    return found


def _delete(reader: Expressions, owner: Any, _given: list[Any], node: Node) -> Any:
    """`.Delete()`: of shadow copies it destroys backups."""
    if "win32_shadowcopy" in text_of(owner).lower():
        reader.state.reading.emit("fs.delete", reader.state.at(node), None, frozenset({"backups"}))
        return None
    if isinstance(owner, Type):
        return NotImplemented
    reader.state.reading.file("fs.delete", reader.state.at(node), unix_path(text_of(owner)), frozenset({"library"}))
    return None


def _format(_reader: Expressions, _owner: Any, given: list[Any], _node: Node) -> Any:
    rest = given[1] if len(given) == 2 and isinstance(given[1], list) else given[1:]
    return format_text(given[0] if given else "", rest)


def _invoke_verb(reader: Expressions, owner: Any, given: list[Any], node: Node) -> Any:
    """`$item.InvokeVerb("delete")`: what the menu of a file offers."""
    verb = text_of(given[0]).lower().replace("&", "") if given else ""
    if "delete" in verb:
        return _delete(reader, owner, given, node)
    reader.state.reading.emit("process.run", reader.state.at(node), verb or "open")
    return None


def _decode_bytes(reader: Expressions, _owner: Any, given: list[Any], _node: Node) -> Any:
    """`[Text.Encoding]::UTF8.GetString($numbers)`: the text that bytes stand for."""
    if not given or not isinstance(given[0], list):
        return NotImplemented
    if all(isinstance(one, int) and 0 <= one < 256 for one in given[0]):
        return read_bytes(bytes(given[0]))
    return reader.state.result("text", reader.state.marks(given) | {"decoded"})


def _make_com(_reader: Expressions, _owner: Any, given: list[Any], _node: Node) -> Any:
    return Instance(f"com.{text_of(given[0]).lower()}" if given else "com.")


def _for_each(reader: Expressions, owner: Any, given: list[Any], node: Node) -> Any:
    """`.ForEach("Delete")`: a method or a property of each item; a block is run elsewhere."""
    from interlock.analyse.powershell.members import use_member

    if not given or not isinstance(given[0], str):
        return NotImplemented
    return [use_member(reader, one, given[0].lower(), given[1:], node) for one in items_of(owner)[:MAX_EACH]]


METHODS_WITH_CODE: dict[str, Any] = {
    **dict.fromkeys(("scriptblock.create", "management.automation.scriptblock.create"), _make_block),
    "environment.getenvironmentvariable": _variable,
    "environment.setenvironmentvariable": _set_variable,
    "environment.getfolderpath": _folder,
    "array.reverse": _reverse,
    "io.directory.setcurrentdirectory": _enter,
    **REFLECTION,
    **PIPELINES,
    **STREAMS,
    ".getstring": _decode_bytes,
    "microsoft.visualbasic.interaction.createobject": _make_com,
    **dict.fromkeys(("regex.matches", "text.regularexpressions.regex.matches"), _matches),
    **dict.fromkeys(("regex.replace", "text.regularexpressions.regex.replace"), _replace),
    **dict.fromkeys(("convert.toint32", "convert.toint16", "convert.tobyte", "int.parse", "byte.parse"), _to_number),
    **dict.fromkeys(("convert.tochar", "char.convertfromutf32"), _to_character),
    "string.format": _format,
    ".create": _create_process,
    ".start": _start_process,
    ".delete": _delete,
    ".remove": _remove_item,
    ".set": _set_by_name,
    ".foreach": _for_each,
    ".invokeverb": _invoke_verb,
}
