"""Findings on actions that are harmless by themselves, but not after the earlier actions of their run."""

from __future__ import annotations

from collections.abc import Callable

from interlock.memory.concerns.alias_use import find_alias_use
from interlock.memory.concerns.filtered_records import find_record_replaced
from interlock.memory.concerns.later_use import find_later_use
from interlock.memory.concerns.steering_files import find_steering_file_use
from interlock.memory.exposures.data_leaks import find_leak, find_outside_write
from interlock.memory.exposures.opened_uploads import find_opened_upload
from interlock.memory.exposures.rows_in_arguments import find_rows_in_arguments
from interlock.memory.live_systems.system_changes import find_live_use
from interlock.memory.repetition.repeated_calls import find_repetition
from interlock.memory.repetition.self_approval import find_own_approval
from interlock.memory.repetition.small_steps import find_repeated_step
from interlock.memory.state import RunState
from interlock.memory.taint.disclosure import find_disclosure
from interlock.memory.written_files.agent_instructions import find_downloaded_prompt, find_instruction_file
from interlock.memory.written_files.agent_notes import find_agent_note
from interlock.memory.written_files.downloads import find_downloaded_code
from interlock.memory.written_files.hazards import find_hazard
from interlock.memory.written_files.host_aliases import find_host_alias_use
from interlock.memory.written_files.manifests import find_manifest_source
from interlock.memory.written_files.secret_arguments import find_secret_argument
from interlock.memory.written_files.timers import find_timer
from interlock.memory.written_files.unread_formats import find_unread_file
from interlock.model import Action, Analysis, Finding


def find_by_memory(action: Action, analysis: Analysis, state: RunState, *, strict: bool = False) -> Finding | None:
    """Return the first finding that results from the earlier actions of a run, or None."""
    for remembered, find in _FINDERS:
        found = find(action, analysis, state) if remembered(state) else None
        if found is not None:
            return found
    return find_leak(action, analysis, state, strict=strict) if state.is_exposed else None


Finder = Callable[[Action, Analysis, RunState], Finding | None]


def _always(_: RunState) -> bool:
    return True


#: Each finder, with what a run has to remember for it to find something.
_FINDERS: tuple[tuple[Callable[[RunState], object], Finder], ...] = (
    (lambda state: state.outside, find_outside_write),
    (lambda state: state.exposures, lambda _, analysis, state: find_live_use(analysis, state)),
    (lambda state: state.taints, find_disclosure),
    (lambda state: state.definitions, find_opened_upload),
    (lambda state: state.exposures, find_rows_in_arguments),
    (lambda state: state.concerns or state.written, find_alias_use),
    (lambda state: state.concerns, find_steering_file_use),
    (lambda state: state.concerns, find_record_replaced),
    (lambda state: state.concerns, find_later_use),
    (lambda state: state.written, find_instruction_file),
    (lambda state: state.written, find_downloaded_prompt),
    (lambda state: state.written, find_unread_file),
    (lambda state: state.written or state.downloaded, find_downloaded_code),
    (lambda state: state.written, find_manifest_source),
    (lambda state: state.written, find_hazard),
    (lambda state: state.written, find_host_alias_use),
    (lambda state: state.written, find_timer),
    (lambda state: state.written, find_secret_argument),
    (lambda state: state.steps, find_repeated_step),
    (_always, find_agent_note),
    (lambda state: state.calls, find_own_approval),
    (_always, find_repetition),
)
