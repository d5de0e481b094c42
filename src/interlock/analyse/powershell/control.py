"""Branches and loops of PowerShell."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tree_sitter import Node

from interlock.analyse.files.paths import HOLE
from interlock.analyse.powershell.containers import FILLING
from interlock.analyse.powershell.files import read_file
from interlock.analyse.powershell.loops import report_loop
from interlock.analyse.powershell.state import plain_name
from interlock.analyse.powershell.values import TextBuilder, items_of, text_of
from interlock.analyse.scripts.values import MAX_CHOICES, MAX_ITEMS, Choice, choices, unknown
from interlock.patterns import late

if TYPE_CHECKING:
    from interlock.analyse.powershell.walk import Interpreter

MAX_LOOP = 8
_ENDLESS = late(
    r"(?:while\s*\(\s*(?:\$true|1)\s*\)|for\s*\(\s*;\s*;\s*\)|do\b.*while\s*\(\s*(?:\$true|1)\s*\))",
    re.IGNORECASE | re.DOTALL,
)
# A list or a text that grows by something large in each round.
_GROWS = late(r"\+=[^;\n]*(?:\d[mg]b\b|byte\[\]|\*\s*\d{4,})|\$(\w+)\s*\+=\s*\$\1\b|\*=\s*\d", re.IGNORECASE)
_PAUSE = late(r"\b(?:Start-Sleep|sleep|Wait-\w+|Read-Host|break|exit|return|Test-\w+)\b", re.IGNORECASE)


def read_branches(reader: Interpreter, node: Node) -> Any:
    """Read every branch; which of them runs is not known, so a variable may hold what any of them sets."""
    state, ways, given = reader.state, [], []
    blocks = [child for child in parts_of(node) if child.type in ("statement_block", "switch_body")]
    for child in parts_of(node):
        if child not in blocks:
            value = _lines_of_file(reader, child) if child.type == "switch_filename" else reader.statements(child)
            if node.type == "switch_statement":
                state.variables["_"] = value
    before = dict(state.variables)
    for block in blocks:
        state.variables = dict(before)
        given.append(reader.statements(block))
        ways.append(state.variables)
    state.merge([*ways, before])
    values = [value for value in given if value is not None]
    return values[0] if len(values) == 1 else Choice(tuple(values[:4])) if values else None


def _lines_of_file(reader: Interpreter, node: Node) -> Any:
    """Return the lines of the file that `switch -File` goes through; the first one stands for all."""
    held = read_file(reader.state, text_of(reader.evaluate(node)).strip(), reader.state.at(node))
    lines = held.strip("\n").split("\n") if isinstance(held, str) and HOLE not in held else []
    return Choice(tuple(lines[:MAX_CHOICES])) if len(lines) > 1 else lines[0] if lines else held


def read_foreach(reader: Interpreter, node: Node) -> Any:
    children = [child for child in node.named_children if child.type != "foreach_parameter"]
    body = children[-1]
    name = reader.text(children[0])
    items = [one for way in choices(reader.statements(children[1])) for one in items_of(way)]
    given: list[Any] = []
    site, first = reader.state.at(node), len(reader.state.reading.effects)
    turns = 0
    for item in items or [unknown(name.strip("$"))]:
        if turns >= MAX_LOOP and len(reader.state.reading.effects) > first:
            break  # what only computes is computed to its end
        turns += 1
        reader.state.set(name, item, site)
        given += items_of(reader.statements(body))
    if turns < len(items):
        reader.state.set(name, reader.state.result(name.strip("$"), reader.state.marks(items)), site)
        reader.statements(body)
    report_loop(reader.state, site, reader.text(body), len(items), first)
    return given[:MAX_ITEMS] or None


def read_loop(reader: Interpreter, node: Node) -> Any:
    """Read a loop on a condition once, with what it changes unknown from the start: it may be any turn of it."""
    state, first = reader.state, len(reader.state.reading.effects)
    body = node.named_children[0] if node.type == "do_statement" else node.named_children[-1]
    for child in node.named_children:
        if child is not body and child.type in ("for_initializer", "while_condition", "for_condition"):
            reader.each_statement(child)
    before = dict(state.variables)
    marks = state.marks(*before.values())
    grown = _find_grown_names(reader, node)
    for name in grown:
        state.variables[name] = state.result(name, state.marks(before.get(name)) | marks & {"download", "decoded"})
    given = reader.statements(body)
    for child in node.named_children:
        if child.type == "for_iterator":
            reader.each_statement(child)
    for name in grown:
        held = state.variables.get(name)
        state.variables[name] = state.result(name, state.marks(held) | {"decoded"})
    for name in _find_filled_names(reader, node):
        _leave_open(reader, name)
    report_loop(state, state.at(node), "", 0, first)
    _note_endless(reader, node, first)
    return given


def _note_endless(reader: Interpreter, node: Node, first: int) -> None:
    text, reading = reader.text(node), reader.state.reading
    if not _ENDLESS.match(text) or _PAUSE.search(text):
        return
    started = {effect.kind.partition(".")[0] for effect in reading.effects[first:]}
    if "start-process" in text.lower() or "start-job" in text.lower() or "start " in text.lower():
        reading.emit("machine.exhaust", reader.state.at(node), "endless loop")
    elif _GROWS.search(text):
        reading.emit("machine.exhaust", reader.state.at(node), "memory")
    elif started & {"code", "net", "process"}:
        reading.emit("process.spawn", reader.state.at(node), "endless loop", frozenset({"endless"}))


def parts_of(node: Node) -> list[Node]:
    """Return the parts of a statement, past the nodes that only group them."""
    found: list[Node] = []
    left = list(reversed(node.named_children))
    while left and len(found) < MAX_ITEMS:
        child = left.pop()
        if child.type in _GROUPING:
            left += reversed(child.named_children)
        else:
            found.append(child)
    return found


_GROUPING = frozenset(
    "elseif_clauses elseif_clause else_clause switch_body switch_clauses switch_clause switch_clause_condition "
    "switch_condition switch_parameters catch_clauses catch_clause finally_clause class_method_definition "
    "class_property_definition catch_type_list ERROR".split()
)


def _find_filled_names(reader: Interpreter, node: Node) -> list[str]:
    """Return the names of lists and builders that a loop puts something into."""
    found: dict[str, None] = {}
    left = [node]
    while left:
        one = left.pop()
        if one.type == "invokation_expression" and one.named_child_count > 1:
            target, member = reader.text(one.named_children[0]), reader.text(one.named_children[1])
            if target.startswith("$") and member.lower() in FILLING:
                found[plain_name(target)] = None
        left += one.named_children
    return list(found)[:32]


def _leave_open(reader: Interpreter, name: str) -> None:
    """Note that a list or a builder holds more than what one turn of a loop has put there."""
    held = reader.state.variables.get(name)
    more = reader.state.result(name, reader.state.marks(held) | {"decoded"})
    if isinstance(held, list):
        held.append(more)
    elif isinstance(held, TextBuilder):
        held.parts.append(more)


def _find_grown_names(reader: Interpreter, node: Node) -> list[str]:
    """Return the names of variables that a loop builds up from turn to turn."""
    found: dict[str, None] = {}
    left = [node]
    while left:
        one = left.pop()
        if one.type == "assignment_expression" and one.named_child_count:
            target = reader.text(one.named_children[0]).strip()
            operator = [
                reader.text(child).strip() for child in one.named_children if child.type == "assignement_operator"
            ]
            value = reader.text(one.named_children[-1])
            if target.startswith("$") and (operator != ["="] or target.lower() in value.lower()):
                found[target.lstrip("$").lower().rpartition(":")[2]] = None
        elif one.type.endswith(("increment_expression", "decrement_expression")):
            found[reader.text(one).strip("$+-").lower()] = None
        left += one.named_children
    return [name for name in found if name.isidentifier()][:32]
