"""Types and methods that are found by their names: `GetType("…").GetMethod("…").Invoke(…)`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tree_sitter import Node

from interlock.analyse.powershell.casts import type_name
from interlock.analyse.powershell.values import Instance, ScriptBlock, Type, is_known, items_of, text_of, texts_of
from interlock.analyse.scripts.values import Choice

if TYPE_CHECKING:
    from interlock.analyse.powershell.expressions import Expressions

#: Methods that call what they are called on.
INVOKING = frozenset("invoke invokereturnasis invokewithcontext begininvoke dynamicinvoke".split())
_METHOD, _BOUND_METHOD, _FIELD, _TYPE = (
    "reflection.method",
    "reflection.bound_method",
    "reflection.field",
    "reflection.type",
)
_VIEW, _METHODS, _PROPERTIES = "psobject.view", "psobject.methods", "psobject.properties"


def is_block(value: Any) -> bool:
    """Whether a value is a script block, or a text that was made one."""
    return isinstance(value, ScriptBlock) or (isinstance(value, Instance) and value.type == "scriptblock")


def is_callable(value: Any) -> bool:
    """Whether a value is something that `.Invoke` calls: a block, or a method that was found by its name."""
    ways = value.values if isinstance(value, Choice) else (value,)
    return any(is_block(one) or (isinstance(one, Instance) and one.type in (_METHOD, _BOUND_METHOD)) for one in ways)


# members that PowerShell itself adds


def read_view(owner: Any, name: str) -> Any:
    """Return `.PSObject`, and its `.Methods` and `.Properties`; `NotImplemented` for any other member."""
    if name == "psobject":
        return Instance(_VIEW, (owner,))
    if not isinstance(owner, Instance) or owner.type != _VIEW:
        return NotImplemented
    held = owner.arguments[0]
    if name in ("properties", "members") and isinstance(held, dict):
        return [{"name": key, "value": value} for key, value in held.items()]
    return Instance(_METHODS if name in ("methods", "members") else _PROPERTIES, (held,))


def read_item(owner: Instance, at: Any) -> Any:
    """Return the method of a name: `.PSObject.Methods["Delete"]`; `NotImplemented` for an item of anything else."""
    if owner.type != _METHODS:
        return NotImplemented
    return Instance(_BOUND_METHOD, (owner.arguments[0], text_of(at).lower()))


# types, methods and fields by name


def find_type(reader: Expressions, owner: Any, given: list[Any], node: Node) -> Any:
    """`GetType("Name")`: the type; a search for the scanner of scripts turns it off."""
    _report_scanner(reader, given, node)
    if given and isinstance(given[0], str) and is_known(given[0]):
        return Type(type_name(given[0]))
    return Type(owner.type) if isinstance(owner, Instance) and not given else Instance(_TYPE, tuple(given))


def find_com_type(_reader: Expressions, _owner: Any, given: list[Any], _node: Node) -> Any:
    """`[type]::GetTypeFromProgID("WScript.Shell")`."""
    return Type(f"com.{text_of(given[0]).lower()}" if given else "com.")


def find_method(reader: Expressions, owner: Any, given: list[Any], node: Node) -> Any:
    """`GetMethod("Name")`."""
    _report_scanner(reader, given, node)
    return Instance(_METHOD, (owner, text_of(given[0]).lower() if given else ""))


def find_field(reader: Expressions, owner: Any, given: list[Any], node: Node) -> Any:
    """`GetField("Name", "NonPublic,Static")`: setting what a type keeps to itself turns its checks off."""
    _report_scanner(reader, [owner.name if isinstance(owner, Type) else "", *given], node)
    private = any("nonpublic" in text.lower() for one in given for text in texts_of(one))
    return Instance(_FIELD, ("private",) if private else ())


def set_value(reader: Expressions, owner: Any, given: list[Any], node: Node) -> Any:
    """`$field.SetValue(…)`, `$key.SetValue("name", "value")`."""
    from interlock.analyse.powershell.files import is_registry, touch

    state = reader.state
    if isinstance(owner, Instance) and owner.type == _FIELD:
        if owner.arguments:
            state.reading.emit("defence.disable", state.at(node), "a private field")
        return None
    name = text_of(owner)
    if is_registry(name):
        touch(state, "fs.write", name, state.at(node))
        return None
    return NotImplemented if given else None


def _report_scanner(reader: Expressions, given: list[Any], node: Node) -> None:
    if any("amsi" in text.lower() for one in given for text in texts_of(one)):
        reader.state.reading.emit("defence.disable", reader.state.at(node), "AMSI")


# calls


def call_by_name(reader: Expressions, owner: Any, given: list[Any], node: Node) -> Any:
    """`$type.InvokeMember("Name", flags, binder, object, arguments)`."""
    from interlock.analyse.powershell.members import call_member

    if len(given) < 4:
        return NotImplemented
    target = given[3] if given[3] is not None else owner
    return call_member(reader, target, text_of(given[0]).lower(), items_of(given[4]) if len(given) > 4 else [], node)


def make_instance(reader: Expressions, _owner: Any, given: list[Any], node: Node) -> Any:
    """`[Activator]::CreateInstance(type, arguments)`."""
    from interlock.analyse.powershell.dotnet import construct

    kind = given[0].name if given and isinstance(given[0], Type) else ""
    return (
        construct(reader, kind, [one for rest in given[1:] for one in items_of(rest)], node) if kind else NotImplemented
    )


def call_method(reader: Expressions, owner: Any, given: list[Any], node: Node) -> Any:
    """Call a method that was found by its name; `NotImplemented` for anything else."""
    from interlock.analyse.powershell.members import call_member

    if isinstance(owner, Type) and "." in owner.name:  # `[IO.Directory]::Delete.Invoke(…)`
        kind, _, name = owner.name.rpartition(".")
        return call_member(reader, Type(kind), name, given, node)
    if not isinstance(owner, Instance) or len(owner.arguments) != 2:
        return NotImplemented
    target, name = owner.arguments
    if owner.type == _BOUND_METHOD:
        return call_member(reader, target, name, given, node)
    if owner.type != _METHOD:
        return NotImplemented
    this = given[0] if given and given[0] is not None else target
    return call_member(reader, this, name, items_of(given[1]) if len(given) > 1 else [], node)


REFLECTION: dict[str, Any] = {
    **dict.fromkeys((".gettype", ".gettypes"), find_type),
    **dict.fromkeys(("type.gettypefromprogid", "type.gettypefromclsid"), find_com_type),
    **dict.fromkeys((".getmethod", ".getmethods"), find_method),
    **dict.fromkeys((".getfield", ".getfields", ".getproperty", ".getproperties"), find_field),
    ".setvalue": set_value,
    ".invokemember": call_by_name,
    "activator.createinstance": make_instance,
}
