"""Report the effect of a meaning to the reading, with its flags and whether it is routine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from interlock.analyse.reading import Reading, Site
from interlock.analyse.tools.argument_flags import find_argument_flags
from interlock.analyse.tools.argument_meanings import EFFACED
from interlock.analyse.tools.arguments import LISTED, Argument, names_in
from interlock.analyse.tools.device_arguments import is_extreme
from interlock.analyse.tools.effect_targets import name_target
from interlock.analyse.tools.judged_call import GRAVE
from interlock.analyse.tools.judges import JUDGES, JudgedCall
from interlock.analyse.tools.judges.annotations import only_annotates
from interlock.analyse.tools.judges.display import changes_display
from interlock.analyse.tools.judges.infrastructure import is_live_release
from interlock.analyse.tools.name_meaning import Meaning
from interlock.analyse.tools.organisation import NO_ORGANISATION
from interlock.analyse.tools.rehearsals import is_for_practice
from interlock.analyse.tools.restrictions import only_restricts
from interlock.analyse.tools.secret_requests import withholds_values
from interlock.analyse.tools.summaries import summarise
from interlock.analyse.tools.vocabulary import HAZARDOUS
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_calls import ToolObject
from interlock.knowledge.table_types.tool_name_words import ToolNameWords
from interlock.model import Action
from interlock.patterns import late

_WORDS = read_table("tool-names", ToolNameWords)

Flags = frozenset[str]
FEW = 3  # things in a list that are few even for a tool for many
#: Effects of groups of verbs without a known object.
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
#: Kinds of effects that are judged by the arguments of the call; their rules know the flag `routine`.
JUDGED = frozenset(
    (
        "order.place content.publish document.share data.export record.change record.delete account.change "
        "access.grant security.lower device.operate contract.sign appointment.make automation.install message.send "
        "payment.send deploy.release"
    ).split()
)
QUIET_VERBS = frozenset({"", "read", "draft", "watch"})


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
    return JudgedCall(meaning, thing, arguments, names_in(arguments), flags, reading.organisation or NO_ORGANISATION)


def _lists_few(arguments: list[Argument]) -> bool:
    """Whether the arguments list the targets, and there are few."""
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
    """Report the effects of a script in a call; `many` says that it loops over a list."""
    flags = find_argument_flags(arguments, action.input_payload, reading.organisation or NO_ORGANISATION)
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
    if kind == "deploy.release" and is_live_release(call):
        flags |= {"live"}
    if "routine" in flags or is_routine_effect(kind, call):
        flags |= {"routine"}
        if kind not in JUDGED:
            kind = "record.change"
    emit(reading, action, call, kind, flags)


def report_addition(reading: Reading, action: Action, kind: str, call: JudgedCall) -> None:
    """Report an effect that a description says an argument adds; only a rehearsal makes it routine."""
    rehearsed = is_for_practice(kind, call.flags, call.meaning.verb, call.meaning.said) and not call.has("holds_key")
    flags = call.flags | {"by_argument"}
    emit(reading, action, call, kind, flags | {"routine"} if rehearsed else flags - {"routine"})


def emit(reading: Reading, action: Action, call: JudgedCall, kind: str, flags: Flags) -> None:
    target = name_target(kind, call, action.tool_name)
    summary = "" if "routine" in flags else summarise(kind, call)
    reading.emit(kind, Site((0, 0)), target, flags | {"by_tool"}, summary)


def effect_of(verb: str, thing: ToolObject | None) -> str:
    """Return the effect of a group of verbs on an object, or nothing for reads and drafts."""
    if thing is not None and verb:
        kind: str = getattr(thing, verb) or ("" if verb in QUIET_VERBS else thing.any)
        if kind:
            return "" if kind in ("tool.read", "tool.draft") else kind
    return "" if verb in QUIET_VERBS else _BY_VERB.get(verb, "record.change")


def is_routine_effect(kind: str, call: JudgedCall) -> bool:
    """Whether an effect is routine, so that it needs no approval."""
    if call.has("instructions"):
        return False
    if is_for_practice(kind, call.flags, call.meaning.verb, call.meaning.said) and not call.has("holds_key"):
        return True
    if call.has("deceptive"):
        return False
    if call.thing and call.meaning.said in call.thing.safe:
        return not call.flags & GRAVE
    if changes_display(kind, call) or only_annotates(kind, call) or only_restricts(kind, call):
        return True
    judge = JUDGES.get(kind)
    return judge(call) if judge else False
