"""`/v1/policy-revisions`: the policies of a repository, applied as a whole, listed, and rolled back."""

from __future__ import annotations

from asyncio import to_thread
from typing import Annotated, Any

from litestar import get, post
from litestar.params import JSONBody, PathParameter

from interlock.model import Struct
from interlock.policies.plan import PolicyPlan
from interlock.policies.revision import AppliedPolicies, PolicyFolder, PolicyRevision, Rollback
from interlock.policies.revisions import PolicyRevisions
from interlock.policy.policies import Policy
from interlock.server.api.parameters import MANAGE, SEE, ApiRequest, ServiceDependency
from interlock.server.api.responses import problem_responses
from interlock.server.service import Service

RevisionNumber = Annotated[int, PathParameter(ge=1, le=2**31, description="the number of a revision")]


class PolicyRevisionList(Struct, frozen=True, kw_only=True):
    """Every revision, newest first."""

    items: list[PolicyRevision]


class PolicyRevisionDetails(Struct, frozen=True, kw_only=True):
    """A revision, and all policies that its origin had then."""

    revision: PolicyRevision
    policies: list[Policy]


def _follow(service: Service, applied: AppliedPolicies) -> AppliedPolicies:
    """Load changed policies."""
    if applied.revision is not None:
        service.gate.configuration.reload_policies()
    return applied


@get(
    "/policy-revisions",
    opt={"right": SEE},
    responses=problem_responses(),
    summary="Revisions: policies that were applied together",
    tags=["policies"],
)
async def list_revisions(service: ServiceDependency) -> PolicyRevisionList:
    """List the revisions."""
    return PolicyRevisionList(items=await to_thread(PolicyRevisions(service.journal).all))


@post(
    "/policy-revisions",
    opt={"right": MANAGE},
    status_code=200,
    responses=problem_responses(),
    summary="Apply the policies of a folder",
    description="Makes the stored policies equal to those in the request: adds and changes policies, and removes those "
    "that an earlier apply of the same origin added. All or nothing. Policies that were written or edited by hand, or "
    "belong to another origin, are conflicts (409), unless `overwrite` is set. With `prune`, all policies that are not "
    "in the request are removed, whatever their origin. `base` is that of the plan that you reviewed. `revision` is "
    "null if there was nothing to change.",
    tags=["policies"],
)
async def apply_policies(
    request: ApiRequest, service: ServiceDependency, data: JSONBody[PolicyFolder]
) -> AppliedPolicies:
    """Apply the policies of a folder."""

    def work() -> AppliedPolicies:
        return _follow(service, PolicyRevisions(service.journal).apply(data, service.gate.config, request.user.name))

    return await to_thread(work)


@post(
    "/policy-revisions/plan",
    opt={"right": SEE},
    status_code=200,
    responses=problem_responses(),
    summary="What applying the policies of a folder would change",
    description="Returns the changes, the conflicts, and the newest revision of the origin. Nothing is changed. "
    "`POST /v1/policies/simulate` shows which past decisions would change.",
    tags=["policies"],
)
async def plan_policies(service: ServiceDependency, data: JSONBody[PolicyFolder]) -> PolicyPlan:
    """Plan applying the policies of a folder."""
    return await to_thread(PolicyRevisions(service.journal).plan, data, service.gate.config)


@get(
    "/policy-revisions/{revision:int}",
    opt={"right": SEE},
    responses=problem_responses(),
    summary="One revision, with all policies of its origin",
    tags=["policies"],
)
async def get_revision(service: ServiceDependency, revision: RevisionNumber) -> PolicyRevisionDetails:
    """Show a revision."""
    found, policies = await to_thread(PolicyRevisions(service.journal).get, revision)
    return PolicyRevisionDetails(revision=found, policies=policies)


@post(
    "/policy-revisions/{revision:int}/rollback",
    opt={"right": MANAGE},
    status_code=200,
    responses=problem_responses(),
    summary="Roll back to a revision",
    description="Restores the policies of its origin, as a new revision. All or nothing.",
    tags=["policies"],
)
async def roll_back(
    request: ApiRequest, service: ServiceDependency, revision: RevisionNumber, data: JSONBody[Rollback]
) -> AppliedPolicies:
    """Roll back to a revision."""

    def work() -> AppliedPolicies:
        revisions, config = PolicyRevisions(service.journal), service.gate.config
        return _follow(service, revisions.roll_back(revision, data, config, request.user.name))

    return await to_thread(work)


ROUTES: list[Any] = [list_revisions, apply_policies, plan_policies, get_revision, roll_back]
