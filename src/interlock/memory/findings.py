"""What a run's memory says about an action that looks harmless by itself."""

from __future__ import annotations

from interlock.memory.downloaded_code import find_downloaded_code
from interlock.memory.follow_up import find_follow_up
from interlock.memory.handed_files import find_handed_file
from interlock.memory.handed_holdings import find_handed_holding
from interlock.memory.instructions import find_included
from interlock.memory.leak import find_filled, find_leak
from interlock.memory.live import find_live_use
from interlock.memory.repetition import find_repetition
from interlock.memory.state import RunState
from interlock.memory.written_hazards import find_hazard
from interlock.model import Action, Analysis, Finding


def find_by_memory(action: Action, analysis: Analysis, state: RunState, *, strict: bool = False) -> Finding | None:
    """Return the first finding that the earlier actions of a run give rise to, or None."""
    if state.outside:
        filled = find_filled(action, analysis, state)
        if filled is not None:
            return filled
    if state.is_exposed:
        leak = find_leak(action, analysis, state, strict=strict)
        if leak is not None:
            return leak
    if state.holdings:
        handed_on = find_handed_holding(action, analysis, state)
        if handed_on is not None:
            return handed_on
    if state.exposures:
        live = find_live_use(analysis, state)
        if live is not None:
            return live
    if state.concerns:
        follow_up = find_follow_up(action, analysis, state)
        if follow_up is not None:
            return follow_up
    if state.written:
        handed = (
            find_included(action, analysis, state)
            or find_handed_file(action, analysis, state)
            or find_downloaded_code(action, analysis, state)
            or find_hazard(action, analysis, state)
        )
        if handed is not None:
            return handed
    return find_repetition(action, analysis, state)
