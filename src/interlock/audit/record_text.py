"""Search the texts of a record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from interlock.audit.record import Record

_FIELDS = "record_id kind actor name run_id agent_id approval_id outcome digest".split()


def mentions(record: Record, text: str) -> bool:
    """Whether a record mentions a text, ignoring case.

    Names of fields do not count, nor does where an action ran: all actions of a run have that in common.
    """
    wanted = text.casefold()
    about: list[Any] = [getattr(record, name) for name in _FIELDS]
    about += [value for name, value in record.data.items() if name != "action"]
    action = record.data.get("action")
    if isinstance(action, dict):
        about.append(action.get("inputPayload"))
    return any(wanted in found.casefold() for found in _texts(about))


def as_json_text(text: str) -> str:
    """Return a text as it is written inside a string of a record's JSON.

    >>> as_json_text("a\\tb"), as_json_text('say "é"')
    ('a\\\\tb', 'say \\\\"é\\\\"')
    """
    return msgspec.json.encode(text).decode("utf-8", "replace")[1:-1]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, list):
        if value is not None:
            yield str(value)
        return
    for item in value:
        yield from _texts(item)
