"""Names that calls of tools give to sensitive data: of a copy, a folder, an event."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.memory.calls.arguments import argument_values
from interlock.memory.calls.places import names_thing
from interlock.memory.exposures.private_names import find_private_texts, is_confidential
from interlock.memory.exposures.private_words import tells_of_people
from interlock.memory.model import Content, DataFlow
from interlock.model import Action, Analysis
from interlock.patterns import late

MAX_PATHS = 10
#: Dates and zones, which are the same for many things.
_TIME = late(r"\d{4}-\d\d|\d{1,2}:\d\d|[A-Z][a-z]+/[A-Z][a-z_A-Z]+$")
_FIELD = late(r"[^\W\d][\w.]{1,39}")


def find_call_names(action: Action, analysis: Analysis) -> Iterator[DataFlow]:
    """Yield the names that a call gives to sensitive data: of a copy, a folder, a module."""
    if analysis.effects[0].kind == "tool.read":
        return
    values = list(argument_values(action.input_payload))
    named = [value for _, value in values if names_thing(value) and not _TIME.match(value)]
    sources = [value for _, value in values if isinstance(value, str) and is_confidential(value)]
    sources = sources or find_private_texts(values) or _find_fields(values)
    outputs = tuple(value for value in named if value not in sources)[:MAX_PATHS]
    if outputs:
        yield DataFlow(tuple(named)[:MAX_PATHS], outputs, Content.PRIVATE if sources else None)


def _find_fields(values: list[tuple[str, object]]) -> list[str]:
    """Return the fields that a call names, if they tell several things about one person."""
    fields = [value for _, value in values if isinstance(value, str) and _FIELD.fullmatch(value)]
    return fields if tells_of_people(fields) else []
