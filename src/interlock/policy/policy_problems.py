"""Problems of valid policies: approvals that no person can give, and fields that no call has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches

import msgspec

from interlock.patterns import late
from interlock.policy.policies import Policy
from interlock.sanitise import plain

_PAYLOAD, _METADATA = "inputPayload.", "run.metadata."
#: Fields of inputs and metadata in an expression, after its string literals are removed.
_IN_EXPRESSION = late(r"(?<![\w.])(?:inputPayload|run\.metadata)\.\w+")
_QUOTED = late(r"""\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'""")


class KnownFields(msgspec.Struct, frozen=True):
    """The known fields of calls of a tool, and of the metadata of runs. Empty if nothing is known."""

    of_tool: Callable[[str], frozenset[str]] = lambda _: frozenset()
    of_runs: frozenset[str] = frozenset()


class PolicyProblem(msgspec.Struct, frozen=True):
    """A problem of a policy. A `fatal` one keeps the policy from working."""

    policy_id: str
    text: str
    fatal: bool

    def __str__(self) -> str:
        return f"policy `{plain(self.policy_id)}`: {self.text}"


def find_policy_problems(
    policies: Iterable[Policy], roles: Mapping[str, tuple[str, ...]] | None, known: KnownFields
) -> list[PolicyProblem]:
    """Return the problems of policies, given the members of each role, if they are known, and the known fields."""
    return [
        problem for policy in policies for problem in (*_find_impossible(policy, roles), *_find_misspelt(policy, known))
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
        text = f"`{plain(item)}` {what} in `[roles]` or as a group; defined are: {known}"
        yield PolicyProblem(policy.policy_id, text, fatal=True)
    people = {name for item in ask.who for name in (roles.get(item[1:], ()) if item.startswith("@") else (item,))}
    if not unknown and len(people) < ask.approvers:
        names = ", ".join(sorted(map(plain, people)))
        text = f"it requires {ask.approvers} approvers, but `who` names {len(people)}: {names}"
        yield PolicyProblem(policy.policy_id, text, fatal=True)


def _find_misspelt(policy: Policy, known: KnownFields) -> Iterator[PolicyProblem]:
    """Yield a problem for each field that no known call of the policy's tool has, or no known run."""
    tools = [value for condition in policy.conditions for value in _tools_of(condition.field, condition.value)]
    of_tools = frozenset[str]().union(*map(known.of_tool, tools))
    expression = _QUOTED.sub("''", policy.when or "")
    fields = [condition.field for condition in policy.conditions] + _IN_EXPRESSION.findall(expression)
    for field in dict.fromkeys(fields):
        for prefix, names, what in ((_PAYLOAD, of_tools, "field"), (_METADATA, known.of_runs, "metadata")):
            name = field.removeprefix(prefix).partition(".")[0]
            if field.startswith(prefix) and names and name not in names:
                whose = f"call of `{plain(tools[0])}`" if what == "field" else "run"
                text = f"no known {whose} has the {what} `{plain(name)}`; {_suggest(name, names)}"
                yield PolicyProblem(policy.policy_id, text, fatal=False)


def _suggest(name: str, known: frozenset[str]) -> str:
    near = get_close_matches(name, known, 1, 0.6)
    return f"did you mean `{near[0]}`?" if near else f"known are {', '.join(f'`{one}`' for one in sorted(known)[:8])}"


def _tools_of(field: str, value: object) -> list[str]:
    """Return the tools that a condition names."""
    if field != "toolName":
        return []
    values = value if isinstance(value, (list, tuple)) else [value]
    return [one for one in values if isinstance(one, str)]
