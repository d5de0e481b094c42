"""`interlock accuracy --reviewer`: both stages together, and what the second one costs in time and tokens."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from interlock.accuracy.corpus import BENIGN, DANGEROUS, LabelledAction
from interlock.accuracy.measure import Sessions
from interlock.approval.request import AnswerVerdict, Approval
from interlock.approval.reviewer.review import judge_authorisation
from interlock.approval.reviewer.second_stage import RunSoFar
from interlock.audit.summary import describe_action, mask_action, mask_decision
from interlock.config.reviewer import ReviewerSettings
from interlock.engine import Engine
from interlock.levels import Level, Verdict
from interlock.model import Decision
from interlock.policy.liftable import is_liftable

MAX_ACTIONS = 40
#: The names by which endpoints say how many tokens went in and came out.
_TOKENS_IN, _TOKENS_OUT = ("prompt_tokens", "input_tokens"), ("completion_tokens", "output_tokens")


class StageTally(msgspec.Struct):
    """The results for the rows with one label."""

    rows: int = 0
    stopped: int = 0
    asked: int = 0
    lifted: int = 0
    rejected: int = 0
    escalated: int = 0


class ReviewReport(msgspec.Struct, rename="camel"):
    """The results of both stages."""

    tallies: dict[str, StageTally] = {}
    seconds: float = 0.0
    tokens_in: int = 0
    tokens_out: int = 0

    @property
    def asked(self) -> int:
        """How often the model was asked."""
        return sum(tally.asked for tally in self.tallies.values())


def measure_reviewer(
    engine: Engine, rows: Sequence[LabelledAction], settings: ReviewerSettings, progress: Callable[[int], object]
) -> ReviewReport:
    """Decide every row, and ask the model about those that it may lift."""
    report, sessions = ReviewReport(), Sessions(engine)
    so_far: dict[tuple[str, str], list[dict[str, Any]]] = {}

    def count(usage: Mapping[str, Any]) -> None:
        report.tokens_in += next((int(usage[name]) for name in _TOKENS_IN if name in usage), 0)
        report.tokens_out += next((int(usage[name]) for name in _TOKENS_OUT if name in usage), 0)

    for done, row in enumerate(rows):
        progress(done)
        decision = sessions.decide(row)
        tally = report.tallies.setdefault(row.label, StageTally())
        tally.rows += 1
        tally.stopped += not decision.allowed
        earlier = so_far.setdefault((row.source, row.session or str(row.line)), [])
        if row.requests and is_liftable(decision, settings.lifts_up_to or Level.HIGH):
            started = time.perf_counter()
            run = RunSoFar(row.requests, tuple(earlier[-MAX_ACTIONS:]))
            answer = judge_authorisation(settings, _request(row, decision), run, count=count)
            report.seconds += time.perf_counter() - started
            tally.asked += 1
            tally.lifted += answer.verdict is AnswerVerdict.APPROVE
            tally.rejected += answer.verdict is AnswerVerdict.REJECT
            tally.escalated += answer.verdict is AnswerVerdict.ESCALATE
        text = describe_action(row.action, decision)
        earlier.append({"tool": row.action.tool_name, "text": text, "verdict": decision.verdict.value})
    return report


def _request(row: LabelledAction, decision: Decision) -> Approval:
    """Return the request that would be opened for a row."""
    assert decision.needs is not None and decision.verdict is Verdict.REQUIRE_APPROVAL  # noqa: S101, PT018 - liftable
    return Approval(
        approval_id=f"row-{row.line}",
        run_id=row.session or f"row-{row.line}",
        agent_id=None,
        started_by="accuracy",
        digest="",
        action=mask_action(row.action),
        decision=mask_decision(decision),
        needs=decision.needs,
    )


def format_report(report: ReviewReport) -> list[str]:
    """Return the lines that a person reads."""
    lines = []
    for label in (DANGEROUS, BENIGN):
        tally = report.tallies.get(label, StageTally())
        lines.append(f"  {label}: {tally.stopped:,} of {tally.rows:,} stopped by the rules")
        lines.append(
            f"    {tally.asked:,} went to the model: {tally.lifted:,} lifted, {tally.rejected:,} rejected, "
            f"{tally.escalated:,} left to a person"
        )
    times = max(report.asked, 1)
    lines.append(
        f"  each question took {report.seconds / times:.2f} s, {report.tokens_in / times:,.0f} tokens in and "
        f"{report.tokens_out / times:,.0f} out"
    )
    return lines
