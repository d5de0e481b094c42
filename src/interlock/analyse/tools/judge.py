"""What a tool call does: an effect by the tool's verb and object, with flags by its arguments.

Effects that a careful person would not want to be asked about have the flag `routine`: a message to the team, a task
that is moved, a viewer who is added. What makes a call more than that is found in its arguments: outsiders, everyone,
many at once, for good, confidential content, a bank account, a higher role. The functions in `judges` decide, one for
each kind of effect.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from interlock.analyse.reading import Reading, Site
from interlock.analyse.tools.argument_effects import argument_effects, rehearsal_effects
from interlock.analyse.tools.argument_meanings import EFFACED, added_meanings, is_binding, is_controller, is_extreme
from interlock.analyse.tools.arguments import DECLARED, LISTED, Argument
from interlock.analyse.tools.describe import name_target
from interlock.analyse.tools.facts import facts_of
from interlock.analyse.tools.judges import JUDGES, JudgedCall
from interlock.analyse.tools.judges.annotations import only_annotates
from interlock.analyse.tools.judges.call import GRAVE
from interlock.analyse.tools.judges.display import changes_display
from interlock.analyse.tools.judges.infrastructure import names_live
from interlock.analyse.tools.lookups import is_look
from interlock.analyse.tools.name import Meaning, meaning_of
from interlock.analyse.tools.narrowing import only_narrows
from interlock.analyse.tools.operations import Operations, is_generic, is_led
from interlock.analyse.tools.organisation import NO_ORGANISATION
from interlock.analyse.tools.places import place_flags, service_addresses
from interlock.analyse.tools.practice import is_for_practice
from interlock.analyse.tools.programs import names_command, program_of
from interlock.analyse.tools.record_types import kinds_by_type
from interlock.analyse.tools.secret_requests import withholds_values
from interlock.analyse.tools.selection import selected_operation, selects_practice
from interlock.analyse.tools.summaries import summarise
from interlock.analyse.tools.switches import is_true, lowers_in_call
from interlock.analyse.tools.taking import takes_away
from interlock.analyse.tools.words import GLANCING, HAZARDOUS
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.tool import Tool
from interlock.knowledge.tool_name_words import ToolNameWords
from interlock.knowledge.tool_tables import ToolObject
from interlock.model import Action
from interlock.patterns import late

_WORDS = read_table("tool-names", ToolNameWords)

Flags = frozenset[str]
FEW = 3  # things in a list that are few even for a tool for many
#: What a group of verbs does by itself, where the object does not tell.
_BY_VERB = {
    "make": "record.change",
    "change": "record.change",
    "remove": "record.delete",
    "send": "message.send",
    "publish": "content.publish",
    "share": "document.share",
    "grant": "access.grant",
    "pay": "payment.send",
    "transfer": "payment.send",
    "trade": "order.place",
    "book": "appointment.make",
    "approve": "contract.sign",
    "submit": "contract.sign",
    "sign": "contract.sign",
    "operate": "device.operate",
    "install": "automation.install",
    "export": "data.export",
    "run": "record.change",
}
#: Kinds of effects that are judged by what the call is given; their rules know the flag `routine`.
JUDGED = frozenset(
    (
        "order.place content.publish document.share data.export record.change record.delete account.change "
        "access.grant security.lower device.operate contract.sign appointment.make automation.install message.send "
        "payment.send deploy.release"
    ).split()
)
_PLAIN_ADDRESSES = frozenset({("url",), ("uri",), ("href",), ("link",)})
#: Words of what can be cloned, and keys of where it is fetched from.
_REPOSITORIES = frozenset({"repo", "repository", "git"})
_CLONED = _PLAIN_ADDRESSES | {("repo_url",), ("repository_url",), ("clone_url",), ("repo",), ("repository",)}
_QUIET_VERBS = frozenset({"", "read", "draft", "watch"})


def tool_description(action: Action) -> str:
    """Return what is said about a tool: by its server, or in its docstring."""
    return action.description or action.docstring or ""


def read_tool_call(
    reading: Reading, action: Action, arguments: list[Argument], inside: Operations, *, told: bool
) -> None:
    """Report what a call of a tool does that nobody has described.

    `inside` are the operations in its arguments; `told` says that code in them was read, which tells what happens.
    """
    meaning = meaning_of(action.tool_name, tool_description(action))
    selected = selected_operation(action, arguments, tool_description(action)) if not inside.requests else None
    if selected is not None:
        _read_selection(reading, action, meaning._replace(verb="read"), arguments, inside, selected)
        return
    if not inside.requests and takes_away(action, meaning, arguments, tool_description(action)):
        _report_taking(reading, action, meaning, arguments, inside)
        return
    told_by_operation = bool(inside.meanings) and (
        is_controller(meaning) or is_led(action.tool_name, arguments, inside)
    )
    if told_by_operation and _only_read(inside):
        meaning = meaning._replace(verb="read")  # `pump_control {"command": "status"}`
    elif (told and meaning.either) or is_look(meaning, arguments):
        meaning = meaning._replace(verb="read")
    flags = _facts(reading, action, meaning, arguments, inside)
    whole = call_of(reading, meaning, arguments, flags)
    reads = meaning.verb in ("read", "draft") and (not told_by_operation or _only_read(inside))
    _report_arguments(reading, action, whole, inside, reads=reads)
    for one in added_meanings(meaning, arguments):
        report_meaning(reading, action, call_of(reading, one, arguments, flags))
    if (inside.found or told) and (
        is_generic(action.tool_name)
        or (told and (names_command(action.tool_name) or (meaning.verb == "run" and _only_runs(meaning))))
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
    """Report a look that a call selects among the operations of its tool: what it reveals, and of whom."""
    flags = _facts(reading, action, meaning, arguments, inside)
    whole = call_of(reading, meaning, arguments, flags)
    for kind, why in dict.fromkeys(argument_effects(whole, reads=True)):
        _emit(reading, action, whole, kind, whole.flags | why)
    if selected.said not in GLANCING:
        shown = selected.things or meaning.things
        report_meaning(reading, action, call_of(reading, meaning._replace(things=shown), arguments, flags))


def _only_runs(meaning: Meaning) -> bool:
    """Whether a name says no more than that code runs somewhere: `exec_in_pod`, which does what the code says."""
    return not meaning.things or (meaning.said in ("exec", "execute") and meaning.things[0].name == "infrastructure")


def _report_taking(
    reading: Reading, action: Action, meaning: Meaning, arguments: list[Argument], inside: Operations
) -> None:
    """Report that somebody loses a right, and what matters in any call."""
    whole = call_of(reading, meaning, arguments, _facts(reading, action, meaning, arguments, inside))
    for kind, why in rehearsal_effects(whole, reads=False):
        _emit(reading, action, whole, kind, whole.flags | why)
    routine = not whole.has("instructions", "deceptive", "holds_key", "final")
    _emit(reading, action, whole, "access.grant", _WITHOUT_RIGHT if routine else whole.flags)


_WITHOUT_RIGHT = frozenset({"routine"})


def _only_read(inside: Operations) -> bool:
    """Whether all operations in the arguments only look at something."""
    return all(one.verb == "read" for one in inside.meanings)


def read_described_call(
    reading: Reading, action: Action, tool: Tool, arguments: list[Argument], inside: Operations, *, told: bool
) -> None:
    """Report what a call of a described tool does. A tool that runs code does what the code says, if it was read."""
    meaning = meaning_of(action.tool_name, "")
    flags = _facts(reading, action, meaning, arguments, inside)
    flags |= frozenset(tool.flags) - ({"holds_key"} if "practice" in flags else set())
    call = JudgedCall(meaning, None, arguments, flags, reading.organisation or NO_ORGANISATION)
    quiet = tool.does in ("tool.read", "tool.draft")
    _report_arguments(reading, action, call, inside, reads=quiet)
    if quiet:
        return
    named = meaning if tool.does == "device.operate" else meaning._replace(things=())
    for one in added_meanings(named, arguments):
        report_meaning(reading, action, call_of(reading, one, arguments, flags))
    if not (told and (runs_code(tool) or hands_over_command(action.tool_name))):
        report_effect(reading, action, tool.does, call)
        for kind in kinds_by_type(tool.does, call):
            report_effect(reading, action, kind, call)


def hands_over_command(tool_name: str) -> bool:
    """Whether a name says only that a command of a program is run: `run_gcloud_command`, which does what that does."""
    program = program_of(tool_name)
    words = set(meaning_of(tool_name, "").words) - {"mcp", program}
    return bool(program) and not _COMMANDS.isdisjoint(words) and words <= _COMMANDS | _WORDS.running_verbs


_COMMANDS = frozenset("command commands cli cmd".split())


def runs_code(tool: Tool) -> bool:
    """Whether a described tool runs the code or the commands that it is given."""
    return any(role.startswith("code:") for role in tool.arguments.values())


def _facts(reading: Reading, action: Action, meaning: Meaning, arguments: list[Argument], inside: Operations) -> Flags:
    """Return the flags that the arguments of a call give it."""
    asked = {one.address for one in inside.requests}  # where a request goes is not whom it is for
    if not _WORDS.address_holders.isdisjoint(meaning.words):
        asked |= {one.value for one in arguments if one.keys in _PLAIN_ADDRESSES and isinstance(one.value, str)}
    if meaning.said == "clone" and not _REPOSITORIES.isdisjoint(meaning.words):
        asked |= {one.value for one in arguments if one.keys in _CLONED and isinstance(one.value, str)}
    given = [one for one in arguments if one.value not in asked] if asked else arguments
    own = service_addresses(meaning, given)
    if own:
        given = [one.with_roles(one.roles - _REACHED) if one.value in own else one for one in given]
    if meaning.verb in _NOWHERE:
        given = [one.with_roles(one.roles - _SITED) if _is_machine(one) else one for one in given]
    flags = facts_of(given, action.input_payload, reading.organisation or NO_ORGANISATION)
    if "lowered" in flags and not any(lowers_in_call(one, meaning.said, meaning.words, given) for one in given):
        flags -= {"lowered"}
    if "live" not in flags:
        flags |= place_flags(meaning.words, arguments)
    if action.input_schema and selects_practice(action, arguments):
        flags |= {"practice"}
    if any(_rehearses_thing(one, meaning) for one in arguments):
        flags |= {"rehearsed"}
    if "force_push" in "_".join(meaning.words) and meaning.verb in _PUSHING:
        flags |= {"final"}
    if not _PRACTISING.isdisjoint(meaning.words) or (
        "paper" in meaning.words and not _WORDS.trading_words.isdisjoint(meaning.words)
    ):
        flags |= {"practice"}
    return flags | {"binding"} if is_binding(arguments) else flags


def _rehearses_thing(one: Argument, meaning: Meaning) -> bool:
    """Whether a switch inside the thing itself rehearses it: `placeOrder {"order": {"whatIf": true}}`."""
    return "rehearsal" in one.roles and len(one.keys) == _INSIDE and one.keys[0] in meaning.words and is_true(one)


def _is_machine(one: Argument) -> bool:
    """Whether an argument names a machine, and the tool is not known to have it."""
    return one.key in _MACHINES and DECLARED not in one.roles and "://" not in one.text


#: Verbs of what does not happen on a machine, keys of machines, and the role that they have otherwise.
_NOWHERE = frozenset({"send", "pay", "transfer", "trade", "sign", "approve", "submit"})
_MACHINES = frozenset({"host", "server", "addr"})
_SITED = frozenset({"environment"})
#: Roles of those who get something.
_REACHED = frozenset({"recipient", "room"})
_PUSHING = frozenset({"send", "change", "publish", "run"})
_INSIDE = 2  # keys of what stands inside the thing
#: Words in names of tools that work where nothing is for real.
_PRACTISING = frozenset({"testnet", "staging", "emulator", "simulator"})


def _report_arguments(reading: Reading, action: Action, call: JudgedCall, inside: Operations, *, reads: bool) -> None:
    """Report what the arguments of a call tell by themselves, and the operations in them."""
    if inside.found and is_generic(action.tool_name):
        reads = reads or all(one.verb in _QUIET_VERBS for one in inside.meanings)
    for kind, why in dict.fromkeys(argument_effects(call, reads=reads)):
        _emit(reading, action, call, kind, call.flags | why)
    looked_for = reads and not inside.requests and not is_generic(action.tool_name)
    for one in inside.meanings:
        if looked_for and effect_of(one.verb, one.things[0] if one.things else None) != "secret.read":
            continue
        full = one if one.things else one._replace(things=call.meaning.things)
        flags = call.flags | inside.flags
        if one.things and is_controller(call.meaning):
            flags -= {"hazard"}  # `vehicle_command {"command": "flash_lights"}`
        if one.things and one.things[0].name == "trial_message" and call.thing:
            told = facts_of(call.arguments, action.input_payload, call.organisation)
            flags -= (
                frozenset(call.thing.flags) - told
            )  # `campaign_action {"action": "send_test"}` reaches those it lists
        whole = call_of(reading, full, call.arguments, flags)
        report_meaning(reading, action, whole._replace(requested=bool(inside.requests)))


def call_of(reading: Reading, meaning: Meaning, arguments: list[Argument], flags: Flags) -> JudgedCall:
    """Return a call with the flags that the words and objects of its meaning add."""
    thing = meaning.things[0] if meaning.things else None
    if thing:
        flags |= frozenset(thing.flags)
    if meaning.verb == "watch":
        flags |= {"watching"}
    if meaning.said == EFFACED:
        flags |= {"final"}
    several = not _WORDS.several_words.isdisjoint(meaning.words) and not _lists_few(arguments)
    if several or not _WORDS.all_words.isdisjoint(meaning.words):
        flags |= {"many"}
    return JudgedCall(meaning, thing, arguments, flags, reading.organisation or NO_ORGANISATION)


def _lists_few(arguments: list[Argument]) -> bool:
    """Whether the arguments list what is meant, and it is not many."""
    filters = [one for one in arguments if "filter" in one.roles]
    files = any("attachment" in one.roles and type(one.value) is not int for one in arguments)
    if filters and not files and all(isinstance(one.value, str) and _NAMED_ONE.fullmatch(one.low) for one in filters):
        return True  # `filter: "id:8841203377"`
    if any("filter" in one.roles or ("attachment" in one.roles and type(one.value) is not int) for one in arguments):
        return False
    listed = any(
        (LISTED in one.roles and _WORDS.beside_call.isdisjoint(one.keys))
        or one.key.endswith("ids")
        or "attachment" in one.roles
        for one in arguments
    )
    return listed and max(Counter(one.keys for one in arguments).values()) <= FEW


_NAMED_ONE = late(rf"""(?:{"|".join(_WORDS.single_columns)}) ?(?:eq|==?|:) ?['\"#]?[\w.@-]+['\"]?""")


def report_meanings(
    reading: Reading, action: Action, meanings: Iterable[Meaning], arguments: list[Argument], *, many: bool
) -> None:
    """Report what a script does that a call hands over; `many` says that it goes through a list."""
    flags = facts_of(arguments, action.input_payload, reading.organisation or NO_ORGANISATION)
    for meaning in meanings:
        report_meaning(reading, action, call_of(reading, meaning, arguments, flags | {"many"} if many else flags))


def report_meaning(reading: Reading, action: Action, call: JudgedCall) -> None:
    """Report the effect of a call by its meaning and the flags of its arguments."""
    kind = effect_of(call.meaning.verb, call.thing)
    if kind == "secret.read" and withholds_values(call.arguments):
        return
    if call.meaning.said in _REMINDING or (kind == "content.publish" and _posts_to_chat(call)):
        kind = "message.send"
    if kind:
        report_effect(reading, action, kind, call)


def _posts_to_chat(call: JudgedCall) -> bool:
    """Whether a post without an address goes to a room of a company's chat, and not to that of all its people."""
    rooms = [one.low.lstrip("#") for one in call.of_role("room")]
    if not call.words(_WORDS.chats) or not rooms or call.has("public"):
        return False
    return _WORDS.company_rooms.isdisjoint(rooms) and not any("://" in one.low for one in call.arguments)


#: Verbs that only notify somebody.
_REMINDING = frozenset({"remind", "nudge"})


def report_effect(reading: Reading, action: Action, kind: str, call: JudgedCall) -> None:
    """Report an effect of a call, marked as routine where its arguments show that it does not matter."""
    flags = call.flags
    if kind == "device.operate" and (call.meaning.said in HAZARDOUS or is_extreme(call.arguments)):
        flags |= {"hazard"}
        call = call._replace(flags=flags)
    if kind == "deploy.release" and names_live(call):
        flags |= {"live"}
    if "routine" in flags or is_routine_effect(kind, call):
        flags |= {"routine"}
        if kind not in JUDGED:
            kind = "record.change"
    _emit(reading, action, call, kind, flags)


def _emit(reading: Reading, action: Action, call: JudgedCall, kind: str, flags: Flags) -> None:
    target = name_target(kind, call, action.tool_name)
    summary = "" if "routine" in flags else summarise(kind, call)
    reading.emit(kind, Site((0, 0)), target, flags | {"by_tool"}, summary)


def effect_of(verb: str, thing: ToolObject | None) -> str:
    """Return the effect of a group of verbs on an object, or nothing for reads and drafts."""
    if thing is not None and verb:
        kind: str = getattr(thing, verb) or ("" if verb in _QUIET_VERBS else thing.any)
        if kind:
            return "" if kind in ("tool.read", "tool.draft") else kind
    return "" if verb in _QUIET_VERBS else _BY_VERB.get(verb, "record.change")


def is_routine_effect(kind: str, call: JudgedCall) -> bool:
    """Whether a careful person would let the effect pass."""
    if call.has("instructions"):
        return False
    if is_for_practice(kind, call.flags, call.meaning.verb, call.meaning.said) and not call.has("holds_key"):
        return True
    if call.has("deceptive"):
        return False
    if call.thing and call.meaning.said in call.thing.safe:
        return not call.flags & GRAVE
    if changes_display(kind, call) or only_annotates(kind, call) or only_narrows(kind, call):
        return True
    judge = JUDGES.get(kind)
    return judge(call) if judge else False
