"""The effects of a tool call: by the verb and object of the tool, with flags from its arguments.

Effects that a careful person would not want to be asked about have the flag `routine`: a message to the team, a task
that is moved, a viewer who is added. What makes a call more than that is found in its arguments: outsiders, everyone,
many at once, for good, confidential content, a bank account, a higher role. The functions in `judges` decide, one for
each kind of effect.
"""

from __future__ import annotations

from interlock.analyse.reading import Reading
from interlock.analyse.tools.argument_effects import argument_effects, rehearsal_effects
from interlock.analyse.tools.argument_flags import find_argument_flags
from interlock.analyse.tools.argument_meanings import find_added_meanings
from interlock.analyse.tools.arguments import PLAIN, Argument, names_in
from interlock.analyse.tools.call_flags import flags_of_call
from interlock.analyse.tools.described_conditions import find_conditional
from interlock.analyse.tools.device_arguments import is_controller
from interlock.analyse.tools.generic_tools import is_generic
from interlock.analyse.tools.judges import JudgedCall
from interlock.analyse.tools.name_meaning import Meaning, meaning_of
from interlock.analyse.tools.named_commands import is_named_after_command
from interlock.analyse.tools.operations import Operations, selects_operation
from interlock.analyse.tools.organisation import NO_ORGANISATION
from interlock.analyse.tools.program_names import program_of
from interlock.analyse.tools.read_only_calls import only_reads
from interlock.analyse.tools.record_types import kinds_by_type
from interlock.analyse.tools.reported_effects import (
    QUIET_VERBS,
    call_of,
    effect_of,
    emit,
    report_addition,
    report_effect,
    report_meaning,
)
from interlock.analyse.tools.revocations import only_revokes
from interlock.analyse.tools.selected_operations import find_selected_operation
from interlock.analyse.tools.switch_effects import effect_of_release
from interlock.analyse.tools.vocabulary import GLANCING
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_name_words import ToolNameWords
from interlock.knowledge.tool import Tool
from interlock.model import Action

_WORDS = read_table("tool-names", ToolNameWords)


def tool_description(action: Action) -> str:
    """Return the description of a tool, by its server or in its docstring."""
    return action.description or action.docstring or ""


def read_tool_call(
    reading: Reading, action: Action, arguments: list[Argument], inside: Operations, *, told: bool
) -> None:
    """Report the effects of a call of a tool without a description.

    `inside` are the operations in its arguments; `told` says that code in them was read, which tells what happens.
    """
    meaning = meaning_of(action.tool_name, tool_description(action))
    selected = find_selected_operation(action, arguments, tool_description(action)) if not inside.requests else None
    if selected is not None:
        _read_selection(reading, action, meaning._replace(verb="read"), arguments, inside, selected)
        return
    if not inside.requests and only_revokes(action, meaning, arguments, tool_description(action)):
        _report_taking(reading, action, meaning, arguments, inside)
        return
    told_by_operation = bool(inside.meanings) and (
        is_controller(meaning) or selects_operation(action.tool_name, arguments, inside)
    )
    if told_by_operation and _only_read(inside):
        meaning = meaning._replace(verb="read")  # `pump_control {"command": "status"}`
    elif (told and meaning.either) or only_reads(meaning, arguments):
        meaning = meaning._replace(verb="read")
    flags = flags_of_call(reading, action, meaning, arguments, inside)
    whole = call_of(reading, meaning, arguments, flags)
    reads = meaning.verb in ("read", "draft") and (not told_by_operation or _only_read(inside))
    _report_arguments(reading, action, whole, inside, reads=reads)
    for one in find_added_meanings(meaning, arguments):
        report_meaning(reading, action, call_of(reading, one, arguments, flags))
    if (inside.found or told) and (
        is_generic(action.tool_name)
        or (told and (is_named_after_command(action.tool_name) or (meaning.verb == "run" and _only_runs(meaning))))
    ):
        return
    if not told_by_operation or (not _only_read(inside) and inside.chosen == len(inside.meanings)):
        report_meaning(reading, action, whole)


def _read_selection(
    reading: Reading,
    action: Action,
    meaning: Meaning,
    arguments: list[Argument],
    inside: Operations,
    selected: Meaning,
) -> None:
    """Report a read that a call selects among the operations of its tool: what it reveals, and of whom."""
    flags = flags_of_call(reading, action, meaning, arguments, inside)
    whole = call_of(reading, meaning, arguments, flags)
    for kind, why in dict.fromkeys(argument_effects(whole, reads=True)):
        emit(reading, action, whole, kind, whole.flags | why)
    if selected.said not in GLANCING:
        shown = selected.things or meaning.things
        report_meaning(reading, action, call_of(reading, meaning._replace(things=shown), arguments, flags))


def _only_runs(meaning: Meaning) -> bool:
    """Whether a name only says that code runs somewhere: `exec_in_pod`, whose effects are those of the code."""
    return not meaning.things or (meaning.said in ("exec", "execute") and meaning.things[0].name == "infrastructure")


def _report_taking(
    reading: Reading, action: Action, meaning: Meaning, arguments: list[Argument], inside: Operations
) -> None:
    """Report the removal of a right, and the effects that count in any call."""
    whole = call_of(reading, meaning, arguments, flags_of_call(reading, action, meaning, arguments, inside))
    for kind, why in rehearsal_effects(whole, reads=False):
        emit(reading, action, whole, kind, whole.flags | why)
    routine = not whole.has("instructions", "deceptive", "holds_key", "final")
    emit(reading, action, whole, "access.grant", _WITHOUT_RIGHT if routine else whole.flags)


_WITHOUT_RIGHT = frozenset({"routine"})


def _only_read(inside: Operations) -> bool:
    """Whether all operations in the arguments only read."""
    return all(one.verb == "read" for one in inside.meanings)


def read_described_call(
    reading: Reading, action: Action, tool: Tool, arguments: list[Argument], inside: Operations, *, told: bool
) -> None:
    """Report what a call of a described tool does. A tool that runs code does what the code says, if it was read."""
    meaning = meaning_of(action.tool_name, "")
    flags = flags_of_call(reading, action, meaning, arguments, inside)
    flags |= frozenset(tool.flags) - ({"holds_key"} if "practice" in flags else set())
    call = JudgedCall(meaning, None, arguments, names_in(arguments), flags, reading.organisation or NO_ORGANISATION)
    quiet = tool.does in ("tool.read", "tool.draft")
    _report_arguments(reading, action, call, inside, reads=quiet)
    for found in find_conditional(tool, arguments):
        report_addition(reading, action, found.does, call._replace(flags=flags | frozenset(found.flags)))
    if tool.does == "tool.draft":
        for kind in dict.fromkeys(filter(None, map(effect_of_release, arguments))):
            report_effect(reading, action, kind, call)
    if quiet:
        return
    named = meaning if tool.does == "device.operate" else meaning._replace(things=())
    telling = [one for one in arguments if not one.roles >= PLAIN]
    for one in find_added_meanings(named, telling):
        report_meaning(reading, action, call_of(reading, one, arguments, flags))
    if not (told and (runs_code(tool) or runs_any_command(action.tool_name))):
        report_effect(reading, action, tool.does, call)
        for kind in kinds_by_type(tool.does, call):
            report_effect(reading, action, kind, call)


def runs_any_command(tool_name: str) -> bool:
    """Whether a name only says that a command of a program is run: `run_gcloud_command`."""
    program = program_of(tool_name)
    words = set(meaning_of(tool_name, "").words) - {"mcp", program}
    return bool(program) and not _COMMANDS.isdisjoint(words) and words <= _COMMANDS | _WORDS.running_verbs


_COMMANDS = frozenset("command commands cli cmd".split())


def runs_code(tool: Tool) -> bool:
    """Whether a described tool runs the code or the commands that it is given."""
    return any(role.startswith("code:") for role in tool.arguments.values())


def _report_arguments(reading: Reading, action: Action, call: JudgedCall, inside: Operations, *, reads: bool) -> None:
    """Report the effects that follow from arguments alone, and the operations in them."""
    if inside.found and is_generic(action.tool_name):
        reads = reads or all(one.verb in QUIET_VERBS for one in inside.meanings)
    for kind, why in dict.fromkeys(argument_effects(call, reads=reads)):
        emit(reading, action, call, kind, call.flags | why)
    looked_for = reads and not inside.requests and not is_generic(action.tool_name)
    for one in inside.meanings:
        if looked_for and effect_of(one.verb, one.things[0] if one.things else None) != "secret.read":
            continue
        full = one if one.things else one._replace(things=call.meaning.things)
        flags = call.flags | inside.flags
        if one.things and is_controller(call.meaning):
            flags -= {"hazard"}  # `vehicle_command {"command": "flash_lights"}`
        if one.things and one.things[0].name == "trial_message" and call.thing:
            told = find_argument_flags(call.arguments, action.input_payload, call.organisation)
            flags -= (
                frozenset(call.thing.flags) - told
            )  # `campaign_action {"action": "send_test"}` reaches those it lists
        whole = call_of(reading, full, call.arguments, flags)
        report_meaning(reading, action, whole._replace(requested=bool(inside.requests)))
