"""Outcomes of tool calls: the recorded measurements, and their description."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interlock.audit.record import Record

#: Events about the progress of a tool call.
CALL_EVENTS = ("tool.started", "tool.completed", "tool.failed")
_MEASURES = ("error", "durationMs", "resultBytes", "resultCut")


def is_call_event(record: Record) -> bool:
    """Whether a record is about the progress of a tool call."""
    return record.kind == "event" and record.name in CALL_EVENTS


def measures_of(record: Record) -> dict[str, Any]:
    """Return the measures of a call: the type of its error, its duration, and the size of its result."""
    return measures_of_data(record.data)


def measures_of_data(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the measures in the data of a record."""
    reported = data.get("data")  # of an agent that reports over the API
    found = {**(reported if isinstance(reported, dict) else {}), **data}
    return {name: found[name] for name in _MEASURES if isinstance(found.get(name), str | int | float)}


def describe_outcome(state: str, measures: Mapping[str, Any]) -> str:
    """Describe the outcome of a call.

    >>> describe_outcome("completed", {"durationMs": 12.3, "resultBytes": 2_200})
    'completed in 12 ms, result 2.2 kB'
    >>> describe_outcome("failed", {"error": "TimeoutError", "durationMs": 30_000})
    'failed with TimeoutError after 30.0 s'
    """
    error, duration, size = (measures.get(name) for name in _MEASURES[:3])
    text = f"{state} with {error}" if error else state
    if isinstance(duration, int | float):
        text += f" {'after' if state == 'failed' else 'in'} {_duration(duration)}"
    if isinstance(size, int):
        text += f", result {'over ' if measures.get('resultCut') else ''}{_bytes(size)}"
    return text


def _duration(milliseconds: float) -> str:
    if milliseconds < 0.1:
        return "less than 0.1 ms"
    if milliseconds < 10:
        return f"{milliseconds:.1f} ms"
    return f"{milliseconds:.0f} ms" if milliseconds < 1_000 else f"{milliseconds / 1_000:,.1f} s"


def _bytes(size: int) -> str:
    if size < 1_000:
        return f"{size} bytes" if size != 1 else "1 byte"
    return f"{size / 1_000:.1f} kB" if size < 1_000_000 else f"{size / 1_000_000:,.1f} MB"


def outcome_text(record: Record) -> str:
    """Describe the tool of a record and the outcome of its call."""
    state = str(record.name).removeprefix("tool.")
    return f"{record.data.get('text') or 'a call'} {describe_outcome(state, measures_of(record))}"
