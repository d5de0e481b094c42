"""The action in a record, as exactly as it was recorded, and the other views of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from interlock.audit.record import Record
from interlock.model import Action

#: How an action is decided again: from its exact input, from a masked one, or by its recorded assessment.
EXACT, MASKED, ASSESSED = "exact", "masked", "assessed"
_FIELDS = frozenset(Action.__struct_encode_fields__)
#: What masks and cut texts contain.
MARKS = ("‹", "…")


class OtherView(msgspec.Struct, frozen=True):
    """The action as its pins or its caller describe it. If `unclaimed`, claims of the run do not count."""

    action: Action
    unclaimed: bool


class RecordedAction(msgspec.Struct, frozen=True):
    """An action with its input, the other views of it, and whether it is exactly the action that was decided."""

    action: Action
    views: tuple[OtherView, ...]
    is_exact: bool


def read_recorded_action(record: Record) -> RecordedAction | None:
    """Return the action in the record of a decision, or None if its input was not recorded."""
    data = record.data
    given = data.get("action")
    if not isinstance(given, dict):
        return None
    is_old = "setup" not in data  # such records do not say whether something was masked
    is_exact = not data.get("masked") and not (is_old and has_marks(given, without="runId")) and given.keys() <= _FIELDS
    try:
        action = _restore(given, record)
        views = tuple(
            OtherView(_restore({**given, **view["action"]}, record), bool(view.get("unclaimed")))
            for view in data.get("views", ())
        )
    except (msgspec.ValidationError, KeyError, TypeError):
        return None
    return RecordedAction(action, views, is_exact)


def has_marks(value: Any, *, without: str = "") -> bool:
    """Whether something in a recorded value was masked or cut.

    >>> has_marks({"a": ["x", "‹9 masked›"]}), has_marks({"a": "x"})
    (True, False)
    """
    if isinstance(value, dict):
        return any(has_marks(name) or (name != without and has_marks(item)) for name, item in value.items())
    if isinstance(value, list):
        return any(map(has_marks, value))
    return isinstance(value, str) and any(mark in value for mark in MARKS)


def _restore(given: Mapping[str, Any], record: Record) -> Action:
    fields = {name: value for name, value in given.items() if value is not None and name in _FIELDS}
    return msgspec.convert({**fields, "runId": record.run_id}, Action)
