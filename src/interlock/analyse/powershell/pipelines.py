"""Pipelines that a text puts together and runs: `[powershell]::Create().AddCommand("…").AddArgument("…")`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tree_sitter import Node

from interlock.analyse.powershell.command_names import find_command
from interlock.analyse.powershell.values import Instance, ScriptBlock, text_of

if TYPE_CHECKING:
    from interlock.analyse.powershell.expressions import Expressions

_PIPELINE = "powershell.pipeline"
_BLOCK = "scriptblock"


def make_pipeline(_reader: Expressions, _owner: Any, _given: list[Any], _node: Node) -> Any:
    """`[powershell]::Create()`."""
    return Instance(_PIPELINE, ([],))


def _words_of(owner: Any) -> list[str]:
    """Return the words of the command that a pipeline has so far."""
    held = owner.arguments[0] if isinstance(owner, Instance) and owner.type == _PIPELINE else None
    return held if isinstance(held, list) else []


def add_script(reader: Expressions, owner: Any, given: list[Any], node: Node) -> Any:
    """`AddScript("…")`: code that runs."""
    reader.run_code("AddScript", given[0] if given else "", node)
    return owner


def add_command(reader: Expressions, owner: Any, given: list[Any], node: Node) -> Any:
    """`AddCommand("Name")`: a command, whose arguments follow."""
    words = _words_of(owner)
    words[:] = [text_of(given[0])] if given else []
    reader.run_code("AddCommand", given[0] if given else "", node)
    return owner


def add_argument(reader: Expressions, owner: Any, given: list[Any], node: Node) -> Any:
    """`AddArgument(value)`."""
    return _add(reader, owner, [_quoted(one) for one in given[:1]], given, node)


def add_parameter(reader: Expressions, owner: Any, given: list[Any], node: Node) -> Any:
    """`AddParameter("Name", value)`."""
    named = [f"-{text_of(given[0])}"] if given else []
    return _add(reader, owner, [*named, *(_quoted(one) for one in given[1:2])], given[1:], node)


def _add(reader: Expressions, owner: Any, more: list[str], given: list[Any], node: Node) -> Any:
    words = _words_of(owner)
    if words:
        words += more
        reader.run_code("AddArgument", f"& {' '.join(words)}", node)
    else:
        reader.run_handed("AddArgument", given, node)
    return owner


def _quoted(value: Any) -> str:
    if isinstance(value, (ScriptBlock, bool, int)):
        return text_of(value)
    return "'" + text_of(value).replace("'", "''") + "'"


def parse_input(_reader: Expressions, _owner: Any, given: list[Any], _node: Node) -> Any:
    """`[…Language.Parser]::ParseInput("…")`: code that is only parsed, and from which a block can be made."""
    return Instance("language.ast", tuple(given[:1]))


def make_block(_reader: Expressions, owner: Any, _given: list[Any], _node: Node) -> Any:
    """`$ast.GetScriptBlock()`."""
    return Instance(_BLOCK, owner.arguments) if isinstance(owner, Instance) and owner.arguments else NotImplemented


def expand_string(reader: Expressions, _owner: Any, given: list[Any], node: Node) -> Any:
    """`$ExecutionContext.InvokeCommand.ExpandString("…")`: what stands in `$(…)` is run."""
    return reader.run_code("ExpandString", '"' + text_of(given[0] if given else "").replace('"', '""') + '"', node)


def name_command(reader: Expressions, _owner: Any, given: list[Any], _node: Node) -> Any:
    """`$ExecutionContext.InvokeCommand.GetCommand("Name", "Cmdlet")`."""
    return find_command(reader.state, given[0]) if given and isinstance(given[0], str) else NotImplemented


PIPELINES: dict[str, Any] = {
    **dict.fromkeys(("powershell.create", "management.automation.powershell.create"), make_pipeline),
    ".addscript": add_script,
    ".addcommand": add_command,
    ".addargument": add_argument,
    ".addparameter": add_parameter,
    "management.automation.language.parser.parseinput": parse_input,
    ".getscriptblock": make_block,
    ".expandstring": expand_string,
    **dict.fromkeys((".getcommand", ".getcmdlet", ".getcmdlets", ".getcommandname"), name_command),
}
