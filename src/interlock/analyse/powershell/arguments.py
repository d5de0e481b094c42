"""The words of a command, taken from its node: values, parameters and redirections."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from tree_sitter import Node

from interlock.analyse.powershell.binding import CmdletArgument
from interlock.analyse.powershell.values import ScriptBlock, items_of, text_of, texts_of
from interlock.patterns import late

if TYPE_CHECKING:
    from interlock.analyse.powershell.expressions import Expressions

_REDIRECTION = late(r"([\d*]?)(>{1,2})(?:&(\d))?(.*)", re.DOTALL)
_OPENED = frozenset({"argument_list", "parenthesized_expression", "array_literal_expression", "unary_expression"})


class Redirection(NamedTuple):
    """Where output goes."""

    target: Any
    append: bool
    errors: bool  # whether it is not the output itself that goes there


class CommandWords(NamedTuple):
    """What stands behind a command's name."""

    arguments: list[CmdletArgument]
    redirections: list[Redirection]


class _Stretch(NamedTuple):
    """A stretch of the text without white space, and the nodes in it."""

    start: int
    end: int
    nodes: list[Node]
    colon: bool = False


def read_words(reader: Expressions, elements: Node | None, start: int = 0) -> CommandWords:
    """Return the arguments and redirections of a command, from a place on."""
    words = CommandWords([], [])
    if elements is None:
        return words
    commas = reader.state.source.commas
    last_end = -1
    for part in _parts(reader, elements):
        if part.start < start:
            continue
        reader.state.reading.spend()
        first = part.nodes[0]
        if first.type == "redirection":
            _redirect(reader, first, words)
            last_end = -1
            continue
        text = reader.state.source.text[part.start : part.end]
        if first.type == "generic_token" and (found := _REDIRECTION.fullmatch(text)):
            _redirect_text(reader, part, found, words)
            continue
        if first.type == "stop_parsing":
            words.arguments.extend(CmdletArgument(word, written=word) for word in reader.text(first)[3:].split())
            continue
        argument = _argument(reader, part, text)
        joined = last_end >= 0 and any(at in commas for at in range(last_end, part.start))
        if part.colon or joined:
            _extend(words.arguments, argument, part.colon, part.start - last_end > 1)
        else:
            words.arguments.append(argument)
        last_end = part.end
    return words


def _parts(reader: Expressions, elements: Node) -> list[_Stretch]:
    """Return the children of a command between its white space; a parameter stands alone."""
    parts: list[_Stretch] = []
    fresh, colon = True, False
    for child in elements.children:
        if child.type == "command_argument_sep":
            colon = reader.text(child).strip() == ":"
            fresh = True
            continue
        end = reader.state.source.words.get(child.start_byte, child.end_byte)
        alone = child.type in ("command_parameter", "redirection", "stop_parsing")
        before = parts[-1].nodes[-1].type if parts else ""
        apart = before == "generic_token" and child.type in _OPENED  # `New-Object Type(…)` has two arguments
        if fresh or alone or apart or parts[-1].nodes[0].type in ("command_parameter", "redirection"):
            parts.append(_Stretch(child.start_byte, end, [child], colon))
        else:
            parts[-1] = parts[-1]._replace(end=end, nodes=[*parts[-1].nodes, child])
        fresh, colon = False, False
    return parts


def _argument(reader: Expressions, part: _Stretch, text: str) -> CmdletArgument:
    node = part.nodes[0]
    if node.type == "command_parameter":
        return CmdletArgument(None, text.lstrip("-"), written=reader.state.source.fill(text))
    if len(part.nodes) > 1 or part.start in reader.state.source.words:
        return CmdletArgument(reader.word(part.start, part.end), written=text)
    return CmdletArgument(reader.evaluate(node), written=text)


def _extend(arguments: list[CmdletArgument], argument: CmdletArgument, colon: bool, spaced: bool) -> None:
    """Attach a value to the parameter or the list before it."""
    last = arguments[-1] if arguments else CmdletArgument()
    if colon and last.parameter:
        arguments[-1] = last._replace(value=argument.value, attached=True, written=f"{last.written}:{argument.written}")
        return
    if not arguments or (last.parameter and not last.attached):
        arguments.append(argument)
        return
    mark = ", " if spaced else ","
    arguments[-1] = last._replace(
        value=[*items_of(last.value), *items_of(argument.value)], written=f"{last.written}{mark}{argument.written}"
    )


def read_redirections(reader: Expressions, node: Node) -> list[Redirection]:
    """Return the redirections behind an expression."""
    words = CommandWords([], [])
    for child in [node] if node.type == "redirection" else node.named_children:
        _redirect(reader, child, words)
    return words.redirections


def _redirect(reader: Expressions, node: Node, words: CommandWords) -> None:
    target = next((child for child in node.named_children if child.type == "redirected_file_name"), None)
    if target is None:
        return
    operator = reader.text(node.children[0]).strip()
    named = [child for child in target.named_children if child.type != "command_argument_sep"]
    value = reader.evaluate(named[-1]) if named else ""
    words.redirections.append(Redirection(value, ">>" in operator, operator[:1] in "23456"))


def _redirect_text(reader: Expressions, part: _Stretch, found: re.Match[str], words: CommandWords) -> None:
    if found[3]:
        return
    start = part.start + found.start(4)
    value = reader.word(start, part.end) if found[4] else None
    words.redirections.append(Redirection(value, found[2] == ">>", found[1] in tuple("23456")))


def program_words(arguments: list[CmdletArgument]) -> list[str]:
    """Return the words that a program is given which is no cmdlet."""
    words: list[str] = []
    for argument in arguments:
        if argument.parameter:
            words.append(_format_argument(argument))
        elif isinstance(argument.value, list) and ", " not in argument.written and "," in argument.written:
            words.append(",".join(text_of(item) for item in argument.value))
        elif isinstance(argument.value, ScriptBlock):
            words.append(text_of(argument.value))
        else:
            words += texts_of(argument.value) if argument.value is not None else []
    return words


def _format_argument(argument: CmdletArgument) -> str:
    dashes = re.match("-*", argument.written)
    head = (dashes[0] if dashes else "-") + argument.parameter
    return f"{head}:{text_of(argument.value)}" if argument.attached else head
