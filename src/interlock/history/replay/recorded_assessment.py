"""Decide from a recorded assessment: policies and mode are applied again; rules and scores stay as recorded."""

from __future__ import annotations

from typing import NamedTuple

from interlock.config.schema import Config
from interlock.history.replay.past_action import PastAction
from interlock.model import Decision
from interlock.policy.decide import decide
from interlock.policy.facts import Circumstances
from interlock.policy.modes import MODES, mode_row
from interlock.policy.policy_set import PolicySet


class AssessedVerdict(NamedTuple):
    """The decision on a past action by its recorded assessment, and the ids of the policies that match it."""

    decision: Decision
    policy_ids: frozenset[str]


def decide_assessed(
    past: PastAction, policies: PolicySet, config: Config, around: Circumstances, mode: str | None = None
) -> AssessedVerdict:
    """Decide a past action by its recorded assessment, in a mode or in the recorded one."""
    matches = policies.match(past.action, past.assessment, past.environment, around).applied
    mode = past.mode if mode is None else mode
    mode = mode if mode in MODES or mode in config.modes else config.mode
    found = decide(past.action, past.assessment, matches, mode, mode_row(mode, config.modes))
    return AssessedVerdict(found, frozenset(match.policy_id for match in matches))
