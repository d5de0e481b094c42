"""The approvers of a gate: the prompt at the terminal, and the models that review requests or lift them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from interlock.approval.flow import ApprovalFlow
from interlock.audit.identity import user_name

if TYPE_CHECKING:
    from interlock.approval.approver import Approver
    from interlock.approval.repository import ApprovalRepository
    from interlock.approval.request import Answer, Approval
    from interlock.approval.reviewer.second_stage import RunSoFar
    from interlock.audit.journal import Journal
    from interlock.config.schema import Config


def make_flow(config: Config, journal: Journal, approvals: ApprovalRepository, approver: Approver) -> ApprovalFlow:
    """Return the flow that passes requests to the configured model and to the person at the terminal."""
    review, judge = _reviewer(config), _judge(config)
    return ApprovalFlow(journal, approvals, review=review, judge=judge, approver=approver, person=user_name())


def _reviewer(config: Config) -> Callable[[Approval, float | None], Answer] | None:
    """Return the model that reviews requests, if one is configured."""
    settings = config.reviewer
    if settings is None:
        return None
    from interlock.approval.reviewer.review import review  # imports an HTTP client

    return lambda approval, left: review(settings, approval, deadline_seconds=left)


def _judge(config: Config) -> Callable[[Approval, RunSoFar, float | None], Answer] | None:
    """Return the model that decides whether a person's request covers an action, if one may lift requests."""
    settings = config.reviewer
    if settings is None or settings.lifts_up_to is None:
        return None
    from interlock.approval.reviewer.review import judge_authorisation  # imports an HTTP client

    return lambda approval, run, left: judge_authorisation(settings, approval, run, deadline_seconds=left)
