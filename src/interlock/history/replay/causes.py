"""The causes of different verdicts in a replay. Every difference has one.

A difference can only come from what differs: the set-up, the input, the memory of the run, or something that was
counted beside the engine. Which of these it was is narrowed by what changed: the assessment, or only the verdict.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interlock.audit.setup_stamp import ASSESSES, SetupStamp
from interlock.history.replay.recorded_action import ASSESSED, MASKED

#: The parts of a set-up that a verdict depends on besides the assessment.
_JUDGES = ("policies", "mode", "configuration", "version")
UNEXPLAINED = "unexplained"
SETUP_UNKNOWN = "set-up not recorded"
INPUT_MASKED, INPUT_MISSING = "masked input", "input not recorded"
EARLIER_INPUT, CONCURRENT, OTHER_FORMS = "masked input of an earlier action", "concurrent actions", "other forms"
_INCOMPLETE = {MASKED: INPUT_MASKED, ASSESSED: INPUT_MISSING}


def find_cause(
    data: Mapping[str, Any],
    stamp: SetupStamp,
    mode: str,
    *,
    basis: str,
    same_assessment: bool,
    same_policies: bool,
    is_memory_exact: bool,
    is_concurrent: bool,
) -> str:
    """Return the cause of a difference; all possible causes if several are possible."""
    then = SetupStamp.parse(str(data.get("setup", "")))
    if then is None:
        found = [SETUP_UNKNOWN]
    else:
        differing = then.differences(stamp) | ({"mode"} if data.get("mode") != mode else set())
        found = _setup_parts(differing, same_assessment, same_policies)
    if basis in _INCOMPLETE and not (found and same_assessment):
        found.append(_INCOMPLETE[basis])
    reads_memory = not (same_assessment and same_policies)  # policies can read what the run has done
    if reads_memory and not is_memory_exact:
        found.append(EARLIER_INPUT)
    if reads_memory and is_concurrent:
        found.append(CONCURRENT)
    if data.get("forms"):
        found.append(OTHER_FORMS)
    return " or ".join(found) or UNEXPLAINED


def _setup_parts(differing: frozenset[str], same_assessment: bool, same_policies: bool) -> list[str]:
    """Return the parts of the set-up that may have changed a verdict."""
    if not same_assessment:
        likely = [part for part in ASSESSES if part in differing]
        return likely or [part for part in _JUDGES if part in differing]
    parts = [part for part in _JUDGES if part in differing]
    if not same_policies and "policies" in parts:
        return ["policies"]  # other policies match the same assessment
    return parts
