"""Scorers that combine other scorers."""

from __future__ import annotations

from collections.abc import Sequence

from interlock.errors import InterlockError
from interlock.scoring.factors import ActionContext, Scorer, clamp


class FixedRiskScorer:
    """Always the same score."""

    def __init__(self, score: float) -> None:
        if not 0.0 <= score <= 1.0:
            raise InterlockError(f"a fixed score must be between 0.0 and 1.0, found `{score}`")
        self._score = score

    def score(self, ctx: ActionContext) -> float:  # noqa: ARG002 - the protocol's shape
        """Return the score."""
        return self._score


class CompositeRiskScorer:
    """The weighted mean of several scorers; the weights need not sum to one."""

    def __init__(self, scorers: Sequence[tuple[Scorer, float]]) -> None:
        if not scorers:
            raise InterlockError("a composite needs at least one `(scorer, weight)`")
        if any(weight < 0 for _, weight in scorers) or not sum(weight for _, weight in scorers) > 0:
            raise InterlockError("weights must not be negative, and at least one must be above zero")
        self._scorers = tuple(scorers)

    def score(self, ctx: ActionContext) -> float:
        """Return the weighted mean."""
        total = sum(weight for _, weight in self._scorers)
        return clamp(sum(clamp(scorer.score(ctx)) * weight for scorer, weight in self._scorers) / total)


class MaxRiskScorer:
    """The highest of several scorers."""

    def __init__(self, scorers: Sequence[Scorer]) -> None:
        if not scorers:
            raise InterlockError("a maximum needs at least one scorer")
        self._scorers = tuple(scorers)

    def score(self, ctx: ActionContext) -> float:
        """Return the highest score."""
        return max(clamp(scorer.score(ctx)) for scorer in self._scorers)
