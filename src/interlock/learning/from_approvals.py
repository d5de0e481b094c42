"""Suggest grants from repeated approvals. The shape of a grant was offered by each of the requests."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from interlock.approval.request import Approval, ProposedShape
from interlock.approval.search_fields import environment_of
from interlock.approval.shape.shape import Shape
from interlock.audit.record import canonical
from interlock.learning.approval_evidence import AnsweredRequest, Answers
from interlock.learning.excluded_grants import find_exclusion
from interlock.learning.grant_coverage import ShapeCoverage, find_coverage, riskiest_first
from interlock.learning.narrower_shapes import make_exact_shape
from interlock.learning.shape_matching import ShapeFit
from interlock.learning.suggestion import MAX_LISTED, Evidence, Suggestion
from interlock.store.clock import MICROSECONDS
from interlock.store.database import Database

#: Thresholds: answers that are evidence, on different days, in different runs, by different people.
MIN_ANSWERS, MIN_DAYS, MIN_RUNS, MIN_PEOPLE = 5, 3, 2, 2
#: With fewer different actions than this, only exactly these actions are suggested; with fewer narrower shapes, none
#: that is wider.
MIN_VARIANTS = 3
MAX_SUGGESTED = 50
_DAY = 86_400 * MICROSECONDS
_GRANTED = "SELECT digest, shape, revoked_at, expires_at FROM interlock_grants WHERE shape IS NOT NULL"


class _Proposal(msgspec.Struct, frozen=True):
    shape: Shape
    evidence: Sequence[AnsweredRequest]
    uncounted: Mapping[str, int]

    @property
    def newest(self) -> Approval:
        """The newest request."""
        return self.evidence[-1].approval


def suggest_grants(database: Database, answers: Answers, at: int) -> list[Suggestion]:
    """Return a suggestion for each shape that was approved often enough and never refused."""
    found = list(_proposals(database, answers, at))[:MAX_SUGGESTED]
    reaches = find_coverage(database, [ShapeFit(one.shape, one.newest) for one in found])
    return [_suggestion(one, reach) for one, reach in zip(found, reaches, strict=True) if not reach.is_refused]


def _proposals(database: Database, answers: Answers, at: int) -> Iterator[_Proposal]:
    """Yield the narrowest shape for which there is enough evidence; each answer is evidence of one shape only."""
    offered: dict[tuple[int, str], list[AnsweredRequest]] = defaultdict(list)
    for one in answers.approved:
        for rank, shape in enumerate(one.approval.shapes):
            offered[rank, shape.shape_id].append(one)
    granted, used = _GrantIndex(database, at), set[str]()
    for rank, shape_id in sorted(offered, key=lambda key: key[0]):
        given = [one for one in offered[rank, shape_id] if one.approval.approval_id not in used]
        proposal = _propose(given, shape_id, granted, alone=answers.alone)
        if proposal is not None and (rank == 0 or _is_varied(proposal)):
            used |= {one.approval.approval_id for one in given}
            yield proposal


def _propose(given: Sequence[AnsweredRequest], shape_id: str, granted: _GrantIndex, *, alone: bool) -> _Proposal | None:
    if not given:
        return None
    shape = msgspec.json.decode(_offer(given[-1].approval, shape_id).shape, type=Shape)
    counted = [
        one for one in given if not one.why_not and one.approval.created_at > granted.find_revocation_time(shape)
    ]
    if not _is_enough(counted, alone=alone):
        return None
    variants = {one.approval.digest for one in counted}
    if len(variants) < MIN_VARIANTS:
        counted = [one for one in counted if one.approval.digest == counted[-1].approval.digest]
        narrowed = make_exact_shape(shape, counted[-1].approval)
        if narrowed is None or not _is_enough(counted, alone=alone):
            return None
        shape = narrowed
    if granted.covers(shape) or find_exclusion(shape, counted[-1].approval):
        return None
    return _Proposal(shape, counted, Counter(one.why_not.value for one in given if one.why_not))


def _is_varied(proposal: _Proposal) -> bool:
    """Whether there are answers about enough narrower shapes to support a wider one."""
    return len({one.approval.shapes[0].shape_id for one in proposal.evidence}) >= MIN_VARIANTS


def _offer(approval: Approval, shape_id: str) -> ProposedShape:
    return next(shape for shape in approval.shapes if shape.shape_id == shape_id)


def _is_enough(counted: Sequence[AnsweredRequest], *, alone: bool) -> bool:
    """Whether there are enough answers, days, runs and people; one person is enough if no other answers requests."""
    days = {one.answer.at // _DAY for one in counted}
    runs = {one.approval.run_id for one in counted}
    people = {one.answer.approver for one in counted}
    is_spread = len(days) >= MIN_DAYS and len(runs) >= MIN_RUNS
    return len(counted) >= MIN_ANSWERS and is_spread and (alone or len(people) >= MIN_PEOPLE)


class _GrantIndex:
    """The grants by shape, in force and revoked."""

    def __init__(self, database: Database, at: int) -> None:
        self._active: set[str] = set()
        self._revoked: dict[str, int] = {}
        with database.read() as connection:
            for digest, text, revoked_at, expires_at in connection.tuples(_GRANTED):
                if revoked_at is not None:
                    self._revoked[digest] = max(revoked_at, self._revoked.get(digest, 0))
                elif expires_at is None or expires_at > at:
                    self._active.add(_key(msgspec.json.decode(text, type=Shape), digest))

    def covers(self, shape: Shape) -> bool:
        """Whether a grant of these actions is in force."""
        return _key(shape, shape.frame) in self._active

    def find_revocation_time(self, shape: Shape) -> int:
        """Return when a grant of similar actions, narrower or wider, was last revoked: earlier answers do not count."""
        return self._revoked.get(shape.frame, 0)


def _key(shape: Shape, frame: str) -> str:
    return canonical([frame, shape.words, shape.arguments, shape.fixed]).decode()


def _suggestion(proposal: _Proposal, reach: ShapeCoverage) -> Suggestion:
    approval, ids = proposal.newest, {one.approval.approval_id for one in proposal.evidence}
    runs = {(one.approval.run_id, one.approval.digest) for one in proposal.evidence}
    also = [use for use in reach.uses if use.approval_id not in ids]
    asked = sum(use.approval_id is not None for use in reach.uses)
    return Suggestion(
        suggestion_id=f"g{proposal.shape.shape_id}",
        kind="grant",
        text=proposal.shape.text,
        tool_name=str(approval.action.get("toolName") or ""),
        agent_id=approval.agent_id,
        environment=environment_of(approval),
        folder=approval.action.get("cwd") or approval.action.get("workspace"),
        request_id=approval.approval_id,
        evidence=evidence_of(proposal.evidence, proposal.uncounted),
        covered=max(asked, len(runs)),
        also=tuple(riskiest_first(also)[:MAX_LISTED]),
        also_count=len(also),
        is_complete=reach.is_complete,
        shape=canonical(proposal.shape).decode(),
    )


def evidence_of(given: Sequence[AnsweredRequest], uncounted: Mapping[str, int]) -> Evidence:
    """Return the evidence in some answers, which are in the order of time."""
    return Evidence(
        answers=len(given),
        people=dict(Counter(one.answer.approver for one in given).most_common()),
        first_at=min(one.answer.at for one in given),
        last_at=max(one.answer.at for one in given),
        days=len({one.answer.at // _DAY for one in given}),
        runs=tuple(dict.fromkeys(one.approval.run_id for one in given))[:MAX_LISTED],
        requests=tuple(one.approval.approval_id for one in reversed(given))[:MAX_LISTED],
        uncounted=dict(uncounted),
    )
