"""Functions of the text: their parameters, and what a call gives to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tree_sitter import Node

from interlock.analyse.powershell.binding import CmdletArgument, bind_to
from interlock.analyse.powershell.state import plain_name
from interlock.analyse.powershell.values import ScriptBlock, items_of
from interlock.analyse.scripts.values import unknown

if TYPE_CHECKING:
    from interlock.analyse.powershell.expressions import Expressions

_HOLDING = frozenset(
    "function_parameter_declaration param_block parameter_list script_block script_block_body ERROR".split()
)


def parameters_of(reader: Expressions, node: Node) -> list[tuple[str, Any, bool]]:
    """Return the parameters of a function or block: the name, the default value, and whether it is a switch."""
    found: list[tuple[str, Any, bool]] = []
    left = [node]
    while left:
        one = left.pop()
        for child in one.named_children:
            if child.type == "script_parameter":
                found.append(_parameter(reader, child))
            elif child.type in _HOLDING:
                left.append(child)
    return found


def _parameter(reader: Expressions, node: Node) -> tuple[str, Any, bool]:
    name, default, switch = "", None, False
    for child in node.named_children:
        if child.type == "variable":
            name = plain_name(reader.text(child))
        elif child.type == "script_parameter_default":
            default = reader.evaluate(child.named_children[-1]) if child.named_children else None
        elif child.type == "attribute_list":
            _run_checks(reader, child)
            switch = switch or "[switch]" in reader.text(child).lower()
    return name, default, switch


def _run_checks(reader: Expressions, node: Node) -> None:
    """Run the blocks of `[ValidateScript({ … })]`: they run when the parameter is given."""
    left = [node]
    while left:
        one = left.pop()
        if one.type == "script_block_expression":
            reader.run_block(ScriptBlock(reader.state.source, one), [])
        else:
            left += one.named_children


def bind_parameters(reader: Expressions, node: Node, arguments: list[CmdletArgument]) -> list[Any]:
    """Set the parameters of a function to what a call gives them; return what is left over for `$args`."""
    parameters = parameters_of(reader, node)
    valued = {name: "-" for name, _, switch in parameters if not switch}
    toggles = {name: "" for name, _, switch in parameters if switch}
    bound = bind_to(arguments, valued, toggles, list(valued))
    variables = reader.state.variables
    named = {name: value for name, value in bound.values.items() if name}
    variables["psboundparameters"] = {**named, **dict.fromkeys(bound.switches, True)}
    for name, default, switch in parameters:
        if name in bound.values:
            variables[name] = bound.values[name]
        elif switch:
            variables[name] = name in bound.switches or unknown(name)
        else:
            variables[name] = default if default is not None else unknown(name)
    return items_of(bound.values.get("")) if "" in bound.values else []


def bind_piped(reader: Expressions, node: Node, item: Any) -> None:
    """Set the parameter that takes what comes through the pipe."""
    left = [node]
    while left:
        one = left.pop()
        for child in one.named_children:
            if child.type in _HOLDING:
                left.append(child)
            elif child.type == "script_parameter" and "valuefrompipeline" in reader.text(child).lower():
                name = next(
                    (plain_name(reader.text(part)) for part in child.named_children if part.type == "variable"), ""
                )
                reader.state.variables[name] = item
