"""Small steps that add up: one deleted row, one probed port or one lookup of a location is harmless; many are not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum

from interlock.effects import TOOL_KINDS
from interlock.knowledge.tool_names import split_words
from interlock.levels import Level
from interlock.memory.calls.arguments import argument_values
from interlock.memory.calls.places import is_place
from interlock.memory.calls.tool_services import tool_service_of
from interlock.memory.calls.words import file_words, memory_words
from interlock.memory.model import ExposureKind
from interlock.memory.state import RunState
from interlock.model import Action, Analysis, Effect, Finding
from interlock.patterns import late
from interlock.payload import leaves
from interlock.sanitise import quotable

RULE = "portions_add_up"
MAX_KEY = 100
_TRACES = late(
    r"(?i)(?:^|[/_.-])(?:audit|audits|auditlog|access[-_.]?log|auth[-_.]?log|history|journal|trace)(?:[/_.-]|$)"
)
_WRITING_KINDS = frozenset({"record.change", "message.send", "tool.change", "tool.unknown", "data.export"})


class StepKind(Enum):
    """A kind of steps that are counted. A count has a kind, and the name of what its steps have in common."""

    ROWS = "rows"
    TRACES = "traces"
    ORIGINALS = "originals"
    FILES = "files"
    PORTS = "ports"
    PERSON = "person"
    PLACE = "place"
    PARTY = "party"
    SAME = "same"


#: Kind of steps → every how many of them a person is asked, and what they may add up to.
_LIMITS = {
    StepKind.ROWS: (5, "deletes rows of a table one by one"),
    StepKind.TRACES: (2, "deletes or edits records of what happened, one by one"),
    StepKind.ORIGINALS: (4, "replaces files that may exist nowhere else, one by one"),
    StepKind.FILES: (4, "deletes files that may exist nowhere else, one by one"),
    StepKind.PORTS: (4, "tries the ports of a machine one by one"),
    StepKind.PERSON: (3, "looks up where a person or a device is, again and again"),
    StepKind.PLACE: (3, "passes private data on in portions"),
    StepKind.PARTY: (3, "pays or credits the same party again and again"),
    StepKind.SAME: (2, "asks for the same amount from the same party again: one limit is kept by two requests"),
}


def find_steps(action: Action, analysis: Analysis) -> tuple[str, ...]:
    """Return the keys of the counts that an action adds to."""
    return tuple(dict.fromkeys(key[:MAX_KEY] for key in _steps_in(action, analysis)))


def _steps_in(action: Action, analysis: Analysis) -> Iterator[str]:
    if analysis.effects and analysis.effects[0].kind in TOOL_KINDS:
        yield from _steps_of_tool(action, analysis)
        return
    for effect in analysis.effects:
        name = effect.resource.name if effect.resource else ""
        folder, _, file = name.rpartition("/")
        if effect.kind == "db.delete" and name:
            yield _key(StepKind.ROWS, name)
        elif effect.kind == "net.connect" and "port_check" in effect.flags:
            yield _key(StepKind.PORTS, name)
        elif (
            _is_loss(effect)
            and _TRACES.search(name)
            and (file.lower().endswith(file_words().log_endings) or "." not in file)
        ):
            yield StepKind.TRACES.value
        elif (
            effect.kind in ("fs.write", "fs.delete")
            and file.lower().endswith(file_words().media_endings)
            and "rebuilt" not in effect.flags
        ):
            if effect.kind == "fs.delete" and not name.startswith("/tmp/"):
                yield _key(StepKind.FILES, folder)
            elif any(one.kind == "fs.move" for one in analysis.effects):
                yield _key(StepKind.ORIGINALS, folder)


def _key(kind: StepKind, common: str) -> str:
    return f"{kind.value} {common}"


def _is_loss(effect: Effect) -> bool:
    return effect.kind == "fs.delete" or (
        effect.kind == "fs.write" and not effect.flags.isdisjoint({"in_place", "truncate"})
    )


def _steps_of_tool(action: Action, analysis: Analysis) -> Iterator[str]:
    words = frozenset(split_words(action.tool_name))
    values, known = [(key.lower(), value) for key, value in argument_values(action.input_payload)], memory_words()
    if not words.isdisjoint(known.tracking) and words.isdisjoint({"set", "update", "share"}):
        subject = next((value for _, value in values if isinstance(value, str)), "")
        if subject:
            yield _key(StepKind.PERSON, f"{action.tool_name} {subject}")
    party = next((value for key, value in values if key in known.parties and isinstance(value, str)), "")
    amount = next((value for key, value in values if key in known.amounts and isinstance(value, (int, float))), None)
    claims = not words.isdisjoint(known.claims) and words.isdisjoint({"get", "list", "search"})
    if party and amount is not None and claims:
        yield _key(StepKind.SAME, f"{action.tool_name} {party} {amount}")
        yield _key(StepKind.PARTY, f"{action.tool_name} {party}")
    if any(one.kind in _WRITING_KINDS for one in analysis.effects) and not words.isdisjoint(known.writing):
        place = next((value for key, value in values if is_place(key, value) and key not in known.owners), "")
        if place:
            yield _key(StepKind.PLACE, f"{tool_service_of(action.tool_name)} {place} {_find_number(values)}")


def _find_number(values: Iterable[tuple[str, object]]) -> str:
    """Return the number of the issue, ticket or record that a call is about."""
    return next((str(value) for key, value in values if isinstance(value, int) and key.endswith(("number", "id"))), "")


def find_repeated_step(action: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if an action reaches the limit for steps of its kind."""
    for key in find_steps(action, analysis):
        name, _, common = key.partition(" ")
        kind = StepKind(name)
        limit, meaning = _LIMITS[kind]
        count = state.steps.get(key, 0) + 1
        if (
            count < limit
            or count % limit
            or (kind is StepKind.PLACE and not _writes_private_data(action, analysis, state))
        ):
            continue
        reason = f"Call {count} of its kind in this run: {meaning} (`{quotable(common or name)}`)"
        return Finding(RULE, Level.HIGH, reason, analysis.effects[0].span)
    return None


def _writes_private_data(action: Action, analysis: Analysis, state: RunState) -> bool:
    """Whether a call may write private data of another service or of a confidential file."""
    server = tool_service_of(action.tool_name)
    private = [one for one in state.exposures if one.kind in (ExposureKind.PRIVATE, ExposureKind.SECRET)]
    sensitive = any(not one.flags.isdisjoint({"sensitive", "confidential", "personal"}) for one in analysis.effects)
    elsewhere = {one.what for one in private if tool_service_of(one.what.partition(" ")[0]) != server}
    again = "last_result" in " ".join(key for key, _ in leaves(action.input_payload))
    return bool(elsewhere) and (sensitive or again)
