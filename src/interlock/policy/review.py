"""What is wrong with policies although they load: approvals that nobody can give, and fields that no call has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches

import msgspec

from interlock.policy.policies import Policy
from interlock.sanitise import plain

#: Returns the names of the fields that calls of a tool are known to have; empty if the tool is not known.
FieldsOf = Callable[[str], frozenset[str]]
_PAYLOAD = "inputPayload."


class PolicyProblem(msgspec.Struct, frozen=True):
    """A problem of a policy. `fatal`: the policy cannot work as it is."""

    policy_id: str
    text: str
    fatal: bool

    def __str__(self) -> str:
        return f"policy `{plain(self.policy_id)}`: {self.text}"


def review_policies(
    policies: Iterable[Policy], roles: Mapping[str, tuple[str, ...]] | None, fields_of: FieldsOf
) -> list[PolicyProblem]:
    """Return the problems of policies, given the members of each role, if they are known, and the fields of tools."""
    return [
        problem
        for policy in policies
        for problem in (*_find_impossible(policy, roles), *_find_misspelt(policy, fields_of))
    ]


def _find_impossible(policy: Policy, roles: Mapping[str, tuple[str, ...]] | None) -> Iterator[PolicyProblem]:
    """Yield a problem if too few people can give the approval that a policy requires."""
    ask = policy.approval
    if ask is None or not ask.who:
        return
    if roles is None:
        if any(item.startswith("@") for item in ask.who):
            return
        roles = {}
    unknown = [item for item in ask.who if item.startswith("@") and not roles.get(item[1:])]
    for item in unknown:
        known = ", ".join(f"@{role}" for role in roles) or "none"
        what = "has no members" if item[1:] in roles else "is not defined"
        yield PolicyProblem(policy.policy_id, f"`{plain(item)}` {what} in `[roles]`; defined are: {known}", fatal=True)
    people = {name for item in ask.who for name in (roles.get(item[1:], ()) if item.startswith("@") else (item,))}
    if not unknown and len(people) < ask.approvers:
        names = ", ".join(sorted(map(plain, people)))
        text = f"it requires {ask.approvers} approvers, and `who` names {len(people)}: {names}"
        yield PolicyProblem(policy.policy_id, text, fatal=True)


def _find_misspelt(policy: Policy, fields_of: FieldsOf) -> Iterator[PolicyProblem]:
    """Yield a problem for each field that no known call of the policy's tool has."""
    tools = [value for condition in policy.conditions for value in _tools_of(condition.field, condition.value)]
    known = frozenset[str]().union(*map(fields_of, tools))
    if not known:
        return
    for condition in policy.conditions:
        name = condition.field.removeprefix(_PAYLOAD).partition(".")[0]
        if condition.field.startswith(_PAYLOAD) and name not in known:
            near = get_close_matches(name, known, 1, 0.6)
            hint = (
                f"did you mean `{near[0]}`?"
                if near
                else f"known are {', '.join(f'`{one}`' for one in sorted(known)[:8])}"
            )
            text = f"no known call of `{plain(tools[0])}` has the field `{plain(name)}`; {hint}"
            yield PolicyProblem(policy.policy_id, text, fatal=False)


def _tools_of(field: str, value: object) -> list[str]:
    """Return the tools that a condition names."""
    if field != "toolName":
        return []
    values = value if isinstance(value, (list, tuple)) else [value]
    return [one for one in values if isinstance(one, str)]
