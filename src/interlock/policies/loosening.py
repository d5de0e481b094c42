"""Detect changes of policies that loosen decisions, from the policies alone."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.levels import Verdict
from interlock.model import Ask
from interlock.policy.limits import Limit
from interlock.policy.needs import CHALLENGE_ORDER
from interlock.policy.policies import Policy

_ACTIONS = {
    Verdict.ALLOW: "allows",
    Verdict.WARN: "warns",
    Verdict.REQUIRE_APPROVAL: "requires approval",
    Verdict.BLOCK: "blocks",
}


def find_policy_loosening(old: Policy | None, new: Policy | None) -> list[str]:
    """Return why a change loosens, in words; empty if nothing shows that it does. None is a policy that does not exist.

    >>> find_policy_loosening(Policy("a", action="block"), Policy("a", action="warn"))
    ['it warns instead of blocking']
    """
    before = old if old is not None and old.enabled else None
    after = new if new is not None and new.enabled else None
    return list(_reasons(before, after, switched_off=new is not None))


def _reasons(old: Policy | None, new: Policy | None, *, switched_off: bool) -> Iterator[str]:
    strict = old is not None and old.action > Verdict.ALLOW
    if new is None:
        if old is not None and strict:
            yield f"it {'switches off' if switched_off else 'removes'} a policy that {_ACTIONS[old.action]}"
        return
    if new.action is Verdict.ALLOW and old != new:
        yield "it allows actions without approval, unless a floor or a stricter policy stops them"
    if old is None:
        return
    if new.action < old.action and new.action is not Verdict.ALLOW:
        yield f"it {_ACTIONS[new.action]} instead of {_REPLACED_ACTIONS[old.action]}"
    if strict and new.limit is not None and _allows_more(old.limit, new.limit):
        yield f"it applies only beyond a limit: {new.limit}"
    if strict and old.missing == "matches" and new.missing != "matches":
        yield "it no longer matches actions that lack a field"
    if old.action is new.action is Verdict.REQUIRE_APPROVAL:
        yield from _find_easier_approvals(old.approval or Ask(), new.approval or Ask())


_REPLACED_ACTIONS = {Verdict.WARN: "warning", Verdict.REQUIRE_APPROVAL: "requiring approval", Verdict.BLOCK: "blocking"}


def _allows_more(old: Limit | None, new: Limit) -> bool:
    """Whether a limit allows more than before, or may allow more."""
    if old is None or (old.per, old.of, old.by) != (new.per, new.of, new.by):
        return True
    return new.most > old.most


def _find_easier_approvals(old: Ask, new: Ask) -> Iterator[str]:
    """Yield the ways in which an approval is easier to get."""
    if new.approvers < old.approvers:
        yield f"it requires {new.approvers} instead of {old.approvers} approvers"
    if (old.who and set(new.who) - set(old.who)) or (old.who and not new.who):
        yield "more people can approve"
    if old.reason and not new.reason:
        yield "approvers no longer give a reason"
    if old.model and not new.model:
        yield "a model's review is no longer required"
    if CHALLENGE_ORDER.index(new.challenge) < CHALLENGE_ORDER.index(old.challenge):
        yield "the challenge for approvers is easier"
    if new.liftable and not old.liftable:
        yield "a model may approve in place of a person"
