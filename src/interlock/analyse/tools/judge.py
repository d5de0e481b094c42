"""What a tool call does: an effect by the tool's verb and object, with flags by its arguments.

Effects that a careful person would not want to be asked about have the flag `routine`: a message to the team, a task that
is moved, a viewer who is added. What makes a call more than that is found in its arguments: outsiders, everyone, many at
once, for good, confidential content, a bank account, a higher role.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from interlock.analyse.reading import Reading, Site
from interlock.analyse.tools.arguments import Argument, arguments_of
from interlock.analyse.tools.facts import facts_of
from interlock.analyse.tools.name import Meaning, meaning_of
from interlock.analyse.tools.named import added_meanings, is_binding, is_extreme
from interlock.analyse.tools.operations import operations_of
from interlock.analyse.tools.words import HAZARDOUS, REVEALING
from interlock.knowledge.tables import ToolObject
from interlock.model import Action
from interlock.sanitise import clean

Flags = frozenset[str]
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
#: Words in names that stand for more than one.
_ALL = frozenset("all bulk every everything everyone everybody mass batch multi many entire whole global".split())
#: Kinds whose rules know the flag `routine`.
_OWN_RULES = frozenset(
    "order.place content.publish document.share data.export record.change record.delete account.change access.grant security.lower "
    "device.operate contract.sign appointment.make automation.install message.send payment.send".split()
)
#: Verbs of tools that do what their arguments say.
_GENERIC = frozenset({"", "run", "make", "send", "read", "change"})
_QUIET_VERBS = frozenset({"", "read", "draft", "watch"})
#: Flags by which any change is more than routine.
_GRAVE = frozenset("many final public outside holds_key bank_account deceptive instructions elsewhere admin".split())
_CARRYING = frozenset("confidential holds_key bank_account records".split())
_SMALL = frozenset(
    "comment comments draft drafts label labels reaction reactions reminder reminders bookmark tag tags note notes row rows "
    "cell cells task tasks subtask todo todos event timer alarm_clock item cart memory entity relation filter view".split()
)
_LOW_ROLES = frozenset("viewer reader read guest member commenter observer reporter view comment collaborator".split())


def read_tool_call(reading: Reading, action: Action) -> None:
    """Report what a call of a tool does that nobody has described."""
    meaning = meaning_of(action.tool_name, action.docstring or "")
    arguments = arguments_of(action.input_payload)
    flags = facts_of(arguments, action.input_payload)
    inside = operations_of(meaning.words, arguments)
    if is_binding(arguments):
        flags |= {"binding"}
    for one in added_meanings(meaning, arguments):
        report_meaning(reading, action, one, arguments, flags)
    if inside is not None:
        for one in inside.meanings:
            whole = one if one.things else one._replace(things=meaning.things)
            report_meaning(reading, action, whole, arguments, flags)
        if inside.is_read or meaning.verb in _GENERIC:
            return
    report_meaning(reading, action, meaning, arguments, flags)


def report_meaning(reading: Reading, action: Action, meaning: Meaning, arguments: list[Argument], flags: Flags) -> None:
    """Report the effect of a call by its meaning and the flags of its arguments."""
    thing = meaning.things[0] if meaning.things else None
    kind = effect_of(meaning.verb, thing)
    if not kind:
        return
    if thing:
        flags |= frozenset(thing.flags)
    if meaning.verb == "watch":
        flags |= {"watching"}
    if kind == "device.operate" and (meaning.said in HAZARDOUS or is_extreme(arguments)):
        flags |= {"hazard"}
    if not _ALL.isdisjoint(meaning.words):
        flags |= {"many"}
    if is_routine(kind, meaning, thing, arguments, flags):
        flags |= {"routine"}
        if kind not in _OWN_RULES:
            kind = "record.change"
    reading.emit(kind, Site((0, 0)), _target(action.input_payload) or clean(action.tool_name), flags | {"by_tool"})


def effect_of(verb: str, thing: ToolObject | None) -> str:
    """Return the effect of a group of verbs on an object, or nothing for reads and drafts."""
    if thing is not None and verb:
        kind: str = getattr(thing, verb) or ("" if verb in _QUIET_VERBS else thing.any)
        if kind:
            return "" if kind in ("tool.read", "tool.draft") else kind
    return "" if verb in _QUIET_VERBS else _BY_VERB.get(verb, "record.change")


def is_routine(kind: str, meaning: Meaning, thing: ToolObject | None, arguments: list[Argument], flags: Flags) -> bool:
    """Whether a careful person would let the effect pass."""
    if flags & {"deceptive", "instructions"}:
        return False
    if flags & {"rehearsed", "practice"} and not flags & {"holds_key"}:
        return True
    if thing and meaning.said in thing.safe:
        return not flags & _GRAVE
    judge = _JUDGES.get(kind)
    return judge(meaning, thing, arguments, flags) if judge else False


Judge = Callable[[Meaning, "ToolObject | None", list[Argument], Flags], bool]


def _message(meaning: Meaning, thing: ToolObject | None, arguments: list[Argument], flags: Flags) -> bool:
    if flags & {"many", "public", "holds_key", "bank_account"}:
        return False
    return not flags & {"confidential"}


def _change(meaning: Meaning, thing: ToolObject | None, arguments: list[Argument], flags: Flags) -> bool:
    if flags & {"health", "official"}:
        return False
    if "binding" in flags and not thing:
        return False
    if flags & {"many", "final", "bank_account", "holds_key", "public", "elsewhere"}:
        return False
    return not (flags & {"confidential"} and flags & {"outside"})


def _delete(meaning: Meaning, thing: ToolObject | None, arguments: list[Argument], flags: Flags) -> bool:
    if flags & _GRAVE:
        return False
    return not _SMALL.isdisjoint(meaning.words)


def _share(meaning: Meaning, thing: ToolObject | None, arguments: list[Argument], flags: Flags) -> bool:
    return not flags & {"public", "outside", "confidential", "many", "elsewhere", "admin"} and bool(
        [one for one in arguments if "recipient" in one.roles]
    )


def _access(meaning: Meaning, thing: ToolObject | None, arguments: list[Argument], flags: Flags) -> bool:
    if flags & {"admin", "outside", "public", "many"}:
        return False
    roles = {word for one in arguments if "role" in one.roles for word in one.text.lower().split("_")}
    return bool(roles & _LOW_ROLES)


_IDENTITY_KEYS = frozenset(
    "email phone password status active suspended enabled role roles username login recovery mfa factor manager groups group "
    "state salary bank disabled locked type license account".split()
)


def _account(meaning: Meaning, thing: ToolObject | None, arguments: list[Argument], flags: Flags) -> bool:
    if meaning.verb != "change" or flags & _GRAVE:
        return False
    changed = {word for one in arguments for word in one.key.split("_")}
    return _IDENTITY_KEYS.isdisjoint(changed)


def _export(meaning: Meaning, thing: ToolObject | None, arguments: list[Argument], flags: Flags) -> bool:
    if flags & {"health", "official"} or meaning.said in REVEALING or (thing and thing.name in ("account", "person")):
        return False
    return not flags & {"confidential", "elsewhere", "outside", "many", "holds_key"} and _PEOPLE.isdisjoint(
        meaning.words
    )


_PEOPLE = frozenset(
    "customer customers user users employee employees patient patients contact contacts subscriber subscribers member members "
    "cardholder cardholders student students client clients lead leads mailbox messages emails database table all everything".split()
)


def _appointment(meaning: Meaning, thing: ToolObject | None, arguments: list[Argument], flags: Flags) -> bool:
    return not flags & {"public", "many", "confidential", "holds_key"}


def _device(meaning: Meaning, thing: ToolObject | None, arguments: list[Argument], flags: Flags) -> bool:
    if "hazard" not in flags:
        return not flags & {"lowered", "many"}
    return False


_LEADING_AWAY = frozenset(
    "forward forward_to forwarding url webhook callback endpoint delete redirect address script code command".split()
)


def _automation(meaning: Meaning, thing: ToolObject | None, arguments: list[Argument], flags: Flags) -> bool:
    if _FILTERS.isdisjoint(meaning.words):
        return False
    return all(_LEADING_AWAY.isdisjoint(one.keys) for one in arguments) and not flags & _GRAVE


_FILTERS = frozenset({"filter", "filters"})


def _security(meaning: Meaning, thing: ToolObject | None, arguments: list[Argument], flags: Flags) -> bool:
    if meaning.verb == "remove" or "lowered" in flags or flags & {"public", "admin"}:
        return False
    return any(one.text.strip().lower() in ("true", "on", "enabled", "required", "enforce") for one in arguments)


def _infrastructure(meaning: Meaning, thing: ToolObject | None, arguments: list[Argument], flags: Flags) -> bool:
    return False


_JUDGES: dict[str, Judge] = {
    "message.send": _message,
    "record.change": _change,
    "record.delete": _delete,
    "document.share": _share,
    "access.grant": _access,
    "account.change": _account,
    "data.export": _export,
    "appointment.make": _appointment,
    "device.operate": _device,
    "automation.install": _automation,
    "security.lower": _security,
}

_TARGET_KEYS = (
    "recipient",
    "payee",
    "to",
    "iban",
    "account",
    "name",
    "title",
    "channel",
    "file",
    "path",
    "id",
    "user",
    "email",
    "environment",
)


def _target(payload: Mapping[str, Any]) -> str:
    """Return the first short text under a key that names what the call is about."""
    for key in _TARGET_KEYS:
        value = payload.get(key)
        if isinstance(value, str) and 0 < len(value) < 120:
            return clean(value)
    return ""
