"""The columns that requests are searched, sorted and grouped by. They repeat parts of the request."""

from __future__ import annotations

from typing import Any

import msgspec

from interlock.approval.eligibility import eligible_column
from interlock.approval.request import Approval
from interlock.audit.record import digest_of
from interlock.sanitise import clean, storable_name
from interlock.scoring.command import normalise_environment


def search_fields(approval: Approval) -> dict[str, Any]:
    """Return the columns of a request that searches use."""
    decision = approval.decision
    environment = environment_of(approval)
    return {
        "tool": storable_name(str(approval.action.get("toolName") or "")),
        "environment": None if environment is None else storable_name(environment),
        "level": str(decision.get("level") or ""),
        "score": int(decision.get("score") or 0),
        "text": clean(str(decision.get("text") or "")),
        "group_key": group_key(approval),
        "eligible": eligible_column(approval),
        "one_person": int(approval.one_person),
    }


def environment_of(approval: Approval) -> str | None:
    """Return the environment that a request was decided for, by its usual name."""
    for factor in approval.decision.get("factors") or ():
        if factor.get("name") == "environment" and factor.get("detail"):
            return str(factor["detail"])
    claimed = approval.action.get("environment")
    return normalise_environment(str(claimed)) if claimed else None


def group_key(approval: Approval) -> str:
    """Return a key that is the same for requests with no difference that an approver would want to see.

    They are for exactly the same action, including what is masked, with the same score, the same reasons and the same
    requirements. They may differ in the agent, the run, the person who started it, and in time.
    """
    decision = approval.decision
    shown = {name: decision.get(name) for name in ("score", "level", "reasons", "opaque", "reversible", "unshown")}
    needs = msgspec.to_builtins(approval.needs)
    return digest_of([approval.digest, environment_of(approval), shown, needs, approval.one_person, approval.reviewer])
