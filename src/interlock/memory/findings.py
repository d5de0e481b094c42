"""What a run's memory says about an action that looks harmless by itself."""

from __future__ import annotations

from collections.abc import Callable

from interlock.memory.concerns.aliases import find_second_name_use
from interlock.memory.concerns.later_use import find_follow_up
from interlock.memory.concerns.steering_files import find_steered
from interlock.memory.exposures.data_leaks import find_filled, find_leak
from interlock.memory.exposures.rows_in_arguments import find_carried_records
from interlock.memory.holdings.disclosure import find_handed_holding
from interlock.memory.live_systems.switches import find_live_use
from interlock.memory.repetition.repeated_calls import find_repetition
from interlock.memory.repetition.self_approval import find_own_approval
from interlock.memory.repetition.small_steps import find_adding_up
from interlock.memory.state import RunState
from interlock.memory.written_files.agent_instructions import find_downloaded_prompt, find_included
from interlock.memory.written_files.agent_notes import find_taught
from interlock.memory.written_files.downloads import find_downloaded_code
from interlock.memory.written_files.hazards import find_hazard
from interlock.memory.written_files.host_aliases import find_renamed_machine
from interlock.memory.written_files.manifests import find_manifest_source
from interlock.memory.written_files.secret_arguments import find_given_secret
from interlock.memory.written_files.timers import find_scheduled
from interlock.memory.written_files.unread_formats import find_handed_file
from interlock.model import Action, Analysis, Finding


def find_by_memory(action: Action, analysis: Analysis, state: RunState, *, strict: bool = False) -> Finding | None:
    """Return the first finding that the earlier actions of a run give rise to, or None."""
    for remembered, find in _FINDERS:
        found = find(action, analysis, state) if remembered(state) else None
        if found is not None:
            return found
    return find_leak(action, analysis, state, strict=strict) if state.is_exposed else None


Finder = Callable[[Action, Analysis, RunState], Finding | None]


def _always(_: RunState) -> bool:
    return True


#: What a run has to remember for something to be found, and how that is found.
_FINDERS: tuple[tuple[Callable[[RunState], object], Finder], ...] = (
    (lambda state: state.outside, find_filled),
    (lambda state: state.exposures, lambda _, analysis, state: find_live_use(analysis, state)),
    (lambda state: state.holdings, find_handed_holding),
    (lambda state: state.exposures, find_carried_records),
    (lambda state: state.concerns or state.written, find_second_name_use),
    (lambda state: state.concerns, find_steered),
    (lambda state: state.concerns, find_follow_up),
    (lambda state: state.written, find_included),
    (lambda state: state.written, find_downloaded_prompt),
    (lambda state: state.written, find_handed_file),
    (lambda state: state.written, find_downloaded_code),
    (lambda state: state.written, find_manifest_source),
    (lambda state: state.written, find_hazard),
    (lambda state: state.written, find_renamed_machine),
    (lambda state: state.written, find_scheduled),
    (lambda state: state.written, find_given_secret),
    (lambda state: state.portions, find_adding_up),
    (_always, find_taught),
    (lambda state: state.calls, find_own_approval),
    (_always, find_repetition),
)
