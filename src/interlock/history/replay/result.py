"""The result of a replay for one action: its verdict then and now, and the cause if they differ."""

from __future__ import annotations

import msgspec

from interlock.levels import Verdict


class ReplayResult(msgspec.Struct, frozen=True, kw_only=True):
    """One action: as it was decided, and as it is decided again.

    `before` and `after` are the verdicts; of an action that was only observed, those that it would have had. `basis` is
    `exact`, `masked` or `assessed`. `cause` says why the verdicts differ, and is empty if they do not. `undecided` says
    why an action could not be decided again; `after` is then the recorded verdict.
    """

    seq: int
    at: int
    run_id: str
    agent_id: str | None
    tool: str
    text: str
    before: str
    after: str
    because: str
    observed: bool
    level_before: str
    level_after: str
    score_before: int
    score_after: int
    rules_before: list[str]
    rules_after: list[str]
    policies_before: list[str]
    policies_after: list[str]
    basis: str
    cause: str = ""
    undecided: str = ""

    @property
    def has_changed(self) -> bool:
        """Whether the verdicts differ."""
        return self.before != self.after

    @property
    def newly_allowed(self) -> bool:
        """Whether the action would be allowed now, and was not."""
        return _RANK[self.after] < _ASKS <= _RANK[self.before]

    @property
    def newly_stopped(self) -> bool:
        """Whether the action was allowed, and would be blocked or need approval now."""
        return _RANK[self.before] < _ASKS <= _RANK[self.after]


_RANK = {verdict.value: verdict.rank for verdict in Verdict}
_ASKS = Verdict.REQUIRE_APPROVAL.rank
