"""Names that tool calls give to sensitive data, such as the name of a copy, a folder or an event."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.memory.calls.arguments import argument_values
from interlock.memory.calls.places import is_item_name
from interlock.memory.exposures.private_names import find_private_texts, is_confidential
from interlock.memory.exposures.private_words import describes_person
from interlock.memory.model import Content, DataFlow
from interlock.model import Action, Analysis
from interlock.patterns import late

MAX_PATHS = 10
#: Dates and time zones: many unrelated things have the same ones.
_TIME = late(r"\d{4}-\d\d|\d{1,2}:\d\d|[A-Z][a-z]+/[A-Z][a-z_A-Z]+$")
_FIELD = late(r"[^\W\d][\w.]{1,39}")


def find_call_names(action: Action, analysis: Analysis) -> Iterator[DataFlow]:
    """Yield the names that a call gives to sensitive data: of a copy, a folder, a module."""
    if analysis.effects[0].kind == "tool.read":
        return
    values = list(argument_values(action.input_payload))
    named = [value for _, value in values if is_item_name(value) and not _TIME.match(value)]
    sources = [value for _, value in values if isinstance(value, str) and is_confidential(value)]
    sources = sources or find_private_texts(values) or _find_fields(values)
    outputs = tuple(value for value in named if value not in sources)[:MAX_PATHS]
    if outputs:
        yield DataFlow(tuple(named)[:MAX_PATHS], outputs, Content.PRIVATE if sources else None)


def _find_fields(values: list[tuple[str, object]]) -> list[str]:
    """Return the fields that a call names, if together they describe one person."""
    fields = [value for _, value in values if isinstance(value, str) and _FIELD.fullmatch(value)]
    return fields if describes_person(fields) else []
