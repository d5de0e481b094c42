"""Decode stored states of runs and their changes, from this version or an earlier one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from interlock.memory.model import MemoryChanges
from interlock.memory.state import RunState


def read_changes(data: Mapping[str, Any]) -> MemoryChanges:
    """Return the changes that a call has made, from their record."""
    concern = data.get("concern")
    return msgspec.convert({**data, "concern": _upgrade(concern)} if _is_old(concern) else data, MemoryChanges)


def read_state(data: Mapping[str, Any]) -> RunState:
    """Return the state of a run without its files, from a snapshot."""
    known = {name: value for name, value in data.items() if name != "written"}
    concerns = known.get("concerns", ())
    if any(map(_is_old, concerns)):
        known["concerns"] = [_upgrade(one) if _is_old(one) else one for one in concerns]
    return msgspec.convert(known, RunState)


def _is_old(concern: Any) -> bool:
    """Whether a concern has no kind: earlier versions stored the sentence that was shown instead."""
    return isinstance(concern, Mapping) and "kind" not in concern


def _upgrade(concern: Any) -> dict[str, Any]:
    from interlock.memory.concerns.old_concerns import upgrade_concern  # few stores have been kept for so long

    return upgrade_concern(concern)
